//! The chunk key encoding `default`: `c/1/23/45`. Specification: "Default chunk key encoding".
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "default", "configuration": {"separator": "/"}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "default");
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{Configuration, Separator};
use crate::{
    chunk_key_encoding::ChunkKeyEncoding,
    error::Result,
    registry::{CreateContext, ExtensionType},
    view::Dims,
};

#[derive(Debug)]
struct Default(Separator);

impl ExtensionType for Default {
    const NAME: &'static str = "default";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self(configuration.separator.unwrap_or(Separator::Slash)))
    }
    fn configuration(&self) -> Configuration {
        Configuration { separator: Some(self.0) }
    }
}

impl ChunkKeyEncoding for Default {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        let mut key = String::from("c");
        if !chunk_index.is_empty() {
            key.push(self.0.as_char());
            key.push_str(&self.0.join(chunk_index));
        }
        Ok(key)
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        match key.strip_prefix('c')? {
            "" => (rank == 0).then(Dims::new),
            rest => self.0.split(rest.strip_prefix(self.0.as_char())?, rank),
        }
    }
}

crate::register!(ChunkKeyEncoding: Default);
