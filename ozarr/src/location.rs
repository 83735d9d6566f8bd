//! Locations of stores: paths and URIs.

use crate::store::{FILE, file_path, scheme_of};
use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};
use zarr_core::{Error, Result, name::NodePath};

/// The location of a store or node: the path of a directory, or a URI of a known [scheme](crate::store::Schemes).
///
/// Converts from text and from paths. Text with a scheme, such as `file:///data/a.zarr` and `memory://`, is a URI; any
/// other text is a path. A [`Path`] is always a path, even if it is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Path(PathBuf),
    Uri { scheme: String, uri: String },
}

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self(match scheme_of(text) {
            Some(scheme) => Kind::Uri { scheme, uri: text.to_owned() },
            None => Kind::Path(text.into()),
        })
    }
}
macro_rules! text { ($($t:ty),*) => { $(
    impl From<$t> for Location {
        fn from(text: $t) -> Self {
            (&*text as &str).into()
        }
    }
)* } }
text!(String, &String, Cow<'_, str>, &Cow<'_, str>);
macro_rules! paths { ($($t:ty),*) => { $(
    impl From<$t> for Location {
        fn from(path: $t) -> Self {
            Self(Kind::Path(path.into()))
        }
    }
)* } }
paths!(&Path, PathBuf, &PathBuf, &OsStr, OsString, &OsString);

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Path(path) => path.display().fmt(f),
            Kind::Uri { uri, .. } => f.write_str(uri),
        }
    }
}

impl Location {
    pub(crate) fn kind(&self) -> &Kind {
        &self.0
    }
    /// Returns the absolute path of the directory, or `None` for a URI of another scheme than `file`.
    ///
    /// Symbolic links are resolved if the directory exists.
    ///
    /// ```
    /// use ozarr::Location;
    ///
    /// let path = Location::from("data.zarr").directory()?;
    /// assert!(path.is_some_and(|path| path.is_absolute() && path.ends_with("data.zarr")));
    /// assert_eq!(Location::from("memory://").directory()?, None);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn directory(&self) -> Result<Option<PathBuf>> {
        let path = match &self.0 {
            Kind::Path(path) => path.clone(),
            Kind::Uri { scheme, uri } if scheme == FILE => file_path(uri)?,
            Kind::Uri { .. } => return Ok(None),
        };
        if path.as_os_str().is_empty() {
            return Err(Error::argument("the path is empty"));
        }
        if let Ok(canonical) = std::fs::canonicalize(&path) {
            return Ok(Some(canonical));
        }
        std::path::absolute(&path).map(Some).map_err(|e| Error::from(e).at_key(self))
    }
    /// Returns the location of the store that contains the node at this location, and the node's path in the store.
    ///
    /// The store is the topmost directory that can be reached upwards through directories that all have a `zarr.json`.
    /// So `data.zarr/group/array` is a node of `data.zarr`. For a URI of another scheme than `file`, the node is the
    /// root.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Location, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let (store, node) = Location::from(path.join("ocean/salt")).existing_node()?;
    /// assert_eq!(store.directory()?, Location::from(&path).directory()?);
    /// assert_eq!(node.to_string(), "/ocean/salt");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn existing_node(&self) -> Result<(Location, NodePath)> {
        Ok(match self.directory()? {
            Some(path) => split(&path),
            None => (self.clone(), NodePath::ROOT),
        })
    }
    /// Returns the location of the store in which a node is to be created at this location, and the node's path in the
    /// store.
    ///
    /// This is the store of the nearest node above. If there is none, it is the nearest directory with a name that ends
    /// in `.zarr`, which need not exist: `new.zarr/group/array` is a node of `new.zarr`. Otherwise the node has a store of
    /// its own.
    ///
    /// ```
    /// use ozarr::{Hierarchy, Location};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// Hierarchy::create(&path)?.create_group("/ocean", ())?;
    /// let (store, node) = Location::from(path.join("ocean/salt")).new_node()?;
    /// assert_eq!(store.directory()?, Location::from(&path).directory()?);
    /// assert_eq!(node.to_string(), "/ocean/salt");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn new_node(&self) -> Result<(Location, NodePath)> {
        let Some(path) = self.directory()? else { return Ok((self.clone(), NodePath::ROOT)) };
        let mut directories = path.ancestors().skip(1);
        let (above, (location, node)) = match directories.find(|p| p.join(DOCUMENT).is_file()) {
            Some(above) => (above, split(above)),
            None => {
                let is_named = |p: &&Path| p.extension().is_some_and(|e| e == "zarr");
                let root = path.ancestors().find(is_named).unwrap_or(&path);
                (root, (root.into(), NodePath::ROOT))
            }
        };
        let below = path.strip_prefix(above).unwrap_or(&path);
        let names: Option<Vec<&str>> = below.components().map(|c| c.as_os_str().to_str()).collect();
        let names = names.ok_or_else(|| Error::name("the path is not valid UTF-8").at_key(self))?;
        Ok((location, node.join(&names.join("/"))?))
    }
}

const DOCUMENT: &str = "zarr.json";

/// Splits a path into the directory of the store and the node in it.
fn split(path: &Path) -> (Location, NodePath) {
    let (mut root, mut names) = (path, Vec::new());
    while root.join(DOCUMENT).is_file()
        && let (Some(parent), Some(name)) = (root.parent(), root.file_name().and_then(OsStr::to_str))
        && parent.join(DOCUMENT).is_file()
    {
        names.push(name);
        root = parent;
    }
    names.reverse();
    // If the name is not valid for a node, the directory is a store of its own.
    NodePath::new(&names.join("/")).map_or_else(|_| (path.into(), NodePath::ROOT), |node| (root.into(), node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_paths_are_parsed() {
        assert_eq!(Location::from("a/b"), Location::from(Path::new("a/b")));
        assert_ne!(Location::from("memory://x"), Location::from(Path::new("memory://x")));
        assert_eq!(Location::from(String::from("file:///x")).to_string(), "file:///x");
        assert_eq!(Location::from("memory://x").existing_node().unwrap().1, NodePath::ROOT);
    }

    #[test]
    fn the_store_is_the_topmost_of_the_nodes_above() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("a/b");
        std::fs::create_dir_all(root.join("g/x")).unwrap();
        for node in ["zarr.json", "g/zarr.json", "g/x/zarr.json"] {
            std::fs::write(root.join(node), "").unwrap();
        }
        let store = Location::from(&root);
        let existing = |location: Location| location.existing_node().unwrap();
        assert_eq!(existing(root.join("g/x").into()), (store.clone(), NodePath::new("g/x").unwrap()));
        assert_eq!(existing(root.clone().into()), (store.clone(), NodePath::ROOT));
        let uri = format!("file://{}", root.join("g/x").display());
        assert_eq!(existing(uri.into()), (store.clone(), NodePath::new("g/x").unwrap()));
        let new = Location::from(root.join("g/new/deep")).new_node().unwrap();
        assert_eq!(new, (store, NodePath::new("g/new/deep").unwrap()));
        let other = dir.path().canonicalize().unwrap().join("other");
        assert_eq!(Location::from(&other).new_node().unwrap(), (other.clone().into(), NodePath::ROOT));
        let named = other.join("x.zarr/y.zarr");
        for (node, path) in [("", ""), ("g", "g"), ("g/a", "g/a")] {
            let new = Location::from(named.join(node)).new_node().unwrap();
            assert_eq!(new, (named.clone().into(), NodePath::new(path).unwrap()), "{node}");
        }
    }
}
