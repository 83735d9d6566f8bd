//! Groups: nodes that contain other nodes.

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

/// A node of a hierarchy: an array or a group.
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
    /// Returns the path of the node.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(hierarchy.node("ocean/salt")?.path().to_string(), "/ocean/salt");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn path(&self) -> &NodePath {
        match self {
            Node::Array(a) => a.path(),
            Node::Group(g) => g.path(),
        }
    }
    /// Returns the node as an array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(hierarchy.node("/ocean/salt")?.into_array()?.shape(), [4, 6]);
    /// assert!(hierarchy.node("/ocean")?.into_array().is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is a group.
    pub fn into_array(self) -> Result<Array> {
        match self {
            Node::Array(array) => Ok(*array),
            Node::Group(group) => Err(Error::argument("expected an array, found a group").at_node(group.path())),
        }
    }
    /// Returns the node as a group.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean/currents", ())?;
    /// let ocean = hierarchy.node("/ocean")?.into_group()?;
    /// assert_eq!(ocean.names()?, ["currents"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is an array.
    pub fn into_group(self) -> Result<Group> {
        match self {
            Node::Group(group) => Ok(group),
            Node::Array(array) => Err(Error::argument("expected a group, found an array").at_node(array.path())),
        }
    }
    /// Returns the user's attributes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// assert_eq!(hierarchy.node("/ocean")?.attributes()["title"].as_str(), Some("Ocean"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn attributes(&self) -> &Object {
        match self {
            Node::Array(a) => a.attributes(),
            Node::Group(g) => g.attributes(),
        }
    }
}

/// An open group: finds, opens and creates the nodes below it, and changes its attributes.
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
    /// Returns the path of the group in its hierarchy.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let group = Hierarchy::in_memory().create_group("/ocean/currents", ())?;
    /// assert_eq!(group.path().to_string(), "/ocean/currents");
    /// assert_eq!(group.path().name(), "currents");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn path(&self) -> &NodePath {
        &self.path
    }
    /// Returns the hierarchy of the group.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let ocean = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// ocean.hierarchy().create_array("/land/height", NewArray::of::<i16>([4, 6]))?;
    /// assert_eq!(ocean.hierarchy().group("/")?.names()?, ["land", "ocean"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
    /// Returns the metadata document.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let group = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// assert_eq!(group.metadata().document()["node_type"].as_str(), Some("group"));
    /// assert!(group.metadata().consolidated().is_none());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn metadata(&self) -> &GroupMetadata {
        &self.metadata
    }
    /// Returns the user's attributes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let group = Hierarchy::in_memory().create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// assert_eq!(group.attributes()["title"].as_str(), Some("Ocean"));
    /// assert!(group.attributes().get("version").is_none());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn attributes(&self) -> &Object {
        self.metadata.attributes().unwrap_or(&NO_ATTRIBUTES)
    }
    /// Deserializes the user's attributes.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Attributes {
    ///     title: String,
    /// }
    ///
    /// let group = Hierarchy::in_memory().create_group("/ocean", Attributes { title: "Ocean".to_owned() })?;
    /// assert_eq!(group.attributes_as::<Attributes>()?.title, "Ocean");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the attributes do not have the form of `T`.
    pub fn attributes_as<T: DeserializeOwned>(&self) -> Result<T> {
        attributes_as(self.attributes()).map_err(|e| e.at_node(&self.path))
    }
    /// Replaces the user's attributes with an [`Object`] or any other value that serializes to a JSON object. See
    /// [attributes](crate#attributes-and-other-json).
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let mut group = Hierarchy::in_memory().create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// group.set_attributes(Object::from([("version", 2)]))?;
    /// assert_eq!(group.attributes().to_string(), r#"{"version":2}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the value does not serialize to an object.
    /// - If the document cannot be changed.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the attributes were stored, but copies of metadata in
    ///   the groups above could not be updated.
    pub fn set_attributes(&mut self, attributes: impl Serialize) -> Result<()> {
        let new = to_attributes(&attributes).map_err(|e| e.at_node(&self.path))?;
        self.update_attributes(move |attributes| *attributes = new.clone())
    }
    /// Changes the user's attributes, starting from those that are stored now.
    ///
    /// Changes that other writers make to other attributes at the same time are not lost. If another writer stores the
    /// document first, `update` runs again with the new attributes. So it may run several times, and must depend only
    /// on the attributes that it receives.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let mut group = Hierarchy::in_memory().create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// group.update_attributes(|attributes| attributes.set("version", 2))?;
    /// assert_eq!(group.attributes().to_string(), r#"{"title":"Ocean","version":2}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the document cannot be changed.
    /// - [`StaleCopies`](zarr_core::ErrorKind::StaleCopies) if the attributes were stored, but copies of metadata in
    ///   the groups above could not be updated.
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
    /// Returns the sorted names of everything directly below, without opening it. Some may be prefixes that are not
    /// nodes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.create_group("/land", ())?;
    /// assert_eq!(hierarchy.group("/")?.names()?, ["land", "ocean"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot list its keys and no group from this one upwards has copies of metadata.
    pub fn names(&self) -> Result<Vec<String>> {
        Ok(self.hierarchy.nodes().entries(&self.path)?.names)
    }
}
