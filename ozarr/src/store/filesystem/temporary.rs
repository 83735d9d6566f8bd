//! Temporary files and directories next to the places of values: values that are being written, and directories that
//! are being removed.
//!
//! Their names are not keys. Writers lock the ones that they create: one that is not locked is orphaned.

use super::{paths::split, retry::retry};
use crate::platform::{
    directory::Directory,
    lock,
    permissions::{self, Access},
    process::is_running,
};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirEntry, File, TryLockError},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The prefix of their names, which no part of a key may have.
const PARTIAL: &str = "__zarr_partial.";

/// The prefix of directories that have data while it is being replaced. Unlike temporary files they are never removed
/// as orphans: after a crash, one may be all that is left of a node.
const REPLACED: &str = "__zarr_replaced.";

/// Returns true for reserved names, which no key has.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with(PARTIAL) || name.starts_with(REPLACED)
}

/// The parts of a temporary name.
struct Told<'n> {
    /// The process that created it.
    process: u32,
    /// The name of the place that a directory will take.
    place: Option<&'n str>,
}

impl<'n> Told<'n> {
    /// Returns `None` if [`Names`] does not create such a name.
    fn of(name: &'n str) -> Option<Self> {
        let mut parts = name.strip_prefix(PARTIAL)?.splitn(4, '.');
        let (process, store, number) = (parts.next()?, parts.next()?, parts.next()?);
        let process = process.parse().ok()?;
        let store = usize::from_str_radix(store, 16).ok()?;
        // Numbers can be written in several ways, only one of which [`Names`] uses.
        let rest = name.strip_prefix(&unique(PARTIAL, process, store, number.parse().ok()?))?;
        match rest.strip_prefix('.') {
            None if rest.is_empty() => Some(Self { process, place: None }),
            place => place.filter(|place| !place.is_empty()).map(|place| Self { process, place: Some(place) }),
        }
    }
}

fn unique(beginning: &str, process: u32, store: usize, number: u64) -> String {
    format!("{beginning}{process}.{store:x}.{number}")
}

/// Creates names that no other store of this process uses, nor another living process of this machine.
#[derive(Debug, Default)]
pub(super) struct Names(AtomicU64);

impl Names {
    pub(super) fn next(&self) -> String {
        self.next_with(PARTIAL)
    }
    /// Returns a name for a directory that will take a place with this name.
    pub(super) fn next_of(&self, place: Option<&str>) -> String {
        place.map_or_else(|| self.next(), |place| format!("{}.{place}", self.next()))
    }
    /// Returns a name for a directory with data that is being replaced.
    pub(super) fn next_replaced(&self) -> String {
        self.next_with(REPLACED)
    }
    fn next_with(&self, beginning: &str) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        unique(beginning, std::process::id(), std::ptr::from_ref(self).addr(), number)
    }
}

/// A value that is being written. The file is removed unless it was moved to its place.
pub(super) struct TemporaryFile<'d> {
    directory: &'d Directory,
    name: OsString,
    // Locked until the value has its name.
    file: File,
    fsync: bool,
}

impl<'d> TemporaryFile<'d> {
    /// Creates an empty file next to the place of a value, with the permissions of the file that it will replace.
    pub(super) fn create(directory: &'d Directory, names: &Names, replaced: Option<&Access>) -> io::Result<Self> {
        let mode = permissions::initial_mode(replaced);
        let temporary = loop {
            let name = OsString::from(names.next());
            let file = match directory.create_new(&name, mode) {
                Ok(file) => file,
                // Left behind by an earlier process with this number, or one on another machine.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            };
            let temporary = Self { directory, name, file, fsync: false };
            lock::lock(&temporary.file)?;
            // Another process that removes orphans may have removed it before it was locked.
            if directory.stat(&temporary.name, true)?.is_some() {
                break temporary;
            }
        };
        if let Some(replaced) = replaced {
            permissions::keep(&temporary.file, replaced)?;
        }
        Ok(temporary)
    }
    /// Writes the value. With `fsync`, it is on the disk before it gets its name.
    pub(super) fn write(mut self, value: &[u8], fsync: bool) -> io::Result<Self> {
        self.file.write_all(value)?;
        self.fsync = fsync;
        if fsync {
            self.file.sync_all()?;
        }
        Ok(self)
    }
    /// Moves the file to its place, and replaces whatever is there.
    pub(super) fn replace(mut self, place: &OsStr) -> io::Result<()> {
        self.directory.rename(&self.name, self.directory, place)?;
        self.moved()
    }
    /// Moves the file to its place if the place is free. Returns false if it is not.
    pub(super) fn rename_new(mut self, place: &OsStr) -> io::Result<bool> {
        let moved = self.directory.rename_new(&self.name, self.directory, place)?;
        if moved {
            // The old name may still exist.
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

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            let _may_be_gone = self.directory.remove(&self.name);
        }
    }
}

/// Creates a directory and those above it, and opens it.
pub(super) fn make_dir(path: &Path, fsync: bool) -> io::Result<Directory> {
    create_dir(path, fsync)?;
    Directory::open(path)
}

/// Creates a directory and those above it.
fn create_dir(path: &Path, fsync: bool) -> io::Result<()> {
    if !fsync {
        return fs::create_dir_all(path);
    }
    let made = |at: &Path| match fs::create_dir(at) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists && at.is_dir() => Ok(()),
        Err(e) => Err(e),
        Ok(()) => sync_parent(at),
    };
    let mut missing = Vec::new();
    for at in path.ancestors() {
        match made(at) {
            Err(e) if e.kind() == ErrorKind::NotFound => missing.push(at),
            other => {
                other?;
                break;
            }
        }
    }
    missing.into_iter().rev().try_for_each(made)
}

/// Waits until the disk has the name of a path, or its removal.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match Directory::open(path.parent().unwrap_or(path)).and_then(|parent| parent.sync()) {
        // If the directory was removed, the name was removed with it.
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Hides a directory in one step, and then removes it with everything in it. Anything but a directory is simply
/// removed. With `fsync`, the removal is on the disk too, and a power failure never leaves a part of the directory.
///
/// A temporary directory that is in use stays: what is staged there is not in its place yet, and will be moved there
/// afterwards. Waiting for that could take for ever.
pub(super) fn remove_tree(path: &Path, names: &Names, fsync: bool) -> io::Result<()> {
    let gone = || if fsync { sync_parent(path) } else { Ok(()) };
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path).and_then(|()| gone());
    }
    let is_temporary = path.file_name().and_then(OsStr::to_str).is_some_and(is_partial);
    let temporary = path.with_file_name(names.next());
    // A directory that cannot be opened or locked is removed all the same.
    let locked = File::open(path);
    if let Ok(directory) = &locked {
        if !is_temporary {
            let _may_be_unknown = lock::lock(directory);
        } else if matches!(directory.try_lock(), Err(TryLockError::WouldBlock)) {
            return Ok(());
        }
    }
    match fs::rename(path, &temporary) {
        Ok(()) => gone().and(remove_all(&temporary)),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(e),
        // The root of another file system cannot be renamed.
        Err(_) => retry(&[ErrorKind::DirectoryNotEmpty], || fs::remove_dir_all(path)).and_then(|()| gone()),
    }
}

/// Removes a temporary directory with everything in it, even below directories without write permission.
pub(super) fn remove_all(path: &Path) -> io::Result<()> {
    // Writers that have one of its directories open may still add files.
    retry(&[ErrorKind::DirectoryNotEmpty], || match fs::remove_dir_all(path) {
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            permissions::make_removable(path);
            fs::remove_dir_all(path)
        }
        other => other,
    })
}

/// Finds orphaned temporary files and directories in a directory and below it, and orphaned directories next to it that
/// were to take its place. They were left by writers that ended early. With `remove`, removes them. Directories that
/// may not be read and entries that disappear are left out.
///
/// Only considers files with the exact names that [`Names`] creates, and directories with such names, which
/// [`remove_tree`] and [staging](super::staging) leave behind if interrupted. Next to the directory, only considers
/// those of this user whose names end with the name of the directory: others belong to other stores.
pub(super) fn orphans(root: &Path, remove: bool) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut left) = (Vec::new(), vec![root.to_owned()]);
    if let Ok((above, own)) = split(root) {
        for entry in entries(above)? {
            let entry = entry?;
            let name = entry.file_name();
            let told = name.to_str().and_then(Told::of).filter(|told| told.place.map(OsStr::new) == Some(own));
            // Other users may be able to create directories there.
            if let Some(told) = told
                && entry.metadata().is_ok_and(|metadata| permissions::is_own(&metadata))
            {
                found.extend(orphan(&entry, &told, remove)?);
            }
        }
    }
    if let Err(e) = fs::read_dir(root).map(drop)
        && e.kind() != ErrorKind::NotFound
    {
        return Err(e);
    }
    while let Some(directory) = left.pop() {
        for entry in entries(&directory)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some(told) = name.to_str().and_then(Told::of) {
                found.extend(orphan(&entry, &told, remove)?);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !name.to_str().is_some_and(is_partial) {
                // Entries below a reserved name are not ours.
                left.push(entry.path());
            }
        }
    }
    Ok(found)
}

fn is_passing(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

/// Returns the entries of a directory, or none if it may not be read.
fn entries(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<DirEntry>>> {
    match fs::read_dir(directory) {
        Err(e) if is_passing(&e) => Ok(None.into_iter().flatten()),
        // The path is longer than the system can open: the error names it.
        Err(e) => Err(io::Error::new(e.kind(), format!("{}: {e}", directory.display()))),
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
    }
}

/// Returns the path of an entry with a temporary name if it is orphaned. With `remove`, removes it first.
fn orphan(entry: &DirEntry, told: &Told<'_>, remove: bool) -> io::Result<Option<PathBuf>> {
    let (path, kind) = (entry.path(), entry.file_type());
    let (is_dir, is_file) = kind.map_or((false, false), |kind| (kind.is_dir(), kind.is_file()));
    // The name of a temporary file never has a place.
    let is_ours = is_dir || is_file && told.place.is_none();
    let Some(_locked) = is_ours.then(|| orphaned(&path, told.process)).flatten() else { return Ok(None) };
    let removed = match (remove, is_dir) {
        (false, _) => Ok(()),
        (true, true) => remove_all(&path),
        (true, false) => fs::remove_file(&path),
    };
    match removed {
        Err(e) if is_passing(&e) => Ok(None),
        other => other.map(|()| Some(path)),
    }
}

/// A writer locks the file that it created within this time, unless it was stopped.
const LOCKED_WITHIN: Duration = Duration::from_secs(60);

/// Locks a temporary file or directory that no writer has locked. Returns `None` where files cannot be locked, as
/// nobody can tell then.
fn orphaned(path: &Path, process: u32) -> Option<File> {
    let (directory, name) = (Directory::open(path.parent()?).ok()?, path.file_name()?);
    let file = directory.open_file(name).ok().filter(|_| cfg!(unix))?;
    file.try_lock().ok()?;
    let metadata = file.metadata().ok()?;
    // A working writer may have created an empty file or directory and not locked it yet.
    let is_empty = match metadata.is_dir() {
        true => fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        false => metadata.is_file() && metadata.len() == 0,
    };
    let is_young = || metadata.modified().is_ok_and(|m| m.elapsed().map_or(true, |age| age < LOCKED_WITHIN));
    if is_empty && is_running(process) && is_young() {
        return None;
    }
    let now = directory.stat(name, true).ok()??;
    now.is(&metadata).then_some(file)
}

/// Returns true if a directory, or one below it, has a value. A directory that cannot be read may have one.
pub(super) fn has_values(directory: &Path) -> bool {
    // Most directories are nodes.
    let is_node = |directory: &Path| directory.join("zarr.json").symlink_metadata().is_ok();
    if is_node(directory) {
        return true;
    }
    let Ok(entries) = fs::read_dir(directory) else { return true };
    let mut open = vec![entries];
    while let Some(entries) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let Ok(entry) = entry else { continue };
        match entry.file_type() {
            _ if entry.file_name().to_str().is_some_and(is_partial) => {}
            Ok(kind) if kind.is_dir() => match fs::read_dir(entry.path()) {
                Ok(_) if is_node(&entry.path()) => return true,
                Ok(entries) => open.push(entries),
                Err(_) => return true,
            },
            _ => return true,
        }
    }
    false
}
