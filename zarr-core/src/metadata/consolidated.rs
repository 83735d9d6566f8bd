//! Consolidated metadata: copies of the documents of all nodes below a group, inline in the group's document.
//!
//! A node's own document always wins. The copies are used only where a caller asks for them or the store cannot list.
//!
//! ```
//! # use zarr_core::{json::Json, metadata::NodeMetadata};
//! let text = br#"{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {
//!     "must_understand": false, "kind": "inline", "metadata": {"a": {"zarr_format": 3, "node_type": "group"}}}}"#;
//! let NodeMetadata::Group(group) = NodeMetadata::parse(text, &Default::default())? else { unreachable!() };
//! assert!(group.consolidated().is_some_and(|c| c.get("a").is_some()));
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::json::{Json, Object};

/// Copies of the documents of all nodes below a group, by path relative to the group.
#[derive(Debug, Clone, Copy)]
pub struct Consolidated<'g>(&'g Object);

impl<'g> Consolidated<'g> {
    /// Returns the consolidated metadata of a group; `None` if it is absent or of an unknown kind.
    pub(super) fn of(group: &'g Object) -> Option<Self> {
        let member = group.get("consolidated_metadata")?.as_object()?;
        let inline = member.get("kind")?.as_str() == Some("inline");
        inline.then(|| member.get("metadata")?.as_object()).flatten().map(Self)
    }
    pub(super) fn member(nodes: Object) -> Object {
        let mut member = Object::new();
        member.set("kind", "inline");
        member.set("must_understand", false);
        member.set("metadata", nodes);
        member
    }
    /// Returns the copy of the document of a node.
    pub fn get(&self, path: &str) -> Option<&'g Json> {
        self.0.get(path)
    }
    /// Returns all copies, with the paths of their nodes.
    pub fn iter(&self) -> impl Iterator<Item = (&'g str, &'g Json)> + use<'g> {
        self.0.iter()
    }
    /// Returns all copies as a JSON object.
    pub fn nodes(&self) -> &'g Object {
        self.0
    }
}
