//! Checks that source and destination do not overlap.

use ozarr::{
    Error, Hierarchy, Node, Result,
    zarr_core::{
        name::NodePath,
        store::{Key, Prefix, Store},
    },
};

/// Refuses to copy into the nodes that are being read: no node of the source may lie inside the destination or contain
/// it, through any links. Nothing that is overwritten may contain a value of the source either.
pub(super) struct Apart<'a> {
    source: &'a (dyn Store + 'static),
    /// The URI of the destination.
    place: String,
    overwrite: bool,
}

impl<'a> Apart<'a> {
    pub(super) fn new(source: &'a Hierarchy, destination: &Hierarchy, to: &NodePath, overwrite: bool) -> Self {
        let place = Self::uri(&**destination.store(), &Prefix::of(to));
        Self { source: &**source.store(), place, overwrite }
    }
    fn uri(store: &dyn Store, prefix: &Prefix) -> String {
        store.uri(prefix).trim_end_matches('/').to_owned() + "/"
    }
    pub(super) fn check(&self, node: &Node) -> Result<()> {
        let overlap = || Err(Error::argument("the source and the destination overlap").at_node(node.path()));
        let at = Self::uri(self.source, &Prefix::of(node.path()));
        if at.starts_with(&self.place) || self.place.starts_with(&at) {
            return overlap();
        }
        let values = match node {
            _ if !self.overwrite => return Ok(()),
            Node::Group(_) => [Key::metadata(node.path())].into(),
            Node::Array(_) => self.source.lister()?.list_prefix(&Prefix::of(node.path()))?,
        };
        for key in values {
            if Self::uri(self.source, &Prefix::new(format!("{key}/"))?).starts_with(&self.place) {
                return overlap();
            }
        }
        Ok(())
    }
}
