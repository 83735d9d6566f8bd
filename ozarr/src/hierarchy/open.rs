//! Opening and creating arrays and groups by their paths.

use super::Hierarchy;
use crate::{
    array::{Array, NewArray},
    attributes::to_attributes,
    group::{Group, Node},
};
use serde::Serialize;
use std::borrow::Borrow;
use zarr_core::{
    Error, Result,
    metadata::{ArrayMetadata, GroupMetadata, NodeMetadata},
    name::NodePath,
};

impl Hierarchy {
    /// Opens the node at a path.
    pub fn node(&self, path: &str) -> Result<Node> {
        self.node_at(&NodePath::new(path)?)
    }
    pub(crate) fn node_at(&self, path: &NodePath) -> Result<Node> {
        Node::of(self, path, self.metadata(path)?)
    }
    /// Opens the array at a path.
    pub fn array(&self, path: &str) -> Result<Array> {
        self.node(path)?.into_array()
    }
    /// The array that a document describes, over the data at a path, whatever document is stored there.
    pub fn array_with(&self, path: &NodePath, metadata: ArrayMetadata) -> Result<Array> {
        Array::of(self.clone(), path.clone(), metadata)
    }
    /// Opens the group at a path.
    pub fn group(&self, path: &str) -> Result<Group> {
        self.node(path)?.into_group()
    }
    /// Creates an array, and groups above it where there are none.
    ///
    /// # Errors
    /// [`NodeAlreadyExists`](zarr_core::ErrorKind::NodeAlreadyExists) unless it is to be overwritten; of several creators exactly one wins.
    /// [`Occupied`](zarr_core::ErrorKind::Occupied) where no node is, but keys that the array would show as its chunks, or nodes that it
    /// would hide; a store that cannot list does not tell. [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is created.
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        new.borrow().create(self, NodePath::new(path)?)
    }
    /// Creates an array from its metadata document. Members that the specification lets a user leave out are chosen.
    pub fn create_array_from(&self, path: &str, metadata: ArrayMetadata, overwrite: bool) -> Result<Array> {
        Array::create(self, NodePath::new(path)?, metadata, overwrite)
    }
    /// Creates a group, and groups above it where there are none.
    pub fn create_group(&self, path: &str, attributes: impl Serialize) -> Result<Group> {
        self.create_group_from(path, GroupMetadata::new(to_attributes(&attributes)?))
    }
    /// Creates a group from its metadata document.
    pub fn create_group_from(&self, path: &str, metadata: GroupMetadata) -> Result<Group> {
        let path = NodePath::new(path)?;
        self.nodes().create(&path, &NodeMetadata::Group(metadata.clone()), false, None)?;
        Ok(Group::new(self.clone(), path, metadata))
    }
}

/// Paths are relative to the group.
impl Group {
    fn below(&self, path: &str) -> Result<String> {
        let path = self.path().join(path).map_err(|e: Error| e.at_node(self.path()))?;
        Ok(path.to_string())
    }
    /// Opens the node at a path relative to this group.
    pub fn node(&self, path: &str) -> Result<Node> {
        self.hierarchy().node(&self.below(path)?)
    }
    /// Opens the array at a path relative to this group.
    pub fn array(&self, path: &str) -> Result<Array> {
        self.hierarchy().array(&self.below(path)?)
    }
    /// Opens the group at a path relative to this group.
    pub fn group(&self, path: &str) -> Result<Group> {
        self.hierarchy().group(&self.below(path)?)
    }
    /// Creates an array at a path relative to this group.
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        self.hierarchy().create_array(&self.below(path)?, new)
    }
    /// Creates a group at a path relative to this group.
    pub fn create_group(&self, path: &str, attributes: impl Serialize) -> Result<Group> {
        self.hierarchy().create_group(&self.below(path)?, attributes)
    }
    /// Removes the node at a path relative to this group, with everything below it.
    pub fn erase(&self, path: &str) -> Result<()> {
        self.hierarchy().erase(&self.below(path)?)
    }
}
