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
    /// Opens an array over the data at a path with a given metadata document, whatever document is stored there.
    pub fn array_with(&self, path: &NodePath, metadata: ArrayMetadata) -> Result<Array> {
        Array::of(self.clone(), path.clone(), metadata)
    }
    /// Opens the group at a path.
    pub fn group(&self, path: &str) -> Result<Group> {
        self.node(path)?.into_group()
    }
    /// Creates an array, and the groups above it that do not exist.
    ///
    /// # Errors
    /// - [`NodeAlreadyExists`](zarr_core::ErrorKind::NodeAlreadyExists) if there is a node and `new` does not overwrite
    ///   it. If several writers create the node at the same time, exactly one succeeds.
    /// - [`Occupied`](zarr_core::ErrorKind::Occupied) if there is no node, but keys that the array would read as its
    ///   chunks, or nodes that it would hide. A store that cannot list its keys does not detect this.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the array was created, but copies of metadata in the
    ///   groups above could not be updated.
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        new.borrow().create(self, NodePath::new(path)?)
    }
    /// Creates an array from its metadata document. Members that the specification makes optional get their defaults.
    ///
    /// # Errors
    /// As [`create_array`](Self::create_array).
    pub fn create_array_from(&self, path: &str, metadata: ArrayMetadata, overwrite: bool) -> Result<Array> {
        Array::create(self, NodePath::new(path)?, metadata, overwrite)
    }
    /// Creates a group, and the groups above it that do not exist.
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

/// Methods that open, create and erase nodes below the group. Paths are relative to the group.
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
    /// Removes the node at a path relative to this group, and everything below it.
    pub fn erase(&self, path: &str) -> Result<()> {
        self.hierarchy().erase(&self.below(path)?)
    }
}
