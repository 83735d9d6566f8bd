//! A store seen as a hierarchy of nodes. Specification: core, "Storage".

mod build;
mod copies;
mod options;
mod place;

pub use options::OpenOptions;

use self::{
    copies::{Below, Changed},
    place::IsChunk,
};
use crate::{
    array::{Array, NewArray, bad_name, leads_back},
    attributes::to_attributes,
    context::Context,
    group::{Group, Node},
    location::Location,
    store::MemoryStore,
};
use serde::Serialize;
use std::{
    borrow::Borrow,
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::Arc,
};
use zarr_core::{
    Error, ErrorKind, Result,
    json::{Json, Object},
    limits::Limits,
    metadata::{ArrayMetadata, GroupMetadata, NodeMetadata},
    name::NodePath,
    source::{ByteRange, Source},
    store::{Key, Other, Prefix, ReadOnly, Store, Update},
};

/// A store and the context in which its nodes are opened. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    store: Arc<dyn Store>,
    context: Arc<Context>,
    /// Copies of the documents of all nodes, if the caller asked to use them.
    consolidated: Option<Arc<BTreeMap<String, Json>>>,
    /// Above this node none is created. Not the root only while a node is [built](Self::build).
    top: NodePath,
    /// Changed nodes of a [`batch`](Self::batch), whose copies are yet to be renewed; `None` inside once it has ended.
    batch: Option<Changed>,
}

/// What a document without a known length counts for where others are read at the same time.
const USUAL_DOCUMENT: u64 = 64 << 10;

impl Hierarchy {
    /// Opens a location to read and write: a path, or a URI. Nothing is created.
    ///
    /// # Errors
    /// When nothing is there, or the store cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        Self::options().open(location)
    }
    /// Opens a location to read and write. The store is created if it does not exist.
    ///
    /// # Errors
    /// When the store cannot be created or opened.
    pub fn create(location: impl Into<Location>) -> Result<Self> {
        Self::options().create().open(location)
    }
    /// A new hierarchy in memory, without any node.
    pub fn in_memory() -> Self {
        Self::new(MemoryStore::default(), Context::default())
    }
    /// How else to open a location: only to read, in another context, with consolidated metadata.
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }
    /// The hierarchy of a store: of a type of its own, or an `Arc<dyn Store>`.
    pub fn new(store: impl Store + 'static, context: Context) -> Self {
        Self {
            store: Arc::new(store),
            context: Arc::new(context),
            consolidated: None,
            top: NodePath::ROOT,
            batch: None,
        }
    }
    /// The same without the ability to write.
    pub fn read_only(&self) -> Self {
        Self { store: Arc::new(ReadOnly(self.store.clone())), ..self.clone() }
    }
    /// The same with metadata taken from the copies in the root group where there are any. Faster, and as old as they
    /// are. Without this, copies are used only to list a store that cannot.
    pub fn with_consolidated_metadata(&self) -> Result<Self> {
        let NodeMetadata::Group(root) = self.stored_metadata(&NodePath::ROOT)? else {
            return Err(Error::metadata("an array at the root has no consolidated metadata"));
        };
        let copies =
            root.consolidated().ok_or_else(|| Error::metadata("the root group has no consolidated metadata"))?;
        let nodes = copies.iter().map(|(path, copy)| (path.to_owned(), copy.clone())).collect();
        Ok(Self { consolidated: Some(Arc::new(nodes)), ..self.clone() })
    }
    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
    /// What all nodes share.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The metadata of the node at a path.
    ///
    /// # Errors
    /// [`NodeNotFound`](ErrorKind::NodeNotFound) if there is none.
    pub fn metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        if let Some(copy) = self.consolidated.as_ref().and_then(|c| c.get(path.as_key())) {
            return NodeMetadata::from_json(copy.clone(), &self.context.limits).map_err(|e| e.at_node(path));
        }
        self.stored_metadata(path)
    }
    pub(crate) fn stored_metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        let all = self.stored_metadata_if(path, &|_| true)?;
        all.ok_or_else(|| Error::new(ErrorKind::NodeNotFound).at_node(path))
    }
    /// The same; `None` if a document of this length is not to be read.
    fn stored_metadata_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<NodeMetadata>> {
        let key = Key::metadata(path);
        let read = || match self.store.reader()?.open(&key)? {
            Some(source) if !admit(source.size()?.unwrap_or(USUAL_DOCUMENT)) => Ok(None),
            Some(source) => read_document(&*source, &self.context.limits).map(Some),
            None => Err(Error::new(ErrorKind::NodeNotFound)),
        };
        read().map_err(|e| e.at_key(&key).at_node(path))
    }
    /// Opens the node at a path.
    pub fn node(&self, path: &str) -> Result<Node> {
        self.node_at(&NodePath::new(path)?)
    }
    pub(crate) fn node_at(&self, path: &NodePath) -> Result<Node> {
        self.opened(path, self.metadata(path)?)
    }
    /// The same; `None` if a document of this length is not to be read.
    pub(crate) fn node_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<Node>> {
        let is_copied = self.consolidated.as_ref().is_some_and(|c| c.get(path.as_key()).is_some());
        let metadata = if is_copied { Some(self.metadata(path)?) } else { self.stored_metadata_if(path, admit)? };
        metadata.map(|m| self.opened(path, m)).transpose()
    }
    fn opened(&self, path: &NodePath, metadata: NodeMetadata) -> Result<Node> {
        Ok(match metadata {
            NodeMetadata::Array(m) => Node::Array(Box::new(Array::of(self.clone(), path.clone(), m)?)),
            NodeMetadata::Group(m) => Node::Group(Group::new(self.clone(), path.clone(), m)),
        })
    }
    /// Opens the array at a path.
    pub fn array(&self, path: &str) -> Result<Array> {
        self.node(path)?.into_array()
    }
    /// The array that a document describes, over the data at a path, whatever document is stored there.
    pub fn array_with(&self, path: &NodePath, metadata: ArrayMetadata) -> Result<Array> {
        Array::of(self.clone(), path.clone(), metadata)
    }
    /// Opens the group at a path.
    pub fn group(&self, path: &str) -> Result<Group> {
        self.node(path)?.into_group()
    }
    /// Creates an array, and groups above it where there are none.
    ///
    /// # Errors
    /// [`NodeAlreadyExists`](ErrorKind::NodeAlreadyExists) unless it is to be overwritten; of several creators exactly one wins.
    /// [`Occupied`](ErrorKind::Occupied) where no node is, but keys that the array would show as its chunks, or nodes that it
    /// would hide; a store that cannot list does not tell. [`StaleCopies`](ErrorKind::StaleCopies) after it is created.
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        new.borrow().create(self, NodePath::new(path)?)
    }
    /// Creates an array from its metadata document. Members that the specification lets a user leave out are chosen.
    pub fn create_array_from(&self, path: &str, metadata: ArrayMetadata, overwrite: bool) -> Result<Array> {
        Array::create(self, NodePath::new(path)?, metadata, overwrite)
    }
    /// Creates a group, and groups above it where there are none.
    pub fn create_group(&self, path: &str, attributes: impl Serialize) -> Result<Group> {
        self.create_group_from(path, GroupMetadata::new(to_attributes(&attributes)?))
    }
    /// Creates a group from its metadata document.
    pub fn create_group_from(&self, path: &str, metadata: GroupMetadata) -> Result<Group> {
        let path = NodePath::new(path)?;
        self.create_node(&path, &NodeMetadata::Group(metadata.clone()), false, None)?;
        Ok(Group::new(self.clone(), path, metadata))
    }

    /// Stores the document of a new node. Of an array it is told which keys below it are those of its chunks: see
    /// [`check_array_place`](Self::check_array_place).
    pub(crate) fn create_node(
        &self,
        path: &NodePath,
        metadata: &NodeMetadata,
        overwrite: bool,
        is_chunk: Option<IsChunk<'_>>,
    ) -> Result<()> {
        if overwrite && self.has_document(path)? {
            return self.build_at(path, true, |staged| staged.create_node(path, metadata, false, is_chunk));
        }
        if let Some(is_chunk) = is_chunk {
            self.check_array_place(path, is_chunk)?;
        }
        let (key, text) = (Key::metadata(path), metadata.document().to_pretty());
        // All documents are there before copies are renewed: if that fails, the node is complete.
        self.batch(|batch| {
            batch.create_parents(path)?;
            if !batch.store.writer()?.set_if_absent(&key, text.as_bytes())? {
                return Err(exists(path));
            }
            batch.note_change(path, Below::Goes)
        })
    }
    fn has_document(&self, path: &NodePath) -> Result<bool> {
        let key = Key::metadata(path);
        let found = self.store.reader()?.open(&key).map_err(|e| e.at_node(path))?;
        Ok(found.is_some())
    }
    /// The groups above a node that do not exist, the nearest first.
    fn missing_parents(&self, path: &NodePath) -> Result<Vec<NodePath>> {
        let (mut missing, mut at) = (Vec::new(), path.clone());
        while let Some(parent) = at.parent().filter(|_| at != self.top) {
            match self.stored_metadata(&parent) {
                Ok(NodeMetadata::Group(_)) => break,
                Ok(NodeMetadata::Array(_)) => {
                    return Err(Error::argument(format!("`{path}` would lie below an array")).at_node(&parent));
                }
                Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => missing.push(parent.clone()),
                Err(e) => return Err(e),
            }
            at = parent;
        }
        Ok(missing)
    }
    /// Makes the groups above a node explicit. In a [`batch`](Self::batch), so that copies are renewed after what is done next.
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
    /// Changes the document of a node as it is stored now, whatever a handle knew of it. Gives the document, and apart from
    /// it whether copies in the groups above were renewed: the caller first finishes what follows from the change.
    pub(crate) fn change_node(
        &self,
        path: &NodePath,
        mut change: impl FnMut(&mut NodeMetadata) -> Result<()>,
    ) -> Result<(NodeMetadata, Result<()>)> {
        let metadata = self.rewrite(path, &mut change)?;
        Ok((metadata, self.note_change(path, Below::Stays)))
    }
    /// The same, without the copies in the groups above.
    fn rewrite(
        &self,
        path: &NodePath,
        change: &mut dyn FnMut(&mut NodeMetadata) -> Result<()>,
    ) -> Result<NodeMetadata> {
        let key = Key::metadata(path);
        let mut document = Document { limits: &self.context.limits, change, node: None, text: String::new() };
        let done = self.store.writer()?.update(&key, &mut document);
        done.map_err(|e| e.at_key(&key).at_node(path))?;
        document.node.ok_or_else(|| Error::new(ErrorKind::NodeNotFound).at_key(&key).at_node(path))
    }
    /// Removes a node with everything below it.
    ///
    /// # Errors
    /// [`NodeNotFound`](ErrorKind::NodeNotFound) if there is none, and [`StaleCopies`](ErrorKind::StaleCopies) after it is
    /// removed.
    pub fn erase(&self, path: &str) -> Result<()> {
        let path = NodePath::new(path)?;
        self.stored_metadata(&path).map(|_| ()).or_else(|e| match e.kind() {
            // What cannot be read can still be removed.
            ErrorKind::NodeNotFound => Err(e),
            _ => Ok(()),
        })?;
        self.store.writer()?.erase_prefix(&Prefix::of(&path)).map_err(|e| e.at_node(&path))?;
        self.note_change(&path, Below::Goes)
    }

    /// What a group has in common with no other: the URI of what is below it.
    pub(crate) fn uri(&self, group: &NodePath) -> String {
        let uri = self.store.uri(&Prefix::of(group));
        uri.trim_end_matches('/').to_owned()
    }
    /// True if the copies in the root group are used.
    pub(crate) fn is_consolidated(&self) -> bool {
        self.consolidated.is_some()
    }
    /// Why an entry that is neither a value nor a prefix cannot be used, if it still is there and matters.
    pub(crate) fn unusable(&self, entry: &str, other: Other) -> Option<Error> {
        match (other, Key::new(entry)) {
            (Other::EmptyDirectory, _) => None,
            (Other::Loop, _) => Some(leads_back(&*self.store, entry)),
            // Its place may be free by now.
            (Other::NotAFile, Ok(key)) => self.store.reader().and_then(|r| r.open(&key)).err(),
            _ => Some(bad_name().at_key(entry)),
        }
    }
    /// What is directly below a group, without names that are reserved.
    pub(crate) fn entries(&self, path: &NodePath) -> Result<Entries> {
        if let (None, Some(lister)) = (&self.consolidated, self.store.listable()) {
            let prefix = Prefix::of(path);
            let found = lister.list_dir(&prefix).map_err(|e| e.at_node(path))?;
            let name = |p: &Prefix| p.strip(&prefix).map(|p| p.as_str().trim_end_matches('/').to_owned());
            let names = found.prefixes.iter().filter_map(name).filter(|n| !n.starts_with("__")).collect();
            let mut others = found.others;
            others.retain(|entry, _| !entry.strip_prefix(prefix.as_str()).is_some_and(|name| name.starts_with("__")));
            return Ok(Entries { names, others });
        }
        let names = self.copied_names(path).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported("listing"))
                .at_node(path)
                .with_hint("neither can the store list nor is there consolidated metadata")
        })?;
        Ok(Entries { names, others: BTreeMap::new() })
    }
    /// The same from the copies in the group or the nearest group above it that has any.
    fn copied_names(&self, path: &NodePath) -> Option<Vec<String>> {
        let mut at = Some(path.clone());
        while let Some(group) = at {
            let relative = path.relative_to(&group).unwrap_or_default();
            let prefix = if relative.is_empty() { String::new() } else { format!("{relative}/") };
            let found = match (&self.consolidated, group.is_root()) {
                (Some(nodes), true) => {
                    let from = nodes.range::<str, _>((Bound::Included(&*prefix), Bound::Unbounded));
                    let below = from.map(|(p, _)| p.as_str()).take_while(|p| p.starts_with(&prefix));
                    Some(names_below(&prefix, below))
                }
                _ => match self.stored_metadata(&group) {
                    Ok(NodeMetadata::Group(g)) => {
                        g.consolidated().map(|c| names_below(&prefix, c.iter().map(|(p, _)| p)))
                    }
                    _ => None,
                },
            };
            if found.is_some() {
                return found;
            }
            at = group.parent();
        }
        None
    }
}

/// The next name of each path with a prefix, sorted.
fn names_below<'p>(prefix: &str, paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    let names: BTreeSet<&str> = paths.filter_map(|p| p.strip_prefix(prefix)?.split('/').next()).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// What is directly below a group.
pub(crate) struct Entries {
    /// Of nodes, or what should be one. Sorted.
    pub(crate) names: Vec<String>,
    /// As in a [listing](zarr_core::store::Listing::others).
    pub(crate) others: BTreeMap<String, Other>,
}

/// Reads a document, and nothing of one that is too large.
fn read_document(source: &dyn Source, limits: &Limits) -> Result<NodeMetadata> {
    let limit = limits.metadata_bytes;
    if let Some(asked) = source.size()?.filter(|size| *size > limit) {
        return Err(ErrorKind::Limit { what: "a metadata document", asked, limit }.into());
    }
    let mut parsed = None;
    source.read(&[ByteRange::All], &mut |_, text| {
        parsed = Some(NodeMetadata::parse(text, limits)?);
        Ok(())
    })?;
    parsed.ok_or_else(|| ErrorKind::Contract("a store lent no bytes").into())
}

/// A metadata document that is changed.
struct Document<'d> {
    limits: &'d Limits,
    change: &'d mut dyn FnMut(&mut NodeMetadata) -> Result<()>,
    /// The node after the change.
    node: Option<NodeMetadata>,
    text: String,
}

impl Update for Document<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let Some(old) = old else { return Err(ErrorKind::NodeNotFound.into()) };
        let node = self.node.insert(read_document(old, self.limits)?);
        (self.change)(node)?;
        self.text = node.document().to_pretty();
        Ok(Some(self.text.as_bytes()))
    }
}

fn exists(path: &NodePath) -> Error {
    let e = Error::new(ErrorKind::NodeAlreadyExists).at_key(Key::metadata(path)).at_node(path);
    e.with_hint("overwrite it (`--overwrite`, `NewArray::overwrite`), or give another path")
}
