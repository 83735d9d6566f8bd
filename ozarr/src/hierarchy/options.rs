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
    /// # Errors
    /// If nothing is there, or the store cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        Self::options().open(location)
    }
    /// Opens the hierarchy at a path or URI for reading and writing, and creates the store if it does not exist.
    ///
    /// # Errors
    /// If the store cannot be created or opened.
    pub fn create(location: impl Into<Location>) -> Result<Self> {
        Self::options().create().open(location)
    }
    /// Returns options for opening a location: read-only, in another context, or with consolidated metadata.
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }
}

impl Array {
    /// Opens the array at a path or URI for reading and writing, within the hierarchy that it belongs to.
    ///
    /// `data.zarr/temperature` is an array of the hierarchy `data.zarr`.
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
    /// # Errors
    /// If there is no group, or it cannot be opened.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        OpenOptions::default().open_group(location)
    }
}

impl OpenOptions {
    /// Opens for reading only. Every change is an error.
    pub fn read_only(self) -> Self {
        self.mode(OpenMode::ReadOnly)
    }
    /// Opens for reading and writing, and creates the store if it does not exist.
    pub fn create(self) -> Self {
        self.mode(OpenMode::Create)
    }
    /// Opens in the given mode.
    pub fn mode(self, mode: OpenMode) -> Self {
        Self { mode, ..self }
    }
    /// Opens in the given context, with its extensions, limits and threads.
    pub fn context(self, context: Context) -> Self {
        Self { context: Some(context), ..self }
    }
    /// Reads metadata from the copies in the root group where there are any: see
    /// [`Hierarchy::with_consolidated_metadata`].
    pub fn consolidated_metadata(self) -> Self {
        Self { consolidated: true, ..self }
    }
    /// Opens the hierarchy at a location.
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
    /// # Errors
    /// As [`open`](Self::open), and if there is no node.
    pub fn open_node(self, location: impl Into<Location>) -> Result<Node> {
        let (location, path) = location.into().existing_node()?;
        self.open(location)?.node_at(&path)
    }
    /// Opens the array at a location, within the hierarchy that it belongs to.
    ///
    /// # Errors
    /// As [`open_node`](Self::open_node), and if the node is a group.
    pub fn open_array(self, location: impl Into<Location>) -> Result<Array> {
        self.open_node(location)?.into_array()
    }
    /// Opens the group at a location, within the hierarchy that it belongs to.
    ///
    /// # Errors
    /// As [`open_node`](Self::open_node), and if the node is an array.
    pub fn open_group(self, location: impl Into<Location>) -> Result<Group> {
        self.open_node(location)?.into_group()
    }
}
