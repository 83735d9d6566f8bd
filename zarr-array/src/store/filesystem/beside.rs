//! Files and directories beside the places of values: values that are being written, and what is being removed.
//!
//! Their names are no keys. Whoever made one holds its lock: one that nobody holds was left behind.

use super::again;
use crate::platform::{create_new::rename_new, hold};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// How their names begin, which no key's part may.
const PARTIAL: &str = "__zarr_partial.";

/// True of the names of files and directories that are no values.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with(PARTIAL)
}

/// Makes names that no other store of this process uses, nor another living process of this machine.
#[derive(Debug, Default)]
pub(super) struct Names(AtomicU64);

impl Names {
    pub(super) fn next(&self) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{PARTIAL}{}.{:x}.{number}", std::process::id(), std::ptr::from_ref(self).addr())
    }
}

/// A value that is being written; removed unless it was moved to its place.
pub(super) struct Beside {
    path: PathBuf,
    // Held until the value has its name.
    file: File,
    fsync: bool,
}

impl Beside {
    /// Writes a value beside its place. With `fsync` it is on the disk before it gets its name.
    pub(super) fn write(place: &Path, value: &[u8], names: &Names, fsync: bool) -> io::Result<Self> {
        let parent = place.parent().ok_or(ErrorKind::InvalidInput)?;
        let mut beside = loop {
            let path = parent.join(names.next());
            match File::create_new(&path) {
                Ok(file) => break Self { path, file, fsync },
                // Left behind by a process that had this number, or another machine's.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) if e.kind() == ErrorKind::NotFound => create_dir(parent, fsync)?,
                Err(e) => return Err(e),
            }
        };
        hold::lock(&beside.file)?;
        beside.file.write_all(value)?;
        if fsync {
            beside.file.sync_all()?;
        }
        Ok(beside)
    }
    /// Moves it to its place, whatever is there.
    pub(super) fn replace(mut self, place: &Path) -> io::Result<()> {
        fs::rename(&self.path, place)?;
        self.moved(place)
    }
    /// Moves it to its place if nothing is there. `false`: something is.
    pub(super) fn rename_new(mut self, place: &Path) -> io::Result<bool> {
        let moved = rename_new(&self.path, place)?;
        if moved {
            // A second name may have stayed.
            let _may_be_gone = fs::remove_file(&self.path);
            self.moved(place)?;
        }
        Ok(moved)
    }
    fn moved(&mut self, place: &Path) -> io::Result<()> {
        self.path.clear();
        if self.fsync { sync_parent(place) } else { Ok(()) }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _may_be_gone = fs::remove_file(&self.path);
        }
    }
}

/// Makes a directory and those above it.
fn create_dir(path: &Path, fsync: bool) -> io::Result<()> {
    if !fsync {
        return fs::create_dir_all(path);
    }
    match fs::create_dir(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            create_dir(path.parent().ok_or(ErrorKind::NotFound)?, fsync)?;
            create_dir(path, fsync)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(e) => Err(e),
        Ok(()) => sync_parent(path),
    }
}

/// Waits until the name of a path is on the disk, or that it is gone.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    // Elsewhere directories cannot be opened.
    match path.parent().filter(|_| cfg!(unix)) {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// Takes a directory out of sight at once, and then removes it with all that is in it. What is no directory is removed. With
/// `fsync` it is gone from the disk too, and never half there.
pub(super) fn remove_tree(path: &Path, names: &Names, fsync: bool) -> io::Result<()> {
    let gone = || if fsync { sync_parent(path) } else { Ok(()) };
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path).and_then(|()| gone());
    }
    let beside = path.with_file_name(names.next());
    let held = File::open(path).and_then(|directory| hold::lock(&directory).map(|_| directory));
    let moved = fs::rename(path, &beside);
    // The root of another file system stays where it is.
    let at = if moved.is_ok() { &beside } else { path };
    if moved.is_ok() {
        gone()?;
    }
    // Others may add files meanwhile.
    let removed = again(&[ErrorKind::DirectoryNotEmpty], || fs::remove_dir_all(at));
    drop(held);
    if moved.is_ok() { removed } else { removed.and_then(|()| gone()) }
}

/// What writers that ended before they were done left below a directory: files and directories beside values. If asked they
/// are removed, and nothing else is: who made a directory may be about to write into it.
pub(super) fn debris(directory: &Path, remove: bool, found: &mut Vec<PathBuf>) -> io::Result<()> {
    // Of many directories below a prefix only this knows which it was.
    let located = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", directory.display()));
    for entry in fs::read_dir(directory).map_err(located)? {
        let name = entry?.file_name();
        let path = directory.join(&name);
        let is_dir = match path.symlink_metadata() {
            Ok(m) => m.is_dir(),
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            Err(e) => return Err(e),
        };
        if name.to_str().is_some_and(is_partial) {
            let Some(_held) = unheld(&path)? else { continue };
            if remove {
                if is_dir { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }?;
            }
            found.push(path);
        } else if is_dir {
            debris(&path, remove, found)?;
        }
    }
    Ok(())
}

/// Holds what nobody else holds.
fn unheld(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        // Where there are no locks nobody can tell.
        Ok(file) => Ok(file.try_lock().is_ok().then_some(file)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// True if a directory, or one in it, has a value.
pub(super) fn has_values(directory: &Path) -> bool {
    // Most are nodes.
    if directory.join("zarr.json").symlink_metadata().is_ok() {
        return true;
    }
    let Ok(entries) = fs::read_dir(directory) else { return true };
    entries.flatten().any(|entry| match entry.file_type() {
        _ if entry.file_name().to_str().is_some_and(is_partial) => false,
        Ok(kind) if kind.is_dir() => has_values(&entry.path()),
        _ => true,
    })
}
