//! `sharding_indexed`: an array -> bytes codec that keeps many inner chunks in one value, with an index of where each
//! is. Specification: "Sharding codec".
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "sharding_indexed", "configuration": {
//!     "chunk_shape": [32, 32],
//!     "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
//!     "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
//!     "index_location": "end"}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "sharding_indexed");
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod decode;
mod encode;
mod index;
#[cfg(test)]
mod tests;

use index::Index;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    builtin::data_type::UINT64,
    call::{CallContext, OutputBuffer},
    codec::{ArrayToBytes, Chain, PartialDecode, PartialEncode},
    extension::Extension,
    json::{Json, Object},
    registry::{CreateContext, ExtensionType},
    representation::{Representation, Size},
    source::ByteRange,
    view::{Dims, Region, View, ViewMut},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Location {
    Start,
    #[default]
    End,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    chunk_shape: Vec<u64>,
    codecs: Vec<Extension>,
    /// Needed in stored metadata; chosen for a new array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index_codecs: Option<Vec<Extension>>,
    #[serde(default)]
    index_location: Location,
}

#[derive(Debug)]
struct ShardingIndexed {
    location: Location,
    shard: Representation,
    /// Inner chunks along each dimension.
    counts: Dims,
    inner: Chain,
    index: Chain,
    index_size: u64,
    /// Stands for all that an index depends on.
    index_id: usize,
}

impl ExtensionType for ShardingIndexed {
    const NAME: &'static str = "sharding_indexed";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let (shard, chunk) = (cx.representation()?.clone(), &configuration.chunk_shape);
        let divides = |(c, s): (&u64, &u64)| *c > 0 && s.is_multiple_of(*c);
        if chunk.len() != shard.shape().len() || !chunk.iter().zip(shard.shape()).all(divides) {
            let shape = shard.shape();
            return Err(Error::configuration(format!("`chunk_shape` {chunk:?} does not divide the shard {shape:?}")));
        }
        let counts: Dims = shard.shape().iter().zip(chunk).map(|(s, c)| s / c).collect();
        let inner_chunk = shard.with_shape(chunk);
        let inner = Chain::new(&configuration.codecs, &cx.nested(&inner_chunk)).map_err(|e| e.within("codecs"))?;
        let index_codecs = match configuration.index_codecs {
            Some(codecs) => codecs,
            None if cx.intent.is_create() => default_index_codecs(),
            None => return Err(Error::configuration("`index_codecs` is missing")),
        };
        let index_array = Representation::new(Arc::new(UINT64), &index::shape(&counts), &u64::MAX.to_ne_bytes());
        let index = Chain::new(&index_codecs, &cx.nested(&index_array)).map_err(|e| e.within("index_codecs"))?;
        let Size::Exact(index_size) = index.encoded_size() else {
            return Err(Error::configuration("`index_codecs` must give a fixed size; a compressor does not"));
        };
        cx.limits.chunk("a shard index", index_size)?;
        let location = configuration.index_location;
        let index_id = index::id(location, &counts, &index);
        Ok(Self { location, shard, counts, inner, index, index_size, index_id })
    }
    fn configuration(&self) -> Configuration {
        Configuration {
            chunk_shape: self.chunk_shape().to_vec(),
            codecs: self.inner.extensions().to_vec(),
            index_codecs: Some(self.index.extensions().to_vec()),
            index_location: self.location,
        }
    }
}

/// Little endian with a checksum, as the specification recommends.
fn default_index_codecs() -> Vec<Extension> {
    let endian: Object = [("endian", Json::from("little"))].into_iter().collect();
    vec![Extension::new("bytes", endian), Extension::new("crc32c", Object::new())]
}

impl ShardingIndexed {
    fn chunk_shape(&self) -> &[u64] {
        self.inner.decoded().shape()
    }
    /// Where the index is in an encoded shard.
    fn index_range(&self) -> ByteRange {
        match self.location {
            Location::Start => ByteRange::Slice { start: 0, len: self.index_size },
            Location::End => ByteRange::Suffix(self.index_size),
        }
    }
    /// The elements of an inner chunk, within the shard.
    fn region_of(&self, chunk_index: &[u64]) -> Region {
        let start = chunk_index.iter().zip(self.chunk_shape()).map(|(i, n)| i * n).collect();
        Region { start, len: self.chunk_shape().into() }
    }
}

impl ArrayToBytes for ShardingIndexed {
    fn encoded_size(&self) -> Size {
        let chunks: Option<u64> = self.counts.iter().try_fold(1u64, |n, c| n.checked_mul(*c));
        let bound = |inner: u64| inner.checked_mul(chunks?)?.checked_add(self.index_size);
        self.inner.encoded_size().bound().map(bound)
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        self.encode_shard(call, decoded, out)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        self.decode_region(call, &encoded, &Region::whole(self.shard.shape()), out)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        Some(self)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        Some(self)
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        Some(self.chunk_shape())
    }
}

zarr_core::register!(ArrayToBytes: ShardingIndexed);
