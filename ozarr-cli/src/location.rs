//! Resolves what the user types to a store and a node in it.

use ozarr::{
    Context, Error, ErrorKind, Hierarchy, Location as Store, Result,
    store::OpenMode,
    zarr_core::{name::NodePath, store::Prefix},
};

/// A store and a node in it.
pub(crate) struct Location {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) node: NodePath,
    /// The text as typed.
    pub(crate) typed: String,
}

impl Location {
    /// Returns a node to be read.
    pub(crate) fn read(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, Store::from(typed).existing_node()?, OpenMode::ReadOnly, context)
    }
    /// Returns a node to be changed.
    pub(crate) fn write(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, Store::from(typed).existing_node()?, OpenMode::ReadWrite, context)
    }
    /// Returns a node to be checked or repaired: also a directory that does not exist, if a killed writer left
    /// temporary files of it.
    pub(crate) fn repair(typed: &str, mode: OpenMode, context: &Context) -> Result<Self> {
        let error = match Self::open(typed, Store::from(typed).existing_node()?, mode, context) {
            Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => e,
            other => return other,
        };
        let Some(path) = Store::from(typed).directory()?.filter(|path| path.symlink_metadata().is_err()) else {
            return Err(error);
        };
        let above = path.parent().and_then(|above| std::fs::canonicalize(above).ok());
        let (Some(above), Some(name)) = (above, path.file_name()) else { return Err(error) };
        let store = (above.join(name).into(), NodePath::ROOT);
        let mut at = Self::open(typed, store, OpenMode::CreateOnWrite, context)?;
        if mode == OpenMode::ReadOnly {
            at.hierarchy = at.hierarchy.read_only();
        }
        match at.hierarchy.store().lister()?.list_orphans(&Prefix::ROOT)?.is_empty() {
            true => Err(error),
            false => Ok(at),
        }
    }
    /// Returns a node to be created.
    ///
    /// # Errors
    /// Also if the node or one above it is one of Zarr v2: readers of v2 would not see what is created.
    pub(crate) fn create(typed: &str, context: &Context) -> Result<Self> {
        let directory = Store::from(typed).directory()?;
        let above = directory.iter().flat_map(|directory| directory.ancestors());
        let mut documents = above.flat_map(|above| [".zgroup", ".zarray"].map(|name| above.join(name)));
        if let Some(document) = documents.find(|path| path.is_file()) {
            let e = Error::argument(format!("cannot create {typed}: {} is metadata of Zarr v2", document.display()));
            return Err(e.with_hint("choose another path, or convert the data with `zarr migrate v3` from zarr-python"));
        }
        Self::open(typed, Store::from(typed).new_node()?, OpenMode::CreateOnWrite, context)
    }
    fn open(typed: &str, (store, node): (Store, NodePath), mode: OpenMode, context: &Context) -> Result<Self> {
        let hierarchy = Hierarchy::options().mode(mode).context(context.clone()).open(store)?;
        Ok(Self {
            hierarchy,
            node,
            typed: typed.strip_suffix('/').filter(|text| !text.is_empty()).unwrap_or(typed).to_owned(),
        })
    }
    /// Returns the path of the node, in the form that functions of a hierarchy accept.
    pub(crate) fn path(&self) -> String {
        self.node.to_string()
    }
}
