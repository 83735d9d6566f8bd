//! A store seen as a hierarchy of nodes. Specification: core, "Storage".

mod build;

use crate::{
    array::{Array, NewArray, bad_name},
    context::Context,
    group::{Group, Node},
    store::OpenMode,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};
use zarr_core::{
    Error, ErrorKind, Result,
    json::{Json, Object},
    limits::Limits,
    metadata::{ArrayMetadata, GroupMetadata, NodeMetadata},
    name::NodePath,
    source::{ByteRange, Source},
    store::{Change, Key, Other, Prefix, ReadOnly, Store},
};

/// A store and the context in which its nodes are opened. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    store: Arc<dyn Store>,
    context: Arc<Context>,
    /// Copies of the documents of all nodes, if the caller asked to use them.
    consolidated: Option<Arc<Object>>,
    /// Above this node none is created. Not the root only while a node is [built](Self::build).
    top: NodePath,
    /// Changed nodes of a [`batch`](Self::batch), whose copies are yet to be renewed; `None` inside once it has ended.
    batch: Option<Changed>,
}

type Changed = Arc<Mutex<Option<Vec<(NodePath, Below)>>>>;

/// What a document without a known length counts for where others are read at the same time.
const USUAL_DOCUMENT: u64 = 64 << 10;

impl Hierarchy {
    /// Opens a location to read and write: a path, or a URI. Nothing is created.
    pub fn open(location: &str) -> Result<Self> {
        Self::open_with(location, OpenMode::ReadWrite, Context::new()?)
    }
    /// Opens a location to read.
    pub fn open_read_only(location: &str) -> Result<Self> {
        Self::open_with(location, OpenMode::ReadOnly, Context::new()?)
    }
    /// Opens a location, which is made if it is not there.
    pub fn create(location: &str) -> Result<Self> {
        Self::open_with(location, OpenMode::Create, Context::new()?)
    }
    /// Opens a location in a context of the application.
    pub fn open_with(location: &str, mode: OpenMode, context: Context) -> Result<Self> {
        let store = context.schemes.open(location, mode)?;
        Ok(Self::new(store, context))
    }
    /// The hierarchy of a store.
    pub fn new(store: Arc<dyn Store>, context: Context) -> Self {
        Self { store, context: Arc::new(context), consolidated: None, top: NodePath::ROOT, batch: None }
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
        let nodes = root.consolidated().map(|c| c.nodes().clone());
        let nodes = nodes.ok_or_else(|| Error::metadata("the root group has no consolidated metadata"))?;
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
    /// [`NodeMissing`](ErrorKind::NodeMissing) if there is none.
    pub fn metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        if let Some(copy) = self.consolidated.as_ref().and_then(|c| c.get(path.as_key())) {
            return NodeMetadata::from_json(copy.clone(), &self.context.limits).map_err(|e| e.at_node(path));
        }
        self.stored_metadata(path)
    }
    pub(crate) fn stored_metadata(&self, path: &NodePath) -> Result<NodeMetadata> {
        let all = self.stored_metadata_if(path, &|_| true)?;
        all.ok_or_else(|| Error::new(ErrorKind::NodeMissing).at_node(path))
    }
    /// The same; `None` if a document of this length is not to be read.
    fn stored_metadata_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<NodeMetadata>> {
        let key = Key::metadata(path);
        let read = || match self.store.reader()?.open(&key)? {
            Some(source) if !admit(source.size()?.unwrap_or(USUAL_DOCUMENT)) => Ok(None),
            Some(source) => read_document(&*source, &self.context.limits).map(Some),
            None => Err(Error::new(ErrorKind::NodeMissing)),
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
            NodeMetadata::Array(m) => Node::Array(Box::new(Array::open(self.clone(), path.clone(), m)?)),
            NodeMetadata::Group(m) => Node::Group(Group::new(self.clone(), path.clone(), m)),
        })
    }
    /// Opens the array at a path.
    pub fn array(&self, path: &str) -> Result<Array> {
        match self.node(path)? {
            Node::Array(array) => Ok(*array),
            Node::Group(group) => Err(Error::argument("there is a group, not an array").at_node(group.path())),
        }
    }
    /// The array that a document describes, over the data at a path, whatever document is stored there.
    pub fn array_with(&self, path: &NodePath, metadata: ArrayMetadata) -> Result<Array> {
        Array::open(self.clone(), path.clone(), metadata)
    }
    /// Opens the group at a path.
    pub fn group(&self, path: &str) -> Result<Group> {
        match self.node(path)? {
            Node::Group(group) => Ok(group),
            Node::Array(array) => Err(Error::argument("there is an array, not a group").at_node(array.path())),
        }
    }
    /// Creates an array, and groups above it where there are none.
    ///
    /// # Errors
    /// [`NodeExists`](ErrorKind::NodeExists) unless it is to be overwritten; of several creators exactly one wins.
    pub fn create_array(&self, path: &str, new: &NewArray) -> Result<Array> {
        new.create(self, NodePath::new(path)?)
    }
    /// Creates an array from its metadata document. Members that the specification lets a user leave out are chosen.
    pub fn create_array_from(&self, path: &str, metadata: ArrayMetadata, overwrite: bool) -> Result<Array> {
        Array::create(self, NodePath::new(path)?, metadata, overwrite)
    }
    /// Creates a group, and groups above it where there are none.
    pub fn create_group(&self, path: &str, attributes: Object) -> Result<Group> {
        self.create_group_from(path, GroupMetadata::new(attributes))
    }
    /// Creates a group from its metadata document.
    pub fn create_group_from(&self, path: &str, metadata: GroupMetadata) -> Result<Group> {
        let path = NodePath::new(path)?;
        self.create_node(&path, &NodeMetadata::Group(metadata.clone()), false)?;
        Ok(Group::new(self.clone(), path, metadata))
    }

    pub(crate) fn create_node(&self, path: &NodePath, metadata: &NodeMetadata, overwrite: bool) -> Result<()> {
        if overwrite && self.has_document(path)? {
            return self.build_at(path, true, |staged| staged.create_node(path, metadata, false));
        }
        let key = Key::metadata(path);
        self.create_parents(path)?;
        let text = metadata.document().to_pretty();
        if !self.store.writer()?.set_if_absent(&key, text.as_bytes())? {
            return Err(exists(path));
        }
        self.note_change(path, Below::Goes)
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
                Err(e) if matches!(e.kind(), ErrorKind::NodeMissing) => missing.push(parent.clone()),
                Err(e) => return Err(e),
            }
            at = parent;
        }
        Ok(missing)
    }
    /// Makes the groups above a node explicit.
    fn create_parents(&self, path: &NodePath) -> Result<()> {
        let missing = self.missing_parents(path)?;
        if missing.is_empty() {
            return Ok(());
        }
        let group = NodeMetadata::Group(GroupMetadata::new(Object::new()));
        let text = group.document().to_pretty();
        self.batch(|batch| {
            missing.iter().rev().try_for_each(|parent| {
                if batch.store.writer()?.set_if_absent(&Key::metadata(parent), text.as_bytes())? {
                    batch.note_change(parent, Below::Goes)?;
                }
                Ok(())
            })
        })
    }
    /// Changes the document of a node as it is stored now, whatever a handle knew of it.
    pub(crate) fn change_node(
        &self,
        path: &NodePath,
        mut change: impl FnMut(&mut NodeMetadata) -> Result<()>,
    ) -> Result<NodeMetadata> {
        let metadata = self.rewrite(path, &mut change)?;
        self.note_change(path, Below::Stays)?;
        Ok(metadata)
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
        document.node.ok_or_else(|| Error::new(ErrorKind::NodeMissing).at_key(&key).at_node(path))
    }
    /// Removes a node with everything below it.
    pub fn erase(&self, path: &str) -> Result<()> {
        let path = NodePath::new(path)?;
        self.stored_metadata(&path).map(|_| ()).or_else(|e| match e.kind() {
            // What cannot be read can still be removed.
            ErrorKind::NodeMissing => Err(e),
            _ => Ok(()),
        })?;
        self.store.writer()?.erase_prefix(&Prefix::of(&path)).map_err(|e| e.at_node(&path))?;
        self.note_change(&path, Below::Goes)
    }

    /// Makes many changes through the hierarchy that it gives, and then renews the copies of all changed nodes in the groups
    /// above at once, also if `f` fails. Each group above is looked at once, and not for each node below it.
    ///
    /// # Errors
    /// That of `f`, or else that of renewing copies.
    pub fn batch<R>(&self, f: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let changed = Arc::new(Mutex::new(Some(Vec::new())));
        let done = f(&Self { batch: Some(changed.clone()), ..self.clone() });
        let changed = changed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let renewed = self.note_changes(changed.unwrap_or_default());
        done.and_then(|done| renewed.map(|()| done))
    }
    /// Brings the copies in the groups above a changed node up to date, where there are any.
    fn note_change(&self, path: &NodePath, below: Below) -> Result<()> {
        self.note_changes(vec![(path.clone(), below)])
    }
    fn note_changes(&self, changed: Vec<(NodePath, Below)>) -> Result<()> {
        if let Some(batch) = &self.batch
            && let Some(later) = &mut *batch.lock().unwrap_or_else(PoisonError::into_inner)
        {
            later.extend(changed);
            return Ok(());
        }
        let mut groups = BTreeSet::new();
        for (path, _) in &changed {
            let mut above = path.parent();
            while let Some(group) = above {
                above = group.parent();
                if !groups.insert(group) {
                    break;
                }
            }
        }
        // From the innermost out.
        for group_path in groups.into_iter().rev() {
            // Most groups have no copies, and stay as they are.
            match self.stored_metadata(&group_path) {
                Ok(NodeMetadata::Group(group))
                    if matches!(group.document().get("consolidated_metadata"), Some(Json::Object(_))) => {}
                // What is no document has no copies that are used.
                Err(e)
                    if !matches!(
                        e.kind(),
                        ErrorKind::NodeMissing | ErrorKind::Metadata(_) | ErrorKind::Json { .. }
                    ) =>
                {
                    return Err(e);
                }
                _ => continue,
            }
            for below in [Below::Stays, Below::Goes, Below::Replaced] {
                let same = changed.iter().filter(|(_, b)| *b == below);
                let relative: BTreeSet<&str> =
                    same.filter_map(|(p, _)| p.relative_to(&group_path).filter(|p| !p.is_empty())).collect();
                if !relative.is_empty() {
                    self.renew_copies(&group_path, &relative, below)?;
                }
            }
        }
        Ok(())
    }
    /// Brings the copies of some nodes, given by their paths below a group, up to date in that group, and unless `below` stays
    /// those of all nodes below them.
    fn renew_copies(&self, group: &NodePath, paths: &BTreeSet<&str>, below: Below) -> Result<()> {
        let mut new = Vec::new();
        if below == Below::Replaced {
            for path in paths {
                let found = self.documents_below(&group.join(path)?)?;
                new.extend(found.into_keys().map(|p| format!("{path}/{p}")));
            }
        }
        let renew = &mut |node: &mut NodeMetadata| {
            let NodeMetadata::Group(node) = node else { return Ok(()) };
            let copies = node.consolidated().map(|c| c.nodes().clone());
            let Some(copies) = copies else {
                // Copies of a kind that is not known here would be wrong now.
                node.set_consolidated(None);
                return Ok(());
            };
            let is_inside = |p: &str| p.match_indices('/').any(|(i, _)| paths.contains(&p[..i]));
            let inside = copies.iter().map(|(p, _)| p).filter(|p| below != Below::Stays && is_inside(p));
            let mut now = BTreeMap::new();
            for path in inside.chain(paths.iter().copied()).chain(new.iter().map(String::as_str)) {
                // As it is now: of several that change it, the last to come here has seen what all stored.
                let own = match self.stored_metadata(&group.join(path)?) {
                    Ok(node) => Some(copy_of(&node)),
                    Err(e) if matches!(e.kind(), ErrorKind::NodeMissing) => None,
                    Err(e) => return Err(e),
                };
                now.insert(path, own);
            }
            node.set_consolidated(Some(copies_with(&copies, now)));
            Ok(())
        };
        self.rewrite(group, renew).map(|_| ())
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
            Error::new(ErrorKind::StoreAbility("listing"))
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
            let names = |nodes: &Object| -> Vec<String> {
                let below = nodes.iter().filter_map(|(p, _)| p.strip_prefix(&prefix)?.split('/').next());
                below.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
            };
            let found = match (&self.consolidated, group.is_root()) {
                (Some(nodes), true) => Some(names(nodes)),
                _ => match self.stored_metadata(&group) {
                    Ok(NodeMetadata::Group(g)) => g.consolidated().map(|c| names(c.nodes())),
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

    /// Writes copies of the documents of all nodes below a group into it, as zarr-python does.
    ///
    /// Nodes may be changed, made and removed meanwhile. If this fails half way, copies may be older than what they copy:
    /// call it again.
    pub fn consolidate(&self, path: &str) -> Result<()> {
        let path = NodePath::new(path)?;
        if let NodeMetadata::Array(_) = self.stored_metadata(&path)? {
            return Err(Error::argument("an array has nothing below it").at_node(&path));
        }
        let copied = self.documents_below(&path)?;
        self.change_node(&path, |m| {
            if let NodeMetadata::Group(group) = m {
                group.set_consolidated(Some(copied.clone().into_iter().collect()));
            }
            Ok(())
        })?;
        // From now on whoever changes a node finds copies, and renews its own. Who looked for them before found none, or had
        // them replaced by what was read before that: the document is another than the one that was copied.
        let now = self.documents_below(&path)?;
        let gone = copied.keys().filter(|p| !now.contains_key(*p));
        let other = now.iter().filter(|(p, document)| copied.get(*p) != Some(document)).map(|(p, _)| p);
        let changed: BTreeSet<&str> = other.chain(gone).map(String::as_str).collect();
        match changed.is_empty() {
            true => Ok(()),
            false => self.renew_copies(&path, &changed, Below::Stays),
        }
    }
    /// Copies of the documents of all nodes below a group, by their paths relative to it.
    fn documents_below(&self, path: &NodePath) -> Result<BTreeMap<String, Object>> {
        let plain = Self { consolidated: None, ..self.clone() };
        // With each group how many there are above it, and of those on the way to the last the URIs: a link may lead back to one.
        let (mut nodes, mut left, mut way) = (BTreeMap::new(), vec![(path.clone(), 0, plain.uri(path))], Vec::new());
        while let Some((at, depth, own)) = left.pop() {
            way.truncate(depth);
            way.push(own);
            for name in plain.entries(&at)?.names {
                let child = at.child(&name)?;
                let metadata = match plain.stored_metadata(&child) {
                    // A prefix without a document is no node.
                    Err(e) if matches!(e.kind(), ErrorKind::NodeMissing) => continue,
                    other => other?,
                };
                let copy = copy_of(&metadata);
                if let NodeMetadata::Group(_) = metadata {
                    let own = plain.uri(&child);
                    if way.contains(&own) {
                        continue;
                    }
                    left.push((child.clone(), depth + 1, own));
                }
                nodes.insert(child.relative_to(path).unwrap_or_default().to_owned(), copy);
            }
        }
        Ok(nodes)
    }
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

impl Change for Document<'_> {
    fn change(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let Some(old) = old else { return Err(ErrorKind::NodeMissing.into()) };
        let node = self.node.insert(read_document(old, self.limits)?);
        (self.change)(node)?;
        self.text = node.document().to_pretty();
        Ok(Some(self.text.as_bytes()))
    }
}

fn exists(path: &NodePath) -> Error {
    let e = Error::new(ErrorKind::NodeExists).at_key(Key::metadata(path)).at_node(path);
    e.with_hint("overwrite it (`--overwrite`, `NewArray::overwrite`), or give another path")
}

/// What becomes of the copies of what is below a node that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Stays,
    /// It was removed, or the node is new and nothing is below it.
    Goes,
    /// Other nodes have taken its place.
    Replaced,
}

/// The copy of a node's document.
fn copy_of(node: &NodeMetadata) -> Object {
    let mut copy = node.document().clone();
    copy.remove("consolidated_metadata");
    copy
}

/// Copies with others of some nodes, or with none, in their order.
fn copies_with(copies: &Object, mut now: BTreeMap<&str, Option<Object>>) -> Object {
    let kept = copies.iter().filter_map(|(p, copy)| match now.remove(p) {
        None => Some((p, copy.clone())),
        Some(own) => own.map(|own| (p, Json::Object(own))),
    });
    let mut kept: Object = kept.collect();
    now.into_iter().filter_map(|(p, own)| Some((p, own?))).for_each(|(p, own)| kept.set(p, own));
    kept
}
