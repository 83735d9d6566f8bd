//! The codec `sharding_indexed`: an array -> bytes codec that stores many inner chunks in one value, with an index of
//! their positions. Specification: "Sharding codec".
//!
//! [`Index`] and [`IndexCodec`] are for programs that inspect shards.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs as _;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[64, 64], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "sharding_indexed", "configuration": {
//!     "chunk_shape": [32, 32],
//!     "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
//!     "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
//!     "index_location": "end"}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod decode;
mod encode;
mod index;
mod index_codec;
mod order;
#[cfg(test)]
mod tests;
mod update;

pub use index::{Entry, Index};
pub use index_codec::IndexCodec;

use crate::member::{extension, present};
use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::{ArrayToBytes, Chain, PartialDecode, PartialEncode},
    extension::Extension,
    json::{Json, Object},
    layout::Layout,
    registry::{CreateContext, ExtensionType},
    representation::{Representation, Size},
    view::{Region, View, ViewMut},
};

/// The position of the index in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum IndexLocation {
    /// Before the inner chunks.
    Start,
    /// After the inner chunks.
    #[default]
    End,
}

/// The codec `sharding_indexed`, which stores many inner chunks in one value, the shard.
///
/// Each can be read individually.
///
/// Omitted members are chosen when an array is created: uncompressed inner chunks, and a little endian index with a
/// checksum, at the end. There is no default for the chunk shape.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::{Bytes, Crc32c, IndexLocation, Sharding, Zstd};
/// let json = br#"{"name": "sharding_indexed", "configuration": {
///     "chunk_shape": [32, 32],
///     "codecs": [{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 3, "checksum": false}}],
///     "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
///     "index_location": "start"}}"#;
/// let sharding = Sharding::new([32, 32])
///     .codecs([Extension::from(Bytes::default()), Zstd::level(3).into()])
///     .index_codecs([Extension::from(Bytes::little()), Crc32c.into()])
///     .index_location(IndexLocation::Start);
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(sharding), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sharding {
    chunk_shape: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    codecs: Option<Vec<Extension>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    index_codecs: Option<Vec<Extension>>,
    #[serde(default)]
    index_location: IndexLocation,
}

impl Sharding {
    /// Creates shards with inner chunks of this shape, which must divide the shape of the array's chunks.
    pub fn new(chunk_shape: impl Into<Vec<u64>>) -> Self {
        let (chunk_shape, index_location) = (chunk_shape.into(), IndexLocation::default());
        Self { chunk_shape, codecs: None, index_codecs: None, index_location }
    }
    /// Sets the codecs of the inner chunks.
    pub fn codecs(self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        Self { codecs: Some(codecs.into_iter().map(Into::into).collect()), ..self }
    }
    /// Sets the codecs of the index. Their encoded size must be known, so none of them may compress.
    pub fn index_codecs(self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        Self { index_codecs: Some(codecs.into_iter().map(Into::into).collect()), ..self }
    }
    /// Sets where in a shard the index is.
    pub fn index_location(self, index_location: IndexLocation) -> Self {
        Self { index_location, ..self }
    }
}
impl From<Sharding> for Extension {
    fn from(sharding: Sharding) -> Self {
        let list = |codecs: Vec<Self>| codecs.iter().map(|codec| codec.to_json().clone()).collect::<Json>();
        let location = match sharding.index_location {
            IndexLocation::Start => "start",
            IndexLocation::End => "end",
        };
        extension(
            "sharding_indexed",
            [
                ("chunk_shape", Some(sharding.chunk_shape.into())),
                ("codecs", sharding.codecs.map(list)),
                ("index_codecs", sharding.index_codecs.map(list)),
                ("index_location", Some(location.into())),
            ],
        )
    }
}

#[derive(Debug)]
struct ShardingCodec {
    shard: Representation,
    inner: Chain,
    index: IndexCodec,
}

impl ExtensionType for ShardingCodec {
    const NAME: &'static str = "sharding_indexed";
    type Configuration = Sharding;
    fn create(configuration: Sharding, cx: &CreateContext<'_>) -> Result<Self> {
        let shard = cx.representation()?.clone();
        // Rejects a shape that does not divide the shard before codecs are created for it.
        index_codec::counts(&configuration, shard.shape())?;
        let inner_chunk = shard.with_shape(&configuration.chunk_shape);
        let codecs = match &configuration.codecs {
            Some(codecs) => codecs.clone(),
            None if cx.intent.is_create() => vec![default_codec(shard.layout())],
            None => return Err(Error::configuration("missing member `codecs`")),
        };
        let inner = Chain::new(&codecs, &cx.nested(&inner_chunk)).map_err(|e| e.within("codecs"))?;
        let index = IndexCodec::within(&configuration, shard.shape(), cx)?;
        Ok(Self { shard, inner, index })
    }
    fn configuration(&self) -> Sharding {
        Sharding {
            chunk_shape: self.chunk_shape().to_vec(),
            codecs: Some(self.inner.extensions().to_vec()),
            index_codecs: Some(self.index.codecs().to_vec()),
            index_location: self.index.location(),
        }
    }
}

/// Returns a codec that writes elements unchanged.
///
/// `bytes` chooses its byte order itself.
fn default_codec(layout: &Layout) -> Extension {
    let name = match layout {
        Layout::Variable { text: true } => "vlen-utf8",
        Layout::Variable { text: false } => "vlen-bytes",
        _ => "bytes",
    };
    Extension::new(name, Object::new())
}

impl ShardingCodec {
    fn chunk_shape(&self) -> &[u64] {
        self.inner.decoded().shape()
    }
    /// Returns the region of an inner chunk within the shard.
    fn region_of(&self, chunk_index: &[u64]) -> Region {
        let start = chunk_index.iter().zip(self.chunk_shape()).map(|(i, n)| i * n).collect();
        Region { start, len: self.chunk_shape().into() }
    }
}

impl ArrayToBytes for ShardingCodec {
    fn encoded_size(&self) -> Size {
        let chunks: Option<u64> = self.index.counts().iter().try_fold(1u64, |n, c| n.checked_mul(*c));
        let bound = |inner: u64| inner.checked_mul(chunks?)?.checked_add(self.index.encoded_len());
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

zarr_core::register!(ArrayToBytes: ShardingCodec);
