//! The extension point `data_type`.
//!
//! Specification: core, "Data types"; "Permitted fill values" in the page on data types.

use crate::{error::Result, json::Json, layout::Layout};
use std::fmt::Debug;

/// A data type: how an element lies in memory, and its value in JSON.
pub trait DataType: Debug + Send + Sync {
    /// How elements lie in memory.
    fn layout(&self) -> Layout;

    /// Reads an element in any form that the data type permits for fill values. Fixed size: the element in memory, in
    /// the machine's byte order. Variable length: its bytes.
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>>;

    /// Prints an element so that [`fill_from_json`](Self::fill_from_json) gives the same bits.
    fn fill_to_json(&self, element: &[u8]) -> Result<Json>;

    /// The fill value of a new array if none is given, in JSON: zero, false, or empty.
    fn default_fill(&self) -> Json {
        Json::from(0)
    }
    /// Checking elements that were decoded. `None`: every pattern of bits is a value.
    fn check(&self) -> Option<&dyn CheckElements> {
        None
    }
}

/// An ability of a data type.
pub trait CheckElements {
    /// Refuses bytes that are no elements.
    fn check_elements(&self, elements: &[u8]) -> Result<()>;
}

impl dyn DataType + '_ {
    /// Refuses bytes that are no elements, where not every pattern of bits is a value.
    pub fn check_elements(&self, elements: &[u8]) -> Result<()> {
        self.check().map_or(Ok(()), |check| check.check_elements(elements))
    }
}
