//! `template.rust`: a bytes -> bytes codec that changes nothing. Put your encoding in its place.

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{BytesToBytes, Call, Named, Out, Result, Site, Size, export_plugin};

/// The members of `configuration` in metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {}

#[derive(Debug)]
struct Codec(Configuration);

impl Named for Codec {
    const NAME: &'static str = "template.rust";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &Site<'_>) -> Result<Self> {
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
    fn encode(&self, _: &Call<'_>, decoded: &[u8], out: &mut Out<'_>) -> Result<()> {
        out.extend(decoded)
    }
    fn decode(&self, _: &Call<'_>, encoded: &[u8], out: &mut Out<'_>) -> Result<()> {
        // The result is the input: nothing is copied.
        out.alias_input(0..encoded.len());
        Ok(())
    }
}

export_plugin! { id: "org.example.template-rust", BytesToBytes: [Codec] }
