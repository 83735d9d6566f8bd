//! The data types `r8`, `r16`, `r24` and so on: opaque bytes without a byte order. Specification: "Core data types".
//!
//! A fill value is an array with one integer for each byte. Base64 strings, which TensorStore writes, are also read.
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""r24""#, &Default::default())?;
//! let r24 = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(r24.object.fill_from_json(&vec![1, 2, 255].into())?, [1, 2, 255]);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{wrong_fill, wrong_length};
use crate::{
    data_type::DataType,
    error::{Error, Result},
    json::Json,
    layout::{Layout, ScalarKind},
    registry::{CreateContext, ExtensionType, NoConfiguration},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt;

/// More than the size of any real element, and far from overflow.
const MAX_BYTES: usize = 1 << 20;

struct RawBits {
    bytes: usize,
}

impl fmt::Debug for RawBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.bytes * 8)
    }
}

/// Returns the size of `r<bits>` in bytes, if the name has this form.
fn bytes_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('r')?;
    let canonical = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    let bits: usize = canonical.then(|| digits.parse().ok())??;
    (bits.is_multiple_of(8) && bits / 8 <= MAX_BYTES).then_some(bits / 8)
}

impl ExtensionType for RawBits {
    const NAME: &'static str = "r<N>";
    const FAMILY: bool = true;
    fn matches(name: &str) -> bool {
        bytes_of(name).is_some()
    }
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, cx: &CreateContext<'_>) -> Result<Self> {
        let name = cx.name;
        let bytes = bytes_of(name);
        Ok(Self {
            bytes: bytes.ok_or_else(|| {
                Error::configuration(format!("the number of bits in `{name}` is not a multiple of 8"))
            })?,
        })
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl DataType for RawBits {
    fn layout(&self) -> Layout {
        Layout::scalar(ScalarKind::Raw, self.bytes)
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        let bytes: Option<Vec<u8>> = match value {
            Json::Array(items) => items.iter().map(|v| v.as_u64().and_then(|n| n.try_into().ok())).collect(),
            Json::String(text) => STANDARD.decode(text).ok(),
            _ => None,
        };
        let wanted = format!("an array of {} integers from 0 to 255", self.bytes);
        bytes
            .filter(|b| b.len() == self.bytes)
            .ok_or_else(|| wrong_fill(&format!("r{}", self.bytes * 8), value, &wanted))
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        if element.len() != self.bytes {
            return Err(wrong_length(&format!("r{}", self.bytes * 8), element));
        }
        Ok(element.into())
    }
    fn default_fill(&self) -> Json {
        vec![0u8; self.bytes].into()
    }
}

crate::register!(DataType: RawBits);
