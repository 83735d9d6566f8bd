//! The file system store. Specification: "File system store".
//!
//! A key is a path below the root. Values appear whole or not at all: they are written beside and then renamed. The
//! names of values that are being written begin with `__zarr_partial.`, which no key may; listing leaves them out.

mod memos;
#[cfg(test)]
mod tests;
mod value;

use self::value::{Kept, OpenFile};
use super::parts::{by_key, overlay};
use crate::{locks, platform::create_new::rename_new};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};
use zarr_core::{
    Error, Result,
    source::Source,
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
};

const PARTIAL: &str = "__zarr_partial.";
/// How often an operation starts anew when another one takes a directory away or fills it meanwhile.
const ATTEMPTS: usize = 64;

/// A directory as a store.
#[derive(Debug)]
pub struct FilesystemStore {
    root: PathBuf,
    written: AtomicU64,
    kept: Kept,
}

impl FilesystemStore {
    /// The store of a directory that exists. Symbolic links on the way to it are resolved.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        let canonical = fs::canonicalize(root).map_err(|e| io_error(e, root))?;
        if !canonical.is_dir() {
            return Err(Error::argument(format!("{} is not a directory", root.display())));
        }
        Ok(Self { root: canonical, written: AtomicU64::new(0), kept: Kept::default() })
    }
    /// The same; the directory is made if it is not there.
    pub fn create(root: impl AsRef<Path>) -> Result<Self> {
        fs::create_dir_all(root.as_ref()).map_err(|e| io_error(e, root.as_ref()))?;
        Self::open(root)
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
        if !plain || platform || key.split('/').any(|s| s.starts_with(PARTIAL)) {
            return Err(Error::name(format!("{key:?} is no key of a directory")));
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
    /// Writes a value beside its place.
    fn write_beside(&self, path: &Path, value: &[u8]) -> io::Result<Beside> {
        let parent = path.parent().unwrap_or(&self.root);
        let (mut file, beside) = loop {
            let number = self.written.fetch_add(1, Ordering::Relaxed);
            let (process, store) = (std::process::id(), std::ptr::from_ref(self).addr());
            let beside = parent.join(format!("{PARTIAL}{process}.{store:x}.{number}"));
            match File::create_new(&beside) {
                Ok(file) => break (file, Beside(beside)),
                // Left behind by a process that had this number, or another machine's.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) if e.kind() == ErrorKind::NotFound => fs::create_dir_all(parent)?,
                Err(e) => return Err(e),
            }
        };
        file.write_all(value)?;
        Ok(beside)
    }
    /// Writes to the path of a key; again when somebody's clean-up took the directory away meanwhile.
    fn writing<T>(&self, key: &Key, mut f: impl FnMut(&Path) -> io::Result<T>) -> Result<T> {
        let path = self.path(key.as_str())?;
        // "Exists": a directory was removed between being found and being looked at.
        again(&[ErrorKind::NotFound, ErrorKind::AlreadyExists], || f(&path)).map_err(|e| Error::from(e).at_key(key))
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

/// Does it again when it fails for one of the reasons that pass.
fn again<T>(passing: &[ErrorKind], mut f: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut left = ATTEMPTS;
    loop {
        match f() {
            Err(e) if passing.contains(&e.kind()) && left > 0 => {
                left -= 1;
                std::thread::yield_now();
            }
            other => return other,
        }
    }
}

/// A file that is being written; removed unless it was moved to its place.
struct Beside(PathBuf);
impl Beside {
    fn replace(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.0, path)?;
        self.0.clear();
        Ok(())
    }
}
impl Drop for Beside {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _may_be_gone = fs::remove_file(&self.0);
        }
    }
}

fn io_error(e: io::Error, path: &Path) -> Error {
    match e.kind() {
        ErrorKind::NotFound => {
            let e = Error::new(zarr_core::ErrorKind::NodeMissing).at_node(path.display());
            e.with_hint("the directory does not exist")
        }
        _ => Error::from(e).at_key(path.display()),
    }
}
fn is_absent(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
fn unless_absent<T>(found: io::Result<T>) -> Result<Option<T>> {
    match found {
        Err(e) if is_absent(&e) => Ok(None),
        other => Ok(Some(other?)),
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
        let known = path.ancestors().find_map(|a| Some((fs::canonicalize(a).ok()?, path.strip_prefix(a).ok()?)));
        let path = match known {
            Some((known, rest)) if rest.as_os_str().is_empty() => known,
            Some((known, rest)) => known.join(rest),
            None => path,
        };
        super::schemes::file_uri(&path, !prefix.as_str().is_empty())
    }
}

impl FilesystemStore {
    fn value(&self, key: &Key) -> Result<Option<OpenFile<'_>>> {
        let path = self.path(key.as_str())?;
        unless_absent(OpenFile::open(&path, key, &self.kept)).map(Option::flatten).map_err(|e| e.at_key(key))
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

impl WriteableStore for FilesystemStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.writing(key, |path| self.write_beside(path, value)?.replace(path))
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.writing(key, |path| {
            let new = !path.is_file() && rename_new(&self.write_beside(path, value)?.0, path)?;
            // A directory takes the name but is no value.
            if !new && path.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok(new) }
        })
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        for (key, parts) in by_key(parts) {
            // Not the name by which arrays lock: who holds that one may call this.
            let _alone = locks::lock(format!("parts of {}{key}", self.uri(&Prefix::ROOT)));
            let mut value = self.get(&key)?.unwrap_or_default();
            overlay(&mut value, &parts).map_err(|e| e.at_key(&key))?;
            self.set(&key, &value)?;
        }
        Ok(())
    }
    fn erase(&self, key: &Key) -> Result<()> {
        let path = self.path(key.as_str())?;
        match fs::remove_file(&path) {
            Ok(()) => self.prune(path.parent()),
            Err(e) if is_absent(&e) => {}
            // A prefix is no key. Systems disagree on the error.
            Err(_) if fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) => {}
            Err(e) => return Err(Error::from(e).at_key(key)),
        }
        Ok(())
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        let path = self.directory(prefix)?;
        let removed = if path == self.root {
            fs::read_dir(&path).and_then(|mut entries| entries.try_for_each(|entry| remove_tree(&entry?.path())))
        } else if path.is_dir() {
            remove_tree(&path)
        } else {
            // A value of that name has not the prefix.
            Ok(())
        };
        unless_absent(removed).map_err(|e| e.at_key(prefix))?;
        self.prune(path.parent());
        Ok(())
    }
}

/// Removes a file, a link (not what it leads to) or a directory with all that is in it, if it is there.
fn remove_tree(path: &Path) -> io::Result<()> {
    // Others may remove or add files meanwhile.
    let removed = again(&[ErrorKind::DirectoryNotEmpty], || {
        if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    });
    match removed {
        Err(e) if is_absent(&e) => Ok(()),
        other => other,
    }
}

impl ListableStore for FilesystemStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let located = |e: Error| e.at_key(prefix);
        let mut found = Listing::default();
        let Some(entries) = unless_absent(fs::read_dir(self.directory(prefix)?)).map_err(located)? else {
            return Ok(found);
        };
        for entry in entries {
            let entry = entry.map_err(|e| located(e.into()))?;
            let name = entry.file_name();
            // What is no key (not UTF-8, being written) is not listed.
            let Some(name) = name.to_str().filter(|n| !n.starts_with(PARTIAL)) else { continue };
            let kind = match unless_absent(entry.file_type()).map_err(located)? {
                Some(kind) if kind.is_symlink() => fs::metadata(entry.path()).ok().map(|m| m.file_type()),
                kind => kind,
            };
            match kind {
                Some(kind) if kind.is_dir() => found.prefixes.extend(Prefix::new(format!("{prefix}{name}/")).ok()),
                Some(kind) if kind.is_file() => found.keys.extend(prefix.key(name).ok()),
                // A pipe, a socket, a link to nothing: not to be read.
                _ => {}
            }
        }
        Ok(found)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let start = fs::canonicalize(self.directory(prefix)?).into_iter().collect::<Vec<_>>();
        let (mut keys, mut left) = (BTreeSet::new(), vec![(prefix.clone(), start)]);
        while let Some((prefix, above)) = left.pop() {
            let found = self.list_dir(&prefix)?;
            keys.extend(found.keys);
            for p in found.prefixes {
                // A link to a directory above would never end.
                let Ok(path) = fs::canonicalize(self.root.join(p.as_str())) else { continue };
                if !above.contains(&path) {
                    left.push((p, above.iter().cloned().chain([path]).collect()));
                }
            }
        }
        Ok(keys)
    }
}
