//! Describes a new array, with defaults for everything but its shape and data type.

mod chosen_shape;
mod data_type;
mod dimension_name;
mod node;
mod shape;
#[cfg(test)]
mod tests;

pub use data_type::HasDataType;
pub use dimension_name::DimensionName;
pub use shape::IntoShape;
pub use zarr_core::json::FillValue;

use super::Array;
use crate::{context::Context, hierarchy::Hierarchy};
use chosen_shape::{chosen_chunk, inner_of};
use serde::Serialize;
use shape::Lengths;
use zarr_core::{
    Error, Result,
    data_type::DataType,
    extension::{Extension, ExtensionPoint},
    json::{Json, Object},
    layout::Layout,
    metadata::ArrayMetadata,
    name::NodePath,
};

/// A builder for a new array: its shape and data type, and everything that should differ from the defaults.
///
/// The defaults are: chunks of at most 4 MiB, the data type's zero as fill value, little-endian `bytes` (or the codec
/// for strings), then `zstd` if the program has it. The metadata records all defaults, including those of codecs that
/// are given by their bare names.
///
/// Data types, codecs and chunk key encodings are values that convert into an [`Extension`]: a bare name, a type of
/// [`codecs`](crate::codecs), or JSON. If one is malformed, creating the array fails. The module
/// [`extension`](crate::extension) shows a codec of an application.
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
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::new([4, 6], "float32"))?;
    /// assert_eq!((array.shape(), array.metadata().data_type().name()), (&[4, 6][..], "float32"));
    /// # Ok::<(), ozarr::Error>(())
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
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<String>([2]))?;
    /// array.write(.., &["Zürich".to_owned(), "東京".to_owned()])?;
    /// assert_eq!(array.metadata().data_type().name(), "string");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn of<T: HasDataType>(shape: impl IntoShape) -> Self {
        Self::new(shape, T::data_type())
    }
    /// Sets the shape of chunks, or of inner chunks if there are shards.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]).chunks([2, 3]))?;
    /// assert_eq!(array.chunks().len(), 4);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunks(mut self, shape: impl IntoShape) -> Self {
        self.chunks = Some(Lengths::new(shape));
        self
    }
    /// Puts chunks into shards of this shape, with the codec `sharding_indexed`.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<f32>([4, 6]).chunks([2, 3]).shards([4, 6]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!((array.chunks().len(), array.chunks().inner().len()), (1, 4));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn shards(mut self, shape: impl IntoShape) -> Self {
        self.shards = Some(Lengths::new(shape));
        self
    }
    /// Sets the array -> array codecs, which transform a chunk before it becomes bytes. The default is none.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, codecs::Transpose};
    ///
    /// let new = NewArray::of::<f32>([4, 6]).filters([Transpose::new([1, 0])]).no_compressor();
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.to_string(), "[4, 6] float32, chunks [4, 6], transpose bytes");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn filters(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.filters = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the array -> bytes codec.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, codecs::Bytes};
    ///
    /// let new = NewArray::of::<u16>([2]).serializer(Bytes::big()).no_compressor();
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// array.write(.., &[1u16, 2])?;
    /// assert_eq!(array.chunk(&[0])?.encoded()?, Some(vec![0, 1, 0, 2]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn serializer(mut self, codec: impl Into<Extension>) -> Self {
        self.serializer = Some(codec.into());
        self
    }
    /// Sets a single bytes -> bytes codec.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, codecs::Gzip};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let a = hierarchy.create_array("/a", NewArray::of::<f32>([4]).compressor(Gzip::level(9)))?;
    /// let b = hierarchy.create_array("/b", NewArray::of::<f32>([4]).compressor("blosc"))?;
    /// assert_eq!((a.codecs()[1].name(), b.codecs()[1].name()), ("gzip", "blosc"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn compressor(self, codec: impl Into<Extension>) -> Self {
        self.compressors([codec])
    }
    /// Sets the bytes -> bytes codecs, in the order of encoding.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, codecs::{Crc32c, Zstd}, extension::Extension};
    ///
    /// let codecs: [Extension; 2] = [Zstd::level(3).into(), Crc32c.into()];
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]).compressors(codecs))?;
    /// assert_eq!(array.to_string(), "[4] float32, chunks [4], bytes zstd crc32c");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn compressors(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.compressors = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Uses no bytes -> bytes codec, not even the default one.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]).no_compressor())?;
    /// assert_eq!(array.to_string(), "[4] float32, chunks [4], bytes");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn no_compressor(self) -> Self {
        self.compressors(None::<Extension>)
    }
    /// Sets all codecs of a chunk, in place of [`filters`](Self::filters), [`serializer`](Self::serializer) and
    /// [`compressors`](Self::compressors).
    ///
    /// If any of these is set too, creating the array fails.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<f32>([4, 6]).codecs(["transpose", "bytes", "gzip"]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.to_string(), "[4, 6] float32, chunks [4, 6], transpose bytes gzip");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn codecs(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.codecs = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the fill value: a number, a `bool`, text, or JSON in the form of the data type.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<i16>([2]).fill_value(-1))?;
    /// assert_eq!(array.read::<i16>(..)?, [-1, -1]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn fill_value(mut self, value: impl Into<FillValue>) -> Self {
        self.fill_value = Some(value.into());
        self
    }
    /// Sets the chunk key encoding.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<u8>([4, 6]).chunks([2, 3]).chunk_key_encoding("v2");
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.chunk_key(&[1, 0])?.as_str(), "1.0");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_key_encoding(mut self, encoding: impl Into<Extension>) -> Self {
        self.chunk_key_encoding = Some(encoding.into());
        self
    }
    /// Sets the names of the dimensions; `None` for a dimension without a name.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<f32>([4, 6]).dimension_names([Some("y"), None]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.dimension_names(), Some(&[Some("y".to_owned()), None][..]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn dimension_names(mut self, names: impl IntoIterator<Item = impl Into<DimensionName>>) -> Self {
        self.dimension_names = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the user's attributes: an [`Object`] or any other value that serializes to a JSON object. See
    /// [attributes](crate#attributes-and-other-json).
    ///
    /// If the value serializes to anything else, creating the array fails.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Object};
    ///
    /// let new = NewArray::of::<f32>([4]).attributes(Object::from([("units", "K")]));
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.attributes()["units"].as_str(), Some("K"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn attributes(mut self, attributes: impl Serialize) -> Self {
        self.attributes = match Json::from_serialize(&attributes) {
            Ok(Json::Object(members)) => Ok(members),
            Ok(other) => Err(format!("expected an object, found {}", other.kind())),
            Err(e) => Err(e.to_string()),
        };
        self
    }
    /// Replaces an existing node and everything below it.
    ///
    /// The store does this in one step if it can: see [`build`](crate::Hierarchy::build). Elements that are written
    /// afterwards are not part of that step.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/a", NewArray::of::<f32>([4]))?;
    /// hierarchy.create_array("/a", NewArray::of::<u8>([9]).overwrite())?;
    /// assert_eq!(hierarchy.array("/a")?.shape(), [9]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn overwrite(mut self) -> Self {
        self.overwrite = true;
        self
    }
    /// Returns the metadata document, with all defaults filled in.
    ///
    /// ```
    /// use ozarr::{Context, NewArray};
    ///
    /// let metadata = NewArray::of::<f32>([4]).metadata(&Context::new())?;
    /// assert_eq!(metadata.document()["fill_value"].to_string(), "0.0");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
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
                let e = Error::argument("`codecs` cannot be combined with `filters`, `serializer` or `compressors`");
                return Err(e.with_hint("set either `codecs` or the other three"));
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

fn extension<const N: usize>(name: &str, configuration: [(&str, Json); N]) -> Json {
    Extension::new(name, configuration).to_json().clone()
}

fn sharded(chunk: &[u64], codecs: Json) -> Json {
    extension("sharding_indexed", [("chunk_shape", Json::from(chunk)), ("codecs", codecs)])
}
