//! Describes a new array, with defaults for everything but its shape and data type.

mod data_type;
mod dimension_name;
mod shape;
#[cfg(test)]
mod tests;

pub use data_type::HasDataType;
pub use dimension_name::DimensionName;
pub use shape::IntoShape;
pub use zarr_core::json::FillValue;

use super::Array;
use crate::{context::Context, hierarchy::Hierarchy};
use serde::Serialize;
use shape::Lengths;
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    data_type::DataType,
    extension::{Extension, ExtensionPoint},
    json::{Json, Object},
    layout::Layout,
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    name::NodePath,
};

/// The size limit of chunks whose shape is chosen automatically.
const CHUNK_BYTES: u64 = 4 << 20;

/// A builder for a new array: its shape and data type, and everything that should differ from the defaults.
///
/// The defaults are: chunks of at most 4 MiB, the data type's zero as fill value, little-endian `bytes` (or the codec
/// for strings), then `zstd` if the program has it. The metadata records all defaults, including those of codecs that
/// are given by their bare names.
///
/// Data types, codecs and chunk key encodings are values that convert into an [`Extension`]: a bare name, a type of
/// [`codecs`](crate::codecs), or JSON. If one is malformed, creating the array fails.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, codecs::Zstd};
/// # let dir = tempfile::tempdir()?; let path = dir.path().join("a.zarr");
///
/// let temperature = NewArray::of::<f32>([1000, 2000])
///     .chunks([100, 100])
///     .shards([500, 500])
///     .compressor(Zstd::level(3))
///     .fill_value(f32::NAN)
///     .dimension_names(["y", "x"]);
/// let array = Hierarchy::create(&path)?.create_array("/temperature", temperature)?;
/// assert_eq!(array.inner_chunk_shape(), Some(&[100, 100][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct NewArray {
    shape: Lengths,
    data_type: Extension,
    chunks: Option<Lengths>,
    shards: Option<Lengths>,
    filters: Option<Vec<Extension>>,
    serializer: Option<Extension>,
    compressors: Option<Vec<Extension>>,
    codecs: Option<Vec<Extension>>,
    fill_value: Option<FillValue>,
    chunk_key_encoding: Option<Extension>,
    dimension_names: Option<Vec<DimensionName>>,
    /// The error is the reason why they are not an object.
    attributes: std::result::Result<Object, String>,
    overwrite: bool,
}

impl NewArray {
    /// Describes an array of a shape and a data type.
    ///
    /// ```
    /// use ozarr::NewArray;
    /// NewArray::new([4, 6], "float32");
    /// ```
    pub fn new(shape: impl IntoShape, data_type: impl Into<Extension>) -> Self {
        Self {
            shape: Lengths::new(shape),
            data_type: data_type.into(),
            chunks: None,
            shards: None,
            filters: None,
            serializer: None,
            compressors: None,
            codecs: None,
            fill_value: None,
            chunk_key_encoding: None,
            dimension_names: None,
            attributes: Ok(Object::new()),
            overwrite: false,
        }
    }
    /// Describes an array of a shape, with the data type that corresponds to a Rust type.
    ///
    /// ```
    /// use ozarr::NewArray;
    /// NewArray::of::<f32>([4, 6]);
    /// ```
    pub fn of<T: HasDataType>(shape: impl IntoShape) -> Self {
        Self::new(shape, T::data_type())
    }
    /// Sets the shape of chunks, or of inner chunks if there are shards.
    pub fn chunks(mut self, shape: impl IntoShape) -> Self {
        self.chunks = Some(Lengths::new(shape));
        self
    }
    /// Puts chunks into shards of this shape, with the codec `sharding_indexed`.
    pub fn shards(mut self, shape: impl IntoShape) -> Self {
        self.shards = Some(Lengths::new(shape));
        self
    }
    /// Sets the array -> array codecs, which transform a chunk before it becomes bytes. The default is none.
    ///
    /// ```
    /// use ozarr::{NewArray, codecs::Transpose};
    /// NewArray::new([4, 6], "float32").filters([Transpose::new([1, 0])]);
    /// ```
    pub fn filters(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.filters = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the array -> bytes codec.
    ///
    /// ```
    /// use ozarr::{NewArray, codecs::Bytes};
    /// NewArray::new([4, 6], "float32").serializer(Bytes::big());
    /// ```
    pub fn serializer(mut self, codec: impl Into<Extension>) -> Self {
        self.serializer = Some(codec.into());
        self
    }
    /// Sets a single bytes -> bytes codec.
    ///
    /// ```
    /// use ozarr::{NewArray, codecs::Gzip};
    /// NewArray::new([4, 6], "float32").compressor(Gzip::level(9));
    /// NewArray::new([4, 6], "float32").compressor("blosc");
    /// ```
    pub fn compressor(self, codec: impl Into<Extension>) -> Self {
        self.compressors([codec])
    }
    /// Sets the bytes -> bytes codecs, in the order of encoding.
    ///
    /// ```
    /// use ozarr::{NewArray, codecs::{Crc32c, Zstd}, extension::Extension};
    /// NewArray::new([4, 6], "float32").compressors(["zstd", "crc32c"]);
    /// NewArray::new([4, 6], "float32").compressors([Extension::from(Zstd::level(3)), Crc32c.into()]);
    /// ```
    pub fn compressors(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.compressors = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Uses no bytes -> bytes codec, not even the default one.
    pub fn no_compressor(self) -> Self {
        self.compressors(None::<Extension>)
    }
    /// Sets all codecs of a chunk, in place of [`filters`](Self::filters), [`serializer`](Self::serializer) and
    /// [`compressors`](Self::compressors).
    ///
    /// If any of these is set too, creating the array fails.
    ///
    /// ```
    /// use ozarr::NewArray;
    /// NewArray::new([4, 6], "float32").codecs(["transpose", "bytes", "gzip"]);
    /// ```
    pub fn codecs(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.codecs = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the fill value: a number, a `bool`, text, or JSON in the form of the data type.
    pub fn fill_value(mut self, value: impl Into<FillValue>) -> Self {
        self.fill_value = Some(value.into());
        self
    }
    /// Sets the chunk key encoding.
    pub fn chunk_key_encoding(mut self, encoding: impl Into<Extension>) -> Self {
        self.chunk_key_encoding = Some(encoding.into());
        self
    }
    /// Sets the names of the dimensions; `None` for a dimension without a name.
    ///
    /// ```
    /// use ozarr::NewArray;
    /// NewArray::new([4, 6], "float32").dimension_names(["y", "x"]);
    /// NewArray::new([4, 6], "float32").dimension_names([Some("y"), None]);
    /// ```
    pub fn dimension_names(mut self, names: impl IntoIterator<Item = impl Into<DimensionName>>) -> Self {
        self.dimension_names = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the user's attributes: an [`Object`] or any other value that serializes to a JSON object.
    ///
    /// If the value serializes to anything else, creating the array fails.
    pub fn attributes(mut self, attributes: impl Serialize) -> Self {
        self.attributes = match Json::from_serialize(&attributes) {
            Ok(Json::Object(members)) => Ok(members),
            Ok(other) => Err(format!("must be an object, not {}", other.kind())),
            Err(e) => Err(e.to_string()),
        };
        self
    }
    /// Replaces an existing node and everything below it.
    ///
    /// The store does this in one step if it can: see [`build`](crate::Hierarchy::build). Elements that are written
    /// afterwards are not part of that step.
    pub fn overwrite(mut self) -> Self {
        self.overwrite = true;
        self
    }
    /// Returns the metadata document, with all defaults filled in.
    ///
    /// # Errors
    /// - If the data type is unknown.
    /// - If a length is negative.
    /// - If `codecs` is set together with `filters`, `serializer` or `compressors`.
    /// - If the attributes are not an object.
    /// - If a document with these members is not valid.
    pub fn metadata(&self, context: &Context) -> Result<ArrayMetadata> {
        let data_type = Extension::parse(self.data_type.to_json()).map_err(|e| e.within("data_type"))?;
        let data_type = context.registry.data_type(&data_type, &context.limits)?.object;
        let shape = self.shape.check("shape")?;
        let chunks = self.chunks.as_ref().map(|c| c.check("chunk_shape")).transpose()?;
        let shards = self.shards.as_ref().map(|s| s.check("chunk_grid")).transpose()?;
        let chunk = match (chunks, &shards) {
            (Some(chunk), _) => chunk,
            (None, Some(shard)) => inner_of(shard, &data_type.layout()),
            (None, None) => chosen_chunk(&shape, &data_type.layout()),
        };
        let codecs = self.chosen_codecs(&*data_type, context)?;
        let codecs = codecs.iter().map(|codec| codec.to_json().clone()).collect();
        let (grid, codecs) = match shards {
            None => (chunk, codecs),
            Some(shard) => (shard, Json::from(vec![sharded(&chunk, codecs)])),
        };
        let attributes = self.attributes.clone().map_err(|e| Error::argument(e).within("attributes"))?;
        let mut document = Object::new();
        document.set("zarr_format", 3u8);
        document.set("node_type", "array");
        document.set("shape", &shape[..]);
        document.set("data_type", self.data_type.to_json().clone());
        document.set("chunk_grid", extension("regular", [("chunk_shape", Json::from(grid))]));
        let slash = || extension("default", [("separator", Json::from("/"))]);
        document
            .set("chunk_key_encoding", self.chunk_key_encoding.as_ref().map_or_else(slash, |e| e.to_json().clone()));
        let fill_value = self.fill_value.as_ref().map_or_else(|| data_type.default_fill(), |v| Json::from(v.clone()));
        document.set("fill_value", fill_value);
        document.set("codecs", codecs);
        if let Some(names) = &self.dimension_names {
            let name = |n: &DimensionName| n.0.as_deref().map_or(Json::Null, Json::from);
            document.set("dimension_names", names.iter().map(name).collect::<Json>());
        }
        document.set("attributes", attributes);
        ArrayMetadata::from_object(document, &context.limits)
    }
    /// Returns the codecs of a chunk, or of an inner chunk if there are shards.
    fn chosen_codecs(&self, data_type: &dyn DataType, context: &Context) -> Result<Vec<Extension>> {
        if let Some(codecs) = &self.codecs {
            if self.filters.is_some() || self.serializer.is_some() || self.compressors.is_some() {
                let e = Error::argument("the codecs of a new array are given twice: as a whole, and by their kinds");
                return Err(e.with_hint("give either `codecs`, or `filters`, `serializer` and `compressors`"));
            }
            return Ok(codecs.clone());
        }
        let mut codecs = self.filters.clone().unwrap_or_default();
        codecs.push(self.serializer.clone().unwrap_or_else(|| match data_type.layout() {
            Layout::Variable { text: true } => Extension::new("vlen-utf8", Object::new()),
            Layout::Variable { text: false } => Extension::new("vlen-bytes", Object::new()),
            layout if layout.has_byte_order() => Extension::new("bytes", [("endian", Json::from("little"))]),
            _ => Extension::new("bytes", Object::new()),
        }));
        match &self.compressors {
            Some(compressors) => codecs.extend(compressors.iter().cloned()),
            None if context.registry.find(ExtensionPoint::Codec, "zstd").is_some() => {
                let zstd = [("level", Json::from(0)), ("checksum", Json::from(false))];
                codecs.push(Extension::new("zstd", zstd));
            }
            None => {}
        }
        Ok(codecs)
    }
    pub(crate) fn create(&self, hierarchy: &Hierarchy, path: NodePath) -> Result<Array> {
        let metadata = self.metadata(hierarchy.context()).map_err(|e| e.at_node(&path))?;
        Array::create(hierarchy, path, metadata, self.overwrite)
    }
}

impl Array {
    /// Creates an array from a metadata document, and fills in the defaults of optional members.
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
        let (shape, keys) = (metadata.shape(), &resolved.chunk_key_encoding);
        let is_chunk = |key: &str| {
            let chunk_index = keys.decode(key, shape.len());
            chunk_index.is_some_and(|i| resolved.chunk_grid.chunk_region(shape, &i).is_ok())
        };
        hierarchy.nodes().create(&path, &NodeMetadata::Array(metadata.clone()), overwrite, Some(&is_chunk))?;
        Self::with_resolved(hierarchy.clone(), path, Arc::new(metadata), Arc::new(resolved), Vec::new())
    }
}

fn extension<const N: usize>(name: &str, configuration: [(&str, Json); N]) -> Json {
    Extension::new(name, configuration).to_json().clone()
}

fn sharded(chunk: &[u64], codecs: Json) -> Json {
    extension("sharding_indexed", [("chunk_shape", Json::from(chunk)), ("codecs", codecs)])
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

/// Halves the longest even dimension until a shard has 64 inner chunks of at most 4 MiB. Stops earlier if no dimension
/// can be halved, or once there are 8 inner chunks of at most 64 KiB.
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
