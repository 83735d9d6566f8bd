//! Arrays: chunks of a grid, each encoded and stored under its own key, read and written as one.

mod chunk;
mod chunks;
mod create;
mod properties;
mod read;
mod resize;
mod stored;
#[cfg(test)]
mod tests;
mod write;

pub use chunk::Chunk;
pub use chunks::Chunks;
#[cfg(feature = "parallel")]
pub use chunks::ParChunks;
pub use create::{DimensionName, FillValue, HasDataType, IntoShape, NewArray};
pub use resize::{ResizeOptions, ResizeReport};
pub use stored::StoredKeys;

use crate::{
    attributes::{NO_ATTRIBUTES, attributes_as, to_attributes},
    event::event,
    hierarchy::Hierarchy,
};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    chunk_grid::AxisChunks,
    codec::Chain,
    json::Object,
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    name::NodePath,
    storage_transformer::{self, StorageTransformer},
    store::{Key, Prefix, Store, SubStore},
    view::{Dims, Region},
};

/// An open array: reads, writes and resizes its elements.
///
/// All of the array's extensions are created and checked when it is opened. Afterwards, reading fails only because of
/// stored data or the store.
///
/// An array can be shared between threads. Writers of different regions never lose each other's data, whether they use
/// the same handle or different ones, and even if the regions share a chunk or shard. The store decides whether this
/// holds among threads, processes or machines: see
/// [`WriteableStore::update`](zarr_core::store::WriteableStore::update).
#[derive(Debug, Clone)]
pub struct Array {
    hierarchy: Hierarchy,
    path: NodePath,
    metadata: Arc<ArrayMetadata>,
    resolved: Arc<ResolvedArray>,
    /// The array's keys, seen through its storage transformers.
    data: Arc<dyn Store>,
    /// The codec chain of all chunks, if they have one shape.
    uniform: Option<Arc<Chain>>,
    /// The shape of inner chunks, if chunks are shards.
    inner: Option<Dims>,
    grid_shape: Dims,
    added: Vec<Arc<dyn StorageTransformer>>,
}

impl Array {
    pub(crate) fn of(hierarchy: Hierarchy, path: NodePath, metadata: ArrayMetadata) -> Result<Self> {
        let context = hierarchy.context();
        let resolved = ResolvedArray::open(&metadata, &context.registry, &context.limits, &context.options)
            .map_err(|e| e.at_node(&path))?;
        for (point, name) in &resolved.skipped {
            event!(
                WARN,
                "skipped an unknown extension; the array is read-only",
                node = path,
                point = point,
                name = name
            );
        }
        Self::with_resolved(hierarchy, path, Arc::new(metadata), Arc::new(resolved), Vec::new())
    }
    fn with_resolved(
        hierarchy: Hierarchy,
        path: NodePath,
        metadata: Arc<ArrayMetadata>,
        resolved: Arc<ResolvedArray>,
        added: Vec<Arc<dyn StorageTransformer>>,
    ) -> Result<Self> {
        let prefix = Prefix::of(&path);
        let below: Arc<dyn Store> = Arc::new(SubStore::new(hierarchy.store().clone(), prefix));
        let stored = storage_transformer::stack(&resolved.storage_transformers, below)?;
        let data = storage_transformer::stack(&added, stored)?;
        let regular = (0..metadata.shape().len())
            .map(|d| match resolved.chunk_grid.axis(d) {
                Some(AxisChunks::Regular(n)) => Some(n),
                _ => None,
            })
            .collect::<Option<Vec<u64>>>();
        let uniform = regular.map(|shape| resolved.chains.get(&shape)).transpose()?;
        let inner = uniform.as_ref().and_then(|chain| chain.inner_chunk_shape());
        let grid_shape = resolved.chunk_grid.grid_shape(metadata.shape())?;
        Ok(Self { hierarchy, path, metadata, resolved, data, uniform, inner, grid_shape, added })
    }
    /// Adds a storage transformer that does not change the layout, such as a cache or a counter.
    ///
    /// It is the transformer nearest to the array, and is not recorded in the metadata.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Result, extension::StorageTransformer, zarr_core::store::{ReadOnly, Store}};
    /// use std::sync::Arc;
    ///
    /// /// Protects chunks from being written.
    /// #[derive(Debug)]
    /// struct Protect;
    ///
    /// impl StorageTransformer for Protect {
    ///     fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
    ///         Ok(Arc::new(ReadOnly(below)))
    ///     }
    /// }
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([4]))?;
    /// assert!(array.with_transformer(Arc::new(Protect))?.write(.., &[1u8; 4]).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn with_transformer(self, transformer: Arc<dyn StorageTransformer>) -> Result<Self> {
        let mut added = self.added;
        added.insert(0, transformer);
        Self::with_resolved(self.hierarchy, self.path, self.metadata, self.resolved, added)
    }
    /// Returns the user's attributes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Object};
    ///
    /// let new = NewArray::of::<f32>([4]).attributes(Object::from([("units", "K")]));
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.attributes()["units"].as_str(), Some("K"));
    /// assert!(array.attributes().get("title").is_none());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn attributes(&self) -> &Object {
        self.metadata.attributes().unwrap_or(&NO_ATTRIBUTES)
    }
    /// Deserializes the user's attributes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Attributes {
    ///     units: String,
    /// }
    ///
    /// let new = NewArray::of::<f32>([4]).attributes(Attributes { units: "K".to_owned() });
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!(array.attributes_as::<Attributes>()?.units, "K");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the attributes do not have the form of `T`.
    pub fn attributes_as<T: DeserializeOwned>(&self) -> Result<T> {
        attributes_as(self.attributes()).map_err(|e| e.at_node(&self.path))
    }
    /// Replaces the user's attributes with an [`Object`] or any other value that serializes to a JSON object. See
    /// [attributes](crate#attributes-and-other-json).
    ///
    /// This also works for an array whose chunks cannot be written.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Object};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]))?;
    /// array.set_attributes(Object::from([("units", "K")]))?;
    /// assert_eq!(array.attributes().to_string(), r#"{"units":"K"}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the value does not serialize to an object.
    /// - If the document cannot be changed.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the attributes were stored, but copies of metadata in
    ///   the groups above could not be updated.
    pub fn set_attributes(&mut self, attributes: impl Serialize) -> Result<()> {
        let new = to_attributes(&attributes).map_err(|e| e.at_node(&self.path))?;
        self.update_attributes(move |attributes| *attributes = new.clone())
    }
    /// Changes the user's attributes, starting from those that are stored now.
    ///
    /// Changes that other writers make to other attributes at the same time are not lost. If another writer stores the
    /// document first, `update` runs again with the new attributes. So it may run several times, and must depend only
    /// on the attributes that it receives.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Object};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([4]))?;
    /// array.set_attributes(Object::from([("units", "K")]))?;
    /// array.update_attributes(|attributes| attributes.set("version", 2))?;
    /// assert_eq!(array.attributes().to_string(), r#"{"units":"K","version":2}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the document cannot be changed.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the attributes were stored, but copies of metadata in
    ///   the groups above could not be updated.
    pub fn update_attributes(&mut self, mut update: impl FnMut(&mut Object)) -> Result<()> {
        self.change_metadata(|metadata| {
            let mut attributes = metadata.attributes().cloned().unwrap_or_default();
            update(&mut attributes);
            metadata.set_attributes(attributes);
            Ok(())
        })?
    }
    /// Changes the document as it is stored now, and makes this handle the array that it describes. The inner result is
    /// the outcome of updating the copies in the groups above; the caller returns its error once everything else is
    /// done.
    fn change_metadata(&mut self, mut change: impl FnMut(&mut ArrayMetadata) -> Result<()>) -> Result<Result<()>> {
        let context = self.hierarchy.context().clone();
        let mut resolved = None;
        let (changed, renewed) = self.hierarchy.nodes().change(&self.path, |m| match m {
            NodeMetadata::Array(m) => {
                change(m)?;
                // A document that does not resolve is not stored.
                resolved = Some(ResolvedArray::open(m, &context.registry, &context.limits, &context.options)?);
                Ok(())
            }
            NodeMetadata::Group(_) => Err(Error::argument("the array was replaced by a group").at_node(&self.path)),
        })?;
        if let (NodeMetadata::Array(metadata), Some(resolved)) = (changed, resolved) {
            let (hierarchy, path, added) = (self.hierarchy.clone(), self.path.clone(), self.added.clone());
            *self = Self::with_resolved(hierarchy, path, Arc::new(metadata), Arc::new(resolved), added)?;
        }
        Ok(renewed)
    }
    /// Returns the key of a chunk, relative to the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// assert_eq!(array.chunk_key(&[1, 2])?.as_str(), "c/1/2");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_key(&self, chunk_index: &[u64]) -> Result<Key> {
        Key::new(self.resolved.chunk_key_encoding.encode(chunk_index)?)
            .map_err(|e| e.at_chunk(chunk_index).at_node(&self.path))
    }
    /// Returns the region of elements that a chunk covers, which may extend beyond the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// let region = array.chunk_region(&[1, 2])?;
    /// assert_eq!((&region.start[..], &region.len[..]), (&[4, 8][..], &[4, 4][..]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunk_region(&self, chunk_index: &[u64]) -> Result<Region> {
        self.resolved.chunk_grid.chunk_region(self.shape(), chunk_index)
    }
    fn chain_for(&self, chunk: &Region) -> Result<Arc<Chain>> {
        match &self.uniform {
            Some(chain) => Ok(chain.clone()),
            None => self.resolved.chains.get(&chunk.len),
        }
    }
    /// Adds the chunk in which an error happened.
    fn in_chunk(&self, e: Error, chunk_index: &[u64]) -> Error {
        if e.is_not_found() {
            return e;
        }
        let e = match self.resolved.chunk_key_encoding.encode(chunk_index) {
            Ok(key) => e.at_key(format_args!("{}{key}", Prefix::of(&self.path))),
            Err(_) => e,
        };
        e.at_chunk(chunk_index).at_node(&self.path)
    }
}
