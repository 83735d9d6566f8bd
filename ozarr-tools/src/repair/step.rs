//! A single step of a repair.

use super::report::{Action, Repair};
use crate::{
    consolidated::{StaleCopy, consolidate},
    shards::Shards,
};
use ozarr::{
    Array, Error, Hierarchy, Result,
    zarr_core::{
        name::NodePath,
        store::{Key, Prefix},
    },
};
use std::{io, sync::Arc};

/// A possible repair.
pub(super) struct Step {
    pub(super) node: NodePath,
    pub(super) how: How,
    /// Why the step failed.
    pub(super) error: Option<Arc<Error>>,
}

/// What the step does, with the data it needs.
pub(super) enum How {
    /// The name of the temporary file.
    RemoveOrphan(String),
    /// The key and the text.
    RecreateDocument(Key, String),
    Consolidate(Vec<StaleCopy>),
    /// The array, and the key and chunk index of the shard.
    RebuildIndex(Box<Array>, String, Vec<u64>),
}

impl Step {
    pub(super) fn new(node: &NodePath, how: How) -> Self {
        Self { node: node.clone(), how, error: None }
    }
    pub(super) fn report(self) -> Repair {
        let action = match self.how {
            How::RemoveOrphan(name) => Action::RemoveOrphan { name },
            How::RecreateDocument(key, _) => Action::RecreateDocument { key: key.to_string() },
            How::Consolidate(stale) => Action::Consolidate { stale },
            How::RebuildIndex(_, key, chunk_index) => Action::RebuildIndex { key, chunk_index },
        };
        Repair { node: self.node, action, error: self.error }
    }
    /// Returns the name of the temporary file to remove.
    fn orphan(&self) -> Option<&str> {
        match &self.how {
            How::RemoveOrphan(name) => Some(name),
            _ => None,
        }
    }
    /// Applies the step. Temporary files are [removed](erase_orphans) together.
    pub(super) fn apply(&self, hierarchy: &Hierarchy) -> Result<()> {
        match &self.how {
            How::RemoveOrphan(_) => Ok(()),
            How::RecreateDocument(key, text) => {
                let is_new = hierarchy.store().writer()?.set_if_absent(key, text.as_bytes())?;
                // Another repair may have been faster: any readable document is the missing one.
                if is_new { Ok(()) } else { hierarchy.metadata(&self.node).map(|_| ()) }
            }
            // The current state counts: a copy that is all that is left of a document is never replaced.
            How::Consolidate(_) => consolidate(hierarchy, &self.node.to_string()).map(|_| ()),
            How::RebuildIndex(array, key, chunk_index) => {
                let shard = Shards::of(array)?.map(|shards| shards.look(array, chunk_index)).transpose()?.flatten();
                let changed = || Error::data("the shard was modified concurrently and cannot be repaired").at_key(key);
                let replaced =
                    shard.ok_or_else(changed).and_then(|(old, new)| Shards::replace(array, chunk_index, &old, &new));
                // Another repair may have been faster: the step succeeded if the shard can be read now.
                replaced.or_else(|e| array.chunk(chunk_index).and_then(|chunk| chunk.check()).map_err(|_| e))
            }
        }
    }
}

/// Removes temporary files of killed writers, and records the outcome with each step.
pub(super) fn erase_orphans(hierarchy: &Hierarchy, node: &NodePath, steps: &mut Vec<Step>) {
    let (store, prefix) = (hierarchy.store(), Prefix::of(node));
    if !steps.iter().any(|step| step.orphan().is_some()) {
        return;
    }
    let erased = store.writer().and_then(|w| w.erase_orphans(&prefix)).map_err(Arc::new);
    let left = store.lister().and_then(|l| l.list_orphans(&prefix)).map_err(Arc::new);
    for step in steps.iter_mut() {
        let Some(name) = step.orphan() else { continue };
        step.error = match (&erased, &left) {
            (_, Ok(left)) if !left.iter().any(|n| n == name) => None,
            (Err(e), _) | (Ok(_), Err(e)) => Some(e.clone()),
            (Ok(_), Ok(_)) => Some(Arc::new(io::Error::other("the file still exists").into())),
        };
    }
    // Left by writers killed after the steps were found.
    let mut more: Vec<String> = erased.unwrap_or_default();
    more.retain(|name| !steps.iter().any(|step| step.orphan() == Some(name)));
    steps.extend(more.into_iter().map(|name| Step::new(node, How::RemoveOrphan(name))));
}
