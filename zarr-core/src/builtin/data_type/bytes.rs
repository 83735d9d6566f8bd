//! The data type `bytes`: byte strings of variable length, as in the registry of Zarr extensions. Not the codec of the
//! same name.
//!
//! A fill value is a base64 string, which zarr-python reads too, or an array of integers from 0 to 255.
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""bytes""#, &Default::default())?;
//! let bytes = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(bytes.object.fill_from_json(&"AQI=".into())?, [1, 2]);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{plain_data_type, wrong_fill};
use crate::{data_type::DataType, error::Result, json::Json, layout::Layout};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt;

struct ByteString;

impl fmt::Debug for ByteString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }
}

impl DataType for ByteString {
    fn layout(&self) -> Layout {
        Layout::Variable { text: false }
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        let bytes: Option<Vec<u8>> = match value {
            Json::String(text) => STANDARD.decode(text).ok(),
            Json::Array(items) => items.iter().map(|v| v.as_u64().and_then(|n| n.try_into().ok())).collect(),
            _ => None,
        };
        bytes.ok_or_else(|| wrong_fill("bytes", value, "a base64 string or an array of integers from 0 to 255"))
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        Ok(STANDARD.encode(element).into())
    }
    fn default_fill(&self) -> Json {
        "".into()
    }
}

plain_data_type!(ByteString, "bytes", ByteString, aliases & ["variable_length_bytes", "binary"]);
