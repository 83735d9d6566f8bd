//! `numpy.timedelta64`: durations, as a number of steps of time. Specification: the registered page "numpy.timedelta64
//! data type".
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numpy.timedelta64", "configuration": {"unit": "us", "scale_factor": 10}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numpy.timedelta64");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use crate::unit::{self, Configuration};
use std::fmt;
use zarr_plugin_api::{CreateContext, DataType, ExtensionType, Json, Layout, Result};

pub(crate) struct Timedelta64(Configuration);

impl fmt::Debug for Timedelta64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::NAME, self.0)
    }
}

impl ExtensionType for Timedelta64 {
    const NAME: &'static str = "numpy.timedelta64";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        configuration.check().map(Self)
    }
    fn configuration(&self) -> Configuration {
        self.0
    }
}

impl DataType for Timedelta64 {
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
