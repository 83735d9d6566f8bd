//! A hierarchy of nodes in a store. Specification: core, "Storage".

mod open;
mod options;

pub use options::OpenOptions;

use crate::{context::Context, nodes::Nodes, store::MemoryStore};
use std::sync::Arc;
use zarr_core::{Result, metadata::NodeMetadata, name::NodePath, store::Store};

/// A hierarchy of arrays and groups in a store, and the [`Context`] in which they are opened. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    nodes: Nodes,
}

impl Hierarchy {
    /// Creates an empty hierarchy in memory.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let array = hierarchy.create_array("/a", NewArray::of::<f32>([4]))?;
    /// assert_eq!(array.read::<f32>(..)?, [0.0; 4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn in_memory() -> Self {
        Self::new(MemoryStore::default(), Context::default())
    }
    /// Returns the hierarchy of a store, which is a concrete type or an `Arc<dyn Store>`.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, NewArray, store::MemoryStore};
    ///
    /// let (store, context) = (MemoryStore::default(), Context::new());
    /// Hierarchy::new(store.clone(), context.clone()).create_array("/a", NewArray::of::<f32>([4]))?;
    /// let same_store = Hierarchy::new(store, context);
    /// assert_eq!(same_store.array("/a")?.shape(), [4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn new(store: impl Store + 'static, context: Context) -> Self {
        Self { nodes: Nodes::new(Arc::new(store), context) }
    }
    pub(crate) fn nodes(&self) -> &Nodes {
        &self.nodes
    }
    /// Returns a copy of this handle that cannot write.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// let array = hierarchy.read_only().array("/a")?;
    /// assert_eq!(array.read::<u8>(..)?, [0; 4]);
    /// assert!(array.write(.., &[1u8; 4]).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn read_only(&self) -> Self {
        Self { nodes: self.nodes.read_only() }
    }
    /// Returns a copy of this handle that reads consolidated metadata.
    ///
    /// Metadata comes from the copies in the root group where there are any. This is faster than reading each document,
    /// but the copies may be out of date. Without this method, copies are used only to list nodes in a store that
    /// cannot list its keys.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// hierarchy.consolidate("/")?;
    /// let copies = hierarchy.with_consolidated_metadata()?;
    /// hierarchy.erase("/a")?;
    /// assert!(copies.array("/a").is_ok(), "the copies were read before");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn with_consolidated_metadata(&self) -> Result<Self> {
        Ok(Self { nodes: self.nodes.with_consolidated_metadata()? })
    }
    /// Returns a copy of this handle that reads the metadata document of each node, which is the default.
    ///
    /// Undoes [`with_consolidated_metadata`](Self::with_consolidated_metadata).
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// hierarchy.consolidate("/")?;
    /// let copies = hierarchy.with_consolidated_metadata()?;
    /// hierarchy.erase("/a")?;
    /// assert!(copies.array("/a").is_ok(), "the copies were read before");
    /// assert!(copies.without_consolidated_metadata().array("/a").is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn without_consolidated_metadata(&self) -> Self {
        Self { nodes: self.nodes.without_consolidated_metadata() }
    }
    /// Returns the store.
    ///
    /// ```
    /// use ozarr::{Hierarchy, zarr_core::store::Key};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean", ())?;
    /// let document = hierarchy.store().reader()?.get(&Key::new("ocean/zarr.json")?)?;
    /// assert!(document.is_some_and(|bytes| bytes.starts_with(b"{")));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn store(&self) -> &Arc<dyn Store> {
        self.nodes.store()
    }
    /// Returns the context that all nodes share.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, store::MemoryStore};
    ///
    /// let mut context = Context::new();
    /// context.limits.memory = 1 << 30;
    /// let hierarchy = Hierarchy::new(MemoryStore::default(), context);
    /// assert_eq!(hierarchy.context().limits.memory, 1 << 30);
    /// ```
    pub fn context(&self) -> &Context {
        self.nodes.context()
    }
    /// Returns the metadata of the node at a path.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, zarr_core::name::NodePath};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// let metadata = hierarchy.metadata(&NodePath::new("/a")?)?;
    /// assert_eq!(metadata.document()["data_type"].as_str(), Some("uint8"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`NodeNotFound`](zarr_core::ErrorKind::NodeNotFound) if there is no node.
    pub fn metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        self.nodes.metadata(path).map_err(|e| self.with_v2_hint(path, e))
    }
    /// Runs `f`, and updates consolidated metadata once for all changes that `f` makes.
    ///
    /// Copies are updated only for changes made through the hierarchy that `f` receives, and only in groups above that
    /// have copies. They are updated after `f` returns, even if it fails. Each group above is visited once, not once
    /// for each node below it.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/", ())?;
    /// hierarchy.consolidate("/")?;
    /// hierarchy.batch(|batch| {
    ///     for name in ["/rain", "/wind"] {
    ///         batch.create_array(name, NewArray::of::<f32>([4, 6]))?;
    ///     }
    ///     Ok(())
    /// })?;
    /// let root = hierarchy.group("/")?;
    /// assert_eq!(root.metadata().consolidated().map(|copies| copies.iter().count()), Some(2));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of `f`; if there is none, [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if copies could not be
    /// updated.
    pub fn batch<R>(&self, f: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        self.nodes.batch(|nodes| f(&Self { nodes: nodes.clone() }))
    }
    /// Builds a node with everything below it in a temporary place, and then moves it to its path in one step.
    ///
    /// A reader sees either the old node or the complete new one. If `build` fails, or the process is killed, nothing
    /// has changed.
    ///
    /// `build` receives a hierarchy that contains only this node and the nodes below it, under the same paths.
    /// Afterwards, reopen the handles that were opened in it, and the handles of a node that was replaced: they have
    /// its old metadata.
    ///
    /// Limits of the stores:
    ///
    /// - Memory and directories replace nodes in one step. Until then, old and new data both need space. The old data
    ///   of a directory is removed last.
    /// - A directory is replaced entry by entry if it is the root of a file system, or if the file system cannot
    ///   exchange two names. Readers find no node while this happens.
    /// - Files that the process may not remove stay in an orphaned temporary directory.
    /// - In a store that cannot stage, the old node is erased first, and `build` writes to the final place. If it
    ///   fails, the values that it has stored stay.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.build("/weather", false, |staged| {
    ///     let rain = staged.create_array("/weather/rain", NewArray::of::<f32>([4]))?;
    ///     assert!(hierarchy.array("/weather/rain").is_err(), "it is not in its place yet");
    ///     rain.write(.., &[0.5f32; 4])
    /// })?;
    /// assert_eq!(hierarchy.array("/weather/rain")?.read::<f32>(..)?, [0.5; 4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of `build`.
    /// - [`NodeAlreadyExists`](zarr_core::ErrorKind::NodeAlreadyExists) if there is a node and `overwrite` is false. If
    ///   several writers create the node at the same time, exactly one succeeds.
    /// - [`Occupied`](zarr_core::ErrorKind::Occupied) if there is no node but other keys are stored there, also if
    ///   `overwrite` is true.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the node is in its place, but copies of metadata in the
    ///   groups above could not be updated.
    pub fn build<T>(&self, path: &str, overwrite: bool, build: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.nodes.build(&NodePath::new(path)?, overwrite, |nodes| build(&Self { nodes: nodes.clone() }))
    }
    /// Writes copies of the documents of all nodes below a group into the group's document, as zarr-python does.
    ///
    /// Other writers may change, create and remove nodes at the same time. After an error, some copies may be older
    /// than the documents: call it again.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.consolidate("/")?;
    /// let root = hierarchy.group("/")?;
    /// let copied = root.metadata().consolidated().map(|copies| copies.iter().map(|(path, _)| path).collect());
    /// assert_eq!(copied, Some(vec!["ocean", "ocean/salt"]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn consolidate(&self, path: &str) -> Result<()> {
        self.nodes.consolidate(&NodePath::new(path)?)
    }
    /// Removes a node and everything below it.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.erase("/ocean")?;
    /// assert!(hierarchy.group("/")?.names()?.is_empty());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`NodeNotFound`](zarr_core::ErrorKind::NodeNotFound) if there is no node.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the node was removed, but copies of metadata in the
    ///   groups above could not be updated.
    pub fn erase(&self, path: &str) -> Result<()> {
        self.nodes.erase(&NodePath::new(path)?)
    }
}
