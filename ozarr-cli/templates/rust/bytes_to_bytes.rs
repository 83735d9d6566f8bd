//! `{{name}}`: a bytes -> bytes codec that changes nothing. Replace it with your encoding.

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    BytesToBytes, CallContext, CreateContext, ExtensionType, OutputBuffer, Result, Size, export_plugin,
};

/// The members of `configuration` in metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {}

#[derive(Debug)]
struct Codec(Configuration);

impl ExtensionType for Codec {
    const NAME: &'static str = "{{name}}";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self(configuration))
    }
    fn configuration(&self) -> Configuration {
        self.0.clone()
    }
}

impl BytesToBytes for Codec {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        out.extend(decoded)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        // The result is the input: nothing is copied.
        out.alias_input(0..encoded.len());
        Ok(())
    }
}

export_plugin! { id: "{{id}}", BytesToBytes: [Codec] }
