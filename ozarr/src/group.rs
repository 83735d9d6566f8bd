//! Groups: nodes that contain nodes.

use crate::{
    array::Array,
    attributes::{NO_ATTRIBUTES, attributes_as, to_attributes},
    hierarchy::Hierarchy,
};
use serde::{Serialize, de::DeserializeOwned};
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
    pub(crate) fn of(hierarchy: &Hierarchy, path: &NodePath, metadata: NodeMetadata) -> Result<Self> {
        Ok(match metadata {
            NodeMetadata::Array(m) => Node::Array(Box::new(Array::of(hierarchy.clone(), path.clone(), m)?)),
            NodeMetadata::Group(m) => Node::Group(Group::new(hierarchy.clone(), path.clone(), m)),
        })
    }
    /// Where it is.
    pub fn path(&self) -> &NodePath {
        match self {
            Node::Array(a) => a.path(),
            Node::Group(g) => g.path(),
        }
    }
    /// The array that it is.
    ///
    /// # Errors
    /// When it is a group.
    pub fn into_array(self) -> Result<Array> {
        match self {
            Node::Array(array) => Ok(*array),
            Node::Group(group) => Err(Error::argument("expected an array, found a group").at_node(group.path())),
        }
    }
    /// The group that it is.
    ///
    /// # Errors
    /// When it is an array.
    pub fn into_group(self) -> Result<Group> {
        match self {
            Node::Group(group) => Ok(group),
            Node::Array(array) => Err(Error::argument("expected a group, found an array").at_node(array.path())),
        }
    }
    /// The user's attributes.
    pub fn attributes(&self) -> &Object {
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
    pub fn attributes(&self) -> &Object {
        self.metadata.attributes().unwrap_or(&NO_ATTRIBUTES)
    }
    /// The user's attributes as a type of the caller.
    ///
    /// # Errors
    /// When they do not have its form.
    pub fn attributes_as<T: DeserializeOwned>(&self) -> Result<T> {
        attributes_as(self.attributes()).map_err(|e| e.at_node(&self.path))
    }
    /// Replaces the user's attributes: by an [`Object`], or whatever serializes to one.
    ///
    /// # Errors
    /// When the value does not serialize to an object, the document cannot be changed, and
    /// [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is.
    pub fn set_attributes(&mut self, attributes: impl Serialize) -> Result<()> {
        let new = to_attributes(&attributes).map_err(|e| e.at_node(&self.path))?;
        self.update_attributes(move |attributes| *attributes = new.clone())
    }
    /// Changes the user's attributes as they are stored now: updates of other attributes at the same time are not lost.
    /// `update` is called again when another writer was faster.
    ///
    /// ```
    /// # use ozarr::Hierarchy;
    /// let hierarchy = Hierarchy::in_memory();
    /// let mut group = hierarchy.create_group("/g", &serde_json::json!({"title": "a"}))?;
    /// group.update_attributes(|attributes| attributes.set("by", "me"))?;
    /// assert_eq!(hierarchy.group("/g")?.attributes().to_string(), r#"{"title":"a","by":"me"}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the document cannot be changed, and [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) after it is.
    pub fn update_attributes(&mut self, mut update: impl FnMut(&mut Object)) -> Result<()> {
        let (changed, renewed) = self.hierarchy.nodes().change(&self.path, |m| match m {
            NodeMetadata::Group(metadata) => {
                let mut attributes = metadata.attributes().cloned().unwrap_or_default();
                update(&mut attributes);
                metadata.set_attributes(attributes);
                Ok(())
            }
            NodeMetadata::Array(_) => Err(Error::argument("expected a group, found an array")),
        })?;
        if let NodeMetadata::Group(metadata) = changed {
            self.metadata = metadata;
        }
        renewed
    }
    /// The names of what is directly below, sorted, without opening it: also of prefixes that turn out not to be nodes.
    ///
    /// # Errors
    /// When the store cannot list, and the groups above have no copies of metadata.
    pub fn names(&self) -> Result<Vec<String>> {
        Ok(self.hierarchy.nodes().entries(&self.path)?.names)
    }
}
