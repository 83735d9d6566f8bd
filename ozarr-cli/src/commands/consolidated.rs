//! Copies of metadata documents in a group: where they are not what the documents are.

use ozarr::{
    Error, ErrorKind, Group, Node, Result,
    zarr_core::{
        json::{Json, Object},
        metadata::NodeMetadata,
        name::NodePath,
        store::Prefix,
    },
};
use std::collections::BTreeSet;

/// What is wrong with the copies of a group.
#[derive(Default)]
pub(super) struct Copies {
    /// Nodes whose document is gone while there is something below them, with the copy: it is all that is left.
    pub(super) lost: Vec<(NodePath, Object)>,
    /// What is right again once the copies are made anew.
    pub(super) stale: Vec<String>,
    /// What cannot be read: nobody knows whether the copies are right.
    pub(super) unread: Vec<Error>,
}

impl Copies {
    /// Looks at the copies of a group, if it has any.
    pub(super) fn of(group: &Group) -> Self {
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
                match is_node(group, below, &child.node) {
                    Ok(true) => found.stale.push(format!("there is no copy of `{below}`")),
                    Ok(false) => {}
                    Err(e) => found.unread.push(e),
                }
            }
        }
        found
    }
    fn compare(&mut self, group: &Group, below: &str, copy: &Json) -> Result<()> {
        let path = group.path().join(below)?;
        let mut copy = copy.as_object().cloned().unwrap_or_default();
        // Copies of copies are none of a document's, and some writers leave empty ones.
        copy.remove("consolidated_metadata");
        match group.hierarchy().metadata(&path) {
            Ok(node) => {
                let mut own = node.document().clone();
                own.remove("consolidated_metadata");
                if !plain(own).is_same(&plain(copy)) {
                    self.stale.push(format!("the copy of `{below}` differs from its document"));
                }
            }
            Err(e) if !matches!(e.kind(), ErrorKind::NodeNotFound) => return Err(e),
            Err(_) => {
                let left = group.hierarchy().store().lister()?.list_dir(&Prefix::of(&path))?;
                if left.keys.is_empty() && left.prefixes.is_empty() {
                    self.stale.push(format!("there is a copy of `{below}`, but no document and nothing below it"));
                } else {
                    let limits = &group.hierarchy().context().limits;
                    NodeMetadata::from_json(Json::Object(copy.clone()), limits).map_err(|e| e.at_node(&path))?;
                    self.lost.push((path, copy));
                }
            }
        }
        Ok(())
    }
}

/// A document without what means nothing: zarr-python writes all defaults into its copies.
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

/// True if there is a document, also one of a node that cannot be opened. A directory of other files is no node.
fn is_node(group: &Group, below: &str, child: &Result<Node>) -> Result<bool> {
    match child {
        Ok(_) => Ok(true),
        // A group that is found again by a link is no node of its own.
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound | ErrorKind::Loop(_)) => Ok(false),
        Err(_) => group.hierarchy().metadata(&group.path().join(below)?).map(|_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{
        Context, Hierarchy,
        store::MemoryStore,
        zarr_core::{
            metadata::GroupMetadata,
            store::{Key, WriteableStore},
        },
    };
    use std::sync::Arc;

    /// Takes minutes when each node is looked for among all copies.
    #[test]
    fn many_nodes_are_compared_with_many_copies() {
        let (store, empty) = (MemoryStore::default(), GroupMetadata::new(Object::new()));
        let names: Vec<String> = (0..10_000).map(|i| format!("node {i:05}")).collect();
        let set = |key: &str, group: &GroupMetadata| {
            store.set(&Key::new(key).unwrap(), group.document().to_pretty().as_bytes()).unwrap();
        };
        names.iter().for_each(|name| set(&format!("{name}/zarr.json"), &empty));
        // Names that no node can have come before those of nodes.
        let others = (0..300_000).map(|i| (format!("no//node {i}"), Object::new()));
        let copies = others.chain(names.iter().skip(1).map(|name| (name.clone(), empty.document().clone())));
        let mut root = empty.clone();
        root.set_consolidated(Some(copies.collect()));
        set("zarr.json", &root);
        let zarr = Hierarchy::new(Arc::new(store), Context::new());
        let found = Copies::of(&zarr.group("/").unwrap());
        assert_eq!(found.stale, ["there is no copy of `node 00000`"]);
        assert_eq!((found.unread.len(), found.lost.len()), (300_000, 0));
    }
}
