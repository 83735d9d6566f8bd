//! Checks the place of a new node. Only nodes are overwritten: nothing else that is stored may be lost, hidden by a new
//! node, or read as a part of it.

use super::{IsChunk, Nodes};
use zarr_core::{
    Error, ErrorKind, Result,
    error::Occupant,
    name::NodePath,
    store::{ListableStore, Prefix},
};

impl Nodes {
    /// Refuses a place that has keys but no node.
    pub(super) fn check_vacant(&self, path: &NodePath) -> Result<()> {
        self.check_place(path, None)
    }
    /// Refuses a place without a node, if an array there would read stored keys as its chunks or hide nodes. Other keys
    /// are allowed: a storage transformer may read them.
    pub(super) fn check_array_place(&self, path: &NodePath, is_chunk: IsChunk<'_>) -> Result<()> {
        self.check_place(path, Some(is_chunk))
    }
    fn check_place(&self, path: &NodePath, is_chunk: Option<IsChunk<'_>>) -> Result<()> {
        let Some(lister) = self.store.listable() else { return Ok(()) };
        let found = match self.occupant(lister, path, is_chunk) {
            Err(e) if matches!(e.kind(), ErrorKind::Unsupported(_)) => None,
            other => other.map_err(|e| e.at_node(path))?,
        };
        match found {
            // It may belong to a node that another writer has created since the directory was listed.
            Some(occupant) if !self.has_document(path)? => Err(occupied(path, occupant)),
            _ => Ok(()),
        }
    }
    /// Returns the first occupant found. Lists one directory after another until then.
    fn occupant(
        &self,
        lister: &dyn ListableStore,
        path: &NodePath,
        is_chunk: Option<IsChunk<'_>>,
    ) -> Result<Option<Occupant>> {
        // For each prefix, the number of prefixes above it. `way` has the URIs of those above the current one, to
        // detect links that form a loop.
        let place = Prefix::of(path);
        let (mut left, mut way) = (vec![(place.clone(), 0)], Vec::new());
        while let Some((prefix, depth)) = left.pop() {
            let uri = self.store.uri(&prefix);
            way.truncate(depth);
            if way.contains(&uri) {
                continue;
            }
            way.push(uri);
            let found = lister.list_dir(&prefix)?;
            if found.keys.contains(&prefix.key("zarr.json")?) {
                let node = format!("/{}", prefix.as_str().trim_end_matches('/'));
                // If a node was created at the place in the meantime, everything below belongs to it.
                return Ok(if prefix == place { None } else { Some(Occupant::Node(node)) });
            }
            let of_chunk = |is_chunk: IsChunk<'_>| {
                found.keys.iter().find(|key| key.strip(&place).is_some_and(|name| is_chunk(name.as_str())))
            };
            let occupant = match is_chunk {
                Some(is_chunk) => of_chunk(is_chunk).map(|key| Occupant::Chunk(key.to_string())),
                None => {
                    found.keys.first().map(ToString::to_string).or(found.others.into_keys().next()).map(Occupant::Entry)
                }
            };
            if occupant.is_some() {
                return Ok(occupant);
            }
            left.extend(found.prefixes.into_iter().rev().map(|prefix| (prefix, depth + 1)));
        }
        Ok(None)
    }
}

pub(super) fn occupied(path: &NodePath, occupant: Occupant) -> Error {
    let e = Error::new(ErrorKind::Occupied(occupant)).at_node(path);
    e.with_hint("choose another path or remove the existing entry")
}
