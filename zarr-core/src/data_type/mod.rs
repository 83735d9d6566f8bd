//! The extension point `data_type`.
//!
//! Specification: core, "Data types"; "Permitted fill values" in the page on data types.

use crate::{error::Result, json::Json, layout::Layout};
use std::fmt::Debug;

/// A data type: the layout of an element in memory, and its value in JSON.
pub trait DataType: Debug + Send + Sync {
    /// Returns the layout of elements in memory.
    fn layout(&self) -> Layout;

    /// Reads an element in any form that the data type permits for fill values.
    ///
    /// For a fixed size, returns the element in memory, in native byte order; for variable length, its bytes.
    ///
    /// # Errors
    /// If the data type does not permit the value.
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>>;

    /// Converts an element to JSON from which [`fill_from_json`](Self::fill_from_json) returns the same bits.
    fn fill_to_json(&self, element: &[u8]) -> Result<Json>;

    /// Returns the JSON of the fill value of a new array for which none is given: zero, false, or empty.
    fn default_fill(&self) -> Json {
        Json::from(0)
    }
    /// Returns the check for decoded elements. `None`: every bit pattern is valid.
    fn check(&self) -> Option<&dyn CheckElements> {
        None
    }
}

/// The ability of a data type to check decoded elements.
pub trait CheckElements {
    /// Checks elements.
    ///
    /// # Errors
    /// If the bytes are not valid elements.
    fn check_elements(&self, elements: &[u8]) -> Result<()>;
}

impl dyn DataType + '_ {
    /// Checks elements, if not every bit pattern is valid.
    ///
    /// # Errors
    /// If the bytes are not valid elements.
    pub fn check_elements(&self, elements: &[u8]) -> Result<()> {
        self.check().map_or(Ok(()), |check| check.check_elements(elements))
    }
}
