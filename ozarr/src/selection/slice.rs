//! Selections along one dimension.

use std::{
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
    str::FromStr,
};
use zarr_core::{Error, Result};

/// Indices along one dimension: a single index, or a range with a step.
///
/// Converts from everything that selects along a dimension: `3`, `..`, `2..`, `..7`, `2..7`, `2..=6`, and
/// `slice(..).step_by(2)`. Indices are `u64`. There are no conversions from ranges of `usize`, because the compiler
/// could then not infer the type of `0..3`.
///
/// A single index drops its dimension, as in NumPy. In an array of shape `[4, 6]`, `(3, ..)` selects elements with the
/// shape `[6]`, and `(3..4, ..)` with the shape `[1, 6]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    start: Option<u64>,
    /// The index after the last one; for a single index the same as [`start`](Self::start).
    stop: Option<u64>,
    step: u64,
    is_index: bool,
}

/// Returns the [`Slice`] of a range or an index, as in `slice(0..10).step_by(2)`.
///
/// ```
/// use ozarr::{Selection, slice};
///
/// let every_third = Selection::from([slice(0..10).step_by(3), slice(4)]);
/// assert_eq!(every_third.shape(&[10, 10])?, [4]);
/// # Ok::<(), ozarr::Error>(())
/// ```
pub fn slice(indices: impl Into<Slice>) -> Slice {
    indices.into()
}

impl Slice {
    pub(super) const ALL: Self = Self { start: None, stop: None, step: 1, is_index: false };

    const fn range(start: Option<u64>, stop: Option<u64>) -> Self {
        Self { start, stop, ..Self::ALL }
    }
    /// Returns true for a single index, which drops its dimension.
    pub(super) fn is_index(self) -> bool {
        self.is_index
    }
    /// Selects every `step`-th index, from the first. Repeated calls multiply the steps.
    ///
    /// Using a slice whose step is zero, or a single index with a step, is an error.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, slice};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([6]))?;
    /// array.write(.., &[0u8, 1, 2, 3, 4, 5])?;
    /// assert_eq!(array.read::<u8>(slice(1..).step_by(2))?, [1, 3, 5]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    #[must_use]
    pub fn step_by(self, step: u64) -> Self {
        Self { step: self.step.saturating_mul(step), ..self }
    }
    /// Returns the indices along dimension `d` with length `n`.
    pub(super) fn within(self, d: usize, n: u64) -> Result<Indices> {
        if self.is_index {
            let at = self.start.unwrap_or_default();
            if self.step != 1 {
                return Err(Error::argument(format!("index {at} for dimension {d} cannot have a step")));
            }
            if at >= n {
                return Err(Error::argument(format!("index {at} is out of bounds for dimension {d} with length {n}")));
            }
            return Ok(Indices { start: at, len: 1, step: 1 });
        }
        let (start, stop) = (self.start.unwrap_or(0), self.stop.unwrap_or(n));
        if self.step == 0 {
            return Err(
                Error::argument(format!("the step for dimension {d} is zero")).with_hint("use a step of at least 1")
            );
        }
        let range = || format!("index range {start}..{stop}");
        if start > stop && start <= n {
            return Err(Error::argument(format!("{} of dimension {d} ends before it starts", range())));
        }
        if start > stop || stop > n {
            let range = range();
            return Err(Error::argument(format!("{range} is out of bounds for dimension {d} with length {n}")));
        }
        Ok(Indices { start, len: (stop - start).div_ceil(self.step), step: self.step })
    }
}

impl From<u64> for Slice {
    fn from(index: u64) -> Self {
        Self { is_index: true, ..Self::range(Some(index), Some(index)) }
    }
}
impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Self::ALL
    }
}
impl From<Range<u64>> for Slice {
    fn from(r: Range<u64>) -> Self {
        Self::range(Some(r.start), Some(r.end))
    }
}
impl From<RangeInclusive<u64>> for Slice {
    fn from(r: RangeInclusive<u64>) -> Self {
        // No array reaches the saturated index.
        Self::range(Some(*r.start()), Some(r.end().saturating_add(1)))
    }
}
impl From<RangeFrom<u64>> for Slice {
    fn from(r: RangeFrom<u64>) -> Self {
        Self::range(Some(r.start), None)
    }
}
impl From<RangeTo<u64>> for Slice {
    fn from(r: RangeTo<u64>) -> Self {
        Self::range(None, Some(r.end))
    }
}
impl From<RangeToInclusive<u64>> for Slice {
    fn from(r: RangeToInclusive<u64>) -> Self {
        Self::range(None, Some(r.end.saturating_add(1)))
    }
}

/// Parses `START:STOP[:STEP]`, each optional, or an index.
impl FromStr for Slice {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let e = Error::argument(format!("invalid range `{text}`"));
            e.with_hint("write an index or START:STOP[:STEP] for each dimension, separated by commas")
        };
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| wrong()),
        };
        let fields: Vec<&str> = text.split(':').collect();
        match fields[..] {
            [index] => number(index)?.map(Slice::from).ok_or_else(wrong),
            [start, stop] => Ok(Self::range(number(start)?, number(stop)?)),
            [start, stop, step] => {
                Ok(Self { step: number(step)?.unwrap_or(1), ..Self::range(number(start)?, number(stop)?) })
            }
            _ => Err(wrong()),
        }
    }
}

/// Indices along one dimension of an array: `start`, `start + step` and so on, `len` in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Indices {
    /// The first index.
    pub start: u64,
    /// The number of indices.
    pub len: u64,
    /// The distance between indices, at least 1.
    pub step: u64,
}

impl Indices {
    /// Returns all `n` indices of a dimension.
    pub(crate) fn all(n: u64) -> Self {
        Self { start: 0, len: n, step: 1 }
    }
}
