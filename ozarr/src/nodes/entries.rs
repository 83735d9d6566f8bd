//! Lists the entries directly below a group.

use super::Nodes;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};
use zarr_core::{
    Error, ErrorKind, Result,
    metadata::NodeMetadata,
    name::NodePath,
    store::{Key, Other, Prefix, Store},
};

/// The entries directly below a group.
pub(crate) struct Entries {
    /// The sorted names of nodes, and of prefixes that may be nodes.
    pub(crate) names: Vec<String>,
    /// Other entries, as in a [listing](zarr_core::store::Listing::others).
    pub(crate) others: BTreeMap<String, Other>,
}

impl Nodes {
    /// Returns the entries directly below a group, without reserved names. If the store cannot list, they come from
    /// copies.
    pub(crate) fn entries(&self, path: &NodePath) -> Result<Entries> {
        if let (None, Some(lister)) = (&self.consolidated, self.store.listable()) {
            let prefix = Prefix::of(path);
            let found = lister.list_dir(&prefix).map_err(|e| e.at_node(path))?;
            let name = |p: &Prefix| p.strip(&prefix).map(|p| p.as_str().trim_end_matches('/').to_owned());
            let names = found.prefixes.iter().filter_map(name).filter(|n| !n.starts_with("__")).collect();
            let mut others = found.others;
            others.retain(|entry, _| !entry.strip_prefix(prefix.as_str()).is_some_and(|name| name.starts_with("__")));
            return Ok(Entries { names, others });
        }
        let names = self.copied_names(path).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported("listing"))
                .at_node(path)
                .with_hint("consolidate the metadata through a store that supports listing")
        })?;
        Ok(Entries { names, others: BTreeMap::new() })
    }
    /// Returns the names according to the copies in the group, or in the nearest group above it that has any.
    fn copied_names(&self, path: &NodePath) -> Option<Vec<String>> {
        let mut at = Some(path.clone());
        while let Some(group) = at {
            let relative = path.relative_to(&group).unwrap_or_default();
            let prefix = if relative.is_empty() { String::new() } else { format!("{relative}/") };
            let found = match (&self.consolidated, group.is_root()) {
                (Some(nodes), true) => {
                    let from = nodes.range::<str, _>((Bound::Included(&*prefix), Bound::Unbounded));
                    let below = from.map(|(p, _)| p.as_str()).take_while(|p| p.starts_with(&prefix));
                    Some(names_below(&prefix, below))
                }
                _ => match self.stored_metadata(&group) {
                    Ok(NodeMetadata::Group(g)) => {
                        g.consolidated().map(|c| names_below(&prefix, c.iter().map(|(p, _)| p)))
                    }
                    _ => None,
                },
            };
            if found.is_some() {
                return found;
            }
            at = group.parent();
        }
        None
    }
    /// Returns why an entry that is neither a value nor a prefix cannot be used, if it still exists and matters.
    pub(crate) fn unusable(&self, entry: &str, other: Other) -> Option<Error> {
        match (other, Key::new(entry)) {
            (Other::EmptyDirectory, _) => None,
            (Other::Loop, _) => Some(leads_back(&*self.store, entry)),
            // The entry may have been removed since it was listed.
            (Other::NotAFile, Ok(key)) => self.store.reader().and_then(|r| r.open(&key)).err(),
            _ => Some(bad_name().at_key(entry)),
        }
    }
}

/// Returns the next name of each path with a prefix, sorted.
fn names_below<'p>(prefix: &str, paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    let names: BTreeSet<&str> = paths.filter_map(|p| p.strip_prefix(prefix)?.split('/').next()).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the error of an [`Other::Loop`].
pub(crate) fn leads_back(store: &dyn Store, entry: &str) -> Error {
    let uri = |path: &str| {
        let prefix = if path.is_empty() { Prefix::ROOT } else { Prefix::new(format!("{path}/")).ok()? };
        Some(store.uri(&prefix).trim_end_matches('/').to_owned())
    };
    let mut above = entry.rmatch_indices('/').map(|(end, _)| &entry[..end]).chain([""]);
    let target = uri(entry);
    let found = above.find(|above| uri(above) == target).unwrap_or_default();
    let e = Error::new(ErrorKind::Loop(format!("/{found}"))).at_key(entry);
    e.with_hint("remove the link")
}

/// Returns the error of an [`Other::Name`].
pub(crate) fn bad_name() -> Error {
    Error::name("not valid UTF-8").with_hint("rename or remove the file or directory")
}
