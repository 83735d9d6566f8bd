//! Which elements of an array.

use std::ops::{Range, RangeFull};
use zarr_core::{
    Error, Result,
    view::{Dims, Region},
};

/// Indices along one dimension: from `start` to before `stop`, `step` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The first index.
    pub start: u64,
    /// The index after the last.
    pub stop: u64,
    /// How far indices are apart, at least 1.
    pub step: u64,
}

impl Slice {
    /// How many indices.
    pub fn len(&self) -> u64 {
        self.stop.saturating_sub(self.start).div_ceil(self.step.max(1))
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
impl From<Range<u64>> for Slice {
    fn from(r: Range<u64>) -> Self {
        Slice { start: r.start, stop: r.end, step: 1 }
    }
}

/// Which elements of an array: all (`..`), or one [`Slice`] for each dimension (`[0..10, 5..8]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection(Option<Vec<Slice>>);

impl From<RangeFull> for Selection {
    fn from(_: RangeFull) -> Self {
        Self(None)
    }
}
impl<S: Into<Slice>, const N: usize> From<[S; N]> for Selection {
    fn from(slices: [S; N]) -> Self {
        slices.into_iter().collect()
    }
}
impl<S: Into<Slice>> From<Vec<S>> for Selection {
    fn from(slices: Vec<S>) -> Self {
        slices.into_iter().collect()
    }
}
impl<S: Into<Slice>> FromIterator<S> for Selection {
    fn from_iter<I: IntoIterator<Item = S>>(slices: I) -> Self {
        Self(Some(slices.into_iter().map(Into::into).collect()))
    }
}
impl From<&Region> for Selection {
    fn from(r: &Region) -> Self {
        (0..r.rank()).map(|d| r.start[d]..r.end(d)).collect()
    }
}
impl From<Region> for Selection {
    fn from(r: Region) -> Self {
        Self::from(&r)
    }
}

/// A selection that was checked against an array's shape.
#[derive(Debug, Clone)]
pub(crate) struct Selected {
    /// From the first to the last selected element.
    pub(crate) bounds: Region,
    pub(crate) steps: Dims,
    /// Selected elements along each dimension.
    pub(crate) shape: Dims,
}

impl Selection {
    /// Elements along each dimension that it selects of an array of that shape.
    ///
    /// # Errors
    /// When it does not fit the array.
    pub fn shape(&self, array_shape: &[u64]) -> Result<Vec<u64>> {
        Ok(self.within(array_shape)?.shape.to_vec())
    }
    /// One slice for each dimension.
    ///
    /// # Errors
    /// When it does not fit the array.
    pub fn slices(&self, array_shape: &[u64]) -> Result<Vec<Slice>> {
        self.within(array_shape)?;
        Ok(self.0.clone().unwrap_or_else(|| array_shape.iter().map(|n| Slice::from(0..*n)).collect()))
    }
    pub(crate) fn within(&self, array_shape: &[u64]) -> Result<Selected> {
        let Some(slices) = &self.0 else {
            let steps = Dims::from_elem(1, array_shape.len());
            return Ok(Selected { bounds: Region::whole(array_shape), steps, shape: array_shape.into() });
        };
        if slices.len() != array_shape.len() {
            let (found, rank) = (slices.len(), array_shape.len());
            return Err(Error::argument(format!("{found} slices for an array of {rank} dimensions")));
        }
        let mut selected = Selected { bounds: Region::whole(array_shape), steps: Dims::new(), shape: Dims::new() };
        for (d, (s, n)) in slices.iter().zip(array_shape).enumerate() {
            if s.step == 0 || s.start > s.stop || s.stop > *n {
                let (start, stop, step) = (s.start, s.stop, s.step);
                return Err(Error::argument(format!("{start}:{stop}:{step} does not lie within dimension {d} of {n}")));
            }
            let count = s.len();
            selected.bounds.start[d] = s.start;
            selected.bounds.len[d] = count.saturating_sub(1).saturating_mul(s.step) + u64::from(count > 0);
            selected.steps.push(s.step);
            selected.shape.push(count);
        }
        Ok(selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_end_with_the_last_element() {
        let s = Selection::from([Slice { start: 1, stop: 9, step: 3 }]).within(&[9]).unwrap();
        assert_eq!((&s.shape[..], s.bounds.start[0], s.bounds.len[0]), (&[3][..], 1, 7));
        let none = Selection::from([4..4]).within(&[9]).unwrap();
        assert_eq!((&none.shape[..], none.bounds.len[0]), (&[0][..], 0));
        assert!(Selection::from([0..10]).within(&[9]).is_err());
        assert!(Selection::from([0..1, 0..1]).within(&[9]).is_err());
        assert!(Selection::from([Slice { start: 0, stop: 1, step: 0 }]).within(&[9]).is_err());
    }
}
