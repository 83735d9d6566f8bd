//! Options for opening a hierarchy.

use super::Hierarchy;
use crate::{
    array::Array,
    context::Context,
    group::{Group, Node},
    location::Location,
    store::OpenMode,
};
use zarr_core::Result;

/// Options for opening a location: see [`Hierarchy::options`].
///
/// ```
/// use ozarr::{Context, Hierarchy, NewArray};
/// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
/// Hierarchy::create(&path)?.create_array("/a", NewArray::new([4], "uint8"))?;
/// let hierarchy = Hierarchy::options().read_only().context(Context::default().with_threads(1)?).open(&path)?;
/// assert!(hierarchy.array("/a")?.write(.., &[1u8; 4]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct OpenOptions {
    mode: OpenMode,
    context: Option<Context>,
    consolidated: bool,
}

impl Hierarchy {
    /// Opens the hierarchy at a path or URI for reading and writing. Creates nothing.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// assert!(Hierarchy::open(&path).is_err(), "nothing is there");
    /// Hierarchy::create(&path)?.create_array("/a", NewArray::of::<f32>([4]))?;
    /// assert_eq!(Hierarchy::open(&path)?.array("/a")?.shape(), [4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If nothing is there, or the store cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        Self::options().open(location)
    }
    /// Opens the hierarchy at a path or URI for reading and writing, and creates the store if it does not exist.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let hierarchy = Hierarchy::create(&path)?;
    /// hierarchy.create_array("/a", NewArray::of::<f32>([4]))?;
    /// assert!(path.join("a/zarr.json").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot be created or opened.
    pub fn create(location: impl Into<Location>) -> Result<Self> {
        Self::options().create().open(location)
    }
    /// Returns options for opening a location: read-only, in another context, or with consolidated metadata.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_group("/", ())?;
    /// let hierarchy = Hierarchy::options().read_only().open(&path)?;
    /// assert!(hierarchy.create_group("/ocean", ()).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }
}

impl Array {
    /// Opens the array at a path or URI for reading and writing, within the hierarchy that it belongs to.
    ///
    /// `data.zarr/temperature` is an array of the hierarchy `data.zarr`.
    ///
    /// ```
    /// use ozarr::{Array, Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let salt = Array::open(path.join("ocean/salt"))?;
    /// assert_eq!(salt.path().to_string(), "/ocean/salt");
    /// salt.write(0, &[35.0f32; 6])?;
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no array, or it cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        OpenOptions::default().open_array(location)
    }
}

impl Group {
    /// Opens the group at a path or URI for reading and writing, within the hierarchy that it belongs to.
    ///
    /// ```
    /// use ozarr::{Group, Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let ocean = Group::open(path.join("ocean"))?;
    /// assert_eq!(ocean.names()?, ["salt"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no group, or it cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        OpenOptions::default().open_group(location)
    }
}

impl OpenOptions {
    /// Opens for reading only. Every change is an error.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_group("/ocean", ())?;
    /// let hierarchy = Hierarchy::options().read_only().open(&path)?;
    /// assert!(hierarchy.group("/ocean").is_ok());
    /// assert!(hierarchy.erase("/ocean").is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn read_only(self) -> Self {
        self.mode(OpenMode::ReadOnly)
    }
    /// Opens for reading and writing, and creates the store if it does not exist.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let context = Context::new().with_threads(2)?;
    /// let hierarchy = Hierarchy::options().create().context(context).open(&path)?;
    /// assert!(path.is_dir());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create(self) -> Self {
        self.mode(OpenMode::Create)
    }
    /// Opens in the given mode.
    ///
    /// ```
    /// use ozarr::{Hierarchy, store::OpenMode};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let hierarchy = Hierarchy::options().mode(OpenMode::CreateOnWrite).open(&path)?;
    /// assert!(!path.exists());
    /// hierarchy.create_group("/ocean", ())?;
    /// assert!(path.join("ocean/zarr.json").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn mode(self, mode: OpenMode) -> Self {
        Self { mode, ..self }
    }
    /// Opens in the given context, with its extensions, limits and threads.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy};
    ///
    /// let mut context = Context::new();
    /// context.missing_chunk_is_error = true;
    /// let hierarchy = Hierarchy::options().context(context).open("memory://")?;
    /// assert!(hierarchy.context().missing_chunk_is_error);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn context(self, context: Context) -> Self {
        Self { context: Some(context), ..self }
    }
    /// Reads metadata from the copies in the root group where there are any: see
    /// [`Hierarchy::with_consolidated_metadata`].
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let hierarchy = Hierarchy::create(&path)?;
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// hierarchy.consolidate("/")?;
    /// let copies = Hierarchy::options().consolidated_metadata().open(&path)?;
    /// assert_eq!(copies.array("/a")?.shape(), [4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn consolidated_metadata(self) -> Self {
        Self { consolidated: true, ..self }
    }
    /// Opens the hierarchy at a location.
    ///
    /// ```
    /// use ozarr::{Hierarchy, store::OpenMode};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// assert!(Hierarchy::options().open(&path).is_err(), "nothing is there");
    /// Hierarchy::options().create().open(&path)?;
    /// assert!(Hierarchy::options().open(&path).is_ok());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If nothing is there and the mode does not create it, or if the store cannot be opened.
    pub fn open(self, location: impl Into<Location>) -> Result<Hierarchy> {
        let context = self.context.unwrap_or_default();
        let store = context.schemes.open(location, self.mode)?;
        let hierarchy = Hierarchy::new(store, context);
        if self.consolidated { hierarchy.with_consolidated_metadata() } else { Ok(hierarchy) }
    }
    /// Opens the node at a location, within the hierarchy that it belongs to: see [`Location::existing_node`].
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, Node};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let node = Hierarchy::options().read_only().open_node(path.join("ocean"))?;
    /// assert!(matches!(&node, Node::Group(group) if group.path().to_string() == "/ocean"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no node.
    pub fn open_node(self, location: impl Into<Location>) -> Result<Node> {
        let (location, path) = location.into().existing_node()?;
        self.open(location)?.node_at(&path)
    }
    /// Opens the array at a location, within the hierarchy that it belongs to.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let salt = Hierarchy::options().read_only().open_array(path.join("ocean/salt"))?;
    /// assert_eq!(salt.read::<f32>((0, ..2))?, [0.0, 0.0]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open_node`](Self::open_node), and if the node is a group.
    pub fn open_array(self, location: impl Into<Location>) -> Result<Array> {
        self.open_node(location)?.into_array()
    }
    /// Opens the group at a location, within the hierarchy that it belongs to.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Object};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_group("/ocean", Object::from([("title", "Ocean")]))?;
    /// let ocean = Hierarchy::options().read_only().open_group(path.join("ocean"))?;
    /// assert_eq!(ocean.attributes()["title"].as_str(), Some("Ocean"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open_node`](Self::open_node), and if the node is an array.
    pub fn open_group(self, location: impl Into<Location>) -> Result<Group> {
        self.open_node(location)?.into_group()
    }
}
