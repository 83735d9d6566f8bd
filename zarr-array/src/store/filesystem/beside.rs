//! Files and directories beside the places of values: values that are being written, and what is being removed.
//!
//! Their names are no keys. Whoever made one holds its lock: one that nobody holds was left behind.

use super::again;
use crate::platform::{directory::Directory, hold};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// How their names begin, which no key's part may.
const PARTIAL: &str = "__zarr_partial.";

/// How names of directories begin that hold data while it is being replaced. Unlike temporary files they are never removed
/// as orphans: after a crash one may be all that is left of a node.
const REPLACED: &str = "__zarr_replaced.";

/// True of the names of files and directories that are no values.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with(PARTIAL) || name.starts_with(REPLACED)
}

/// Makes names that no other store of this process uses, nor another living process of this machine.
#[derive(Debug, Default)]
pub(super) struct Names(AtomicU64);

impl Names {
    pub(super) fn next(&self) -> String {
        self.next_with(PARTIAL)
    }
    /// A name for what is being replaced.
    pub(super) fn next_replaced(&self) -> String {
        self.next_with(REPLACED)
    }
    fn next_with(&self, beginning: &str) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{beginning}{}.{:x}.{number}", std::process::id(), std::ptr::from_ref(self).addr())
    }
}

/// A value that is being written; removed unless it was moved to its place.
pub(super) struct Beside<'d> {
    directory: &'d Directory,
    name: OsString,
    // Held until the value has its name.
    file: File,
    fsync: bool,
}

impl<'d> Beside<'d> {
    /// Writes a value beside its place. With `fsync` it is on the disk before it gets its name.
    pub(super) fn write(directory: &'d Directory, value: &[u8], names: &Names, fsync: bool) -> io::Result<Self> {
        let mut beside = loop {
            let name = OsString::from(names.next());
            let file = match directory.create_new(&name) {
                Ok(file) => file,
                // Left behind by a process that had this number, or another machine's.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            };
            let beside = Self { directory, name, file, fsync };
            hold::lock(&beside.file)?;
            // Who looks for debris may have come between.
            if directory.look(&beside.name, true)?.is_some() {
                break beside;
            }
        };
        beside.file.write_all(value)?;
        if fsync {
            beside.file.sync_all()?;
        }
        Ok(beside)
    }
    /// Moves it to its place, whatever is there.
    pub(super) fn replace(mut self, place: &OsStr) -> io::Result<()> {
        self.directory.rename(&self.name, place)?;
        self.moved()
    }
    /// Moves it to its place if nothing is there. `false`: something is.
    pub(super) fn rename_new(mut self, place: &OsStr) -> io::Result<bool> {
        let moved = self.directory.rename_new(&self.name, place)?;
        if moved {
            // A second name may have stayed.
            let _may_be_gone = self.directory.remove(&self.name);
            self.moved()?;
        }
        Ok(moved)
    }
    fn moved(&mut self) -> io::Result<()> {
        self.name.clear();
        if self.fsync { self.directory.sync() } else { Ok(()) }
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            let _may_be_gone = self.directory.remove(&self.name);
        }
    }
}

/// Makes a directory and those above it, and opens it.
pub(super) fn make_dir(path: &Path, fsync: bool) -> io::Result<Directory> {
    create_dir(path, fsync)?;
    Directory::open(path)
}

/// Makes a directory and those above it.
fn create_dir(path: &Path, fsync: bool) -> io::Result<()> {
    if !fsync {
        return fs::create_dir_all(path);
    }
    match fs::create_dir(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            create_dir(path.parent().ok_or(ErrorKind::NotFound)?, fsync)?;
            fs::create_dir(path)?;
            sync_parent(path)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(e) => Err(e),
        Ok(()) => sync_parent(path),
    }
}

/// Waits until the disk has the name of a path, or that it is gone.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match Directory::open(path.parent().unwrap_or(path)).and_then(|parent| parent.sync()) {
        // Who took the directory away took the name with it.
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Takes a directory out of sight at once, and then removes it with all that is in it. What is no directory is removed. With
/// `fsync` it is gone from the disk too, and never half there.
pub(super) fn remove_tree(path: &Path, names: &Names, fsync: bool) -> io::Result<()> {
    let gone = || if fsync { sync_parent(path) } else { Ok(()) };
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path).and_then(|()| gone());
    }
    // Others may add files meanwhile.
    let remove = |at: &Path| again(&[ErrorKind::DirectoryNotEmpty], || fs::remove_dir_all(at));
    let beside = path.with_file_name(names.next());
    let _held = File::open(path).and_then(|directory| hold::lock(&directory).map(|_| directory));
    match fs::rename(path, &beside) {
        Ok(()) => gone().and(remove(&beside)),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(e),
        // The root of another file system stays where it is.
        Err(_) => remove(path).and_then(|()| gone()),
    }
}

/// What writers that ended before they were done left below a directory: files and directories beside values. If asked they
/// are removed. What may not be looked at, and what goes meanwhile, is left out.
pub(super) fn debris(directory: &Path, remove: bool, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (path, is_dir) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let done = if entry.file_name().to_str().is_some_and(|name| name.starts_with(PARTIAL)) {
            let Some(_held) = unheld(&path) else { continue };
            let removed = match (remove, is_dir) {
                (false, _) => Ok(()),
                (true, true) => fs::remove_dir_all(&path),
                (true, false) => fs::remove_file(&path),
            };
            removed.map(|()| found.push(path))
        } else if is_dir {
            debris(&path, remove, found)
        } else {
            continue;
        };
        match done {
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Holds what nobody else holds and still has its name. Where there are no locks nobody can tell.
fn unheld(path: &Path) -> Option<File> {
    let file = File::open(path).ok().filter(|_| cfg!(unix))?;
    file.try_lock().ok()?;
    let directory = Directory::open(path.parent()?).ok()?;
    let now = directory.look(path.file_name()?, true).ok()??;
    now.is(&file.metadata().ok()?).then_some(file)
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
