//! Which elements of an array.

use std::{
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
    str::FromStr,
};
use zarr_core::{
    Error, Result,
    view::{Dims, Region},
};

/// Indices along one dimension: a single index, or a range with a step.
///
/// Everything that selects along a dimension converts into it: `3`, `..`, `2..`, `..7`, `2..7`, `2..=6`, and
/// `slice(..).step_by(2)`. Indices are `u64`; there are no conversions from ranges of `usize`, for with them the compiler
/// could not infer the type of `0..3`.
///
/// A single index drops its dimension, as in NumPy: of an array of shape `[4, 6]`, `(3, ..)` has the shape `[6]` and
/// `(3..4, ..)` the shape `[1, 6]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    start: Option<u64>,
    /// The index after the last; for a single index what [`start`](Self::start) is.
    stop: Option<u64>,
    step: u64,
    is_index: bool,
}

/// A [`Slice`] of a range or an index: `slice(0..10).step_by(2)`.
pub fn slice(indices: impl Into<Slice>) -> Slice {
    indices.into()
}

impl Slice {
    const ALL: Self = Self { start: None, stop: None, step: 1, is_index: false };

    const fn range(start: Option<u64>, stop: Option<u64>) -> Self {
        Self { start, stop, ..Self::ALL }
    }
    /// Every `step`-th index, from the first. Steps multiply.
    ///
    /// A step of zero, or of a single index, is an error once the slice is used.
    #[must_use]
    pub fn step_by(self, step: u64) -> Self {
        Self { step: self.step.saturating_mul(step), ..self }
    }
    /// The indices along dimension `d` of length `n`.
    fn within(self, d: usize, n: u64) -> Result<Indices> {
        if self.is_index {
            let at = self.start.unwrap_or_default();
            if self.step != 1 {
                return Err(Error::argument(format!("the index {at} of dimension {d} cannot have a step")));
            }
            if at >= n {
                return Err(Error::argument(format!("index {at} is out of bounds for dimension {d} with length {n}")));
            }
            return Ok(Indices { start: at, len: 1, step: 1 });
        }
        let (start, stop) = (self.start.unwrap_or(0), self.stop.unwrap_or(n));
        if self.step == 0 {
            return Err(Error::argument(format!("the step of dimension {d} is zero")));
        }
        if start > stop || stop > n {
            let range = format!("index range {start}..{stop}");
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
        // No array reaches the index that saturates.
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

/// Which elements of an array: a [`Slice`] for each dimension. Dimensions at the end that are not given are selected whole.
///
/// ```
/// use ozarr::{Selection, slice};
/// let shape = |s: Selection| s.shape(&[10, 20, 30]).unwrap();
/// assert_eq!(shape((..).into()), [10, 20, 30]);
/// assert_eq!(shape((2..5).into()), [3, 20, 30]);
/// assert_eq!(shape((0, .., 2..).into()), [20, 28]);
/// assert_eq!(shape([0..2, 0..3].into()), [2, 3, 30]);
/// assert_eq!(shape((slice(..).step_by(4), ..=6, 29).into()), [3, 7]);
/// assert_eq!(shape("0:10:3,...,7".parse().unwrap()), [4, 20]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    slices: Vec<Slice>,
    /// How many of the slices stand before the dimensions that are not given.
    before: usize,
}

/// Indices along one dimension of an array: `len` of them, from `start` on, `step` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Indices {
    /// The first index.
    pub start: u64,
    /// How many indices.
    pub len: u64,
    /// How far indices are apart, at least 1.
    pub step: u64,
}

impl Indices {
    /// All `n` of a dimension.
    pub(crate) fn all(n: u64) -> Self {
        Self { start: 0, len: n, step: 1 }
    }
}

impl<S: Into<Slice>> FromIterator<S> for Selection {
    fn from_iter<I: IntoIterator<Item = S>>(slices: I) -> Self {
        let slices: Vec<Slice> = slices.into_iter().map(Into::into).collect();
        Self { before: slices.len(), slices }
    }
}
impl From<Slice> for Selection {
    fn from(slice: Slice) -> Self {
        Self { slices: vec![slice], before: 1 }
    }
}
/// All elements, whatever the number of dimensions.
impl From<RangeFull> for Selection {
    fn from(_: RangeFull) -> Self {
        Self { slices: Vec::new(), before: 0 }
    }
}
/// All elements, also of an array without dimensions.
impl From<()> for Selection {
    fn from((): ()) -> Self {
        (..).into()
    }
}
macro_rules! of_one { ($($t:ty),*) => { $(
    impl From<$t> for Selection {
        fn from(slice: $t) -> Self {
            Slice::from(slice).into()
        }
    }
)* } }
of_one!(u64, Range<u64>, RangeInclusive<u64>, RangeFrom<u64>, RangeTo<u64>, RangeToInclusive<u64>);

impl<S: Into<Slice>, const N: usize> From<[S; N]> for Selection {
    fn from(slices: [S; N]) -> Self {
        slices.into_iter().collect()
    }
}
impl<S: Into<Slice> + Clone, const N: usize> From<&[S; N]> for Selection {
    fn from(slices: &[S; N]) -> Self {
        slices.iter().cloned().collect()
    }
}
impl<S: Into<Slice> + Clone> From<&[S]> for Selection {
    fn from(slices: &[S]) -> Self {
        slices.iter().cloned().collect()
    }
}
impl<S: Into<Slice>> From<Vec<S>> for Selection {
    fn from(slices: Vec<S>) -> Self {
        slices.into_iter().collect()
    }
}
impl<S: Into<Slice> + Clone> From<&Vec<S>> for Selection {
    fn from(slices: &Vec<S>) -> Self {
        slices.as_slice().into()
    }
}
macro_rules! of_tuples { ($(($($s:ident)+))*) => { $(
    #[allow(non_snake_case, reason = "a name for a type and its value")]
    impl<$($s: Into<Slice>),+> From<($($s,)+)> for Selection {
        fn from(($($s,)+): ($($s,)+)) -> Self {
            [$($s.into()),+].into_iter().collect::<Self>()
        }
    }
)* } }
of_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

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
impl From<&Selection> for Selection {
    fn from(selection: &Selection) -> Self {
        selection.clone()
    }
}

/// `0:10,5:8:2,3`: `START:STOP[:STEP]` or an index for each dimension, each of `START`, `STOP` and `STEP` optional. One `...`
/// stands for the dimensions that are not given, which are otherwise at the end. The empty text selects all.
impl FromStr for Selection {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let (mut slices, mut ellipsis) = (Vec::new(), None);
        for part in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
            if part != "..." {
                slices.push(part.parse::<Slice>()?);
            } else if ellipsis.replace(slices.len()).is_some() {
                return Err(Error::argument(format!("`{text}` has more than one `...`")));
            }
        }
        Ok(Self { before: ellipsis.unwrap_or(slices.len()), slices })
    }
}

/// `START:STOP[:STEP]`, each optional, or an index.
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

/// A selection that was checked against an array's shape. Every dimension is there, also those that single indices drop.
#[derive(Debug, Clone)]
pub(crate) struct Selected {
    /// From the first to the last selected element.
    pub(crate) bounds: Region,
    pub(crate) steps: Dims,
    /// Selected elements along each dimension.
    pub(crate) shape: Dims,
    /// For each dimension whether a single index drops it; empty if none does.
    pub(crate) dropped: Vec<bool>,
}

impl Selected {
    /// Elements along each dimension that is kept.
    pub(crate) fn kept_shape(&self) -> Dims {
        let is_kept = |d: usize| !self.dropped.get(d).is_some_and(|dropped| *dropped);
        self.shape.iter().enumerate().filter(|(d, _)| is_kept(*d)).map(|(_, n)| *n).collect()
    }
}

impl Selection {
    /// Elements along each dimension that it selects of an array of that shape, without the dimensions that single
    /// indices drop.
    ///
    /// # Errors
    /// When it does not fit the array.
    pub fn shape(&self, array_shape: &[u64]) -> Result<Vec<u64>> {
        Ok(self.within(array_shape)?.kept_shape().to_vec())
    }
    /// The indices along each dimension of an array of that shape, single indices included.
    ///
    /// # Errors
    /// When it does not fit the array.
    pub fn indices(&self, array_shape: &[u64]) -> Result<Vec<Indices>> {
        (0..array_shape.len()).zip(self.slices_of(array_shape)?).map(|(d, s)| s.within(d, array_shape[d])).collect()
    }
    /// A slice for each dimension.
    fn slices_of(&self, array_shape: &[u64]) -> Result<impl Iterator<Item = Slice> + '_> {
        let (given, rank) = (self.slices.len(), array_shape.len());
        let missing = rank.checked_sub(given).ok_or_else(|| {
            let dimensions = if rank == 1 { "dimension" } else { "dimensions" };
            Error::argument(format!("{given} ranges or indices for an array with {rank} {dimensions}"))
        })?;
        let (before, after) = self.slices.split_at(self.before);
        Ok(before.iter().copied().chain(std::iter::repeat_n(Slice::ALL, missing)).chain(after.iter().copied()))
    }
    pub(crate) fn within(&self, array_shape: &[u64]) -> Result<Selected> {
        let mut selected = Selected {
            bounds: Region::whole(array_shape),
            steps: Dims::new(),
            shape: Dims::new(),
            dropped: Vec::new(),
        };
        for (d, slice) in self.slices_of(array_shape)?.enumerate() {
            let Indices { start, len, step } = slice.within(d, array_shape[d])?;
            selected.bounds.start[d] = start;
            selected.bounds.len[d] = len.saturating_sub(1).saturating_mul(step) + u64::from(len > 0);
            selected.steps.push(step);
            selected.shape.push(len);
            if slice.is_index {
                selected.dropped.resize(array_shape.len(), false);
                selected.dropped[d] = true;
            }
        }
        Ok(selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(selection: impl Into<Selection>, of: &[u64]) -> Option<Vec<u64>> {
        selection.into().shape(of).ok()
    }

    #[test]
    fn bounds_end_with_the_last_element() {
        let s = Selection::from(slice(1..9).step_by(3)).within(&[9]).unwrap();
        assert_eq!((&s.shape[..], s.bounds.start[0], s.bounds.len[0]), (&[3][..], 1, 7));
        let none = Selection::from([4..4]).within(&[9]).unwrap();
        assert_eq!((&none.shape[..], none.bounds.len[0]), (&[0][..], 0));
    }

    #[test]
    fn every_way_to_write_a_selection() {
        let of = &[10, 20, 30][..];
        let ranges: [(Selection, &[u64]); 19] = [
            ((..).into(), &[10, 20, 30]),
            (().into(), &[10, 20, 30]),
            (3.into(), &[20, 30]),
            ((2..4).into(), &[2, 20, 30]),
            ((2..=4).into(), &[3, 20, 30]),
            ((2..).into(), &[8, 20, 30]),
            ((..4).into(), &[4, 20, 30]),
            ((..=4).into(), &[5, 20, 30]),
            ([3, 4].into(), &[30]),
            ([2.., 2..].into(), &[8, 18, 30]),
            ((&[0..2, 0..3]).into(), &[2, 3, 30]),
            ((&[0..2, 0..3][..]).into(), &[2, 3, 30]),
            (vec![0..2].into(), &[2, 20, 30]),
            ((0..2, ..).into(), &[2, 20, 30]),
            ((0, .., 2..5).into(), &[20, 3]),
            ((.., .., 29).into(), &[10, 20]),
            ((slice(0..10).step_by(2).step_by(2), ..).into(), &[3, 20, 30]),
            (slice(..).step_by(7).into(), &[2, 20, 30]),
            (Region::whole(of).into(), &[10, 20, 30]),
        ];
        for (i, (selection, expected)) in ranges.into_iter().enumerate() {
            assert_eq!(selection.shape(of).unwrap(), expected, "{i}");
        }
        assert_eq!(shape((), &[]), Some(vec![]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (selection, message) in [
            (Selection::from(0..10), "index range 0..10 is out of bounds for dimension 0 with length 9"),
            ((.., 4).into(), "2 ranges or indices for an array with 1 dimension"),
            (9.into(), "index 9 is out of bounds for dimension 0 with length 9"),
            (
                (5..=u64::MAX).into(),
                "index range 5..18446744073709551615 is out of bounds for dimension 0 with length 9",
            ),
            (slice(..).step_by(0).into(), "the step of dimension 0 is zero"),
            (slice(3).step_by(2).into(), "the index 3 of dimension 0 cannot have a step"),
            ((10..).into(), "index range 10..9 is out of bounds for dimension 0 with length 9"),
        ] {
            let e = selection.shape(&[9]).unwrap_err().to_string();
            assert!(e.contains(message), "{e}");
        }
        let (low, high) = (3, 2);
        assert_eq!(shape(low..high, &[9]), None);
    }

    #[test]
    fn text() {
        let of = &[10, 20, 30][..];
        for (text, same) in [
            ("", Selection::from(..)),
            ("...", (..).into()),
            ("0:10,5:8:2,3", (0..10, slice(5..8).step_by(2), 3).into()),
            (":,::4", (.., slice(..).step_by(4)).into()),
            ("3", 3.into()),
            (" 2: , :7 ", (2.., ..7).into()),
            ("...,3", (.., .., 3).into()),
            ("1,...,3", (1, .., 3).into()),
            ("1,2,3,...", (1, 2, 3).into()),
        ] {
            let parsed: Selection = text.parse().unwrap();
            assert_eq!(parsed.indices(of).unwrap(), same.indices(of).unwrap(), "{text}");
            assert_eq!(parsed.shape(of).unwrap(), same.shape(of).unwrap(), "{text}");
        }
        for bad in ["x", "0:1:2:3", "-1", "1,,2", "...,...", "0x2", "1.5", ",", "18446744073709551616"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
