//! From what a user types to a store and a node in it.
//!
//! `data.zarr/group/array` names a node of the store `data.zarr`: the store is the topmost of the directories above
//! that have a `zarr.json` each without a gap between them.

use ozarr::{
    Context, Error, Hierarchy, Result,
    core::name::NodePath,
    store::{OpenMode, file_path},
};
use std::path::{Path, PathBuf};

/// A store and a node in it.
pub(crate) struct Location {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) node: NodePath,
    /// As it was typed.
    pub(crate) typed: String,
}

impl Location {
    /// What is there to be read.
    pub(crate) fn read(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, OpenMode::ReadOnly, context)
    }
    /// What is there to be written.
    pub(crate) fn write(typed: &str, context: &Context) -> Result<Self> {
        Self::open(typed, OpenMode::ReadWrite, context)
    }
    fn open(typed: &str, mode: OpenMode, context: &Context) -> Result<Self> {
        let (location, node) = match directory(typed)? {
            Some(path) => split(&path),
            None => (typed.to_owned(), NodePath::ROOT),
        };
        let hierarchy = Hierarchy::open_with(&location, mode, context.clone())?;
        Ok(Self { hierarchy, node, typed: typed.to_owned() })
    }
    /// Where a new node is to be: in the store of the nearest node above, or in a store of its own.
    pub(crate) fn create(typed: &str, context: &Context) -> Result<Self> {
        let (location, node) = match directory(typed)? {
            Some(path) => match path.ancestors().skip(1).find(|p| p.join("zarr.json").is_file()) {
                Some(above) => {
                    let (location, node) = split(above);
                    let below = path.strip_prefix(above).unwrap_or(&path);
                    let names: Vec<_> = below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
                    (location, node.join(&names.join("/"))?)
                }
                None => (path.to_string_lossy().into_owned(), NodePath::ROOT),
            },
            None => (typed.to_owned(), NodePath::ROOT),
        };
        let hierarchy = Hierarchy::open_with(&location, OpenMode::CreateOnWrite, context.clone())?;
        Ok(Self { hierarchy, node, typed: typed.to_owned() })
    }
    /// The path of the node, as functions of a hierarchy take it.
    pub(crate) fn path(&self) -> String {
        self.node.to_string()
    }
}

/// The directory that is meant, absolute; `None` for URIs of other schemes than `file`.
fn directory(typed: &str) -> Result<Option<PathBuf>> {
    let path = match typed.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => file_path(typed)?,
        Some((scheme, _)) if scheme.len() > 1 => return Ok(None),
        _ => PathBuf::from(typed),
    };
    if let Ok(canonical) = std::fs::canonicalize(&path) {
        return Ok(Some(canonical));
    }
    let absolute = std::path::absolute(&path).map_err(|e| Error::from(e).at_key(typed))?;
    Ok(Some(absolute))
}

/// The directory of the store, and the node in it.
fn split(path: &Path) -> (String, NodePath) {
    let (mut root, mut names) = (path.to_owned(), Vec::new());
    while root.join("zarr.json").is_file()
        && let (Some(parent), Some(name)) = (root.parent(), root.file_name().and_then(|n| n.to_str()))
        && parent.join("zarr.json").is_file()
    {
        names.push(name.to_owned());
        root = parent.to_owned();
    }
    names.reverse();
    let text = |p: &Path| p.to_string_lossy().into_owned();
    // A directory whose name no node may have is a store of its own.
    NodePath::new(&names.join("/")).map_or_else(|_| (text(path), NodePath::ROOT), |node| (text(&root), node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_the_topmost_of_the_nodes_above() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("a/b");
        std::fs::create_dir_all(root.join("g/x")).unwrap();
        for node in ["zarr.json", "g/zarr.json", "g/x/zarr.json"] {
            std::fs::write(root.join(node), "").unwrap();
        }
        let text = root.to_string_lossy().into_owned();
        assert_eq!(split(&root.join("g/x")), (text.clone(), NodePath::new("g/x").unwrap()));
        assert_eq!(split(&root), (text, NodePath::ROOT));
        let new = Location::create(&root.join("g/new/deep").to_string_lossy(), &Context::new().unwrap()).unwrap();
        assert_eq!(new.path(), "/g/new/deep");
        let uri = format!("file://{}", root.join("g/x").display());
        assert_eq!(Location::read(&uri, &Context::new().unwrap()).unwrap().path(), "/g/x");
    }
}
