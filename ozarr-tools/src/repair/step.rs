//! One step of a repair, and how it is done.

use super::report::{Action, Repair};
use crate::{consolidated::consolidate, shards::Shards};
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
    pub(super) node: String,
    pub(super) how: How,
    /// What it is done to, or why.
    pub(super) subject: String,
    /// Why it was not done.
    pub(super) error: Option<Arc<Error>>,
}

/// What is done, and with what.
pub(super) enum How {
    Find,
    RemoveOrphan,
    /// With its text.
    RecreateDocument(String),
    Consolidate,
    RebuildIndex(Box<Array>, Vec<u64>),
}

impl Step {
    pub(super) fn new(node: &NodePath, how: How, subject: String, error: Option<Arc<Error>>) -> Self {
        Self { node: node.to_string(), how, subject, error }
    }
    pub(super) fn report(self) -> Repair {
        let action = match self.how {
            How::Find => Action::Find,
            How::RemoveOrphan => Action::RemoveOrphan,
            How::RecreateDocument(_) => Action::RecreateDocument,
            How::Consolidate => Action::Consolidate,
            How::RebuildIndex(..) => Action::RebuildIndex,
        };
        Repair { node: self.node, action, subject: self.subject, error: self.error }
    }
}

impl Step {
    /// Does it. Temporary files are [removed](erase_orphans) together.
    pub(super) fn apply(&self, hierarchy: &Hierarchy) -> Result<()> {
        match &self.how {
            How::Find | How::RemoveOrphan => Ok(()),
            How::RecreateDocument(text) => {
                let is_new = hierarchy.store().writer()?.set_if_absent(&Key::new(&*self.subject)?, text.as_bytes())?;
                // Another repair may have been faster: any document that can be read is what was missing.
                if is_new { Ok(()) } else { hierarchy.metadata(&NodePath::new(&self.node)?).map(|_| ()) }
            }
            // As it is now: a copy that is all that is left of a document is never replaced.
            How::Consolidate => consolidate(hierarchy, &self.node).map(|_| ()),
            How::RebuildIndex(array, chunk_index) => {
                let shard = Shards::of(array, array.hierarchy().context())?
                    .map(|shards| shards.look(array, chunk_index))
                    .transpose()?
                    .flatten();
                let changed =
                    || Error::data("this shard has changed and can no longer be repaired").at_key(&self.subject);
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
    let is_orphan = |s: &Step| matches!(s.how, How::RemoveOrphan);
    if !steps.iter().any(is_orphan) {
        return;
    }
    let erased = store.writer().and_then(|w| w.erase_orphans(&prefix)).map_err(Arc::new);
    let left = store.lister().and_then(|l| l.list_orphans(&prefix)).map_err(Arc::new);
    for step in steps.iter_mut().filter(|s| is_orphan(s)) {
        step.error = match (&erased, &left) {
            (_, Ok(left)) if !left.contains(&step.subject) => None,
            (Err(e), _) | (Ok(_), Err(e)) => Some(e.clone()),
            (Ok(_), Ok(_)) => Some(Arc::new(io::Error::other("it is still there").into())),
        };
    }
    // Left behind since the steps were found.
    let more: Vec<String> = erased.unwrap_or_default();
    let more = more.into_iter().filter(|name| !steps.iter().any(|s| s.subject == *name)).collect::<Vec<_>>();
    steps.extend(more.into_iter().map(|name| Step::new(node, How::RemoveOrphan, name, None)));
}
