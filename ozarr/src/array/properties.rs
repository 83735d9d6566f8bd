//! The properties of an open array: its shape, data type, chunks and codecs.

use super::Array;
use crate::hierarchy::Hierarchy;
use std::sync::Arc;
use zarr_core::{
    Result,
    chunk_grid::ChunkGrid,
    chunk_key_encoding::ChunkKeyEncoding,
    codec::Chain,
    data_type::DataType,
    extension::{Extension, ExtensionPoint},
    json::Json,
    metadata::ArrayMetadata,
    name::NodePath,
    representation::Representation,
    store::Store,
};

impl Array {
    /// Returns the path of the array in its hierarchy.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.path().to_string(), "/ocean/salt");
    /// assert_eq!(array.path().name(), "salt");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn path(&self) -> &NodePath {
        &self.path
    }
    /// Returns the hierarchy of the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let salt = Hierarchy::in_memory().create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let ocean = salt.hierarchy().group("/ocean")?;
    /// assert_eq!(ocean.names()?, ["salt"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
    /// Returns the metadata document.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.metadata().data_type().name(), "float32");
    /// assert_eq!(array.metadata().document()["shape"].to_string(), "[4,6]");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }
    /// Returns the number of elements along each dimension.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.shape(), [4, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn shape(&self) -> &[u64] {
        self.metadata.shape()
    }
    /// Returns the number of dimensions.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.ndim(), 2);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }
    /// Returns the number of elements; at most 2^64 - 1.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.len(), 24);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn len(&self) -> u64 {
        self.shape().iter().fold(1, |n, l| n.saturating_mul(*l))
    }
    /// Returns true if the array has no elements.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// assert!(hierarchy.create_array("/a", NewArray::of::<f32>([4, 0]))?.is_empty());
    /// assert!(!hierarchy.create_array("/b", NewArray::of::<f32>([4, 6]))?.is_empty());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }
    /// Returns the size of all elements in memory in bytes, or `None` if they have variable length.
    ///
    /// The result is at most 2^64 - 1. It is not the size of the stored chunks.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// assert_eq!(hierarchy.create_array("/a", NewArray::of::<f32>([4, 6]))?.nbytes(), Some(96));
    /// assert_eq!(hierarchy.create_array("/b", NewArray::of::<String>([4]))?.nbytes(), None);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn nbytes(&self) -> Option<u64> {
        let r = self.representation();
        (!r.layout().is_variable()).then(|| self.len().saturating_mul(r.element_size() as u64))
    }
    /// Returns the data type. Its name is in the [`metadata`](Self::metadata).
    ///
    /// ```
    /// use ozarr::{Element, Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::new([4], "float32"))?;
    /// assert_eq!(array.data_type().layout(), f32::LAYOUT);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn data_type(&self) -> &dyn DataType {
        &**self.representation().data_type()
    }
    /// Returns the fill value as it is in the metadata.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]).fill_value(f32::NAN))?;
    /// assert_eq!(array.fill_value().as_str(), Some("NaN"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn fill_value(&self) -> &Json {
        self.metadata.fill_value()
    }
    /// Returns the names of the dimensions, if the metadata has any.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let named = hierarchy.create_array("/a", NewArray::of::<f32>([4, 6]).dimension_names(["y", "x"]))?;
    /// assert_eq!(named.dimension_names(), Some(&[Some("y".to_owned()), Some("x".to_owned())][..]));
    /// let unnamed = hierarchy.create_array("/b", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(unnamed.dimension_names(), None);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn dimension_names(&self) -> Option<&[Option<String>]> {
        self.metadata.dimension_names()
    }
    /// Returns the codecs as they are in the metadata, in the order of encoding.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]).compressor("gzip"))?;
    /// let names: Vec<&str> = array.codecs().iter().map(|codec| codec.name()).collect();
    /// assert_eq!(names, ["bytes", "gzip"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn codecs(&self) -> &[Extension] {
        self.metadata.codecs()
    }
    /// Returns the chunk grid.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 5]))?;
    /// let grid_shape = array.chunk_grid().grid_shape(array.shape())?;
    /// assert_eq!(grid_shape[..], [3, 2]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_grid(&self) -> &dyn ChunkGrid {
        &*self.resolved.chunk_grid
    }
    /// Returns the chunk key encoding.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// let encoding = array.chunk_key_encoding();
    /// assert_eq!(encoding.encode(&[1, 2])?, "c/1/2");
    /// assert!(encoding.decode("c/1", 2).is_none());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_key_encoding(&self) -> &dyn ChunkKeyEncoding {
        &*self.resolved.chunk_key_encoding
    }
    /// Returns the array's data type, shape and fill value.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(array.representation().element_size(), 4);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn representation(&self) -> &Representation {
        &self.resolved.representation
    }
    /// Returns the codecs that encode and decode chunks of a shape.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4, 6]).chunks([2, 3]))?;
    /// let chain = array.codec_chain(&[2, 3])?;
    /// assert_eq!(chain.decoded().bytes()?, 24);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a codec cannot work on chunks of that shape.
    pub fn codec_chain(&self, chunk_shape: &[u64]) -> Result<Arc<Chain>> {
        self.resolved.chains.get(chunk_shape)
    }
    /// Returns the unknown extensions that the metadata allows a reader to skip. If there are any, chunks can be read
    /// but not written.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Json, NewArray, zarr_core::name::NodePath};
    ///
    /// let note: Json = r#"{"name": "acme.note", "must_understand": false}"#.parse()?;
    /// let hierarchy = Hierarchy::in_memory();
    /// let metadata = NewArray::of::<u8>([4]).compressor(note).metadata(hierarchy.context())?;
    /// let array = hierarchy.array_with(&NodePath::new("/a")?, metadata)?;
    /// assert_eq!(array.skipped()[0].1, "acme.note");
    /// assert!(array.write(.., &[1u8; 4]).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn skipped(&self) -> &[(ExtensionPoint, String)] {
        &self.resolved.skipped
    }
    /// Returns the store of the array's own keys, through its storage transformers.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([2]).codecs(["bytes"]))?;
    /// array.write(.., &[1u16, 2])?;
    /// let stored = array.data_store().reader()?.get(&array.chunk_key(&[0])?)?;
    /// assert_eq!(stored, Some(vec![1, 0, 2, 0]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn data_store(&self) -> &Arc<dyn Store> {
        &self.data
    }
    /// Returns the shape of all chunks (of the shards, if the array is sharded), or `None` if chunks differ in shape.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 5]))?;
    /// assert_eq!(array.chunk_shape(), Some(&[4, 5][..]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        self.uniform.as_ref().map(|c| c.decoded().shape())
    }
    /// Returns the shape of the parts of a chunk that can be read on their own: the inner chunks of a shard.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<u8>([8, 8]).chunks([2, 2]).shards([4, 4]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.inner_chunk_shape(), Some(&[2, 2][..]));
    /// assert_eq!(array.chunk_shape(), Some(&[4, 4][..]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn inner_chunk_shape(&self) -> Option<&[u64]> {
        self.inner.as_deref()
    }
    /// Returns true if chunks are shards, which contain inner chunks.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// assert!(hierarchy.create_array("/a", NewArray::of::<u8>([8]).chunks([2]).shards([4]))?.is_sharded());
    /// assert!(!hierarchy.create_array("/b", NewArray::of::<u8>([8]).chunks([2]))?.is_sharded());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn is_sharded(&self) -> bool {
        self.inner.is_some()
    }
}
