//! Finds the possible repairs of a hierarchy.

use super::{
    documents,
    options::RepairOptions,
    report::{Subject, Unexamined},
    step::{How, Step},
};
use crate::{
    consolidated::{ConsolidatedCheck, LostDocument},
    progress::Stage,
    shards::Shards,
};
use ozarr::{
    Array, Error, Group, Hierarchy, Json, Node, Object, Result,
    zarr_core::{
        name::NodePath,
        store::{Key, Prefix},
    },
};
use std::{collections::BTreeMap, sync::Arc};

/// The steps found so far.
pub(super) struct Steps<'a> {
    options: &'a RepairOptions<'a>,
    /// By key: missing documents with their contents. `None`: copies differ.
    documents: BTreeMap<Key, (NodePath, Option<Object>)>,
    all: Vec<Step>,
    unexamined: Vec<Unexamined>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(options: &'a RepairOptions<'a>) -> Self {
        Self { options, documents: BTreeMap::new(), all: Vec::new(), unexamined: Vec::new() }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.all.is_empty() && self.unexamined.is_empty()
    }
    fn add(&mut self, node: &NodePath, how: How) {
        self.all.push(Step::new(node, how));
    }
    /// Records that it is unknown whether a repair is needed.
    pub(super) fn unknown(&mut self, node: &NodePath, subject: Subject, e: Error) {
        self.unexamined.push(Unexamined { node: node.clone(), subject, error: Arc::new(e.at_node(node)) });
    }
    pub(super) fn orphans(&mut self, hierarchy: &Hierarchy, node: &NodePath) {
        match hierarchy.store().lister().and_then(|l| l.list_orphans(&Prefix::of(node))) {
            Ok(names) => names.into_iter().for_each(|name| self.add(node, How::RemoveOrphan(name))),
            Err(e) => self.unknown(node, Subject::Orphans, e),
        }
    }
    /// Finds the steps for a node and those below, deepest groups first.
    pub(super) fn node(&mut self, node: Node) {
        let group = match node {
            Node::Array(array) => return self.array(&array),
            Node::Group(group) => group,
        };
        // The groups on the path: copies in a group are checked after everything below it.
        let (mut walk, mut way) = (group.walk(), vec![group]);
        while let Some(child) = walk.next() {
            // An error belongs to the group that was found last.
            let depth = walk.depth() + usize::from(child.is_err());
            while way.len() > depth {
                way.pop().iter().for_each(|group| self.copies(group));
            }
            match child {
                Ok(child) => match child.node {
                    Ok(Node::Array(array)) => self.array(&array),
                    Ok(Node::Group(group)) => way.push(group),
                    // Nodes that cannot be opened are reported by validation.
                    Err(_) => {}
                },
                Err(e) => {
                    let group = way.last().map_or(NodePath::ROOT, |group| group.path().clone());
                    self.unknown(&group, Subject::Nodes, e);
                }
            }
        }
        way.iter().rev().for_each(|group| self.copies(group));
    }
    fn array(&mut self, array: &Array) {
        if self.options.data
            && let Err(e) = self.shards(array)
        {
            self.unknown(array.path(), Subject::Shards, e);
        }
    }
    fn copies(&mut self, group: &Group) {
        let copies = ConsolidatedCheck::of(group);
        for LostDocument { node, copy, .. } in copies.lost {
            let same = self.documents.entry(Key::metadata(&node));
            let (_, known) = same.or_insert_with(|| (node, Some(copy.clone())));
            if known.as_ref().is_some_and(|known| !Json::Object(known.clone()).is_same(&Json::Object(copy))) {
                *known = None;
            }
        }
        if !copies.stale.is_empty() && copies.unread.is_empty() {
            self.add(group.path(), How::Consolidate(copies.stale));
        }
        for e in copies.unread {
            self.unknown(group.path(), Subject::ConsolidatedMetadata, e);
        }
    }
    /// Finds shards whose indexes can be rebuilt.
    fn shards(&mut self, array: &Array) -> Result<()> {
        let Some(shards) = Shards::of(array)? else { return Ok(()) };
        let stored = array.stored_keys()?;
        for e in stored.errors {
            self.unknown(array.path(), Subject::Key(e.key().unwrap_or_default().to_owned()), e);
        }
        self.options.progress.begin(Stage::Shards, stored.chunks.len() as u64);
        for chunk_index in stored.chunks {
            self.options.progress.add(1);
            let key = format!("{}{}", Prefix::of(array.path()), array.chunk_key(&chunk_index)?);
            match shards.look(array, &chunk_index) {
                Ok(None) => {}
                // The index is rebuilt again when the step is applied, so that only one shard at a time is in memory.
                Ok(Some(_)) => {
                    self.add(array.path(), How::RebuildIndex(Box::new(array.clone()), key, chunk_index));
                }
                Err(e) => self.unknown(array.path(), Subject::Key(key), e),
            }
        }
        Ok(())
    }
    /// Returns all steps, with documents before the consolidated metadata that copies them, and everything that could
    /// not be examined.
    pub(super) fn all(mut self, hierarchy: &Hierarchy) -> (Vec<Step>, Vec<Unexamined>) {
        let (others, unexamined) = (std::mem::take(&mut self.all), std::mem::take(&mut self.unexamined));
        for (key, (node, copy)) in std::mem::take(&mut self.documents) {
            let differ =
                || Error::metadata("the metadata document is missing and its consolidated copies differ").at_key(&key);
            let agreed = copy.ok_or_else(differ).and_then(|copy| {
                documents::check(hierarchy, &node, &copy)?;
                Ok(copy)
            });
            match agreed {
                Ok(copy) => self.add(&node, How::RecreateDocument(key, Json::Object(copy).to_pretty())),
                Err(e) => self.unknown(&node, Subject::Key(key.to_string()), e),
            }
        }
        self.all.extend(others);
        self.unexamined.extend(unexamined);
        (self.all, self.unexamined)
    }
}
