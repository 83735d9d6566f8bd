//! `{{name}}`: a data type of one unsigned byte. Replace it with your layout and fill values.

use zarr_plugin_api::{
    CreateContext, DataType, Error, ExtensionType, Json, Layout, NoConfiguration, Result, ScalarKind, export_plugin,
};

#[derive(Debug)]
struct Byte;

impl ExtensionType for Byte {
    const NAME: &'static str = "{{name}}";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl DataType for Byte {
    fn layout(&self) -> Layout {
        Layout::scalar(ScalarKind::UInt, 1)
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        let byte = value.as_u64().and_then(|n| u8::try_from(n).ok());
        let byte = byte.ok_or_else(|| Error::fill_value(format!("it permits integers from 0 to 255, not {value}")))?;
        Ok(vec![byte])
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        match element {
            [byte] => Ok(Json::from(*byte)),
            _ => Err(Error::fill_value(format!("{} bytes are not one element", element.len()))),
        }
    }
}

export_plugin! { id: "{{id}}", DataType: [Byte] }
