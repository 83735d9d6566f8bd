//! `numpy.datetime64`: points in time, as a number of steps since the start of 1970. Specification: the registered page
//! "numpy.datetime64 data type".
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numpy.datetime64", "configuration": {"unit": "us", "scale_factor": 10}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numpy.datetime64");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use crate::unit::{self, Configuration};
use std::fmt;
use zarr_plugin_api::{CreateContext, DataType, ExtensionType, Json, Layout, Result};

pub(crate) struct Datetime64(Configuration);

impl fmt::Debug for Datetime64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::NAME, self.0)
    }
}

impl ExtensionType for Datetime64 {
    const NAME: &'static str = "numpy.datetime64";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        configuration.check().map(Self)
    }
    fn configuration(&self) -> Configuration {
        self.0
    }
}

impl DataType for Datetime64 {
    fn layout(&self) -> Layout {
        unit::LAYOUT
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        unit::fill_from_json(Self::NAME, value)
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        unit::fill_to_json(Self::NAME, element)
    }
    fn default_fill(&self) -> Json {
        unit::NAT.into()
    }
}
