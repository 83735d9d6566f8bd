//! Changes the value of a key: its file, or the file that a link in its place leads to.

use super::{
    FilesystemStore,
    errors::{no_file, unless_absent},
    paths::split,
    retry::{ATTEMPTS, PASSING},
    temporary::TemporaryFile,
    value::OpenFile,
};
use crate::{
    event::event,
    platform::{
        directory::Directory,
        lock::{Entry, lock_entry},
        permissions::Access,
    },
};
use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};
use zarr_core::{
    Error, Result,
    source::Source,
    store::{Key, Update},
};

/// What is being replaced.
enum Old {
    Nothing,
    /// A file and its permissions, unless it has been removed.
    File(Option<Access>),
}

impl FilesystemStore {
    /// Changes a value. Repeats this if another writer was faster, or removed the directory.
    pub(super) fn update_value(&self, key: &Key, change: &mut dyn Update, looks: bool) -> Result<()> {
        let own = self.path(key.as_str())?;
        let located = |e: io::Error| Error::from(e).at_key(key);
        let mut left = ATTEMPTS;
        let mut is_last = |e: io::Error| {
            left = left.saturating_sub(1);
            std::thread::yield_now();
            if left > 0 && PASSING.contains(&e.kind()) { Ok(()) } else { Err(located(e)) }
        };
        // The target of a link where the value is expected.
        let mut target: Option<PathBuf> = None;
        loop {
            let path = target.as_deref().unwrap_or(&own);
            let (parent, name) = split(path)?;
            // From here on everything happens in this directory, even if another process moves it away to remove it.
            let directory = unless_absent(Directory::open(parent)).map_err(|e| e.at_key(key))?;
            let place = match directory.as_ref().map_or(Ok(Entry::Vacant), |directory| lock_entry(directory, name)) {
                // A value can be replaced even if it cannot be read.
                Err(e) if e.kind() == ErrorKind::PermissionDenied && !looks => None,
                Err(e) => {
                    is_last(e)?;
                    target = None;
                    continue;
                }
                Ok(place) => Some(place),
            };
            let (source, old, locked) = match place {
                Some(Entry::Locked { file, metadata, locked }) => {
                    if !locked {
                        self.unlocked.call_once(|| {
                            event!(WARN, "cannot lock files; concurrent updates may be lost", key = key);
                        });
                    }
                    let access = Access::of(&file, &metadata).map_err(located)?;
                    (Some(OpenFile::of(file, &metadata, key, &self.cache)), Old::File(Some(access)), locked)
                }
                Some(Entry::Vacant) if target.is_none() => (None, Old::Nothing, true),
                None => {
                    let access = path.symlink_metadata().and_then(|metadata| Access::at(path, &metadata));
                    (None, Old::File(unless_absent(access).map_err(|e| e.at_key(key))?), true)
                }
                Some(Entry::Link | Entry::Vacant) => match fs::canonicalize(&own) {
                    Ok(to) => {
                        is_last(ErrorKind::NotFound.into())?;
                        target = Some(to);
                        continue;
                    }
                    Err(_) if own.is_symlink() => {
                        if looks || change.apply(None)?.is_some() {
                            return Err(located(no_file(false)));
                        }
                        return self.remove_link(&own).map_err(located);
                    }
                    Err(e) => {
                        is_last(e)?;
                        target = None;
                        continue;
                    }
                },
                Some(place @ (Entry::Directory | Entry::Special)) => {
                    let is_dir = matches!(place, Entry::Directory);
                    if looks || change.apply(None)?.is_some() || !is_dir {
                        return Err(located(no_file(is_dir)));
                    }
                    // Erased: an empty directory is removed; one with keys below it has no value to erase.
                    self.prune(Some(&own));
                    return Ok(());
                }
            };
            // The lock of the target is the lock of the value only as long as the link leads there.
            if target.is_some() && fs::canonicalize(&own).ok() != target {
                is_last(ErrorKind::NotFound.into())?;
                target = None;
                continue;
            }
            let new = change.apply(source.as_ref().map(|old| old as &dyn Source))?;
            if let (false, Some(source), Some(directory)) = (locked, &source, &directory)
                && !source.is_at(directory, name)
            {
                continue;
            }
            // A locked file stays locked until it is replaced. Others can be closed.
            let _locked = source.filter(|_| locked);
            let done = match new {
                None if target.is_some() => self.remove_link(&own).map(|()| true),
                new => self.put(directory, path, &old, new),
            };
            match done {
                Ok(true) => return Ok(()),
                Ok(false) => event!(DEBUG, "the value was modified concurrently; retrying the update", key = key),
                Err(e) => is_last(e)?,
            }
        }
    }
    /// Moves a value to its place, or removes the old value. Returns false if the place was free and is not any more.
    fn put(&self, directory: Option<Directory>, path: &Path, old: &Old, value: Option<&[u8]>) -> io::Result<bool> {
        match (directory, value) {
            (Some(directory), _) => self.put_in(&directory, path, old, value),
            (None, None) => Ok(true),
            (None, Some(_)) => self.in_new_dir(split(path)?.0, |directory| self.put_in(&directory, path, old, value)),
        }
    }
    fn put_in(&self, directory: &Directory, path: &Path, old: &Old, value: Option<&[u8]>) -> io::Result<bool> {
        let (parent, name) = split(path)?;
        let write = |value, replaced| TemporaryFile::create(directory, &self.names, replaced)?.write(value, self.fsync);
        match (value, old) {
            (Some(value), Old::Nothing) => write(value, None)?.rename_new(name),
            (Some(value), Old::File(replaced)) => write(value, replaced.as_ref())?.replace(name).map(|()| true),
            // The writer that erased it may not have waited for the disk yet.
            (None, Old::Nothing) if self.fsync => directory.sync().map(|()| true),
            (None, Old::Nothing) => Ok(true),
            (None, Old::File(_)) => {
                directory.remove(name)?;
                if self.fsync {
                    directory.sync()?;
                }
                self.prune(Some(parent));
                Ok(true)
            }
        }
    }
    /// Removes a link, not its target.
    fn remove_link(&self, path: &Path) -> io::Result<()> {
        let (parent, name) = split(path)?;
        let directory = Directory::open(parent)?;
        directory.remove(name)?;
        if self.fsync {
            directory.sync()?;
        }
        self.prune(Some(parent));
        Ok(())
    }
}
