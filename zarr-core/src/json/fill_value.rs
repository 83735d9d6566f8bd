//! Fill values in their JSON forms.

use super::Json;

/// A fill value, in the JSON form of its data type.
///
/// Numbers that are not finite become the strings that the specification defines, and complex numbers become arrays of
/// two elements:
///
/// ```
/// use zarr_core::json::{FillValue, Json};
/// assert_eq!(Json::from(FillValue::from(f32::NAN)).to_string(), r#""NaN""#);
/// assert_eq!(Json::from(FillValue::from([0.5, f64::NEG_INFINITY])).to_string(), r#"[0.5,"-Infinity"]"#);
/// ```
/// Every NaN becomes `"NaN"`. For a NaN with other bits, use [`Json`] with, for instance, the string `"0x7fc00001"`.
#[derive(Debug, Clone, PartialEq)]
pub struct FillValue(Json);

macro_rules! from_plain { ($($t:ty)*) => { $(
    impl From<$t> for FillValue { fn from(v: $t) -> Self { Self(v.into()) } }
)* } }
from_plain!(Json u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool &str String);

impl From<f64> for FillValue {
    fn from(v: f64) -> Self {
        Self(Json::from_f64(v).unwrap_or_else(|| not_finite(v)))
    }
}
impl From<f32> for FillValue {
    fn from(v: f32) -> Self {
        Self(Json::from_f32(v).unwrap_or_else(|| not_finite(v.into())))
    }
}
fn not_finite(v: f64) -> Json {
    let text = if v.is_nan() {
        "NaN"
    } else if v > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    text.into()
}
impl<T: Into<FillValue>, const N: usize> From<[T; N]> for FillValue {
    fn from(v: [T; N]) -> Self {
        Self(v.into_iter().map(Into::into).collect())
    }
}
impl<T: Into<FillValue>> From<Vec<T>> for FillValue {
    fn from(v: Vec<T>) -> Self {
        Self(v.into_iter().map(Into::into).collect())
    }
}
impl From<FillValue> for Json {
    fn from(v: FillValue) -> Self {
        v.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{extension::Extension, registry::Registry};

    /// A written fill value reads back as the same element.
    #[test]
    fn data_types_read_fill_values() {
        let registry = Registry::builtin();
        let element = |name: &str, value: FillValue| {
            let made = registry.data_type(&Extension::short_hand(name), &Default::default()).unwrap();
            made.object.fill_from_json(&value.into()).unwrap()
        };
        for v in [0.1, -0.0, f32::MAX, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(element("float32", v.into()), v.to_ne_bytes(), "{v}");
            assert_eq!(element("float64", f64::from(v).into()), f64::from(v).to_ne_bytes(), "{v}");
            assert_eq!(element("complex64", [v, 1.5].into()), [v, 1.5].map(f32::to_ne_bytes).concat(), "{v}");
            assert_eq!(element("complex64", vec![1.5, v].into()), [1.5, v].map(f32::to_ne_bytes).concat(), "{v}");
        }
        assert_eq!(element("int64", i64::MIN.into()), i64::MIN.to_ne_bytes());
        assert_eq!(element("bool", true.into()), [1]);
        assert_eq!(element("float32", "0x7fc00001".into()), 0x7fc0_0001u32.to_ne_bytes());
        assert_eq!(element("string", String::from("é").into()), "é".as_bytes());
    }
}
