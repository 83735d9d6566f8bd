//! Nodes that are complete before a reader sees them.

use super::{Below, Nodes, OVERWRITE, exists, place::occupied};
use zarr_core::{Error, ErrorKind, Result, name::NodePath, store::Prefix};

impl Nodes {
    /// Builds a node with everything below it apart from its place, and then moves it there. `build` receives nodes
    /// that contain only this one and those below it. In a store that cannot stage, the old node is erased first, and
    /// `build` writes to the final place.
    pub(crate) fn build<T>(
        &self,
        path: &NodePath,
        overwrite: bool,
        build: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        let (writer, prefix) = (self.store.writer()?, Prefix::of(path));
        self.missing_parents(path)?;
        let is_there = self.has_document(path)?;
        match is_there {
            true if !overwrite => return Err(exists(path).with_hint(OVERWRITE)),
            true => {}
            false => self.check_vacant(path)?,
        }
        let Some(staged) = writer.stage(&prefix).map_err(|e| e.at_node(path))? else {
            // An error of updating copies does not stop the build.
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
                .with_hint("create the node while building, and do not remove the group that contains it"));
        }
        self.batch(|batch| {
            batch.create_parents(path)?;
            let is_placed = staged.commit(overwrite).map_err(|e| match e.kind() {
                // Something was stored there in the meantime: look again, to name it in the error.
                ErrorKind::Occupied(occupant) => {
                    self.check_vacant(path).err().unwrap_or_else(|| occupied(path, occupant.clone()))
                }
                _ => e.at_node(path),
            })?;
            if !is_placed {
                return Err(exists(path).with_hint(OVERWRITE));
            }
            batch.note_change(path, Below::Replaced)
        })?;
        Ok(built)
    }
}
