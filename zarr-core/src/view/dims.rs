//! A number for each dimension of an array.

use smallvec::SmallVec;
use std::{
    borrow::Borrow,
    fmt,
    ops::{Deref, DerefMut},
};

/// One number for each dimension: a shape, a chunk index, the start of a region.
///
/// It derefs to a slice. Up to four numbers are stored without an allocation.
///
/// ```
/// use zarr_core::view::Dims;
/// let shape = Dims::from([365, 180, 360]);
/// let chunks: Dims = shape.iter().zip([1, 90, 90]).map(|(n, chunk)| n / chunk).collect();
/// assert_eq!(chunks, [365, 2, 4]);
/// assert_eq!(chunks[1..], [2, 4]);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dims(SmallVec<[u64; 4]>);

impl Dims {
    /// Creates a value without dimensions.
    #[inline]
    pub fn new() -> Self {
        Self(SmallVec::new())
    }
    /// Creates a value without dimensions, with capacity for `rank` of them.
    #[inline]
    pub fn with_capacity(rank: usize) -> Self {
        Self(SmallVec::with_capacity(rank))
    }
    /// Creates a value with the same number for each of `rank` dimensions.
    #[inline]
    pub fn from_elem(number: u64, rank: usize) -> Self {
        Self(SmallVec::from_elem(number, rank))
    }
    /// Appends a dimension.
    #[inline]
    pub fn push(&mut self, number: u64) {
        self.0.push(number);
    }
}

impl Deref for Dims {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        &self.0
    }
}
impl DerefMut for Dims {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}
impl AsRef<[u64]> for Dims {
    #[inline]
    fn as_ref(&self) -> &[u64] {
        self
    }
}
impl Borrow<[u64]> for Dims {
    #[inline]
    fn borrow(&self) -> &[u64] {
        self
    }
}
impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<&[u64]> for Dims {
    #[inline]
    fn from(numbers: &[u64]) -> Self {
        Self(SmallVec::from_slice(numbers))
    }
}
impl<const N: usize> From<[u64; N]> for Dims {
    #[inline]
    fn from(numbers: [u64; N]) -> Self {
        Self::from(numbers.as_slice())
    }
}
impl From<Vec<u64>> for Dims {
    /// Copies up to four numbers; reuses the memory of more.
    #[inline]
    fn from(numbers: Vec<u64>) -> Self {
        if numbers.len() <= 4 { Self::from(numbers.as_slice()) } else { Self(SmallVec::from_vec(numbers)) }
    }
}
impl From<Dims> for Vec<u64> {
    #[inline]
    fn from(dims: Dims) -> Self {
        dims.0.into_vec()
    }
}
impl FromIterator<u64> for Dims {
    #[inline]
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}
impl Extend<u64> for Dims {
    #[inline]
    fn extend<I: IntoIterator<Item = u64>>(&mut self, numbers: I) {
        self.0.extend(numbers);
    }
}

/// An iterator over the numbers of [`Dims`].
#[derive(Debug, Clone)]
pub struct DimsIntoIter(smallvec::IntoIter<[u64; 4]>);

impl Iterator for DimsIntoIter {
    type Item = u64;
    #[inline]
    fn next(&mut self) -> Option<u64> {
        self.0.next()
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
impl DoubleEndedIterator for DimsIntoIter {
    #[inline]
    fn next_back(&mut self) -> Option<u64> {
        self.0.next_back()
    }
}
impl ExactSizeIterator for DimsIntoIter {}

impl IntoIterator for Dims {
    type Item = u64;
    type IntoIter = DimsIntoIter;
    #[inline]
    fn into_iter(self) -> DimsIntoIter {
        DimsIntoIter(self.0.into_iter())
    }
}
impl<'a> IntoIterator for &'a Dims {
    type Item = &'a u64;
    type IntoIter = std::slice::Iter<'a, u64>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
impl<'a> IntoIterator for &'a mut Dims {
    type Item = &'a mut u64;
    type IntoIter = std::slice::IterMut<'a, u64>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl PartialEq<[u64]> for Dims {
    #[inline]
    fn eq(&self, other: &[u64]) -> bool {
        **self == *other
    }
}
impl PartialEq<&[u64]> for Dims {
    #[inline]
    fn eq(&self, other: &&[u64]) -> bool {
        **self == **other
    }
}
impl<const N: usize> PartialEq<[u64; N]> for Dims {
    #[inline]
    fn eq(&self, other: &[u64; N]) -> bool {
        **self == *other
    }
}
impl PartialEq<Vec<u64>> for Dims {
    #[inline]
    fn eq(&self, other: &Vec<u64>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Stored inline or on the heap, values behave the same.
    #[test]
    fn dims_behave_like_a_slice_at_every_rank() {
        for rank in 0..9u64 {
            let numbers: Vec<u64> = (0..rank).collect();
            let mut pushed = Dims::with_capacity(numbers.len());
            numbers.iter().for_each(|&n| pushed.push(n));
            let mut extended = Dims::new();
            extended.extend(0..rank);
            for dims in [(0..rank).collect(), numbers.clone().into(), numbers.as_slice().into(), pushed, extended] {
                assert_eq!(dims, numbers);
                assert_eq!(dims, numbers.as_slice());
                assert_eq!((&dims).into_iter().copied().collect::<Vec<_>>(), numbers);
                assert_eq!(dims.clone().into_iter().rev().collect::<Vec<_>>(), (0..rank).rev().collect::<Vec<_>>());
                assert_eq!(dims.clone().into_iter().len(), numbers.len());
                assert_eq!(format!("{dims:?}"), format!("{numbers:?}"));
                assert_eq!(Vec::from(dims), numbers);
            }
        }
    }

    #[test]
    fn dims_are_found_by_a_slice() {
        let map = HashMap::from([(Dims::from([1, 2]), "short"), (Dims::from_elem(7, 6), "long")]);
        assert_eq!(map.get([1, 2].as_slice()), Some(&"short"));
        assert_eq!(map.get([7; 6].as_slice()), Some(&"long"));
    }

    #[test]
    fn dims_are_as_small_as_the_wrapped_type() {
        assert_eq!(size_of::<Dims>(), size_of::<SmallVec<[u64; 4]>>());
    }
}
