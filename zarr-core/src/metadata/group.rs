//! The metadata document of a group. Specification: core, "Group metadata".

use super::{Consolidated, check_attributes, check_unknown, set_attributes};
use crate::{
    error::Result,
    json::{Json, Object},
};

/// The metadata document of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupMetadata {
    document: Object,
}

impl GroupMetadata {
    /// Creates the metadata of a group with these attributes.
    pub fn new(attributes: Object) -> Self {
        let mut document: Object = [("zarr_format", Json::from(3u8))].into_iter().collect();
        document.set("node_type", "group");
        document.set("attributes", attributes);
        Self { document }
    }
    pub(super) fn from_object(document: Object) -> Result<Self> {
        check_attributes(&document)?;
        // Some writers leave `consolidated_metadata` as null.
        let known: &[&str] = match document.get("consolidated_metadata") {
            Some(Json::Null) => &["zarr_format", "node_type", "attributes", "consolidated_metadata"],
            _ => &["zarr_format", "node_type", "attributes"],
        };
        check_unknown(&document, known)?;
        Ok(Self { document })
    }
    /// Returns the document.
    pub fn document(&self) -> &Object {
        &self.document
    }
    /// Returns the user's attributes.
    pub fn attributes(&self) -> Option<&Object> {
        self.document.get("attributes")?.as_object()
    }
    /// Replaces the user's attributes.
    pub fn set_attributes(&mut self, attributes: Object) {
        set_attributes(&mut self.document, attributes);
    }
    /// Returns the consolidated metadata of all nodes below the group, if the document contains it.
    pub fn consolidated(&self) -> Option<Consolidated<'_>> {
        Consolidated::of(&self.document)
    }
    /// Sets the consolidated metadata of the nodes below the group, or removes it with `None`.
    pub fn set_consolidated(&mut self, nodes: Option<Object>) {
        match nodes {
            Some(nodes) => match self.document.get_mut("consolidated_metadata") {
                // Preserves the other members of `consolidated_metadata`.
                Some(Json::Object(member)) if member.get("kind").and_then(Json::as_str) == Some("inline") => {
                    member.set("metadata", nodes);
                }
                _ => self.document.set("consolidated_metadata", Consolidated::member(nodes)),
            },
            None => {
                self.document.remove("consolidated_metadata");
            }
        }
    }
}
