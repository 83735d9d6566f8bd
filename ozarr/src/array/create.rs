//! What a new array is to be, with the defaults a user expects.

use super::Array;
use crate::{context::Context, hierarchy::Hierarchy};
use std::sync::Arc;
use zarr_core::{
    Result,
    data_type::DataType,
    extension::{Extension, ExtensionPoint},
    json::{Json, Object},
    layout::Layout,
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    name::NodePath,
};

/// Chunks that are chosen have at most about this many bytes.
const CHUNK_BYTES: u64 = 4 << 20;

/// A new array: shape and data type, and whatever else should not be left to the defaults.
///
/// Chosen if left out: chunks of at most 4 MiB, the data type's zero as fill value, little-endian `bytes` (or the codec
/// of strings), then `zstd` if the program has it. Everything that is chosen is recorded in the metadata.
#[derive(Debug, Clone)]
pub struct NewArray {
    shape: Vec<u64>,
    data_type: Json,
    chunk_shape: Option<Vec<u64>>,
    shard_shape: Option<Vec<u64>>,
    codecs: Option<Vec<Json>>,
    fill_value: Option<Json>,
    chunk_key_encoding: Option<Json>,
    dimension_names: Option<Vec<Option<String>>>,
    attributes: Object,
    overwrite: bool,
}

impl NewArray {
    /// An array of a shape and data type: a name, or the JSON of an extension.
    pub fn new(shape: impl Into<Vec<u64>>, data_type: impl Into<Json>) -> Self {
        Self {
            shape: shape.into(),
            data_type: data_type.into(),
            chunk_shape: None,
            shard_shape: None,
            codecs: None,
            fill_value: None,
            chunk_key_encoding: None,
            dimension_names: None,
            attributes: Object::new(),
            overwrite: false,
        }
    }
    /// The shape of chunks, or of inner chunks if there are shards.
    pub fn chunk_shape(mut self, shape: impl Into<Vec<u64>>) -> Self {
        self.chunk_shape = Some(shape.into());
        self
    }
    /// Puts chunks into shards of this shape with `sharding_indexed`.
    pub fn shard_shape(mut self, shape: impl Into<Vec<u64>>) -> Self {
        self.shard_shape = Some(shape.into());
        self
    }
    /// The codecs of a chunk, each as JSON.
    pub fn codecs(mut self, codecs: impl IntoIterator<Item = Json>) -> Self {
        self.codecs = Some(codecs.into_iter().collect());
        self
    }
    /// The fill value, in the JSON form of the data type.
    pub fn fill_value(mut self, value: impl Into<Json>) -> Self {
        self.fill_value = Some(value.into());
        self
    }
    /// The chunk key encoding as JSON.
    pub fn chunk_key_encoding(mut self, encoding: impl Into<Json>) -> Self {
        self.chunk_key_encoding = Some(encoding.into());
        self
    }
    /// The names of the dimensions.
    pub fn dimension_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = Option<S>>) -> Self {
        self.dimension_names = Some(names.into_iter().map(|n| n.map(Into::into)).collect());
        self
    }
    /// The user's attributes.
    pub fn attributes(mut self, attributes: Object) -> Self {
        self.attributes = attributes;
        self
    }
    /// Replaces a node that is there, with everything below it, in one step where the store can: see
    /// [`build`](crate::Hierarchy::build). Elements that are written later are not part of that step.
    pub fn overwrite(mut self) -> Self {
        self.overwrite = true;
        self
    }
    /// The metadata document, with what was chosen.
    pub fn metadata(&self, context: &Context) -> Result<ArrayMetadata> {
        let data_type_named = Extension::parse(&self.data_type).map_err(|e| e.within("data_type"))?;
        let data_type = context.registry.data_type(&data_type_named, &context.limits)?.object;
        let chunk = match (&self.chunk_shape, &self.shard_shape) {
            (Some(shape), _) => shape.clone(),
            (None, Some(shard)) => inner_of(shard, &data_type.layout()),
            (None, None) => chosen_chunk(&self.shape, &data_type.layout()),
        };
        let codecs = match &self.codecs {
            Some(codecs) => codecs.clone(),
            None => self.chosen_codecs(&*data_type, context),
        };
        let (grid, codecs) = match &self.shard_shape {
            None => (chunk, codecs),
            Some(shard) => (shard.clone(), vec![sharded(&chunk, codecs)]),
        };
        let mut document = Object::new();
        document.set("zarr_format", 3u8);
        document.set("node_type", "array");
        document.set("shape", &self.shape[..]);
        document.set("data_type", self.data_type.clone());
        document.set("chunk_grid", extension("regular", [("chunk_shape", Json::from(&grid[..]))]));
        let slash = || extension("default", [("separator", Json::from("/"))]);
        document.set("chunk_key_encoding", self.chunk_key_encoding.clone().unwrap_or_else(slash));
        document.set("fill_value", self.fill_value.clone().unwrap_or_else(|| data_type.default_fill()));
        document.set("codecs", Json::Array(codecs));
        if let Some(names) = &self.dimension_names {
            let name = |n: &Option<String>| n.as_deref().map_or(Json::Null, Json::from);
            document.set("dimension_names", names.iter().map(name).collect::<Json>());
        }
        document.set("attributes", self.attributes.clone());
        ArrayMetadata::from_object(document, &context.limits)
    }
    fn chosen_codecs(&self, data_type: &dyn DataType, context: &Context) -> Vec<Json> {
        let array_to_bytes = match data_type.layout() {
            Layout::Variable { text: true } => extension("vlen-utf8", []),
            Layout::Variable { text: false } => extension("vlen-bytes", []),
            layout if layout.has_byte_order() => extension("bytes", [("endian", Json::from("little"))]),
            _ => extension("bytes", []),
        };
        let mut codecs = vec![array_to_bytes];
        if context.registry.find(ExtensionPoint::Codec, "zstd").is_some() {
            codecs.push(extension("zstd", [("level", Json::from(0)), ("checksum", Json::from(false))]));
        }
        codecs
    }
    pub(crate) fn create(&self, hierarchy: &Hierarchy, path: NodePath) -> Result<Array> {
        let metadata = self.metadata(hierarchy.context()).map_err(|e| e.at_node(&path))?;
        Array::create(hierarchy, path, metadata, self.overwrite)
    }
}

impl Array {
    /// Creates an array from a whole metadata document; what a user may leave out of it is chosen.
    pub(crate) fn create(
        hierarchy: &Hierarchy,
        path: NodePath,
        mut metadata: ArrayMetadata,
        overwrite: bool,
    ) -> Result<Self> {
        let context = hierarchy.context();
        let resolved = ResolvedArray::create(&mut metadata, &context.registry, &context.limits, &context.options)
            .map_err(|e| e.at_node(&path))?;
        resolved.check_writable().map_err(|e| e.at_node(&path))?;
        hierarchy.create_node(&path, &NodeMetadata::Array(metadata.clone()), overwrite)?;
        Self::with_resolved(hierarchy.clone(), path, Arc::new(metadata), Arc::new(resolved), Vec::new())
    }
}

fn extension<const N: usize>(name: &str, configuration: [(&str, Json); N]) -> Json {
    Extension::new(name, configuration.into_iter().collect()).to_json().clone()
}

fn sharded(chunk: &[u64], codecs: Vec<Json>) -> Json {
    extension("sharding_indexed", [("chunk_shape", Json::from(chunk)), ("codecs", Json::Array(codecs))])
}

/// Halves the longest dimension until a chunk is small enough.
fn chosen_chunk(shape: &[u64], layout: &Layout) -> Vec<u64> {
    let mut chunk: Vec<u64> = shape.iter().map(|n| (*n).max(1)).collect();
    let bytes = |c: &[u64]| c.iter().fold(layout.size() as u64, |b, n| b.saturating_mul(*n));
    while bytes(&chunk) > CHUNK_BYTES {
        match chunk.iter_mut().filter(|n| **n > 1).max() {
            Some(longest) => *longest = longest.div_ceil(2),
            None => break,
        }
    }
    chunk
}

/// Halves the longest dimension that can be halved until 64 inner chunks fill a shard, or none can.
fn inner_of(shard: &[u64], layout: &Layout) -> Vec<u64> {
    let (mut chunk, mut count) = (shard.to_vec(), 1);
    let smallest = 64 << 10;
    let bytes = |c: &[u64]| c.iter().fold(layout.size() as u64, |b, n| b.saturating_mul(*n));
    while count < 64 || bytes(&chunk) > CHUNK_BYTES {
        match chunk.iter_mut().filter(|n| **n > 1 && n.is_multiple_of(2)).max() {
            Some(longest) if count < 8 || bytes(shard) / count > smallest => *longest /= 2,
            _ => break,
        }
        count *= 2;
    }
    chunk
}
