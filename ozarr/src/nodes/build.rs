//! Nodes that are complete before anybody sees them.

use super::{Hierarchy, copies::Below, exists, place::occupied};
use zarr_core::{Error, ErrorKind, Result, name::NodePath, store::Prefix};

impl Hierarchy {
    /// Builds a node, with everything below it, apart from its place and then puts it there: a reader finds what was there
    /// before or all of the new. If this fails, or the process is killed, nothing has changed.
    ///
    /// `build` is given a hierarchy that has only this node and those below it, under the same paths. Handles that it opens
    /// must be opened again afterwards, as must handles of a node that was replaced: they know its old metadata.
    ///
    /// Memory and directories can do that. Until it is done both need space, and the old data of a directory that is replaced
    /// is removed last. A directory that is the root of a file system, or on a file system that cannot exchange two names, is
    /// replaced entry by entry: meanwhile readers find no node. What the process may not remove stays as an orphaned
    /// temporary directory. In a store that cannot stage, the old node is erased first, and what `build` has stored when it
    /// fails stays.
    ///
    /// # Errors
    /// Those of `build`, and [`NodeAlreadyExists`](ErrorKind::NodeAlreadyExists) unless the node is to be overwritten; of several creators
    /// exactly one wins. [`Occupied`](ErrorKind::Occupied) where no node is but anything else, also if nodes are to be
    /// overwritten. [`StaleCopies`](ErrorKind::StaleCopies) after the node is in its place.
    pub fn build<T>(&self, path: &str, overwrite: bool, build: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.build_at(&NodePath::new(path)?, overwrite, build)
    }
    pub(super) fn build_at<T>(
        &self,
        path: &NodePath,
        overwrite: bool,
        build: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        let (writer, prefix) = (self.store.writer()?, Prefix::of(path));
        self.missing_parents(path)?;
        let is_there = self.has_document(path)?;
        match is_there {
            true if !overwrite => return Err(exists(path)),
            true => {}
            false => self.check_vacant(path)?,
        }
        let Some(staged) = writer.stage(&prefix).map_err(|e| e.at_node(path))? else {
            // Copies that cannot be renewed do not keep the node from being built.
            return self.batch(|batch| {
                if is_there {
                    writer.erase_prefix(&prefix).map_err(|e| e.at_node(path))?;
                    batch.note_change(path, Below::Goes)?;
                }
                build(batch)
            });
        };
        let apart = Self { store: staged.store(), consolidated: None, top: path.clone(), batch: None, ..self.clone() };
        let built = build(&apart)?;
        if !apart.has_document(path)? {
            return Err(Error::new(ErrorKind::NodeNotFound)
                .at_node(path)
                .with_hint("it was not built, or the group above was removed"));
        }
        self.batch(|batch| {
            batch.create_parents(path)?;
            let is_placed = staged.commit(overwrite).map_err(|e| match e.kind() {
                // What came meanwhile can be called by its name.
                ErrorKind::Occupied(occupant) => {
                    self.check_vacant(path).err().unwrap_or_else(|| occupied(path, occupant.clone()))
                }
                _ => e.at_node(path),
            })?;
            if !is_placed {
                return Err(exists(path));
            }
            batch.note_change(path, Below::Replaced)
        })?;
        Ok(built)
    }
}
