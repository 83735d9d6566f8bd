//! The data type `string`: UTF-8 text of variable length, as in the registry of Zarr extensions.
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""string""#, &Default::default())?;
//! let string = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(string.object.fill_from_json(&"none".into())?, b"none");
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{plain_data_type, wrong_fill};
use crate::{
    data_type::DataType,
    error::{Error, Result},
    json::Json,
    layout::Layout,
};
use std::fmt;

struct Text;

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("string")
    }
}

impl DataType for Text {
    fn layout(&self) -> Layout {
        Layout::Variable { text: true }
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        value.as_str().map(|s| s.as_bytes().to_vec()).ok_or_else(|| wrong_fill("string", value, "a string"))
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        let text =
            std::str::from_utf8(element).map_err(|_| Error::data("an element of `string` is not valid UTF-8"))?;
        Ok(text.into())
    }
    fn default_fill(&self) -> Json {
        "".into()
    }
}

plain_data_type!(Text, "string", Text);
