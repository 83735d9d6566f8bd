//! Arrays: chunks of a grid, encoded and stored, read and written as one.

mod chunks;
mod create;
mod read;
mod resize;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use chunks::bad_name;
pub use chunks::{ArrayChunk, StoredKeys};
pub use create::{DimensionName, FillValue, HasDataType, IntoShape, NewArray};
pub use resize::{ResizeOptions, ResizeReport};

use crate::hierarchy::Hierarchy;
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    chunk_grid::AxisChunks,
    codec::Chain,
    extension::ExtensionPoint,
    json::Object,
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    name::NodePath,
    representation::Representation,
    storage_transformer::{self, StorageTransformer},
    store::{Key, Prefix, Store, SubStore},
    view::Region,
};

/// An open array. Its extensions are made and checked: after this, reading fails only because of stored data or the
/// store. Shared by threads; writers of different regions never lose each other's data, whatever handles they use, among
/// the writers for which the store promises that.
#[derive(Debug, Clone)]
pub struct Array {
    hierarchy: Hierarchy,
    path: NodePath,
    metadata: Arc<ArrayMetadata>,
    resolved: Arc<ResolvedArray>,
    /// The array's keys, through its storage transformers.
    data: Arc<dyn Store>,
    /// The chain of all chunks, if they have one shape.
    uniform: Option<Arc<Chain>>,
    added: Vec<Arc<dyn StorageTransformer>>,
}

impl Array {
    pub(crate) fn open(hierarchy: Hierarchy, path: NodePath, metadata: ArrayMetadata) -> Result<Self> {
        let context = hierarchy.context();
        let resolved = ResolvedArray::open(&metadata, &context.registry, &context.limits, &context.options)
            .map_err(|e| e.at_node(&path))?;
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
        Ok(Self { hierarchy, path, metadata, resolved, data, uniform, added })
    }
    /// Adds a storage transformer that changes no layout (a cache, a counter), nearest to the array. It does not
    /// enter the metadata.
    pub fn with_transformer(self, transformer: Arc<dyn StorageTransformer>) -> Result<Self> {
        let mut added = self.added;
        added.insert(0, transformer);
        Self::with_resolved(self.hierarchy, self.path, self.metadata, self.resolved, added)
    }
    /// Where the array is in its hierarchy.
    pub fn path(&self) -> &NodePath {
        &self.path
    }
    /// The hierarchy that the array is in.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
    /// The metadata document.
    pub fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }
    /// Elements along each dimension.
    pub fn shape(&self) -> &[u64] {
        self.metadata.shape()
    }
    /// Data type, shape and fill value.
    pub fn representation(&self) -> &Representation {
        &self.resolved.representation
    }
    /// The extensions as objects.
    pub fn resolved(&self) -> &ResolvedArray {
        &self.resolved
    }
    /// Extensions that are not known here and need not be: reading goes on without them, writing chunks does not.
    pub fn skipped(&self) -> &[(ExtensionPoint, String)] {
        &self.resolved.skipped
    }
    /// The store of the array's own keys, through its storage transformers.
    pub fn data_store(&self) -> &Arc<dyn Store> {
        &self.data
    }
    /// The shape of all chunks, if they have one.
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        self.uniform.as_ref().map(|c| c.decoded().shape())
    }
    /// The shape of the parts of a chunk that can be read on their own.
    pub fn inner_chunk_shape(&self) -> Option<Vec<u64>> {
        self.uniform.as_ref()?.inner_chunk_shape().map(|s| s.to_vec())
    }
    /// The user's attributes.
    pub fn attributes(&self) -> Object {
        self.metadata.attributes().cloned().unwrap_or_default()
    }
    /// Replaces the user's attributes, also of an array whose chunks cannot be written.
    ///
    /// # Errors
    /// When the document cannot be changed, and [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is.
    pub fn set_attributes(&mut self, attributes: Object) -> Result<()> {
        self.change_metadata(move |m| {
            m.set_attributes(attributes.clone());
            Ok(())
        })?
    }
    /// Changes the document as it is stored now, and makes this the array that it describes. Within is whether copies in the
    /// groups above were renewed: an error to be returned once all else is done.
    fn change_metadata(&mut self, mut change: impl FnMut(&mut ArrayMetadata) -> Result<()>) -> Result<Result<()>> {
        let context = self.hierarchy.context().clone();
        let mut resolved = None;
        let (changed, renewed) = self.hierarchy.change_node(&self.path, |m| match m {
            NodeMetadata::Array(m) => {
                change(m)?;
                // What does not resolve is not stored.
                resolved = Some(ResolvedArray::open(m, &context.registry, &context.limits, &context.options)?);
                Ok(())
            }
            NodeMetadata::Group(_) => Err(Error::argument("there is a group now, not an array").at_node(&self.path)),
        })?;
        if let (NodeMetadata::Array(metadata), Some(resolved)) = (changed, resolved) {
            let (hierarchy, path, added) = (self.hierarchy.clone(), self.path.clone(), self.added.clone());
            *self = Self::with_resolved(hierarchy, path, Arc::new(metadata), Arc::new(resolved), added)?;
        }
        Ok(renewed)
    }
    /// The key of a chunk, relative to the array.
    pub fn chunk_key(&self, chunk_index: &[u64]) -> Result<Key> {
        Key::new(self.resolved.chunk_key_encoding.encode(chunk_index)?)
            .map_err(|e| e.at_chunk(chunk_index).at_node(&self.path))
    }
    /// The elements of a chunk; it may reach beyond the array.
    pub fn chunk_region(&self, chunk_index: &[u64]) -> Result<Region> {
        self.resolved.chunk_grid.chunk_region(self.shape(), chunk_index)
    }
    fn chain_for(&self, chunk: &Region) -> Result<Arc<Chain>> {
        match &self.uniform {
            Some(chain) => Ok(chain.clone()),
            None => self.resolved.chains.get(&chunk.len),
        }
    }
    /// Adds what the array knows to an error of one of its chunks.
    fn blame(&self, e: Error, chunk_index: &[u64]) -> Error {
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
