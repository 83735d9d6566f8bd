//! The chunk key encoding `v2`: `1.23.45`, for chunks that were written as Zarr version 2. Specification: "v2 chunk key
//! encoding".
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "v2", "configuration": {"separator": "."}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "v2");
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
struct V2(Separator);

impl ExtensionType for V2 {
    const NAME: &'static str = "v2";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self(configuration.separator.unwrap_or(Separator::Dot)))
    }
    fn configuration(&self) -> Configuration {
        Configuration { separator: Some(self.0) }
    }
}

impl ChunkKeyEncoding for V2 {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        Ok(if chunk_index.is_empty() { "0".to_owned() } else { self.0.join(chunk_index) })
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        match rank {
            0 => (key == "0").then(Dims::new),
            _ => self.0.split(key, rank),
        }
    }
}

crate::register!(ChunkKeyEncoding: V2);
