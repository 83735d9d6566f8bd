//! Selections of elements of an array.

mod slice;

pub use slice::{Indices, Slice, slice};

use std::{
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
    str::FromStr,
};
use zarr_core::{
    Error, Result,
    view::{Dims, Region},
};

/// The elements of an array to read or write: a [`Slice`] for each dimension.
///
/// Dimensions at the end that are not given are selected entirely.
///
/// ```
/// use ozarr::{Selection, slice};
///
/// let shape = |selection: Selection| selection.shape(&[10, 20, 30]);
/// assert_eq!(shape((..).into())?, [10, 20, 30]);
/// assert_eq!(shape((2..5).into())?, [3, 20, 30]);
/// assert_eq!(shape((0, .., 2..).into())?, [20, 28]);
/// assert_eq!(shape([0..2, 0..3].into())?, [2, 3, 30]);
/// assert_eq!(shape((slice(..).step_by(4), ..=6, 29).into())?, [3, 7]);
/// assert_eq!(shape("0:10:3,...,7".parse()?)?, [4, 20]);
/// # Ok::<(), ozarr::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    slices: Vec<Slice>,
    /// The number of slices before the dimensions that are not given.
    before: usize,
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
/// Selects all elements, for any number of dimensions.
impl From<RangeFull> for Selection {
    fn from(_: RangeFull) -> Self {
        Self { slices: Vec::new(), before: 0 }
    }
}
/// Selects all elements, even of an array without dimensions.
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

/// Parses a selection such as `0:10,5:8:2,3`: `START:STOP[:STEP]` or an index for each dimension.
///
/// `START`, `STOP` and `STEP` are optional. One `...` stands for the dimensions that are not given, which are otherwise
/// at the end. Empty text selects all elements.
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

/// A selection that was checked against an array's shape. Has all dimensions, including those that single indices drop.
#[derive(Debug, Clone)]
pub(crate) struct Selected {
    /// The region from the first to the last selected element.
    pub(crate) bounds: Region,
    pub(crate) steps: Dims,
    /// The number of selected elements along each dimension.
    pub(crate) shape: Dims,
    /// For each dimension, whether a single index drops it. Empty if none does.
    pub(crate) dropped: Vec<bool>,
}

impl Selected {
    /// Returns the selected elements along each dimension that is not dropped.
    pub(crate) fn kept_shape(&self) -> Dims {
        let is_kept = |d: usize| !self.dropped.get(d).is_some_and(|dropped| *dropped);
        self.shape.iter().enumerate().filter(|(d, _)| is_kept(*d)).map(|(_, n)| *n).collect()
    }
}

impl Selection {
    /// Returns the shape of the selected elements of an array of shape `array_shape`, without the dimensions that
    /// single indices drop.
    ///
    /// ```
    /// use ozarr::Selection;
    ///
    /// let selection = Selection::from((2..5, .., 7));
    /// assert_eq!(selection.shape(&[10, 20, 30])?, [3, 20]);
    /// assert!(selection.shape(&[10, 20, 5]).is_err(), "the index 7 is out of bounds");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the selection does not fit the array.
    pub fn shape(&self, array_shape: &[u64]) -> Result<Vec<u64>> {
        Ok(self.within(array_shape)?.kept_shape().to_vec())
    }
    /// Returns the selected indices along each dimension of an array of shape `array_shape`, including single indices.
    ///
    /// ```
    /// use ozarr::{Selection, slice};
    ///
    /// let selection = Selection::from((slice(1..8).step_by(3), 5));
    /// let indices = selection.indices(&[10, 20])?;
    /// assert_eq!((indices[0].start, indices[0].len, indices[0].step), (1, 3, 3));
    /// assert_eq!((indices[1].start, indices[1].len), (5, 1));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the selection does not fit the array.
    pub fn indices(&self, array_shape: &[u64]) -> Result<Vec<Indices>> {
        (0..array_shape.len()).zip(self.slices_of(array_shape)?).map(|(d, s)| s.within(d, array_shape[d])).collect()
    }
    /// Returns a slice for each dimension.
    fn slices_of(&self, array_shape: &[u64]) -> Result<impl Iterator<Item = Slice> + '_> {
        let (given, rank) = (self.slices.len(), array_shape.len());
        let missing = rank.checked_sub(given).ok_or_else(|| {
            let shape = format!("shape {array_shape:?}");
            Error::argument(format!(
                "too many ranges or indices for an array with {shape}: found {given}, expected {rank}"
            ))
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
            if slice.is_index() {
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
    fn ranges_end_at_the_last_element() {
        let s = Selection::from(slice(1..9).step_by(3)).within(&[9]).unwrap();
        assert_eq!((&s.shape[..], s.bounds.start[0], s.bounds.len[0]), (&[3][..], 1, 7));
        let none = Selection::from([4..4]).within(&[9]).unwrap();
        assert_eq!((&none.shape[..], none.bounds.len[0]), (&[0][..], 0));
    }

    #[test]
    fn every_form_of_selection_resolves() {
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
    fn selections_that_do_not_fit_are_refused() {
        for (selection, message) in [
            (Selection::from(0..10), "index range 0..10 is out of bounds for dimension 0 with length 9"),
            ((.., 4).into(), "too many ranges or indices for an array with shape [9]: found 2, expected 1"),
            (9.into(), "index 9 is out of bounds for dimension 0 with length 9"),
            (
                (5..=u64::MAX).into(),
                "index range 5..18446744073709551615 is out of bounds for dimension 0 with length 9",
            ),
            (slice(..).step_by(0).into(), "the step for dimension 0 is zero"),
            (slice(3).step_by(2).into(), "index 3 for dimension 0 cannot have a step"),
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
