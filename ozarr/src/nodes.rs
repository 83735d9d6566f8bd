//! Metadata documents: how arrays, groups and hierarchies read and change the nodes of a store.
//!
//! Others may read and change the same documents at any time, through other handles and in other processes. These rules
//! make sure that no change is lost:
//!
//! - A change starts from the stored document, not from the one that a handle read when it was opened. The store
//!   applies the change in one step ([`update`](zarr_core::store::WriteableStore::update)): a file is locked from
//!   reading it to replacing it; memory compares before it stores, and repeats the change. So a change may run more
//!   than once, and must depend only on the document that it receives.
//! - A new document is stored only where there is none
//!   ([`set_if_absent`](zarr_core::store::WriteableStore::set_if_absent)): if several writers create a node, exactly
//!   one succeeds. Groups above come first, from the outermost in; those that exist stay as they are.
//! - A node that replaces another, or that is to appear complete, is built apart from its place and moved there in one
//!   step, if the store can do that: see [`Nodes::build`].
//! - Copies of documents in the groups above (consolidated metadata) are updated after the change is stored. Such an
//!   update is a change of the group's document, and reads the documents to copy while the group's document is locked.
//!   So the last writer to update a group has seen what all writers stored.
//! - While one document is locked, others are read but never locked. So two changes never wait for each other.

mod build;
mod copies;
mod document;
mod entries;
mod place;

pub(crate) use entries::{bad_name, leads_back};

use self::document::{DocumentUpdate, read_document};
use crate::context::Context;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use zarr_core::{
    Error, ErrorKind, Result,
    json::{Json, Object},
    metadata::{GroupMetadata, NodeMetadata},
    name::NodePath,
    store::{Key, Prefix, ReadOnly, Store},
};

/// The nodes of a store, and the context in which they are opened. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    store: Arc<dyn Store>,
    context: Arc<Context>,
    /// Copies of the documents of all nodes, if the caller asked to use them.
    consolidated: Option<Arc<BTreeMap<String, Json>>>,
    /// No group is created above this node. It is the root, except while a node is [built](Self::build).
    top: NodePath,
    /// The changed nodes of a [`batch`](Self::batch) whose copies must still be updated. The inner value is `None` once
    /// the batch has ended.
    batch: Option<Changed>,
}

/// Changed nodes whose copies must still be updated.
type Changed = Arc<Mutex<Option<Vec<(NodePath, Below)>>>>;

/// What happens to the copies of the nodes below a changed node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Stays,
    /// The node was removed, or it is new and nothing is below it.
    Goes,
    /// Other nodes have replaced those below it.
    Replaced,
}

/// Returns true for keys, relative to an array, that the array would read as its chunks.
pub(crate) type IsChunk<'a> = &'a dyn Fn(&str) -> bool;

/// The assumed length of a document of unknown length, where several are read at the same time.
const USUAL_DOCUMENT: u64 = 64 << 10;

impl Nodes {
    pub(crate) fn new(store: Arc<dyn Store>, context: Context) -> Self {
        Self { store, context: Arc::new(context), consolidated: None, top: NodePath::ROOT, batch: None }
    }
    /// Returns a copy of this handle that cannot write.
    pub(crate) fn read_only(&self) -> Self {
        Self { store: Arc::new(ReadOnly(self.store.clone())), ..self.clone() }
    }
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
    /// Returns the URI of what is below a group, which no other group has.
    pub(crate) fn uri(&self, group: &NodePath) -> String {
        let uri = self.store.uri(&Prefix::of(group));
        uri.trim_end_matches('/').to_owned()
    }

    /// Returns the metadata of the node at a path: its copy, if copies are used and there is one.
    ///
    /// # Errors
    /// [`NodeNotFound`](ErrorKind::NodeNotFound) if there is no node.
    pub(crate) fn metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        self.copied_metadata(path).unwrap_or_else(|| self.stored_metadata(path))
    }
    /// As [`metadata`](Self::metadata); `None` if `admit` rejects the length of the document.
    pub(crate) fn metadata_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<NodeMetadata>> {
        match self.copied_metadata(path) {
            Some(copy) => copy.map(Some),
            None => self.stored_metadata_if(path, admit),
        }
    }
    pub(crate) fn stored_metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        let all = self.stored_metadata_if(path, &|_| true)?;
        all.ok_or_else(|| Error::new(ErrorKind::NodeNotFound).at_node(path))
    }
    fn stored_metadata_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<NodeMetadata>> {
        let key = Key::metadata(path);
        let read = || match self.store.reader()?.open(&key)? {
            Some(source) if !admit(source.size()?.unwrap_or(USUAL_DOCUMENT)) => Ok(None),
            Some(source) => read_document(&*source, &self.context.limits).map(Some),
            None => Err(Error::new(ErrorKind::NodeNotFound)),
        };
        read().map_err(|e| e.at_key(&key).at_node(path))
    }
    fn has_document(&self, path: &NodePath) -> Result<bool> {
        let key = Key::metadata(path);
        let found = self.store.reader()?.open(&key).map_err(|e| e.at_node(path))?;
        Ok(found.is_some())
    }

    /// Stores the document of a new node. For an array, `is_chunk` tells which keys below it are those of its chunks:
    /// see [`check_array_place`](Self::check_array_place).
    pub(crate) fn create(
        &self,
        path: &NodePath,
        metadata: &NodeMetadata,
        overwrite: bool,
        is_chunk: Option<IsChunk<'_>>,
    ) -> Result<()> {
        if overwrite && self.has_document(path)? {
            return self.build(path, true, |staged| staged.create(path, metadata, false, is_chunk));
        }
        if let Some(is_chunk) = is_chunk {
            self.check_array_place(path, is_chunk)?;
        }
        let (key, text) = (Key::metadata(path), metadata.document().to_pretty());
        // All documents are stored before copies are updated. If the update fails, the node is complete.
        self.batch(|batch| {
            batch.create_parents(path)?;
            if !batch.store.writer()?.set_if_absent(&key, text.as_bytes())? {
                let e = exists(path);
                // A group cannot be overwritten.
                return Err(if is_chunk.is_some() {
                    e.with_hint(OVERWRITE)
                } else {
                    e.with_hint("choose another path")
                });
            }
            batch.note_change(path, Below::Goes)
        })
    }
    /// Returns the groups above a node that do not exist, the nearest first.
    fn missing_parents(&self, path: &NodePath) -> Result<Vec<NodePath>> {
        let (mut missing, mut at) = (Vec::new(), path.clone());
        while let Some(parent) = at.parent().filter(|_| at != self.top) {
            match self.stored_metadata(&parent) {
                Ok(NodeMetadata::Group(_)) => break,
                Ok(NodeMetadata::Array(_)) => {
                    return Err(Error::argument(format!("cannot create `{path}` inside an array")).at_node(&parent));
                }
                Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => missing.push(parent.clone()),
                Err(e) => return Err(e),
            }
            at = parent;
        }
        Ok(missing)
    }
    /// Creates the groups above a node that do not exist. Runs in a [`batch`](Self::batch), so that copies are updated
    /// after the next step.
    fn create_parents(&self, path: &NodePath) -> Result<()> {
        let missing = self.missing_parents(path)?;
        let group = NodeMetadata::Group(GroupMetadata::new(Object::new()));
        let text = group.document().to_pretty();
        missing.iter().rev().try_for_each(|parent| {
            if self.store.writer()?.set_if_absent(&Key::metadata(parent), text.as_bytes())? {
                self.note_change(parent, Below::Goes)?;
            }
            Ok(())
        })
    }
    /// Changes the document of a node as it is stored now, whatever a handle has read before. Returns the new document,
    /// and separately the outcome of updating copies in the groups above: the caller first completes the change.
    pub(crate) fn change(
        &self,
        path: &NodePath,
        mut change: impl FnMut(&mut NodeMetadata) -> Result<()>,
    ) -> Result<(NodeMetadata, Result<()>)> {
        let metadata = self.rewrite(path, &mut change)?;
        Ok((metadata, self.note_change(path, Below::Stays)))
    }
    /// As [`change`](Self::change), without updating the copies in the groups above.
    fn rewrite(
        &self,
        path: &NodePath,
        change: &mut dyn FnMut(&mut NodeMetadata) -> Result<()>,
    ) -> Result<NodeMetadata> {
        let key = Key::metadata(path);
        let mut update = DocumentUpdate::new(&self.context.limits, change);
        let done = self.store.writer()?.update(&key, &mut update);
        done.map_err(|e| e.at_key(&key).at_node(path))?;
        update.changed().ok_or_else(|| Error::new(ErrorKind::NodeNotFound).at_key(&key).at_node(path))
    }
    /// Removes a node and everything below it.
    pub(crate) fn erase(&self, path: &NodePath) -> Result<()> {
        self.stored_metadata(path).map(|_| ()).or_else(|e| match e.kind() {
            // A node that cannot be read can still be removed.
            ErrorKind::NodeNotFound => Err(e),
            _ => Ok(()),
        })?;
        self.store.writer()?.erase_prefix(&Prefix::of(path)).map_err(|e| e.at_node(path))?;
        self.note_change(path, Below::Goes)
    }
}

const OVERWRITE: &str = "pass `.overwrite()` (CLI: `--overwrite`) or choose another path";

fn exists(path: &NodePath) -> Error {
    Error::new(ErrorKind::NodeAlreadyExists).at_key(Key::metadata(path)).at_node(path)
}
