//! Groups: nodes that contain nodes.

use crate::{
    array::{Array, NewArray},
    hierarchy::Hierarchy,
    walk::{Children, Walk},
};
use std::borrow::Borrow;
use zarr_core::{
    Error, Result,
    json::Object,
    metadata::{GroupMetadata, NodeMetadata},
    name::NodePath,
};

/// A node of a hierarchy.
#[derive(Debug, Clone)]
pub enum Node {
    /// An array.
    Array(Box<Array>),
    /// A group.
    Group(Group),
}

impl Node {
    /// Where it is.
    pub fn path(&self) -> &NodePath {
        match self {
            Node::Array(a) => a.path(),
            Node::Group(g) => g.path(),
        }
    }
    /// The user's attributes.
    pub fn attributes(&self) -> Object {
        match self {
            Node::Array(a) => a.attributes(),
            Node::Group(g) => g.attributes(),
        }
    }
}

/// An open group.
#[derive(Debug, Clone)]
pub struct Group {
    hierarchy: Hierarchy,
    path: NodePath,
    metadata: GroupMetadata,
}

impl Group {
    pub(crate) fn new(hierarchy: Hierarchy, path: NodePath, metadata: GroupMetadata) -> Self {
        Self { hierarchy, path, metadata }
    }
    /// Where the group is in its hierarchy.
    pub fn path(&self) -> &NodePath {
        &self.path
    }
    /// The hierarchy that the group is in.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
    /// The metadata document.
    pub fn metadata(&self) -> &GroupMetadata {
        &self.metadata
    }
    /// The user's attributes.
    pub fn attributes(&self) -> Object {
        self.metadata.attributes().cloned().unwrap_or_default()
    }
    /// Replaces the user's attributes.
    ///
    /// # Errors
    /// When the document cannot be changed, and [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is.
    pub fn set_attributes(&mut self, attributes: Object) -> Result<()> {
        let (changed, renewed) = self.hierarchy.change_node(&self.path, move |m| match m {
            NodeMetadata::Group(group) => {
                group.set_attributes(attributes.clone());
                Ok(())
            }
            NodeMetadata::Array(_) => Err(Error::argument("there is an array now, not a group")),
        })?;
        if let NodeMetadata::Group(metadata) = changed {
            self.metadata = metadata;
        }
        renewed
    }
    /// What is directly below, sorted by name. Prefixes without a metadata document and nodes that cannot be opened
    /// are there with their error.
    ///
    /// # Errors
    /// When the store cannot list, and the groups above have no copies of metadata.
    pub fn children(&self) -> Result<Children> {
        Children::of(&self.hierarchy, &self.path)
    }
    /// All that is below, parents before their children.
    pub fn walk(&self) -> Walk {
        Walk::of(&self.hierarchy, &self.path)
    }
    fn below(&self, path: &str) -> Result<String> {
        let path = self.path.join(path).map_err(|e: Error| e.at_node(&self.path))?;
        Ok(path.to_string())
    }
    /// Opens the node at a path relative to this group.
    pub fn node(&self, path: &str) -> Result<Node> {
        self.hierarchy.node(&self.below(path)?)
    }
    /// Opens the array at a path relative to this group.
    pub fn array(&self, path: &str) -> Result<Array> {
        self.hierarchy.array(&self.below(path)?)
    }
    /// Opens the group at a path relative to this group.
    pub fn group(&self, path: &str) -> Result<Group> {
        self.hierarchy.group(&self.below(path)?)
    }
    /// Creates an array at a path relative to this group.
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        self.hierarchy.create_array(&self.below(path)?, new)
    }
    /// Creates a group at a path relative to this group.
    pub fn create_group(&self, path: &str, attributes: Object) -> Result<Group> {
        self.hierarchy.create_group(&self.below(path)?, attributes)
    }
    /// Removes the node at a path relative to this group, with everything below it.
    pub fn erase(&self, path: &str) -> Result<()> {
        self.hierarchy.erase(&self.below(path)?)
    }
}
