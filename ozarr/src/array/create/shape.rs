//! Lengths of dimensions, in whatever integers a program has them.

use zarr_core::{Error, Result};

/// Lengths along each dimension: an array, a vector or a slice of integers of any type, or `()` for no dimensions.
///
/// A literal such as `[1000, 2000]` is an array of `i32` unless something else decides: give lengths of 2³¹ and more a
/// type, as in `[1_u64 << 40]`. Lengths below zero are refused when the array is created.
///
/// ```
/// use ozarr::NewArray;
///
/// let n: usize = 10;
/// NewArray::new([4, 6], "uint8");
/// NewArray::new([n, n], "uint8");
/// NewArray::new(vec![1_u64 << 40], "uint8");
/// NewArray::new((), "uint8");
/// ```
pub trait IntoShape: sealed::IntoLengths {}
impl<T: sealed::IntoLengths> IntoShape for T {}

mod sealed {
    pub trait IntoLengths {
        fn into_lengths(self) -> super::Lengths;
    }
    pub trait Integer: Copy {
        fn widen(self) -> i128;
    }
}

/// Lengths that are yet to be checked.
#[derive(Debug, Clone)]
pub struct Lengths(Vec<i128>);

impl Lengths {
    pub(super) fn new(shape: impl IntoShape) -> Self {
        shape.into_lengths()
    }
    /// The lengths, if each is one. `member`: where they are in metadata.
    pub(super) fn check(&self, member: &str) -> Result<Vec<u64>> {
        let length = |n: &i128| {
            u64::try_from(*n)
                .map_err(|_| Error::argument(format!("{n} is not the length of a dimension")).within(member))
        };
        self.0.iter().map(length).collect()
    }
}

macro_rules! integers { ($($t:ty)*) => { $(
    impl sealed::Integer for $t {
        fn widen(self) -> i128 {
            self as i128
        }
    }
)* } }
integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<T: sealed::Integer> sealed::IntoLengths for &[T] {
    fn into_lengths(self) -> Lengths {
        Lengths(self.iter().map(|n| n.widen()).collect())
    }
}
impl<T: sealed::Integer, const N: usize> sealed::IntoLengths for [T; N] {
    fn into_lengths(self) -> Lengths {
        self[..].into_lengths()
    }
}
impl<T: sealed::Integer, const N: usize> sealed::IntoLengths for &[T; N] {
    fn into_lengths(self) -> Lengths {
        self[..].into_lengths()
    }
}
impl<T: sealed::Integer> sealed::IntoLengths for Vec<T> {
    fn into_lengths(self) -> Lengths {
        self[..].into_lengths()
    }
}
impl<T: sealed::Integer> sealed::IntoLengths for &Vec<T> {
    fn into_lengths(self) -> Lengths {
        self[..].into_lengths()
    }
}
impl sealed::IntoLengths for () {
    fn into_lengths(self) -> Lengths {
        Lengths(Vec::new())
    }
}
