//! `{{name}}`: an array -> array codec that changes nothing. Replace it with your encoding.

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    ArrayToArray, CallContext, CreateContext, ExtensionType, Representation, Result, View, ViewMut, export_plugin,
};

/// The members of `configuration` in metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {}

#[derive(Debug)]
struct Codec {
    configuration: Configuration,
    encoded: Representation,
}

impl ExtensionType for Codec {
    const NAME: &'static str = "{{name}}";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        // A codec that changes values changes the fill value too.
        Ok(Self { configuration, encoded: cx.representation()?.clone() })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl ArrayToArray for Codec {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        encoded.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, mut decoded: ViewMut<'_>) -> Result<()> {
        decoded.copy_from(encoded, 1)
    }
}

export_plugin! { id: "{{id}}", ArrayToArray: [Codec] }
