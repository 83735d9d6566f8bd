//! From what a user types to a store and a node in it.
//!
//! `data.zarr/group/array` names a node of the store `data.zarr`: the store is the topmost of the directories above
//! that have a `zarr.json` each without a gap between them.

use std::path::{Path, PathBuf};
use zarr_array::{Context, Error, Hierarchy, Result, core::name::NodePath, store::OpenMode};

/// A store and a node in it.
pub(crate) struct Location {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) node: NodePath,
    /// As it was typed.
    pub(crate) typed: String,
}

impl Location {
    /// What is there to be read.
    pub(crate) fn read(typed: &str) -> Result<Self> {
        Self::open(typed, OpenMode::ReadOnly)
    }
    /// What is there to be written.
    pub(crate) fn write(typed: &str) -> Result<Self> {
        Self::open(typed, OpenMode::ReadWrite)
    }
    fn open(typed: &str, mode: OpenMode) -> Result<Self> {
        if !is_path(typed) {
            let hierarchy = Hierarchy::open_with(typed, mode, Context::new()?)?;
            return Ok(Self { hierarchy, node: NodePath::ROOT, typed: typed.to_owned() });
        }
        let (root, node) = split(Path::new(typed));
        let hierarchy = Hierarchy::open_with(&root.to_string_lossy(), mode, Context::new()?)?;
        Ok(Self { hierarchy, node: NodePath::new(&node)?, typed: typed.to_owned() })
    }
    /// Where a new node is to be: in the store that the directory above belongs to, or a store of its own.
    pub(crate) fn create(typed: &str) -> Result<Self> {
        if is_path(typed) {
            let path = Path::new(typed);
            if let (Some(parent), Some(name)) = (path.parent(), path.file_name())
                && parent.join("zarr.json").is_file()
            {
                let (root, above) = split(parent);
                let name = name.to_str().ok_or_else(|| Error::name("a node's name must be UTF-8"))?;
                let hierarchy = Hierarchy::open(&root.to_string_lossy())?;
                return Ok(Self { hierarchy, node: NodePath::new(&above)?.child(name)?, typed: typed.to_owned() });
            }
        }
        let hierarchy = Hierarchy::create(typed)?;
        Ok(Self { hierarchy, node: NodePath::ROOT, typed: typed.to_owned() })
    }
    /// The path of the node, as functions of a hierarchy take it.
    pub(crate) fn path(&self) -> String {
        self.node.to_string()
    }
}

fn is_path(typed: &str) -> bool {
    !typed.contains("://")
}

/// The directory of the store, and the node's path in it.
fn split(path: &Path) -> (PathBuf, String) {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (mut root, mut names) = (path.clone(), Vec::new());
    while root.join("zarr.json").is_file()
        && let (Some(parent), Some(name)) = (root.parent(), root.file_name().and_then(|n| n.to_str()))
        && parent.join("zarr.json").is_file()
    {
        names.push(name.to_owned());
        root = parent.to_owned();
    }
    names.reverse();
    (root, names.join("/"))
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
        assert_eq!(split(&root.join("g/x")), (root.clone(), "g/x".into()));
        assert_eq!(split(&root), (root.clone(), String::new()));
        assert_eq!(split(&root.join("no")), (root.join("no"), String::new()));
    }
}
