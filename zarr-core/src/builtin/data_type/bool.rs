//! The data type `bool`: one byte, 0 or 1. Specification: "Core data types".
//!
//! ```
//! # use zarr_core::{registry::{Registry, CreateContext}, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""bool""#, &Default::default())?;
//! let bool = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(bool.object.fill_from_json(&Json::Bool(true))?, [1]);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{plain_data_type, wrong_fill, wrong_length};
use crate::{
    data_type::{CheckElements, DataType},
    error::{Error, Result},
    json::Json,
    layout::{Layout, ScalarKind},
};
use std::fmt;

struct Bool;

impl fmt::Debug for Bool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bool")
    }
}

impl DataType for Bool {
    fn layout(&self) -> Layout {
        Layout::scalar(ScalarKind::Bool, 1)
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        match value {
            Json::Bool(b) => Ok(vec![u8::from(*b)]),
            other => Err(wrong_fill("bool", other, "`true` or `false`")),
        }
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        match element {
            [0] => Ok(Json::Bool(false)),
            [1] => Ok(Json::Bool(true)),
            [other] => Err(Error::data(format!("invalid `bool` element: byte {other}, expected 0 or 1"))),
            other => Err(wrong_length("bool", other)),
        }
    }
    fn default_fill(&self) -> Json {
        Json::Bool(false)
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        Some(self)
    }
}

impl CheckElements for Bool {
    fn check_elements(&self, elements: &[u8]) -> Result<()> {
        match elements.iter().find(|b| **b > 1) {
            None => Ok(()),
            Some(other) => Err(Error::data(format!("invalid `bool` element: byte {other}, expected 0 or 1"))),
        }
    }
}

plain_data_type!(Bool, "bool", Bool);
