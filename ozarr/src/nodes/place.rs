//! What lies where a new node is to be. Only nodes are overwritten: nothing else that is stored may be lost, hidden by a new
//! node or taken for a part of it.

use super::{IsChunk, Nodes};
use zarr_core::{
    Error, ErrorKind, Result,
    error::Occupant,
    name::NodePath,
    store::{ListableStore, Prefix},
};

impl Nodes {
    /// Refuses a place where anything is stored and no node.
    pub(super) fn check_vacant(&self, path: &NodePath) -> Result<()> {
        self.check_place(path, None)
    }
    /// Refuses a place without a node for an array that would read what is stored there as its chunks, or hide nodes. Other
    /// keys may be there: a storage transformer may read them.
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
            // It may be of a node that somebody else has created since its directory was listed.
            Some(occupant) if !self.has_document(path)? => Err(occupied(path, occupant)),
            _ => Ok(()),
        }
    }
    /// The first that is found: directories are listed one by one until then.
    fn occupant(
        &self,
        lister: &dyn ListableStore,
        path: &NodePath,
        is_chunk: Option<IsChunk<'_>>,
    ) -> Result<Option<Occupant>> {
        // With each prefix how many there are above it, and of those on the way to the last the URIs: a link may lead back to one.
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
                // Of a node that is there meanwhile, all is its own.
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
    e.with_hint("give another path, or remove what is there")
}
