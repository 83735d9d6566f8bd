//! The data types `complex64` and `complex128`: two floats, real part first. Specification: "Core data types".
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""complex64""#, &Default::default())?;
//! let complex64 = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! let fill = Json::parse(br#"["-Infinity", 0.5]"#, &Default::default())?;
//! assert_eq!(complex64.object.fill_from_json(&fill)?.len(), 8);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{
    float::{self, Float},
    plain_data_type, wrong_fill, wrong_length,
};
use crate::{
    data_type::DataType,
    error::Result,
    json::Json,
    layout::{Layout, ScalarKind},
};
use std::{fmt, marker::PhantomData};

struct Complex<F>(PhantomData<fn() -> F>);

impl<F: Float> Complex<F> {
    fn name() -> String {
        format!("complex{}", F::BITS * 2)
    }
}
impl<F: Float> fmt::Debug for Complex<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::name())
    }
}

impl<F: Float> DataType for Complex<F> {
    fn layout(&self) -> Layout {
        Layout::Fixed { kind: ScalarKind::Float, width: F::BITS as usize / 8, components: 2 }
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        let part = |v| float::bits_from_json::<F>(v).map(float::to_bytes::<F>);
        let parts = match value.as_array() {
            Some([re, im]) => part(re).zip(part(im)),
            _ => None,
        };
        let wanted = format!("an array of two values, each {}", float::WANTED);
        parts.map(|(re, im)| [re, im].concat()).ok_or_else(|| wrong_fill(&Self::name(), value, &wanted))
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        let (re, im) = element.split_at(element.len() / 2);
        let part = |b| float::from_bytes::<F>(b).map(float::bits_to_json::<F>);
        let pair = part(re).zip(part(im)).map(|(re, im)| Json::Array(vec![re, im]));
        pair.ok_or_else(|| wrong_length(&Self::name(), element))
    }
    fn default_fill(&self) -> Json {
        let zero = || Json::from_f64(0.0).unwrap_or(Json::from(0));
        Json::Array(vec![zero(), zero()])
    }
}

plain_data_type!(Complex<f32>, "complex64", Complex(PhantomData), aliases & ["complex_float32"]);
plain_data_type!(Complex<f64>, "complex128", Complex(PhantomData), aliases & ["complex_float64"]);
