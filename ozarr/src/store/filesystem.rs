//! The file system store. Specification: "File system store".
//!
//! A key is a path below the root. A reader sees a whole value or none: values are written to temporary files, which
//! are then renamed. The names of temporary files begin with `__zarr_partial.`, which is not allowed in keys; listings
//! leave them out.
//!
//! A directory cannot contain both a file and a directory of the same name, so only one of the keys `a` and `a/b` can
//! be stored. If the place of a value has anything but a file (a directory, even an empty one, a pipe, a socket, a
//! device, or a link to nothing), reading and writing that key fail; it never reads as a key without a value. Only the
//! exact path of the key counts: empty directories elsewhere are not errors, as writers may leave some for a moment.
//!
//! Links to directories are followed. A link to a directory that contains the link is [not listed as a
//! prefix](zarr_core::store::Other::Loop).
//!
//! Links to files are followed when reading and writing, even out of the store. A write replaces the file at the end of
//! the links, in its own directory and under its own lock, so that stores can share a value. Erasing removes the link
//! and leaves the file. So does a partial write that leaves nothing but fill values.
//!
//! A file that replaces another gets its permissions, owner and group. Only root may change the owner, so for other
//! users the owner is the writer. If the group cannot be set either, group and others get only the rights that both had
//! before. Set-id bits, access control lists and extended attributes are not copied; nobody has more rights without the
//! list than with it. When a node is overwritten, each directory and file in it gets the rights of the old one with the
//! same name. New ones get no more rights than the nearest directory above that existed before, or its document. An
//! empty directory that a node replaces is handled in the same way.

mod errors;
mod index_cache;
mod listing;
mod paths;
mod retry;
mod staging;
mod temporary;
#[cfg(test)]
mod tests;
mod update;
mod value;
mod write;

use self::{
    errors::{NOT_OURS, io_error, is_absent, no_file, unless_absent},
    temporary::{Names, is_partial, remove_tree},
    value::{Cache, OpenFile},
};
use super::uri::file_uri;
use crate::platform::directory::{self, Directory};
use std::{
    fs,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
    sync::{Arc, Once},
};
use zarr_core::{
    Error, Result,
    source::Source,
    store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
};

/// A store in a directory of the file system.
#[derive(Debug)]
pub struct FilesystemStore {
    root: PathBuf,
    names: Names,
    fsync: bool,
    cache: Cache,
    /// Set once it is known that files cannot be locked.
    unlocked: Arc<Once>,
}

impl FilesystemStore {
    /// Opens an existing directory. Symbolic links in its path are resolved.
    ///
    /// ```
    /// use ozarr::store::FilesystemStore;
    /// # let dir = tempfile::tempdir()?; let path = dir.path();
    ///
    /// let store = FilesystemStore::open(path)?;
    /// assert!(store.root().is_absolute());
    /// assert!(FilesystemStore::open(path.join("missing")).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        let canonical = fs::canonicalize(root).map_err(|e| io_error(e, root))?;
        if !canonical.is_dir() {
            return Err(Error::argument(format!("`{}` is not a directory", root.display())));
        }
        Ok(Self {
            root: canonical,
            names: Names::default(),
            fsync: false,
            cache: Cache::default(),
            unlocked: Arc::new(Once::new()),
        })
    }
    /// Opens a directory, and creates it if it does not exist.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, store::FilesystemStore};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let hierarchy = Hierarchy::new(FilesystemStore::create(&path)?, Context::new());
    /// hierarchy.create_group("/", ())?;
    /// assert!(path.join("zarr.json").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create(root: impl AsRef<Path>) -> Result<Self> {
        fs::create_dir_all(root.as_ref()).map_err(|e| io_error(e, root.as_ref()))?;
        Self::open(root)
    }
    /// Opens a directory. One that does not exist is created when the first value is stored in it.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, store::FilesystemStore};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let hierarchy = Hierarchy::new(FilesystemStore::create_on_write(&path)?, Context::new());
    /// assert!(!path.exists());
    /// hierarchy.create_group("/", ())?;
    /// assert!(path.join("zarr.json").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn create_on_write(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        let absolute = std::path::absolute(root).map_err(|e| io_error(e, root))?;
        let mut ancestors = absolute.ancestors();
        // A link to nothing exists too.
        let existing = ancestors.find(|path| path.symlink_metadata().is_ok()).unwrap_or(&absolute);
        let rest = absolute.strip_prefix(existing).unwrap_or(Path::new(""));
        let plain = rest.components().all(|c| matches!(c, Component::Normal(_)));
        if rest.as_os_str().is_empty() || !plain {
            return Self::create(root);
        }
        let above = Self::open(existing)?;
        Ok(Self { root: above.root.join(rest), ..above })
    }
    /// Returns the store with durable changes: each operation returns once the disk has the change, which then survives
    /// a power failure.
    ///
    /// This method itself waits until the disk has the directory. If two writers create a directory at the same time,
    /// only the one that created it waits.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, NewArray, store::FilesystemStore};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let store = FilesystemStore::create(&path)?.with_fsync()?;
    /// let array = Hierarchy::new(store, Context::new()).create_array("/a", NewArray::of::<u8>([4]))?;
    /// array.write(.., &[7u8; 4])?;
    /// // The chunk is on the disk now.
    /// assert!(path.join("a/c/0").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn with_fsync(mut self) -> Result<Self> {
        for path in self.root.ancestors() {
            match Directory::open(path).and_then(|directory| directory.sync()) {
                // A directory that belongs to others existed before.
                Err(e) if NOT_OURS.contains(&e.kind()) => {}
                // It will be created, and waited for, later.
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                other => other.map_err(|e| io_error(e, path))?,
            }
        }
        self.fsync = true;
        Ok(self)
    }
    /// Returns the path of the directory.
    ///
    /// ```
    /// use ozarr::store::FilesystemStore;
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let store = FilesystemStore::create(&path)?;
    /// assert!(store.root().ends_with("data.zarr"));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// Returns the path of a key, which is always below the root.
    fn path(&self, key: &str) -> Result<PathBuf> {
        let relative = Path::new(key);
        let plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        let platform = if cfg!(windows) { key.contains(['\\', ':']) } else { false };
        if !plain || platform || key.split('/').any(is_partial) {
            return Err(Error::name(format!("{key:?} is not a valid key for a directory")));
        }
        Ok(self.root.join(relative))
    }
    /// Returns the path of a prefix.
    fn directory(&self, prefix: &Prefix) -> Result<PathBuf> {
        match prefix.as_str().trim_end_matches('/') {
            "" => Ok(self.root.clone()),
            inner => self.path(inner),
        }
    }
    fn orphans(&self, prefix: &Prefix, remove: bool) -> Result<Vec<String>> {
        let found =
            unless_absent(temporary::orphans(&self.directory(prefix)?, remove)).map_err(|e| e.at_key(prefix))?;
        let relative = |path: &PathBuf| path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned();
        Ok(found.iter().flatten().map(relative).collect())
    }
    /// Removes a file, a link (not its target) or a directory with everything in it, if it exists.
    fn remove_tree(&self, path: &Path) -> Result<()> {
        unless_absent(remove_tree(path, &self.names, self.fsync)).map(|_| ())
    }
    /// Creates a directory and stores something in it. If that fails, removes the directories that were created for it.
    fn in_new_dir<T>(&self, path: &Path, store: impl FnOnce(Directory) -> io::Result<T>) -> io::Result<T> {
        let missing = path.ancestors().take_while(|above| !above.exists()).collect::<Vec<_>>();
        let done = temporary::make_dir(path, self.fsync).and_then(store);
        if done.is_err() {
            // A directory that is not empty stays, as do those above it.
            let _ends_there = missing.into_iter().try_for_each(fs::remove_dir);
        }
        done
    }
    /// Removes this directory and those above it as long as they are empty: they exist only for the keys in them.
    fn prune(&self, from: Option<&Path>) {
        let mut next = from;
        while let Some(directory) = next.filter(|d| *d != self.root && d.starts_with(&self.root)) {
            // A directory that is not empty stays. The error of removing it ends the loop.
            if fs::remove_dir(directory).is_err() {
                break;
            }
            next = directory.parent();
        }
    }
}

impl Store for FilesystemStore {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        let path = self.root.join(prefix.as_str().trim_end_matches('/'));
        // The part that exists has a canonical name. The rest gets one when it is created.
        let known = path.ancestors().find_map(|a| Some((directory::canonical(a).ok()?, path.strip_prefix(a).ok()?)));
        let path = match known {
            Some((known, rest)) if rest.as_os_str().is_empty() => known,
            Some((known, rest)) => known.join(rest),
            None => path,
        };
        file_uri(&path, !prefix.as_str().is_empty())
    }
}

impl FilesystemStore {
    fn value(&self, key: &Key) -> Result<Option<OpenFile<'_>>> {
        let path = self.path(key.as_str())?;
        let e = match OpenFile::open(&path, key, &self.cache) {
            Ok(found) => return Ok(Some(found)),
            Err(e) => e,
        };
        let located = |e: io::Error| Error::from(e).at_key(key);
        if is_absent(&e) && path.symlink_metadata().is_err() {
            return Ok(None);
        }
        match path.metadata() {
            // Sockets cannot even be opened.
            Ok(found) if !found.is_file() => Err(located(no_file(found.is_dir()))),
            // A link to nothing stands for a value that is elsewhere. It must not read as a value that was never
            // stored.
            Err(_) if is_absent(&e) && path.is_symlink() => Err(located(no_file(false))),
            _ if is_absent(&e) => Ok(None),
            _ => Err(located(e)),
        }
    }
}

impl ReadableStore for FilesystemStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        Ok(self.value(key)?.map(|v| Box::new(v) as _))
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.value(key)?.map(|v| v.get()).transpose()
    }
}
