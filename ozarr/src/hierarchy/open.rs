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
    Error, ErrorKind, Result,
    metadata::{ArrayMetadata, GroupMetadata, NodeMetadata},
    name::NodePath,
    store::{Key, Prefix},
};

impl Hierarchy {
    /// Opens the node at a path.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Node};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// assert!(matches!(hierarchy.node("/ocean")?, Node::Group(_)));
    /// assert!(matches!(hierarchy.node("/ocean/salt")?, Node::Array(_)));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn node(&self, path: &str) -> Result<Node> {
        self.node_at(&NodePath::new(path)?)
    }
    pub(crate) fn node_at(&self, path: &NodePath) -> Result<Node> {
        Node::of(self, path, self.metadata(path)?)
    }
    /// Adds a hint to the error of a missing node: a node of Zarr v2 is in its place, or the whole store has no root.
    pub(crate) fn with_v2_hint(&self, path: &NodePath, e: Error) -> Error {
        let is_stored = |name: &str| {
            let key = Key::new(format!("{}{name}", Prefix::of(path))).ok()?;
            self.store().reader().ok()?.open(&key).ok()?.map(|_| ())
        };
        if !matches!(e.kind(), ErrorKind::NodeNotFound) {
            return e;
        }
        match [".zgroup", ".zarray"].into_iter().find(|name| is_stored(name).is_some()) {
            Some(name) => e.with_hint(format!(
                "convert the Zarr v2 data (`{name}`) with `zarr migrate v3` from zarr-python; only v3 is supported"
            )),
            None if path.is_root() => e.with_hint("the store contains no `zarr.json`; check the path"),
            None => e,
        }
    }
    /// Opens the array at a path.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(hierarchy.array("/ocean/salt")?.shape(), [4, 6]);
    /// assert!(hierarchy.array("/ocean").is_err(), "it is a group");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn array(&self, path: &str) -> Result<Array> {
        self.node(path)?.into_array()
    }
    /// Opens an array over the data at a path with a given metadata document, whatever document is stored there.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let array = hierarchy.create_array("/a", NewArray::of::<u8>([2]))?;
    /// array.write(.., &[1u8, 255])?;
    /// let signed = NewArray::of::<i8>([2]).metadata(hierarchy.context())?;
    /// assert_eq!(hierarchy.array_with(array.path(), signed)?.read::<i8>(..)?, [1, -1]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn array_with(&self, path: &NodePath, metadata: ArrayMetadata) -> Result<Array> {
        Array::of(self.clone(), path.clone(), metadata)
    }
    /// Opens the group at a path.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean/currents", ())?;
    /// assert_eq!(hierarchy.group("/ocean")?.names()?, ["currents"]);
    /// assert!(hierarchy.group("/land").is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn group(&self, path: &str) -> Result<Group> {
        self.node(path)?.into_group()
    }
    /// Creates an array, and the groups above it that do not exist.
    ///
    /// ```
    /// use ozarr::{ErrorKind, Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let new = NewArray::of::<f32>([4, 6]).chunks([2, 6]);
    /// let salt = hierarchy.create_array("/ocean/salt", &new)?;
    /// salt.write(.., &[35.0f32; 24])?;
    /// assert!(hierarchy.group("/ocean").is_ok());
    ///
    /// let again = hierarchy.create_array("/ocean/salt", &new);
    /// assert!(again.is_err_and(|e| matches!(e.kind(), ErrorKind::NodeAlreadyExists)));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
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
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let rain = hierarchy.create_array("/rain", NewArray::of::<f32>([4, 6]).fill_value(f32::NAN))?;
    /// let wind = hierarchy.create_array_from("/wind", rain.metadata().clone(), false)?;
    /// assert_eq!(wind.fill_value(), rain.fill_value());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`create_array`](Self::create_array).
    pub fn create_array_from(&self, path: &str, metadata: ArrayMetadata, overwrite: bool) -> Result<Array> {
        Array::create(self, NodePath::new(path)?, metadata, overwrite)
    }
    /// Creates a group with [attributes](crate#attributes-and-other-json), and the groups above it that do not exist. Pass
    /// `()` for a group without attributes.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// hierarchy.create_group("/land", ())?;
    /// assert_eq!(hierarchy.group("/ocean")?.attributes()["title"].as_str(), Some("Ocean"));
    /// assert!(hierarchy.group("/land")?.attributes().is_empty());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create_group(&self, path: &str, attributes: impl Serialize) -> Result<Group> {
        self.create_group_from(path, GroupMetadata::new(to_attributes(&attributes)?))
    }
    /// Creates a group from its metadata document.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object, zarr_core::metadata::GroupMetadata};
    ///
    /// let metadata = GroupMetadata::new(Object::from([("title", "Ocean")]));
    /// let group = Hierarchy::in_memory().create_group_from("/ocean", metadata)?;
    /// assert_eq!(group.attributes().to_string(), r#"{"title":"Ocean"}"#);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
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
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Node};
    ///
    /// let ocean = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// ocean.create_array("salt", NewArray::of::<f32>([4, 6]))?;
    /// assert!(matches!(ocean.node("salt")?, Node::Array(_)));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn node(&self, path: &str) -> Result<Node> {
        self.hierarchy().node(&self.below(path)?)
    }
    /// Opens the array at a path relative to this group.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let ocean = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// ocean.create_array("currents/speed", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(ocean.array("currents/speed")?.path().to_string(), "/ocean/currents/speed");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn array(&self, path: &str) -> Result<Array> {
        self.hierarchy().array(&self.below(path)?)
    }
    /// Opens the group at a path relative to this group.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_group("/ocean/currents/deep", ())?;
    /// let ocean = hierarchy.group("/ocean")?;
    /// assert_eq!(ocean.group("currents")?.names()?, ["deep"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn group(&self, path: &str) -> Result<Group> {
        self.hierarchy().group(&self.below(path)?)
    }
    /// Creates an array at a path relative to this group.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// let ocean = hierarchy.create_group("/ocean", ())?;
    /// ocean.create_array("salt", NewArray::of::<f32>([4, 6]))?;
    /// assert_eq!(hierarchy.array("/ocean/salt")?.shape(), [4, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create_array(&self, path: &str, new: impl Borrow<NewArray>) -> Result<Array> {
        self.hierarchy().create_array(&self.below(path)?, new)
    }
    /// Creates a group at a path relative to this group.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    ///
    /// let ocean = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// let currents = ocean.create_group("currents", Object::from([("unit", "m/s")]))?;
    /// assert_eq!(currents.path().to_string(), "/ocean/currents");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create_group(&self, path: &str, attributes: impl Serialize) -> Result<Group> {
        self.hierarchy().create_group(&self.below(path)?, attributes)
    }
    /// Removes the node at a path relative to this group, and everything below it.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let ocean = Hierarchy::in_memory().create_group("/ocean", ())?;
    /// ocean.create_array("salt", NewArray::of::<f32>([4, 6]))?;
    /// ocean.erase("salt")?;
    /// assert!(ocean.names()?.is_empty());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn erase(&self, path: &str) -> Result<()> {
        self.hierarchy().erase(&self.below(path)?)
    }
}
