//! Temporary files and directories, next to the places of values: values that are being written, and what is being removed.
//!
//! Their names are not keys. Writers lock what they make: one that is not locked is orphaned.

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

/// How their names begin, which no key's part may.
const PARTIAL: &str = "__zarr_partial.";

/// How names of directories begin that have data while it is being replaced. Unlike temporary files they are never removed
/// as orphans: after a crash one may be all that is left of a node.
const REPLACED: &str = "__zarr_replaced.";

/// True of the names that are reserved: no key has them.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with(PARTIAL) || name.starts_with(REPLACED)
}

/// What a temporary name tells.
struct Told<'n> {
    /// The process that made it.
    process: u32,
    /// The name of the place that a directory is to take.
    place: Option<&'n str>,
}

impl<'n> Told<'n> {
    /// `None`: [`Names`] does not make such a name.
    fn of(name: &'n str) -> Option<Self> {
        let mut parts = name.strip_prefix(PARTIAL)?.splitn(4, '.');
        let (process, store, number) = (parts.next()?, parts.next()?, parts.next()?);
        let process = process.parse().ok()?;
        let store = usize::from_str_radix(store, 16).ok()?;
        // Numbers can be written in more than one way, and only one of them is ours.
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

/// Makes names that no other store of this process uses, nor another living process of this machine.
#[derive(Debug, Default)]
pub(super) struct Names(AtomicU64);

impl Names {
    pub(super) fn next(&self) -> String {
        self.next_with(PARTIAL)
    }
    /// A name for a directory that is to take a place of this name.
    pub(super) fn next_of(&self, place: Option<&str>) -> String {
        place.map_or_else(|| self.next(), |place| format!("{}.{place}", self.next()))
    }
    /// A name for what is being replaced.
    pub(super) fn next_replaced(&self) -> String {
        self.next_with(REPLACED)
    }
    fn next_with(&self, beginning: &str) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        unique(beginning, std::process::id(), std::ptr::from_ref(self).addr(), number)
    }
}

/// A value that is being written; removed unless it was moved to its place.
pub(super) struct TemporaryFile<'d> {
    directory: &'d Directory,
    name: OsString,
    // Locked until the value has its name.
    file: File,
    fsync: bool,
}

impl<'d> TemporaryFile<'d> {
    /// An empty file next to the place of a value, with the permissions of the one that it is to replace.
    pub(super) fn create(directory: &'d Directory, names: &Names, replaced: Option<&Access>) -> io::Result<Self> {
        let mode = permissions::initial_mode(replaced);
        let temporary = loop {
            let name = OsString::from(names.next());
            let file = match directory.create_new(&name, mode) {
                Ok(file) => file,
                // Left behind by a process that had this number, or another machine's.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            };
            let temporary = Self { directory, name, file, fsync: false };
            lock::lock(&temporary.file)?;
            // Another process that removes orphans may have come between.
            if directory.stat(&temporary.name, true)?.is_some() {
                break temporary;
            }
        };
        if let Some(replaced) = replaced {
            permissions::keep(&temporary.file, replaced)?;
        }
        Ok(temporary)
    }
    /// Writes the value. With `fsync` it is on the disk before it gets its name.
    pub(super) fn write(mut self, value: &[u8], fsync: bool) -> io::Result<Self> {
        self.file.write_all(value)?;
        self.fsync = fsync;
        if fsync {
            self.file.sync_all()?;
        }
        Ok(self)
    }
    /// Moves it to its place, whatever is there.
    pub(super) fn replace(mut self, place: &OsStr) -> io::Result<()> {
        self.directory.rename(&self.name, self.directory, place)?;
        self.moved()
    }
    /// Moves it to its place if nothing is there. `false`: something is.
    pub(super) fn rename_new(mut self, place: &OsStr) -> io::Result<bool> {
        let moved = self.directory.rename_new(&self.name, self.directory, place)?;
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

impl Drop for TemporaryFile<'_> {
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

/// Waits until the disk has the name of a path, or that it is gone.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match Directory::open(path.parent().unwrap_or(path)).and_then(|parent| parent.sync()) {
        // If the directory was taken away, the name went with it.
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Takes a directory out of sight at once, and then removes it with all that is in it. Anything else is removed. With
/// `fsync` it is gone from the disk too, and never half there.
///
/// A temporary directory that somebody uses stays: what is staged there is not in its place yet, and will be put there
/// afterwards. Waiting for that could take for ever.
pub(super) fn remove_tree(path: &Path, names: &Names, fsync: bool) -> io::Result<()> {
    let gone = || if fsync { sync_parent(path) } else { Ok(()) };
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path).and_then(|()| gone());
    }
    let is_temporary = path.file_name().and_then(OsStr::to_str).is_some_and(is_partial);
    let temporary = path.with_file_name(names.next());
    // What cannot be opened or locked is removed all the same.
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
        // The root of another file system stays where it is.
        Err(_) => retry(&[ErrorKind::DirectoryNotEmpty], || fs::remove_dir_all(path)).and_then(|()| gone()),
    }
}

/// Removes a temporary directory with all that is in it, also below directories that may not be written to.
pub(super) fn remove_all(path: &Path) -> io::Result<()> {
    // Writers that had opened one may add files meanwhile.
    retry(&[ErrorKind::DirectoryNotEmpty], || match fs::remove_dir_all(path) {
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            permissions::make_removable(path);
            fs::remove_dir_all(path)
        }
        other => other,
    })
}

/// Orphaned temporary files and directories in a directory and below it, and directories next to it that were to take its
/// place: what writers left that ended before they were done. If asked they are removed. What may not be looked at, and what
/// goes meanwhile, is left out.
///
/// Only files with the exact names that [`Names`] makes are looked at, and directories with such names, which are what
/// [`remove_tree`] and [staging](super::staging) did not finish to remove. Next to the directory, only those of this user that
/// tell its name: others belong to other stores.
pub(super) fn orphans(root: &Path, remove: bool) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut left) = (Vec::new(), vec![root.to_owned()]);
    if let Ok((above, own)) = split(root) {
        for entry in entries(above)? {
            let entry = entry?;
            let name = entry.file_name();
            let told = name.to_str().and_then(Told::of).filter(|told| told.place.map(OsStr::new) == Some(own));
            // Others may be able to create directories there.
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
                // Nothing below a reserved name is ours.
                left.push(entry.path());
            }
        }
    }
    Ok(found)
}

fn is_passing(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

/// What is in a directory, as far as it may be looked at.
fn entries(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<DirEntry>>> {
    match fs::read_dir(directory) {
        Err(e) if is_passing(&e) => Ok(None.into_iter().flatten()),
        // The path is longer than any that the system opens: the error says which.
        Err(e) => Err(io::Error::new(e.kind(), format!("{}: {e}", directory.display()))),
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
    }
}

/// The path of an orphaned file or directory of a temporary name, once it has been removed if that is asked.
fn orphan(entry: &DirEntry, told: &Told<'_>, remove: bool) -> io::Result<Option<PathBuf>> {
    let (path, kind) = (entry.path(), entry.file_type());
    let (is_dir, is_file) = kind.map_or((false, false), |kind| (kind.is_dir(), kind.is_file()));
    // No file has a name that tells a place.
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

/// Within this time a writer has locked the file that it created, unless it was stopped.
const LOCKED_WITHIN: Duration = Duration::from_secs(60);

/// Locks a temporary file or directory that no writer has locked. Where files cannot be locked nobody can tell.
fn orphaned(path: &Path, process: u32) -> Option<File> {
    let (directory, name) = (Directory::open(path.parent()?).ok()?, path.file_name()?);
    let file = directory.open_file(name).ok().filter(|_| cfg!(unix))?;
    file.try_lock().ok()?;
    let metadata = file.metadata().ok()?;
    // Between creating and locking its file or directory, a writer that is at work has an empty one that is not locked.
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

/// True if a directory, or one in it, has a value. So has one that cannot be read, as far as anybody can tell.
pub(super) fn has_values(directory: &Path) -> bool {
    // Most are nodes.
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
