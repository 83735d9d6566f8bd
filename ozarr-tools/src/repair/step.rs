//! One step of a repair, and how it is done.

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

/// Something that can be made right.
pub(super) struct Step {
    pub(super) node: NodePath,
    pub(super) how: How,
    /// Why it was not done.
    pub(super) error: Option<Arc<Error>>,
}

/// What is done, and with what.
pub(super) enum How {
    /// By its name.
    RemoveOrphan(String),
    /// With its key and its text.
    RecreateDocument(Key, String),
    Consolidate(Vec<StaleCopy>),
    /// With the key and the chunk index of the shard.
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
    /// The name of a temporary file that is removed.
    fn orphan(&self) -> Option<&str> {
        match &self.how {
            How::RemoveOrphan(name) => Some(name),
            _ => None,
        }
    }
    /// Does it. Temporary files are [removed](erase_orphans) together.
    pub(super) fn apply(&self, hierarchy: &Hierarchy) -> Result<()> {
        match &self.how {
            How::RemoveOrphan(_) => Ok(()),
            How::RecreateDocument(key, text) => {
                let is_new = hierarchy.store().writer()?.set_if_absent(key, text.as_bytes())?;
                // Another repair may have been faster: any document that can be read is what was missing.
                if is_new { Ok(()) } else { hierarchy.metadata(&self.node).map(|_| ()) }
            }
            // As it is now: a copy that is all that is left of a document is never replaced.
            How::Consolidate(_) => consolidate(hierarchy, &self.node.to_string()).map(|_| ()),
            How::RebuildIndex(array, key, chunk_index) => {
                let shard = Shards::of(array)?.map(|shards| shards.look(array, chunk_index)).transpose()?.flatten();
                let changed = || Error::data("the shard was modified concurrently and cannot be repaired").at_key(key);
                let replaced =
                    shard.ok_or_else(changed).and_then(|(old, new)| Shards::replace(array, chunk_index, &old, &new));
                // Another repair may have been faster: what counts is whether the shard can be read now.
                replaced.or_else(|e| array.chunk(chunk_index).and_then(|chunk| chunk.check()).map_err(|_| e))
            }
        }
    }
}

/// Removes what writers left behind, and notes with each step what became of it.
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
    // Left behind since the steps were found.
    let mut more: Vec<String> = erased.unwrap_or_default();
    more.retain(|name| !steps.iter().any(|step| step.orphan() == Some(name)));
    steps.extend(more.into_iter().map(|name| Step::new(node, How::RemoveOrphan(name))));
}
