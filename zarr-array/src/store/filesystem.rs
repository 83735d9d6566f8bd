//! The file system store. Specification: "File system store".
//!
//! A key is a path below the root. Values appear whole or not at all: they are written beside and then renamed. The
//! names of values that are being written begin with `__zarr_partial.`, which no key may; listing leaves them out.

use super::memory::overlay;
use crate::platform::{create_new::rename_new, read_at::read_exact_at};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};
use zarr_core::{
    Error, Result,
    call::Pool,
    limits::zeroed,
    source::{ByteRange, Each, Source},
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
};

const PARTIAL: &str = "__zarr_partial.";
/// Ranges that are merged are read in pieces of at most this many bytes.
const BLOCK: u64 = 256 << 10;

/// A directory as a store.
#[derive(Debug)]
pub struct FilesystemStore {
    root: PathBuf,
    written: AtomicU64,
    buffers: Pool<Vec<u8>>,
}

impl FilesystemStore {
    /// The store of a directory that exists. Symbolic links on the way to it are resolved.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        let canonical = fs::canonicalize(root).map_err(|e| io_error(e, root))?;
        if !canonical.is_dir() {
            return Err(Error::argument(format!("{} is not a directory", root.display())));
        }
        Ok(Self { root: canonical, written: AtomicU64::new(0), buffers: Pool::default() })
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
    /// Writes a value beside its place.
    fn write_beside(&self, path: &Path, value: &[u8]) -> io::Result<Beside> {
        let parent = path.parent().unwrap_or(&self.root);
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let beside =
            parent.join(format!("{PARTIAL}{}.{:x}.{number}", std::process::id(), std::ptr::from_ref(self).addr()));
        let mut file = match File::create(&beside) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(parent)?;
                File::create(&beside)?
            }
            other => other?,
        };
        let beside = Beside(beside);
        file.write_all(value)?;
        Ok(beside)
    }
    /// Tries again when another writer's clean-up took the directory away meanwhile.
    fn retry<T>(&self, key: &Key, mut f: impl FnMut(&Path) -> io::Result<T>) -> Result<T> {
        let path = self.path(key.as_str())?;
        let mut left = 16;
        loop {
            match f(&path) {
                Err(e) if e.kind() == ErrorKind::NotFound && left > 0 => left -= 1,
                other => return other.map_err(|e| Error::from(e).at_key(key)),
            }
        }
    }
}

/// A file that is being written; removed unless it was renamed.
struct Beside(PathBuf);
impl Drop for Beside {
    fn drop(&mut self) {
        let _gone_if_renamed = fs::remove_file(&self.0);
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
        let path = fs::canonicalize(&path).unwrap_or(path);
        super::schemes::file_uri(&path, !prefix.as_str().is_empty())
    }
}

/// One version of a value: an open file.
struct OpenFile<'s> {
    file: File,
    size: u64,
    buffers: &'s Pool<Vec<u8>>,
}

impl ReadableStore for FilesystemStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        let path = self.path(key.as_str())?;
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            Ok((metadata.is_file(), OpenFile { file, size: metadata.len(), buffers: &self.buffers }))
        };
        match open() {
            Ok((true, file)) => Ok(Some(Box::new(file))),
            Ok((false, _)) => Ok(None),
            Err(e) if is_absent(&e) => Ok(None),
            Err(e) => Err(Error::from(e).at_key(key)),
        }
    }
}

impl Source for OpenFile<'_> {
    fn read(&self, ranges: &[ByteRange], each: Each<'_>) -> Result<()> {
        let places = ranges.iter().map(|r| r.within(self.size)).collect::<Result<Vec<_>>>()?;
        let mut buffer = self.buffers.take().unwrap_or_default();
        let mut i = 0;
        while i < places.len() {
            // One read for neighbours.
            let (start, mut end) = (places[i].0, places[i].0 + places[i].1);
            let mut j = i + 1;
            while let Some((s, n)) = places.get(j)
                && *s >= end
                && s - end <= self.gap()
                && s + n - start <= BLOCK
            {
                end = s + n;
                j += 1;
            }
            let len = usize::try_from(end - start).map_err(|_| zarr_core::ErrorKind::Memory(end - start))?;
            if buffer.capacity() < len {
                buffer = zeroed(len)?;
            } else if buffer.len() < len {
                buffer.resize(len, 0);
            }
            read_exact_at(&self.file, &mut buffer[..len], start)?;
            for (k, (s, n)) in places.iter().enumerate().take(j).skip(i) {
                let at = (s - start) as usize;
                each(k, &buffer[at..at + *n as usize])?;
            }
            i = j;
        }
        self.buffers.give(buffer);
        Ok(())
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.size))
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        let (start, len) = range.within(self.size)?;
        if len != out.len() as u64 {
            return Err(Error::data(format!("{len} bytes, expected {}", out.len())));
        }
        Ok(read_exact_at(&self.file, out, start)?)
    }
}

impl WriteableStore for FilesystemStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.retry(key, |path| {
            let beside = self.write_beside(path, value)?;
            fs::rename(&beside.0, path)
        })
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.retry(key, |path| {
            let beside = self.write_beside(path, value)?;
            rename_new(&beside.0, path)
        })
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        for same in parts.chunk_by(|a, b| a.0 == b.0) {
            let key = &same[0].0;
            let mut value = self.get(key)?.unwrap_or_default();
            same.iter()
                .try_for_each(|(_, start, part)| overlay(&mut value, *start, part).map_err(|e| e.at_key(key)))?;
            self.set(key, &value)?;
        }
        Ok(())
    }
    fn erase(&self, key: &Key) -> Result<()> {
        let path = self.path(key.as_str())?;
        match fs::remove_file(&path) {
            Err(e) if is_absent(&e) => return Ok(()),
            other => other.map_err(|e| Error::from(e).at_key(key))?,
        }
        // Directories exist only for the keys in them. One that is not empty stays: that is the error that ends this.
        let mut parent = path.parent();
        while let Some(directory) = parent.filter(|p| *p != self.root) {
            if fs::remove_dir(directory).is_err() {
                break;
            }
            parent = directory.parent();
        }
        Ok(())
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        let inner = prefix.as_str().trim_end_matches('/');
        let removed = if inner.is_empty() {
            fs::read_dir(&self.root).and_then(|mut entries| {
                entries.try_for_each(|entry| {
                    let entry = entry?;
                    // A symbolic link is removed, not followed.
                    if entry.file_type()?.is_dir() {
                        fs::remove_dir_all(entry.path())
                    } else {
                        fs::remove_file(entry.path())
                    }
                })
            })
        } else {
            let path = self.path(inner)?;
            match fs::symlink_metadata(&path) {
                Ok(m) if m.is_dir() => fs::remove_dir_all(&path),
                Ok(m) if m.is_symlink() && path.is_dir() => fs::remove_file(&path),
                // A value of that name has not the prefix.
                Ok(_) => Ok(()),
                Err(e) => Err(e),
            }
        };
        match removed {
            Err(e) if is_absent(&e) => Ok(()),
            other => other.map_err(|e| Error::from(e).at_key(prefix)),
        }
    }
}

impl ListableStore for FilesystemStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let inner = prefix.as_str().trim_end_matches('/');
        let path = if inner.is_empty() { self.root.clone() } else { self.path(inner)? };
        let mut found = Listing::default();
        let entries = match fs::read_dir(&path) {
            Err(e) if is_absent(&e) => return Ok(found),
            other => other.map_err(|e| Error::from(e).at_key(prefix))?,
        };
        for entry in entries {
            let entry = entry.map_err(|e| Error::from(e).at_key(prefix))?;
            let name = entry.file_name();
            // What is no key (not UTF-8, being written) is not listed.
            let Some(name) = name.to_str().filter(|n| !n.starts_with(PARTIAL)) else { continue };
            let file_type = entry.file_type().map_err(|e| Error::from(e).at_key(prefix))?;
            let is_dir = file_type.is_dir() || file_type.is_symlink() && entry.path().is_dir();
            if is_dir {
                found.prefixes.extend(Prefix::new(format!("{prefix}{name}/")).ok());
            } else {
                found.keys.extend(prefix.key(name).ok());
            }
        }
        Ok(found)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let (mut keys, mut left) = (BTreeSet::new(), vec![(prefix.clone(), Vec::new())]);
        while let Some((prefix, above)) = left.pop() {
            let found = self.list_dir(&prefix)?;
            keys.extend(found.keys);
            for p in found.prefixes {
                // A link to a directory above would never end.
                let path = fs::canonicalize(self.root.join(p.as_str())).unwrap_or_default();
                if !above.contains(&path) {
                    left.push((p, above.iter().cloned().chain([path]).collect()));
                }
            }
        }
        Ok(keys)
    }
}
