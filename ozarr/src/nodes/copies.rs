//! Copies of the documents of nodes in the groups above them: consolidated metadata, as zarr-python writes it.

use super::{Below, Nodes};
use crate::event::event;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};
use zarr_core::{
    Error, ErrorKind, Result,
    json::{Json, Object},
    metadata::NodeMetadata,
    name::NodePath,
};

impl Nodes {
    /// Returns true if the copies in the root group are used.
    pub(crate) fn is_consolidated(&self) -> bool {
        self.consolidated.is_some()
    }
    /// Returns nodes that read metadata from the copies in the root group where there are any.
    pub(crate) fn with_consolidated_metadata(&self) -> Result<Self> {
        let NodeMetadata::Group(root) = self.stored_metadata(&NodePath::ROOT)? else {
            return Err(Error::metadata("the root is an array, which has no consolidated metadata"));
        };
        let copies = root.consolidated().ok_or_else(|| {
            Error::metadata("the root group has no consolidated metadata")
                .with_hint("create it with `Hierarchy::consolidate` (CLI: `ozarr consolidate`)")
        })?;
        let nodes = copies.iter().map(|(path, copy)| (path.to_owned(), copy.clone())).collect();
        Ok(Self { consolidated: Some(Arc::new(nodes)), ..self.clone() })
    }
    /// Returns nodes that read metadata from the documents of the nodes.
    pub(crate) fn without_consolidated_metadata(&self) -> Self {
        Self { consolidated: None, ..self.clone() }
    }
    pub(super) fn copied_metadata(&self, path: &NodePath) -> Option<Result<NodeMetadata>> {
        let copy = self.consolidated.as_ref()?.get(path.as_key())?;
        event!(DEBUG, "read metadata from consolidated metadata", node = path);
        let metadata = NodeMetadata::from_json(copy.clone(), &self.context.limits);
        Some(metadata.map_err(|e| e.at_node(path)))
    }
    /// Runs `f`, and then updates the copies of all changed nodes in the groups above at once, even if `f` fails.
    /// Visits each group above once, not once for each node below it.
    pub(crate) fn batch<R>(&self, f: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let changed = Arc::new(Mutex::new(Some(Vec::new())));
        let done = f(&Self { batch: Some(changed.clone()), ..self.clone() });
        let changed = changed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let renewed = self.note_changes(changed.unwrap_or_default());
        done.and_then(|done| renewed.map(|()| done))
    }
    /// Updates the copies in the groups above a changed node, where there are any.
    pub(super) fn note_change(&self, path: &NodePath, below: Below) -> Result<()> {
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
        // From the innermost group out. If one fails, the others are still updated.
        let mut outcome = Ok(());
        for group in groups.into_iter().rev() {
            let renewed = self.renew_group(&group, &changed).map_err(|reason| stale(&group, reason));
            if let Err(e) = &renewed {
                event!(WARN, "consolidated metadata is stale", group = group, error = e);
            }
            outcome = outcome.and(renewed);
        }
        outcome
    }
    fn renew_group(&self, group: &NodePath, changed: &[(NodePath, Below)]) -> Result<()> {
        // Most groups have no copies, and stay as they are.
        match self.stored_metadata(group) {
            Ok(NodeMetadata::Group(group))
                if matches!(group.document().get("consolidated_metadata"), Some(Json::Object(_))) => {}
            // A node without a valid document has no copies that could be used.
            Err(e)
                if !matches!(e.kind(), ErrorKind::NodeNotFound | ErrorKind::Metadata(_) | ErrorKind::Json { .. }) =>
            {
                return Err(e);
            }
            _ => return Ok(()),
        }
        for below in [Below::Stays, Below::Goes, Below::Replaced] {
            let same = changed.iter().filter(|(_, b)| *b == below);
            let relative: BTreeSet<&str> =
                same.filter_map(|(p, _)| p.relative_to(group).filter(|p| !p.is_empty())).collect();
            if !relative.is_empty() {
                self.renew_copies(group, &relative, below)?;
            }
        }
        Ok(())
    }
    /// Updates the copies of some nodes in a group. `paths` are relative to the group. Unless `below` is `Stays`, also
    /// updates the copies of all nodes below them.
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
                // Copies of an unknown kind would now be wrong.
                event!(
                    WARN,
                    "removed consolidated metadata of an unknown kind because it would be stale",
                    group = group
                );
                node.set_consolidated(None);
                return Ok(());
            };
            let is_inside = |p: &str| p.match_indices('/').any(|(i, _)| paths.contains(&p[..i]));
            let inside = copies.iter().map(|(p, _)| p).filter(|p| below != Below::Stays && is_inside(p));
            let mut now = BTreeMap::new();
            for path in inside.chain(paths.iter().copied()).chain(new.iter().map(String::as_str)) {
                // The document as it is now: if several writers change it, the last one to come here has seen what all
                // of them stored.
                let own = match self.stored_metadata(&group.join(path)?) {
                    Ok(node) => Some(copy_of(&node)),
                    Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => None,
                    Err(e) => return Err(e),
                };
                now.insert(path, own);
            }
            node.set_consolidated(Some(copies_with(&copies, now)));
            Ok(())
        };
        self.rewrite(group, renew).map(|_| ())
    }

    /// Writes copies of the documents of all nodes below a group into it.
    pub(crate) fn consolidate(&self, path: &NodePath) -> Result<()> {
        if let NodeMetadata::Array(_) = self.stored_metadata(path)? {
            return Err(Error::argument("expected a group, found an array").at_node(path));
        }
        let copied = self.documents_below(path)?;
        let (_, above) = self.change(path, |m| {
            if let NodeMetadata::Group(group) = m {
                group.set_consolidated(Some(copied.clone().into_iter().collect()));
            }
            Ok(())
        })?;
        // Writers that change a node from now on find copies and update theirs. Earlier writers found none, or their
        // copies were replaced by older documents: then the stored document differs from the one that was copied.
        let now = self.documents_below(path)?;
        let gone = copied.keys().filter(|p| !now.contains_key(*p));
        let other = now.iter().filter(|(p, document)| copied.get(*p) != Some(document)).map(|(p, _)| p);
        let changed: BTreeSet<&str> = other.chain(gone).map(String::as_str).collect();
        match changed.is_empty() {
            true => above,
            false => self.renew_copies(path, &changed, Below::Stays).and(above),
        }
    }
    /// Returns copies of the documents of all nodes below a group, by their paths relative to it.
    fn documents_below(&self, path: &NodePath) -> Result<BTreeMap<String, Object>> {
        let plain = self.without_consolidated_metadata();
        // For each group, the number of groups above it. `way` has the URIs of those above the current one, to detect
        // links that form a loop.
        let (mut nodes, mut left, mut way) = (BTreeMap::new(), vec![(path.clone(), 0, plain.uri(path))], Vec::new());
        while let Some((at, depth, own)) = left.pop() {
            way.truncate(depth);
            way.push(own);
            for name in plain.entries(&at)?.names {
                let child = at.child(&name)?;
                let metadata = match plain.stored_metadata(&child) {
                    // A prefix without a document is not a node.
                    Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => continue,
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

fn stale(group: &NodePath, reason: Error) -> Error {
    let e = Error::new(ErrorKind::StaleCopies { group: group.to_string(), reason });
    e.with_hint("fix that group, then call `Hierarchy::consolidate` (CLI: `ozarr consolidate`)")
}

/// Returns the copy of a node's document.
fn copy_of(node: &NodeMetadata) -> Object {
    let mut copy = node.document().clone();
    copy.remove("consolidated_metadata");
    copy
}

/// Returns the copies in their order, with those of some nodes replaced or removed.
fn copies_with(copies: &Object, mut now: BTreeMap<&str, Option<Object>>) -> Object {
    let kept = copies.iter().filter_map(|(p, copy)| match now.remove(p) {
        None => Some((p, copy.clone())),
        Some(own) => own.map(|own| (p, Json::Object(own))),
    });
    let kept: Vec<(&str, Json)> = kept.collect();
    let new = now.into_iter().filter_map(|(p, own)| Some((p, Json::Object(own?))));
    kept.into_iter().chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would take minutes if each copy were inserted one by one.
    #[test]
    fn many_copies_are_updated_in_one_pass() {
        let names: Vec<String> = (0..200_000).map(|i| format!("node {i:06}")).collect();
        let document = |text: &str| [("is", text)].into_iter().collect::<Object>();
        let old: Object = names.iter().rev().step_by(2).map(|name| (name, document("old"))).collect();
        let now = |(i, name): (usize, &'_ String)| if i % 4 == 3 { None } else { Some(document(name)) };
        let all = names.iter().enumerate().map(|n| (n.1.as_str(), now(n))).collect();
        let renewed = copies_with(&old, all);
        assert_eq!(renewed.len(), 150_000);
        assert!(renewed.iter().all(|(name, copy)| copy.as_object().is_some_and(|o| *o == document(name))));
        let there: Vec<&str> = renewed.iter().map(|(name, _)| name).collect();
        // Existing copies stay in their order, and new ones follow.
        assert_eq!(there[..2], ["node 199997", "node 199993"]);
        assert_eq!(there[50_000..50_002], ["node 000000", "node 000002"]);
    }
}
