//! The data types of new arrays that correspond to Rust types.

use crate::element::Item;
use zarr_core::extension::Extension;

/// An [`Item`] that corresponds to one data type, for [`NewArray::of`](crate::NewArray::of).
///
/// | Rust type | data type |
/// |---|---|
/// | `bool`, `i8` to `i64`, `u8` to `u64` | `bool`, `int8` to `int64`, `uint8` to `uint64` |
/// | [`half::f16`], `f32`, `f64` | `float16`, `float32`, `float64` |
/// | `[f32; 2]`, `[f64; 2]` | `complex64`, `complex128` |
/// | `[u8; N]` | raw bits, as `r16` |
/// | `String`, `Vec<u8>` | `string`, `bytes` |
pub trait HasDataType: Item {
    /// Returns the data type as it is in metadata.
    ///
    /// ```
    /// use ozarr::HasDataType;
    ///
    /// assert_eq!(f32::data_type().name(), "float32");
    /// assert_eq!(<[u8; 2]>::data_type().name(), "r16");
    /// ```
    fn data_type() -> Extension;
}

macro_rules! has_data_type { ($($t:ty, $name:literal;)*) => { $(
    impl HasDataType for $t {
        fn data_type() -> Extension {
            $name.into()
        }
    }
)* } }
has_data_type! {
    bool, "bool";
    i8, "int8"; i16, "int16"; i32, "int32"; i64, "int64";
    u8, "uint8"; u16, "uint16"; u32, "uint32"; u64, "uint64";
    half::f16, "float16"; f32, "float32"; f64, "float64";
    [f32; 2], "complex64"; [f64; 2], "complex128";
    String, "string"; Vec<u8>, "bytes";
}

impl<const N: usize> HasDataType for [u8; N] {
    fn data_type() -> Extension {
        format!("r{}", N.saturating_mul(8)).into()
    }
}
