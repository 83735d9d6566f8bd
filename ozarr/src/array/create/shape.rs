//! Shapes given as integers of any type.

use zarr_core::{Error, Result};

/// A type that converts into the shape of an array or chunk: one length for each dimension.
///
/// Implemented for arrays `[T; N]`, `&[T; N]`, slices `&[T]`, `Vec<T>` and `&Vec<T>`, where `T` is any of `u8`, `u16`,
/// `u32`, `u64`, `usize`, `i8`, `i16`, `i32`, `i64` and `isize`, and for `()`, the shape without dimensions.
///
/// A literal such as `[1000, 2000]` is an array of `i32` unless something else decides. For lengths of 2³¹ and more,
/// write the type, as in `[1_u64 << 40]`. Creating an array with a negative length fails.
///
/// ```
/// use ozarr::{Context, NewArray};
///
/// let context = Context::new();
/// let shape = |new: NewArray| Ok::<_, ozarr::Error>(new.metadata(&context)?.shape().to_vec());
/// let n: usize = 10;
/// assert_eq!(shape(NewArray::new([4, 6], "uint8"))?, [4, 6]);
/// assert_eq!(shape(NewArray::new([n, n], "uint8"))?, [10, 10]);
/// assert_eq!(shape(NewArray::new(vec![1_u64 << 40], "uint8"))?, [1 << 40]);
/// assert!(shape(NewArray::new((), "uint8"))?.is_empty());
/// # Ok::<(), ozarr::Error>(())
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

/// Lengths that have not been checked yet.
#[derive(Debug, Clone)]
pub struct Lengths(Vec<i128>);

impl Lengths {
    pub(super) fn new(shape: impl IntoShape) -> Self {
        shape.into_lengths()
    }
    /// Returns the lengths if all are valid. `member` is where they are in the metadata.
    pub(super) fn check(&self, member: &str) -> Result<Vec<u64>> {
        let length = |n: &i128| {
            u64::try_from(*n)
                .map_err(|_| Error::argument(format!("{n} is not a valid length of a dimension")).within(member))
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
