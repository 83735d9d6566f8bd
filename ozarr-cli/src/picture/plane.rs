//! Selects the one or two dimensions of an array that are drawn.

use super::numbers::{Number, Numbers};
use ozarr::{Array, Error, Indices, Result, Selection, Slice, slice};
use std::ops::Range;

/// The most elements that are read at a time.
const PART: u64 = 1 << 21;
/// The most elements of one chunk that are read at a time if it has more than [`PART`]: decoding it needs the memory
/// anyway, and each part decodes it again.
const MOST_PART: u64 = 1 << 25;

/// A selection of an array with one or two dimensions, as rows and columns: one dimension is one row.
#[derive(Debug)]
pub(crate) struct Plane<'a> {
    array: &'a Array,
    pub(crate) numbers: Numbers,
    indices: Vec<Indices>,
    /// The dimensions of the array that are drawn, at most two.
    axes: Vec<usize>,
}

/// Rows and columns of a [`Plane`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) rows: Range<u64>,
    pub(crate) columns: Range<u64>,
}

impl<'a> Plane<'a> {
    /// Selects elements. Dimensions of length 1 are left out if there are more than two.
    ///
    /// # Errors
    /// If the elements are not numbers, the selection does not fit, or more than two dimensions remain.
    pub(crate) fn new(array: &'a Array, selection: &Selection) -> Result<Self> {
        let numbers = Numbers::of(array)?;
        let (shape, indices) = (selection.shape(array.shape())?, selection.indices(array.shape())?);
        let axes: Vec<usize> = if shape.len() > 2 {
            (0..indices.len()).filter(|d| indices[*d].len != 1).collect()
        } else {
            // It makes no difference which of several dimensions of length 1 remains.
            let mut wanted = shape.iter().peekable();
            (0..indices.len()).filter(|d| wanted.next_if(|n| **n == indices[*d].len).is_some()).collect()
        };
        if axes.len() > 2 {
            let e = Error::argument(format!(
                "the selection of `{1}` has {0} dimensions; a picture has at most 2",
                axes.len(),
                array.path()
            ));
            return Err(e.with_hint(format!(
                "select one index in each other dimension, for example `--region {}`",
                example(array.ndim())
            )));
        }
        Ok(Self { array, numbers, indices, axes })
    }
    /// Returns true if there is at most one dimension.
    pub(crate) fn is_line(&self) -> bool {
        self.axes.len() < 2
    }
    /// Returns true if there are no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }
    /// Returns the number of dimensions.
    pub(crate) fn dimensions(&self) -> usize {
        self.axes.len()
    }
    /// Returns the number of rows and columns.
    pub(crate) fn shape(&self) -> [u64; 2] {
        let len = |axis: Option<usize>| axis.map_or(1, |d| self.indices[d].len);
        self.axis_of().map(len)
    }
    /// Returns the dimensions of rows and columns.
    fn axis_of(&self) -> [Option<usize>; 2] {
        match self.axes[..] {
            [rows, columns] => [Some(rows), Some(columns)],
            [columns] => [None, Some(columns)],
            _ => [None, None],
        }
    }
    /// Reads every `stride`-th element along each axis, as bytes in C order. `part` counts these elements.
    pub(crate) fn read(&self, part: &Part, stride: [u64; 2]) -> Result<Vec<u8>> {
        let axes = self.axis_of();
        let slice_of = |(d, s): (usize, &Indices)| -> Slice {
            let (range, stride) = match axes {
                [Some(rows), _] if rows == d => (part.rows.clone(), stride[0]),
                [_, Some(columns)] if columns == d => (part.columns.clone(), stride[1]),
                _ => (0..1, 1),
            };
            let step = s.step.saturating_mul(stride);
            let at = |i: u64| s.start.saturating_add(i.saturating_mul(step));
            slice(at(range.start)..at(range.end.saturating_sub(1)).saturating_add(1)).step_by(step)
        };
        let selection: Selection = self.indices.iter().enumerate().map(slice_of).collect();
        self.array.read_bytes(selection)
    }
    /// Returns parts that together have `shape` elements, every `stride`-th along each axis. They end at chunk
    /// boundaries where possible.
    pub(crate) fn parts(&self, shape: [u64; 2], stride: [u64; 2]) -> impl Iterator<Item = Part> {
        let [rows, columns] = [0, 1].map(|i| self.cuts_of(i, stride[i]));
        let [height, width] = [(rows, shape[0]), (columns, shape[1])].map(|(cuts, n)| cuts.chunk().min(n).max(1));
        let most = height.saturating_mul(width).clamp(PART, MOST_PART);
        let columns_at_once = (most / height.min(most)).min(shape[1].max(1));
        let rows_at_once = most / columns_at_once;
        let is_empty = shape.contains(&0);
        rows.cut(0..shape[0], rows_at_once).filter(move |_| !is_empty).flat_map(move |rows| {
            columns.cut(0..shape[1], columns_at_once).map(move |columns| Part { rows: rows.clone(), columns })
        })
    }
    /// Returns the number of chunks with drawn elements, or an estimate if the selection has steps.
    pub(crate) fn chunks(&self) -> u64 {
        let shape = self.shape();
        let along = |i: usize| shape[i].div_ceil(self.cuts_of(i, 1).chunk().max(1));
        along(0).saturating_mul(along(1))
    }
    /// Calls `each` with parts that together contain the elements of stored chunks, every `stride`-th along each axis.
    ///
    /// Only stored chunks take time. Each part is within one chunk, or within one inner chunk of a shard.
    ///
    /// # Errors
    /// If the store cannot list, or if `each` fails.
    pub(crate) fn each_stored_part(
        &self,
        shape: [u64; 2],
        stride: [u64; 2],
        each: &mut dyn FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        let (axes, cuts) = (self.axis_of(), [0, 1].map(|i| self.cuts_of(i, stride[i])));
        let most = cuts.map(|cuts| if self.array.is_sharded() { cuts.chunk().max(1) } else { u64::MAX });
        let mut chunks = self.array.stored_keys()?.chunks;
        chunks.dedup();
        for index in chunks {
            // Chunks outside the grid contain no elements.
            let Ok(chunk) = self.array.chunk(&index) else { continue };
            let elements = |d: usize| chunk.region().start[d]..chunk.region().end(d);
            let is_drawn = |d: usize| axes.contains(&Some(d)) || elements(d).contains(&self.indices[d].start);
            if !(0..self.indices.len()).all(is_drawn) {
                continue;
            }
            let within = |i: usize| axes[i].map_or(0..1, |d| cuts[i].within(elements(d), shape[i]));
            for rows in cuts[0].cut(within(0), most[0]) {
                for columns in cuts[1].cut(within(1), most[1]) {
                    each(Part { rows: rows.clone(), columns })?;
                }
            }
        }
        Ok(())
    }
    /// Returns the number for elements of chunks that are not stored.
    pub(crate) fn fill(&self) -> Number {
        self.numbers.number(self.array.representation().fill())
    }
    fn cuts_of(&self, i: usize, stride: u64) -> Cuts {
        let chunks = self.array.inner_chunk_shape().or(self.array.chunk_shape());
        let Some(d) = self.axis_of()[i] else { return Cuts { start: 0, step: 1, chunk: 1 } };
        let chunk = chunks.and_then(|c| c.get(d)).copied().unwrap_or(1).max(1);
        Cuts { start: self.indices[d].start, step: self.indices[d].step.saturating_mul(stride), chunk }
    }
}

/// Chunk boundaries along one axis.
#[derive(Debug, Clone, Copy)]
struct Cuts {
    start: u64,
    step: u64,
    chunk: u64,
}

impl Cuts {
    /// Returns the number of indices in one chunk.
    fn chunk(&self) -> u64 {
        self.chunk / self.step.max(1)
    }
    /// Returns the indices of the elements in a range, given the number of indices.
    fn within(self, elements: Range<u64>, length: u64) -> Range<u64> {
        let first = |element: u64| element.saturating_sub(self.start).div_ceil(self.step.max(1)).min(length);
        first(elements.start)..first(elements.end)
    }
    /// Returns ranges of at most `most` indices, which end at chunk boundaries where possible.
    fn cut(self, indices: Range<u64>, most: u64) -> impl Iterator<Item = Range<u64>> {
        let Range { mut start, end: length } = indices;
        std::iter::from_fn(move || {
            (start < length).then(|| {
                let mut end = start.saturating_add(most).min(length);
                let element = self.start.saturating_add(end.saturating_mul(self.step));
                let boundary = element - element % self.chunk;
                let even = boundary.saturating_sub(self.start).div_ceil(self.step.max(1));
                if end < length && even > start && even < end {
                    end = even;
                }
                std::mem::replace(&mut start, end)..end
            })
        })
    }
}

/// Returns an example of a region that leaves the last two dimensions.
fn example(dimensions: usize) -> String {
    let parts: Vec<&str> = (0..dimensions).map(|d| if d + 2 < dimensions { "0" } else { ":" }).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    fn array(shape: &[u64], chunks: &[u64]) -> Array {
        let new = NewArray::new(shape, "uint32").chunks(chunks);
        Hierarchy::in_memory().create_array("/a", new).unwrap()
    }

    #[test]
    fn at_most_two_dimensions_remain() {
        let a = array(&[4, 1, 5, 6], &[2, 1, 2, 2]);
        let shape = |region: &str| {
            let selection: Selection = region.parse().unwrap();
            Plane::new(&a, &selection).map(|p| (p.dimensions(), p.shape())).map_err(|e| e.to_string())
        };
        assert_eq!(shape("0,0,:,:"), Ok((2, [5, 6])));
        assert_eq!(shape("0,:,:,:"), Ok((2, [5, 6])));
        assert_eq!(shape("0:1,0,:,3"), Ok((2, [1, 5])));
        assert_eq!(shape("1,0,2:4:2,:"), Ok((2, [1, 6])));
        assert_eq!(shape("1,0,2,1:6:2"), Ok((1, [1, 3])));
        assert_eq!(shape("1,0,2,3"), Ok((0, [1, 1])));
        assert_eq!(shape("1,0,2:2,:"), Ok((2, [0, 6])));
        let e = shape("").unwrap_err();
        assert!(e.contains("has 3 dimensions") && e.contains("--region 0,0,:,:"), "{e}");
    }

    #[test]
    fn parts_cover_each_element_once() {
        for (shape, chunks) in [([5, 7], [2, 3]), ([1, 40], [1, 16]), ([40, 1], [16, 1]), ([9, 9], [9, 9])] {
            let a = array(&shape, &chunks);
            a.write(.., &(0..a.len() as u32).collect::<Vec<_>>()).unwrap();
            let plane = Plane::new(&a, &(..).into()).unwrap();
            let mut seen: Vec<u32> = Vec::new();
            for part in plane.parts(plane.shape(), [1, 1]) {
                seen.extend(
                    plane.read(&part, [1, 1]).unwrap().chunks(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap())),
                );
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..a.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn ranges_end_at_chunks() {
        let cut =
            |start, step, chunk, length, most| Cuts { start, step, chunk }.cut(0..length, most).collect::<Vec<_>>();
        assert_eq!(cut(0, 1, 4, 10, 5), [0..4, 4..8, 8..10]);
        assert_eq!(cut(2, 1, 4, 10, 5), [0..2, 2..6, 6..10]);
        assert_eq!(cut(0, 2, 4, 6, 3), [0..2, 2..4, 4..6]);
        assert_eq!(cut(0, 1, 100, 10, 4), [0..4, 4..8, 8..10]);
        assert!(cut(0, 1, 4, 0, 4).is_empty());
        let within = |elements| Cuts { start: 5, step: 3, chunk: 1 }.within(elements, 4);
        // The elements 5, 8, 11 and 14.
        assert_eq!([within(0..5), within(0..6), within(6..12), within(9..90)], [0..0, 0..1, 1..3, 2..4]);
    }

    #[test]
    fn only_parts_with_stored_chunks_are_visited() {
        let new = NewArray::new([3, 40, 40], "uint32").chunks([1, 5, 5]).shards([1, 10, 20]);
        let a = Hierarchy::in_memory().create_array("/a", new).unwrap();
        a.write((1, 10..20, ..20), &[7u32; 200]).unwrap();
        let drawn: Vec<[u64; 2]> = [12, 18].into_iter().flat_map(|i| [0, 6, 12, 18].map(|j| [i, j])).collect();
        for (region, wanted) in [("1", drawn), ("0", Vec::new())] {
            let (plane, mut seen) = (Plane::new(&a, &region.parse().unwrap()).unwrap(), Vec::new());
            let read = plane.each_stored_part([7, 7], [6, 6], &mut |part| {
                assert!(plane.read(&part, [6, 6])?.chunks(4).all(|e| e == 7u32.to_ne_bytes()));
                seen.extend(part.rows.flat_map(|i| part.columns.clone().map(move |j| [6 * i, 6 * j])));
                Ok(())
            });
            read.unwrap();
            seen.sort_unstable();
            assert_eq!(seen, wanted);
        }
    }

    #[test]
    fn parts_of_huge_planes_are_bounded() {
        for (shape, chunks) in
            [([1 << 31, 1 << 30], [1 << 10, 1 << 10]), ([1 << 40, 3], [1 << 30, 1]), ([3, 1 << 40], [1, 1])]
        {
            let a = array(&shape, &chunks);
            let plane = Plane::new(&a, &(..).into()).unwrap();
            for part in plane.parts(shape, [1, 1]).take(1000) {
                let [rows, columns] = [&part.rows, &part.columns].map(|r| r.end - r.start);
                assert!(rows > 0 && columns > 0 && rows * columns <= MOST_PART, "{part:?}");
            }
        }
    }
}
