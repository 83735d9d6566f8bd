//! Splits a selection lazily into parts of at most `most` elements in C order, so that no array is too large.

use ozarr::{Array, Indices, Result, Selection, Slice, slice};
use std::ops::Range;

/// A part of a selection.
pub(super) struct Part {
    /// The ranges of the part within the selected elements.
    pub(super) ranges: Vec<Range<u64>>,
    /// The selection of the part within the array.
    pub(super) selection: Selection,
}

impl Part {
    /// Returns the number of elements.
    pub(super) fn len(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).product()
    }
}

/// Returns the parts of a selection in C order, each with at most `most` elements.
pub(super) fn parts(array: &Array, selection: &Selection, most: u64) -> Result<impl Iterator<Item = Part>> {
    let selected = selection.indices(array.shape())?;
    let shape: Vec<u64> = selected.iter().map(|s| s.len).collect();
    let chunk = array.chunk_shape().unwrap_or_default();
    Ok(Slabs::new(&shape, chunk, most).map(move |ranges| {
        let own = |(r, s): (&Range<u64>, &Indices)| -> Slice {
            slice(s.start + r.start * s.step..s.start + (r.end - 1) * s.step + 1).step_by(s.step)
        };
        let selection = ranges.iter().zip(&selected).map(own).collect();
        Part { ranges, selection }
    }))
}

/// Returns the number of selected elements in the chunks along all dimensions but the first.
pub(super) fn row_of_chunks(array: &Array, selection: &Selection) -> Result<u64> {
    let selected = selection.indices(array.shape())?;
    let first = array.chunk_shape().and_then(|chunk| chunk.first()).copied().unwrap_or(1);
    let lengths = selected.iter().enumerate().map(|(d, s)| if d == 0 { s.len.min(first) } else { s.len });
    Ok(lengths.fold(1, u64::saturating_mul))
}

/// Parts of a shape whose elements, one part after another, are in C order.
struct Slabs {
    shape: Vec<u64>,
    /// The dimension that is split; those before it advance index by index, those after it are whole.
    axis: usize,
    rows: u64,
    chunk: u64,
    next: Option<Vec<u64>>,
}

impl Slabs {
    /// `chunk` is the chunk shape; parts are split at chunk boundaries where possible.
    fn new(shape: &[u64], chunk: &[u64], most: u64) -> Self {
        let (mut axis, mut behind) = (shape.len(), 1u64);
        while axis > 0 && behind.saturating_mul(shape[axis - 1].max(1)) <= most {
            axis -= 1;
            behind = behind.saturating_mul(shape[axis].max(1));
        }
        // Everything after `axis` fits; the dimension before it is split.
        let axis = axis.saturating_sub(1);
        let behind = shape.iter().skip(axis + 1).fold(1u64, |n, l| n.saturating_mul((*l).max(1)));
        let next = (!shape.contains(&0)).then(|| vec![0; shape.len()]);
        let chunk = chunk.get(axis).copied().unwrap_or(1).max(1);
        Self { shape: shape.to_vec(), axis, rows: (most / behind).max(1), chunk, next }
    }
}

impl Iterator for Slabs {
    type Item = Vec<Range<u64>>;
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next.take()?;
        let Some(&length) = self.shape.get(self.axis) else { return Some(Vec::new()) };
        let start = at[self.axis];
        let end = start.saturating_add(self.rows).min(length);
        let even = end - end % self.chunk;
        let end = if end < length && even > start { even } else { end };
        let part = (0..self.shape.len()).map(|d| match d.cmp(&self.axis) {
            std::cmp::Ordering::Less => at[d]..at[d] + 1,
            std::cmp::Ordering::Equal => start..end,
            std::cmp::Ordering::Greater => 0..self.shape[d],
        });
        let part = part.collect();
        let mut next = at;
        next[self.axis] = end;
        let mut d = self.axis;
        while next[d] >= self.shape[d] {
            if d == 0 {
                return Some(part);
            }
            next[d] = 0;
            d -= 1;
            next[d] += 1;
        }
        self.next = Some(next);
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_cover_all_elements_in_order() {
        for shape in [&[][..], &[0], &[7], &[3, 5], &[2, 3, 4], &[1, 9, 1], &[4, 0, 3]] {
            for most in [1, 2, 5, 7, 11, 100] {
                for chunk in [1, 2, 3, 10] {
                    let (mut seen, total) = (Vec::new(), shape.iter().product::<u64>());
                    for part in Slabs::new(shape, &vec![chunk; shape.len()], most) {
                        let mut indices = vec![0u64];
                        for (d, r) in part.iter().enumerate() {
                            indices = indices.iter().flat_map(|i| r.clone().map(move |j| i * shape[d] + j)).collect();
                        }
                        assert!(indices.len() as u64 <= most.max(1), "{shape:?} {most}");
                        seen.extend(indices);
                    }
                    assert_eq!(seen, (0..total).collect::<Vec<_>>(), "{shape:?} {most} {chunk}");
                }
            }
        }
        let mut huge = Slabs::new(&[1 << 40, 1 << 40], &[1 << 63, 1], 1 << 20);
        assert_eq!(huge.next(), Some(vec![0..1, 0..1 << 20]));
        assert_eq!(Slabs::new(&[0, 1 << 40, 1 << 40], &[1, 1, 1], 5).next(), None);
        assert_eq!(Slabs::new(&[u64::MAX], &[u64::MAX], 5).next(), Some(vec![0..5]));
    }
}
