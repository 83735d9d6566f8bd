//! A store seen as a hierarchy of nodes. Specification: core, "Storage".

mod open;
mod options;

pub use options::OpenOptions;

use crate::{context::Context, nodes::Nodes, store::MemoryStore};
use std::sync::Arc;
use zarr_core::{Result, metadata::NodeMetadata, name::NodePath, store::Store};

/// A store and the context in which its nodes are opened. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    nodes: Nodes,
}

impl Hierarchy {
    /// A new hierarchy in memory, without any node.
    pub fn in_memory() -> Self {
        Self::new(MemoryStore::default(), Context::default())
    }
    /// The hierarchy of a store: of a type of its own, or an `Arc<dyn Store>`.
    pub fn new(store: impl Store + 'static, context: Context) -> Self {
        Self { nodes: Nodes::new(Arc::new(store), context) }
    }
    pub(crate) fn nodes(&self) -> &Nodes {
        &self.nodes
    }
    /// The same without the ability to write.
    pub fn read_only(&self) -> Self {
        Self { nodes: self.nodes.read_only() }
    }
    /// The same with metadata taken from the copies in the root group where there are any. Faster, and as old as they
    /// are. Without this, copies are used only to list a store that cannot.
    pub fn with_consolidated_metadata(&self) -> Result<Self> {
        Ok(Self { nodes: self.nodes.with_consolidated_metadata()? })
    }
    /// The same with metadata taken from the documents of the nodes, as it is unless
    /// [`with_consolidated_metadata`](Self::with_consolidated_metadata) was asked for.
    pub fn without_consolidated_metadata(&self) -> Self {
        Self { nodes: self.nodes.without_consolidated_metadata() }
    }
    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.nodes.store()
    }
    /// What all nodes share.
    pub fn context(&self) -> &Context {
        self.nodes.context()
    }
    /// The metadata of the node at a path.
    ///
    /// # Errors
    /// [`NodeNotFound`](zarr_core::ErrorKind::NodeNotFound) if there is none.
    pub fn metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        self.nodes.metadata(path)
    }
    /// Makes many changes through the hierarchy that it gives, and then renews the copies of all changed nodes in the groups
    /// above at once, also if `f` fails. Each group above is looked at once, and not for each node below it.
    ///
    /// # Errors
    /// That of `f`, or else [`StaleCopies`](zarr_core::ErrorKind::StaleCopies).
    pub fn batch<R>(&self, f: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        self.nodes.batch(|nodes| f(&Self { nodes: nodes.clone() }))
    }
    /// Builds a node, with everything below it, apart from its place and then puts it there: a reader finds what was there
    /// before or all of the new. If this fails, or the process is killed, nothing has changed.
    ///
    /// `build` is given a hierarchy that has only this node and those below it, under the same paths. Handles that it opens
    /// must be opened again afterwards, as must handles of a node that was replaced: they know its old metadata.
    ///
    /// Memory and directories can do that. Until it is done both need space, and the old data of a directory that is replaced
    /// is removed last. A directory that is the root of a file system, or on a file system that cannot exchange two names, is
    /// replaced entry by entry: meanwhile readers find no node. What the process may not remove stays as an orphaned
    /// temporary directory. In a store that cannot stage, the old node is erased first, and what `build` has stored when it
    /// fails stays.
    ///
    /// # Errors
    /// Those of `build`, and [`NodeAlreadyExists`](zarr_core::ErrorKind::NodeAlreadyExists) unless the node is to be overwritten; of several creators
    /// exactly one wins. [`Occupied`](zarr_core::ErrorKind::Occupied) where no node is but anything else, also if nodes are to be
    /// overwritten. [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after the node is in its place.
    pub fn build<T>(&self, path: &str, overwrite: bool, build: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.nodes.build(&NodePath::new(path)?, overwrite, |nodes| build(&Self { nodes: nodes.clone() }))
    }
    /// Writes copies of the documents of all nodes below a group into it, as zarr-python does.
    ///
    /// Nodes may be changed, made and removed meanwhile. If this fails half way, copies may be older than what they copy:
    /// call it again.
    pub fn consolidate(&self, path: &str) -> Result<()> {
        self.nodes.consolidate(&NodePath::new(path)?)
    }
    /// Removes a node with everything below it.
    ///
    /// # Errors
    /// [`NodeNotFound`](zarr_core::ErrorKind::NodeNotFound) if there is none, and [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is
    /// removed.
    pub fn erase(&self, path: &str) -> Result<()> {
        self.nodes.erase(&NodePath::new(path)?)
    }
}
