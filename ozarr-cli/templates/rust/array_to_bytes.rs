//! `{{name}}`: an array -> bytes codec that stores elements as they are. Replace it with your encoding.

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    ArrayToBytes, CallContext, CreateContext, Error, ExtensionType, OutputBuffer, Result, Size, View, ViewMut,
    export_plugin,
};

/// The members of `configuration` in metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {}

#[derive(Debug)]
struct Codec {
    configuration: Configuration,
    bytes: u64,
}

impl ExtensionType for Codec {
    const NAME: &'static str = "{{name}}";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let decoded = cx.representation()?;
        if decoded.layout().is_variable() || decoded.layout().has_byte_order() && cfg!(target_endian = "big") {
            return Err(Error::chain(format!("it does not support {:?}", decoded.data_type())));
        }
        Ok(Self { configuration, bytes: decoded.bytes()? })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl ArrayToBytes for Codec {
    fn encoded_size(&self) -> Size {
        Size::Exact(self.bytes)
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let space = out.space(self.bytes as usize)?;
        ViewMut::new(space, &decoded.shape(), decoded.element_size())?.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        // A view checks that there are exactly as many bytes as it needs.
        let encoded = View::new(encoded, &out.shape(), out.element_size())?;
        out.copy_from(&encoded, 1)
    }
}

export_plugin! { id: "{{id}}", ArrayToBytes: [Codec] }
