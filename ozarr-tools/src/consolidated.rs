//! Consolidated metadata: the copies of metadata documents in a group, compared with the documents.

use ozarr::{
    Error, ErrorKind, Group, Hierarchy, Json, Node, Object, Result,
    zarr_core::{
        metadata::NodeMetadata,
        name::NodePath,
        store::{Key, Prefix},
    },
};
use std::{collections::BTreeSet, fmt};

/// Compares the copies of metadata documents in a group with the documents below it.
///
/// A group without consolidated metadata is up to date. The documents themselves are read, even if the hierarchy was
/// opened to use the copies.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
/// use ozarr_tools::{Staleness, check_consolidated, consolidate};
///
/// let zarr = Hierarchy::in_memory();
/// zarr.create_group("/", ())?;
/// consolidate(&zarr, "/")?;
/// // Another program creates a group and does not update the copies.
/// zarr.store().writer()?.set(&Key::new("new/zarr.json")?, br#"{"zarr_format": 3, "node_type": "group"}"#)?;
/// let found = check_consolidated(&zarr, "/")?.stale;
/// assert_eq!((found[0].node.to_string(), found[0].how), ("/new".to_owned(), Staleness::Absent));
/// assert_eq!(consolidate(&zarr, "/")?, found);
/// assert!(check_consolidated(&zarr, "/")?.is_up_to_date());
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If there is no group at the path. Anything below it that cannot be read is part of the result.
pub fn check_consolidated(hierarchy: &Hierarchy, path: &str) -> Result<ConsolidatedCheck> {
    Ok(ConsolidatedCheck::of(&hierarchy.without_consolidated_metadata().group(path)?))
}

/// Writes copies of the documents of all nodes below a group into it, as [`Hierarchy::consolidate`] does, and returns
/// what was wrong with the previous copies.
///
/// A copy may be all that is left of a lost document. [`Hierarchy::consolidate`] drops such a copy; this function fails
/// instead.
///
/// # Errors
/// If there is no group, something below it cannot be read, the store cannot be written, or a document is missing whose
/// copy would be removed: [`repair`](crate::repair()) may recreate it.
pub fn consolidate(hierarchy: &Hierarchy, path: &str) -> Result<Vec<StaleCopy>> {
    let found = check_consolidated(hierarchy, path)?;
    match (found.unread.into_iter().next(), found.lost.first()) {
        (Some(e), _) => Err(e),
        (None, Some(lost)) => {
            let e = Error::metadata("the metadata document is missing and consolidating would remove its copy")
                .with_hint("run `repair` first to recreate the document");
            Err(e.at_key(Key::metadata(&lost.node)))
        }
        (None, None) => hierarchy.consolidate(path).map(|()| found.stale),
    }
}

/// The differences between the copies of metadata documents in a group and the documents.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ConsolidatedCheck {
    /// Nodes whose document is missing although keys are stored below them: only the copy is left.
    pub lost: Vec<LostDocument>,
    /// Copies that [`consolidate`] would correct.
    pub stale: Vec<StaleCopy>,
    /// Errors of reading: for these nodes it is unknown whether the copies are up to date.
    pub unread: Vec<Error>,
}

/// A missing document and its copy.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LostDocument {
    /// The node.
    pub node: NodePath,
    /// The copy of its document.
    pub copy: Object,
}

/// A copy that differs from its document. Its text names the node by its path relative to the group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StaleCopy {
    /// The group that contains the copy, or should contain it.
    pub group: NodePath,
    /// The node below the group whose document is copied.
    pub node: NodePath,
    /// How the copy differs.
    pub how: Staleness,
}

/// The ways in which a copy can differ from its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Staleness {
    /// There is no copy.
    Absent,
    /// The copy differs from the document.
    Differs,
    /// There is a copy, but neither a document nor anything else below the node.
    Superfluous,
}

impl fmt::Display for StaleCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = self.node.relative_to(&self.group).unwrap_or(self.node.as_key());
        match self.how {
            Staleness::Absent => write!(f, "`{below}` is missing from the consolidated metadata"),
            Staleness::Differs => write!(f, "the consolidated metadata of `{below}` differs from its document"),
            Staleness::Superfluous => {
                write!(f, "the consolidated metadata contains `{below}`, which does not exist")
            }
        }
    }
}

impl ConsolidatedCheck {
    /// Returns true if all copies are up to date.
    pub fn is_up_to_date(&self) -> bool {
        self.lost.is_empty() && self.stale.is_empty() && self.unread.is_empty()
    }
    /// Checks the copies in a group, if it has any.
    pub(crate) fn of(group: &Group) -> Self {
        let mut found = Self::default();
        let Some(copies) = group.metadata().consolidated() else { return found };
        let copied: BTreeSet<&str> = copies.iter().map(|(below, _)| below).collect();
        for (below, copy) in copies.iter() {
            if let Err(e) = found.compare(group, below, copy) {
                found.unread.push(e);
            }
        }
        for child in group.walk() {
            let child = match child {
                Ok(child) => child,
                Err(e) => {
                    found.unread.push(e);
                    continue;
                }
            };
            let path = &child.path;
            let below = path.strip_prefix(group.path().as_key()).unwrap_or(path).trim_start_matches('/');
            if !copied.contains(below) {
                let absent = is_node(group, below, &child.node)
                    .and_then(|is_node| if is_node { found.stale(group, below, Staleness::Absent) } else { Ok(()) });
                if let Err(e) = absent {
                    found.unread.push(e);
                }
            }
        }
        found
    }
    fn stale(&mut self, group: &Group, below: &str, how: Staleness) -> Result<()> {
        let node = group.path().join(below)?;
        self.stale.push(StaleCopy { group: group.path().clone(), node, how });
        Ok(())
    }
    fn compare(&mut self, group: &Group, below: &str, copy: &Json) -> Result<()> {
        let path = group.path().join(below)?;
        let mut copy = copy.as_object().cloned().unwrap_or_default();
        // Nested copies do not come from the document, and some writers leave empty ones.
        copy.remove("consolidated_metadata");
        match group.hierarchy().metadata(&path) {
            Ok(node) => {
                let mut own = node.document().clone();
                own.remove("consolidated_metadata");
                if !plain(own).is_same(&plain(copy)) {
                    self.stale(group, below, Staleness::Differs)?;
                }
            }
            Err(e) if !matches!(e.kind(), ErrorKind::NodeNotFound) => return Err(e),
            Err(_) => {
                let left = group.hierarchy().store().lister()?.list_dir(&Prefix::of(&path))?;
                if left.keys.is_empty() && left.prefixes.is_empty() {
                    self.stale(group, below, Staleness::Superfluous)?;
                } else {
                    let limits = &group.hierarchy().context().limits;
                    NodeMetadata::from_json(Json::Object(copy.clone()), limits).map_err(|e| e.at_node(&path))?;
                    self.lost.push(LostDocument { node: path, copy });
                }
            }
        }
        Ok(())
    }
}

/// A document without members that have no effect: zarr-python writes all defaults into its copies.
fn plain(mut document: Object) -> Json {
    let is_empty = |json: &Json| json.as_object().is_some_and(|o| o.iter().next().is_none());
    if document.get("attributes").is_some_and(is_empty) {
        document.remove("attributes");
    }
    if document.get("storage_transformers").and_then(Json::as_array).is_some_and(<[Json]>::is_empty) {
        document.remove("storage_transformers");
    }
    for (name, separator) in [("default", "/"), ("v2", ".")] {
        let Some(encoding) = document.get("chunk_key_encoding").and_then(Json::as_object) else { continue };
        let configuration = encoding.get("configuration").and_then(Json::as_object);
        let given = configuration.and_then(|c| c.get("separator")).and_then(Json::as_str).unwrap_or(separator);
        if encoding.get("name").and_then(Json::as_str) == Some(name) && given == separator {
            document.set("chunk_key_encoding", name);
        }
    }
    Json::Object(document)
}

/// Returns true if there is a document, even one of a node that cannot be opened. A directory of other files is not a
/// node.
fn is_node(group: &Group, below: &str, child: &Result<Node>) -> Result<bool> {
    match child {
        Ok(_) => Ok(true),
        // A group that is reached again through a link is not a separate node.
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound | ErrorKind::Loop(_)) => Ok(false),
        Err(_) => group.hierarchy().metadata(&group.path().join(below)?).map(|_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{
        Context,
        store::MemoryStore,
        zarr_core::{metadata::GroupMetadata, store::WriteableStore},
    };
    use std::sync::Arc;

    /// Takes minutes if each node is searched for among all copies.
    #[test]
    fn many_nodes_are_compared_with_many_copies() {
        let (store, empty) = (MemoryStore::default(), GroupMetadata::new(Object::new()));
        let names: Vec<String> = (0..10_000).map(|i| format!("node {i:05}")).collect();
        let set = |key: &str, group: &GroupMetadata| {
            store.set(&Key::new(key).unwrap(), group.document().to_pretty().as_bytes()).unwrap();
        };
        names.iter().for_each(|name| set(&format!("{name}/zarr.json"), &empty));
        // Invalid node names come before the valid ones.
        let others = (0..300_000).map(|i| (format!("no//node {i}"), Object::new()));
        let copies = others.chain(names.iter().skip(1).map(|name| (name.clone(), empty.document().clone())));
        let mut root = empty.clone();
        root.set_consolidated(Some(copies.collect()));
        set("zarr.json", &root);
        let zarr = Hierarchy::new(Arc::new(store), Context::new());
        let found = ConsolidatedCheck::of(&zarr.group("/").unwrap());
        let node = NodePath::new("/node 00000").unwrap();
        assert_eq!(found.stale, [StaleCopy { group: NodePath::ROOT, node, how: Staleness::Absent }]);
        assert_eq!((found.unread.len(), found.lost.len()), (300_000, 0));
    }
}
