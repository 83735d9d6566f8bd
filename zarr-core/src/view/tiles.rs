//! The disjoint parts into which a grid of chunks divides a region. They let several threads write one array.

use super::{Dims, Region, ViewMut};
use crate::error::{Error, ErrorKind, Result};
use smallvec::SmallVec;
use std::ops::Range;

/// The parts into which chunks divide one dimension of a region.
#[derive(Debug, Clone, Default)]
pub struct AxisParts {
    parts: Parts,
    len: u64,
}

#[derive(Debug, Clone)]
enum Parts {
    List(Vec<Part>),
    /// Parts of chunks of one length. They are computed on demand, since a region may touch more chunks than fit in
    /// memory.
    Regular {
        chunk_len: u64,
        /// The first selected index, counted from the first chunk.
        start: u64,
    },
}

impl Default for Parts {
    fn default() -> Self {
        Parts::List(Vec::new())
    }
}

#[derive(Debug, Clone, Copy)]
struct Part {
    chunk_index: u64,
    /// The first selected index, within the chunk.
    within: u64,
    count: u64,
    /// The position of the first index in the region.
    at: u64,
}

impl AxisParts {
    /// Appends a part: `count` indices of the chunk `chunk_index`, starting at `within`.
    ///
    /// By construction parts follow one another without gap or overlap, which makes tiles disjoint.
    pub fn push(&mut self, chunk_index: u64, within: u64, count: u64) {
        if let Parts::Regular { .. } = self.parts {
            self.parts = Parts::List((0..self.count()).map(|i| self.part(i)).collect());
        }
        if let Parts::List(parts) = &mut self.parts
            && count > 0
        {
            parts.push(Part { chunk_index, within, count, at: self.len });
            self.len = self.len.saturating_add(count);
        }
    }
    /// Returns the number of parts.
    fn count(&self) -> usize {
        match &self.parts {
            Parts::List(parts) => parts.len(),
            Parts::Regular { .. } if self.len == 0 => 0,
            Parts::Regular { chunk_len, start } => {
                let last = start.saturating_add(self.len - 1) / chunk_len;
                usize::try_from((last - start / chunk_len).saturating_add(1)).unwrap_or(usize::MAX)
            }
        }
    }
    /// Returns a part by its number, which is less than [`count`](Self::count).
    fn part(&self, i: usize) -> Part {
        match &self.parts {
            Parts::List(parts) => parts[i],
            Parts::Regular { chunk_len, start } => {
                let index = start / chunk_len + i as u64;
                // Each part ends where the next begins, so parts are disjoint.
                let first = index.saturating_mul(*chunk_len).max(*start);
                let end = index.saturating_add(1).saturating_mul(*chunk_len).min(start.saturating_add(self.len));
                let count = end.saturating_sub(first);
                Part { chunk_index: index, within: first - index.saturating_mul(*chunk_len), count, at: first - start }
            }
        }
    }
    /// Divides `count` indices, from `start` and `step` apart, by chunks of one length, of which the first begins at
    /// index 0.
    ///
    /// # Errors
    /// If the length or the step is zero.
    pub fn regular(chunk_len: u64, start: u64, count: u64, step: u64) -> Result<Self> {
        if chunk_len == 0 || step == 0 {
            return Err(Error::argument("chunk lengths and steps must be greater than zero"));
        }
        if step == 1 {
            return Ok(Self { parts: Parts::Regular { chunk_len, start }, len: count });
        }
        let (mut parts, mut left, mut at) = (Self::default(), count, start);
        while left > 0 {
            let (index, within) = (at / chunk_len, at % chunk_len);
            let n = (chunk_len - within).div_ceil(step).min(left);
            parts.push(index, within, n);
            left -= n;
            at = at.saturating_add(n.saturating_mul(step));
        }
        Ok(parts)
    }
}

/// The chunks that a region touches: the product of the parts of its dimensions.
#[derive(Debug, Clone)]
pub struct TileGrid {
    axes: SmallVec<[AxisParts; 4]>,
    steps: Dims,
    total: usize,
}

impl TileGrid {
    /// Creates a grid from the parts of each dimension. Indices within a part are `steps[d]` apart.
    ///
    /// # Errors
    /// If there are more chunks than a `usize` can count, or the numbers of axes and steps differ.
    pub fn new(axes: impl IntoIterator<Item = AxisParts>, steps: &[u64]) -> Result<Self> {
        let axes: SmallVec<[AxisParts; 4]> = axes.into_iter().collect();
        if axes.len() != steps.len() {
            return Err(Error::argument("expected one step per dimension"));
        }
        let total = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.count()));
        let limit =
            ErrorKind::Limit { what: "the number of chunks in the region", asked: u64::MAX, limit: usize::MAX as u64 };
        Ok(Self { axes, steps: steps.into(), total: total.ok_or(limit)? })
    }
    /// Creates the grid of chunks of one shape, of which the first begins at the origin.
    ///
    /// # Errors
    /// If the ranks differ, or a chunk has length zero.
    pub fn regular(region: &Region, chunk_shape: &[u64]) -> Result<Self> {
        if chunk_shape.len() != region.rank() {
            return Err(Error::argument("the region and the chunks have different numbers of dimensions"));
        }
        let parts = |d: usize| AxisParts::regular(chunk_shape[d], region.start[d], region.len[d], 1);
        let axes: SmallVec<[AxisParts; 4]> = (0..chunk_shape.len()).map(parts).collect::<Result<_>>()?;
        Self::new(axes, &Dims::from_elem(1, chunk_shape.len()))
    }
    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.total
    }
    /// True if the region has no elements.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
    /// Returns the shape of the region.
    pub fn shape(&self) -> Dims {
        self.axes.iter().map(|a| a.len).collect()
    }
    /// Returns a chunk by its number in C order.
    pub fn get(&self, mut i: usize) -> TilePlace {
        let n = self.axes.len();
        let mut place = TilePlace {
            chunk_index: Dims::from_elem(0, n),
            within: Region { start: Dims::from_elem(0, n), len: Dims::from_elem(0, n) },
            steps: self.steps.clone(),
            part: Region { start: Dims::from_elem(0, n), len: Dims::from_elem(0, n) },
        };
        for d in (0..n).rev() {
            let count = self.axes[d].count();
            let p = self.axes[d].part(i % count);
            i /= count;
            place.chunk_index[d] = p.chunk_index;
            (place.within.start[d], place.within.len[d]) =
                (p.within, p.count.saturating_sub(1).saturating_mul(self.steps[d]).saturating_add(1));
            (place.part.start[d], place.part.len[d]) = (p.at, p.count);
        }
        place
    }
    /// Returns all chunks, in C order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = TilePlace> + '_ {
        (0..self.total).map(|i| self.get(i))
    }
}

/// One chunk of a [`TileGrid`].
#[derive(Debug, Clone)]
pub struct TilePlace {
    /// The index of the chunk in its grid.
    pub chunk_index: Dims,
    /// The part of the chunk from the first to the last selected element.
    pub within: Region,
    /// The distance between selected elements in the chunk: 1 for all of `within`.
    pub steps: Dims,
    /// The position of the selected elements in the region.
    pub part: Region,
}

impl TilePlace {
    /// True if every element of `within` is selected.
    pub fn is_dense(&self) -> bool {
        self.within.len == self.part.len
    }
}

/// A chunk and its part of a view.
pub struct Tile<'a> {
    /// The chunk, and the part of it.
    pub place: TilePlace,
    /// The part of the view.
    pub out: ViewMut<'a>,
}

/// The tiles of a view: an iterator that can be split between threads.
///
/// Each index is handed out once, so no two of the views overlap.
pub struct Tiles<'a, 'g> {
    view: ViewMut<'a>,
    grid: &'g TileGrid,
    range: Range<usize>,
}

impl<'a, 'g> Tiles<'a, 'g> {
    pub(super) fn new(view: ViewMut<'a>, grid: &'g TileGrid) -> Result<Self> {
        if view.shape() != grid.shape() {
            return Err(Error::argument("the view and the region have different shapes"));
        }
        Ok(Self { view, grid, range: 0..grid.total })
    }
    /// Splits the tiles into two halves.
    ///
    /// Both have a view of the whole region, but reach only the chunks of their own range.
    pub fn split(self) -> (Self, Self) {
        let mid = self.range.start + self.range.len() / 2;
        let (first, rest) = (self.range.start..mid, mid..self.range.end);
        let view = self.view.duplicate();
        (Self { view, grid: self.grid, range: first }, Self { range: rest, ..self })
    }
}

impl<'a> Iterator for Tiles<'a, '_> {
    type Item = Tile<'a>;
    fn next(&mut self) -> Option<Tile<'a>> {
        let place = self.grid.get(self.range.next()?);
        // The parts of a grid are inside its shape, which is the shape of the view, so narrowing cannot fail.
        let out = self.view.duplicate().region(&place.part).ok()?;
        Some(Tile { place, out })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.range.len(), Some(self.range.len()))
    }
}
impl ExactSizeIterator for Tiles<'_, '_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed parts are the same as those of a loop over all indices.
    #[test]
    fn regular_parts_cover_a_region_once() {
        for chunk_len in 1..6 {
            for start in 0..12 {
                for count in 0..14 {
                    let axis = AxisParts::regular(chunk_len, start, count, 1).unwrap();
                    let parts: Vec<Part> = (0..axis.count()).map(|i| axis.part(i)).collect();
                    let indices = parts.iter().flat_map(|p| {
                        assert!(
                            p.count > 0
                                && p.within + p.count <= chunk_len
                                && p.at + start == p.chunk_index * chunk_len + p.within
                        );
                        p.at..p.at + p.count
                    });
                    assert!(indices.eq(0..count), "{chunk_len} {start} {count}: {parts:?}");
                    let mut pushed = axis.clone();
                    pushed.push(99, 0, 2);
                    assert_eq!((pushed.count(), pushed.len), (parts.len() + 1, count + 2));
                    assert_eq!(pushed.part(parts.len()).at, count);
                }
            }
        }
        let huge = AxisParts::regular(1, u64::MAX - 3, u64::MAX, 1).unwrap();
        assert!(huge.count() > 0 && huge.part(huge.count() - 1).count <= 1);
    }
}
