//! From what a user types to a store and a node in it.

use ozarr::{Context, Hierarchy, Location as Store, Result, zarr_core::name::NodePath, store::OpenMode};

/// A store and a node in it.
pub(crate) struct Location {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) node: NodePath,
    /// As it was typed.
    pub(crate) typed: String,
}

impl Location {
    /// A node to be read.
    pub(crate) fn read(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, Store::from(typed).existing_node()?, OpenMode::ReadOnly, context)
    }
    /// A node to be changed.
    pub(crate) fn write(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, Store::from(typed).existing_node()?, OpenMode::ReadWrite, context)
    }
    /// A node to be created.
    pub(crate) fn create(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, Store::from(typed).new_node()?, OpenMode::CreateOnWrite, context)
    }
    fn open(typed: &str, (store, node): (Store, NodePath), mode: OpenMode, context: &Context) -> Result<Self> {
        let hierarchy = Hierarchy::options().mode(mode).context(context.clone()).open(store)?;
        Ok(Self { hierarchy, node, typed: typed.to_owned() })
    }
    /// The path of the node, as functions of a hierarchy take it.
    pub(crate) fn path(&self) -> String {
        self.node.to_string()
    }
}
