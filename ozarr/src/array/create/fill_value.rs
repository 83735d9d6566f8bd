//! Fill values of new arrays, from Rust's values.

use zarr_core::json::Json;

/// A fill value, in the JSON form of the array's data type. Made from integers, floating-point numbers, `bool`, text and
/// [`Json`]; of numbers that JSON does not have, the strings of the specification: `"NaN"`, `"Infinity"`, `"-Infinity"`.
///
/// ```
/// use ozarr::{FillValue, NewArray};
///
/// assert_eq!(FillValue::from(f32::NAN), FillValue::from("NaN"));
/// NewArray::of::<f64>([10]).fill_value(-1.5);
/// NewArray::of::<bool>([10]).fill_value(true);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FillValue(Json);

impl FillValue {
    /// The form in metadata.
    pub fn to_json(&self) -> &Json {
        &self.0
    }
}

macro_rules! from_json { ($($t:ty)*) => { $(
    impl From<$t> for FillValue {
        fn from(value: $t) -> Self {
            Self(Json::from(value))
        }
    }
)* } }
from_json!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 &str String Json);

/// What JSON has no number for.
fn not_finite(value: f64) -> Json {
    Json::from(if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    })
}

impl From<f64> for FillValue {
    fn from(value: f64) -> Self {
        Self(Json::from_f64(value).unwrap_or_else(|| not_finite(value)))
    }
}
impl From<f32> for FillValue {
    fn from(value: f32) -> Self {
        Self(Json::from_f32(value).unwrap_or_else(|| not_finite(value.into())))
    }
}
