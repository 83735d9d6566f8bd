//! The file system store. Specification: "File system store".
//!
//! A key is a path below the root. Values appear whole or not at all: they are written to temporary files and then
//! renamed. The names of temporary files begin with `__zarr_partial.`, which no key may; listing leaves them out.
//!
//! A directory cannot have both a file and a directory of one name, so of the keys `a` and `a/b` only one is stored. Whatever
//! occupies the place of a value and is not a file (a directory, also an empty one, a pipe, a socket, a device, a link to
//! nothing) makes reading and writing that key fail; it never reads as a key without value. An empty directory elsewhere is
//! not an error, as writers leave some for a moment: only the exact path of the key counts.
//!
//! Links to directories are followed, but listing does not enter a link to a directory that contains it: it is
//! [no prefix](zarr_core::store::Other::Loop).
//!
//! Links to files are followed when reading and writing, also out of the store: a write replaces the file at the end of the
//! links, in its own directory and under its own lock, so that stores can share a value. Erasing removes the link and leaves
//! that file. A partial write after which nothing but fill values is left erases too.
//!
//! A file that replaces another has its permissions, owner and group. Only root may give files away: for others the owner is the
//! writer, and if the group cannot be kept either, group and others get only what both had before. Set-id bits, access control
//! lists and extended attributes are not kept; without the list nobody has more rights than with it. Of a node that is
//! overwritten all directories and files do the same by their names, and what is new in it has no more rights than the nearest
//! directory above that was there, or its document. An empty directory whose place a node takes is replaced in the same way.

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

/// A directory as a store.
#[derive(Debug)]
pub struct FilesystemStore {
    root: PathBuf,
    names: Names,
    fsync: bool,
    cache: Cache,
    /// Once it is known that files cannot be locked.
    unlocked: Arc<Once>,
}

impl FilesystemStore {
    /// The store of a directory that exists. Symbolic links on the way to it are resolved.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        let canonical = fs::canonicalize(root).map_err(|e| io_error(e, root))?;
        if !canonical.is_dir() {
            return Err(Error::argument(format!("{} is not a directory", root.display())));
        }
        Ok(Self {
            root: canonical,
            names: Names::default(),
            fsync: false,
            cache: Cache::default(),
            unlocked: Arc::new(Once::new()),
        })
    }
    /// The same; the directory is made if it is not there.
    pub fn create(root: impl AsRef<Path>) -> Result<Self> {
        fs::create_dir_all(root.as_ref()).map_err(|e| io_error(e, root.as_ref()))?;
        Self::open(root)
    }
    /// The same; a directory that does not exist is made when something is first stored in it.
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
    /// The same, but what is written or erased stays so when the power fails: each operation returns once the disk has it.
    /// So does this, of the directory itself. Of a directory that two writers make at once only the one that made it waits.
    pub fn with_fsync(mut self) -> Result<Self> {
        for path in self.root.ancestors() {
            match Directory::open(path).and_then(|directory| directory.sync()) {
                // What is not ours was there before.
                Err(e) if NOT_OURS.contains(&e.kind()) => {}
                // Made later, and then waited for.
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                other => other.map_err(|e| io_error(e, path))?,
            }
        }
        self.fsync = true;
        Ok(self)
    }
    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// The path of a key. Whatever the key, it lies below the root.
    fn path(&self, key: &str) -> Result<PathBuf> {
        let relative = Path::new(key);
        let plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        let platform = if cfg!(windows) { key.contains(['\\', ':']) } else { false };
        if !plain || platform || key.split('/').any(is_partial) {
            return Err(Error::name(format!("{key:?} is not a key of a directory")));
        }
        Ok(self.root.join(relative))
    }
    /// The path of a prefix.
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
    /// Removes a file, a link (not what it leads to) or a directory with all that is in it, if it is there.
    fn remove_tree(&self, path: &Path) -> Result<()> {
        unless_absent(remove_tree(path, &self.names, self.fsync)).map(|_| ())
    }
    /// Makes a directory and stores something in it. If that fails, the directories that were made for it are removed.
    fn in_new_dir<T>(&self, path: &Path, store: impl FnOnce(Directory) -> io::Result<T>) -> io::Result<T> {
        let missing = path.ancestors().take_while(|above| !above.exists()).collect::<Vec<_>>();
        let done = temporary::make_dir(path, self.fsync).and_then(store);
        if done.is_err() {
            // One that is not empty stays, and those above it.
            let _ends_there = missing.into_iter().try_for_each(fs::remove_dir);
        }
        done
    }
    /// Removes the directories from this one up that are empty: they are there only for the keys in them.
    fn prune(&self, from: Option<&Path>) {
        let mut next = from;
        while let Some(directory) = next.filter(|d| *d != self.root && d.starts_with(&self.root)) {
            // One that is not empty stays: that is the error that ends this.
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
        // The part that exists has one name. The rest gets it when it is made.
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
            // A link to nothing stands for a value that is elsewhere: nobody may take it for one that was never stored.
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
