//! Stores and erases values and prefixes.

use super::{
    FilesystemStore,
    errors::{no_file, unless_absent},
    paths::split,
    retry::{PASSING, retry},
    staging::Staging,
    temporary::{TemporaryFile, is_partial},
};
use crate::platform::directory::Directory;
use std::{fs, io::ErrorKind};
use zarr_core::{
    Error, Result,
    name::NodePath,
    source::Source,
    store::{Key, Prefix, Staged, Update, WriteableStore},
};

impl FilesystemStore {
    /// Erases everything in the root, which stays.
    fn erase_all(&self) -> Result<()> {
        // Without its metadata document a half-erased array cannot be opened. With it, missing chunks would read as the
        // fill value.
        let document = Key::metadata(&NodePath::ROOT);
        if fs::symlink_metadata(self.path(document.as_str())?).is_ok_and(|metadata| metadata.is_file()) {
            self.erase(&document)?;
        }
        for entry in unless_absent(fs::read_dir(&self.root))?.into_iter().flatten() {
            let entry = entry?;
            let name = entry.file_name();
            let key = name.to_str().filter(|n| !is_partial(n)).and_then(|n| Key::new(n).ok());
            match key.filter(|_| entry.file_type().is_ok_and(|kind| kind.is_file())) {
                Some(key) => self.erase(&key)?,
                None => self.remove_tree(&entry.path())?,
            }
        }
        Ok(())
    }
}

impl WriteableStore for FilesystemStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.update_value(key, &mut Instead(Some(value)), false)
    }
    /// Safe among all writers on this machine.
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.update_value(key, change, true)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        let path = self.path(key.as_str())?;
        let (parent, name) = split(&path)?;
        let set_in = |directory: Directory| {
            if directory.stat(name, true)?.is_none()
                && TemporaryFile::create(&directory, &self.names, None)?.write(value, self.fsync)?.rename_new(name)?
            {
                return Ok(true);
            }
            match directory.stat(name, false)? {
                Some(look) if look.is_file && self.fsync => directory.sync().map(|()| false),
                Some(look) if look.is_file => Ok(false),
                // It was removed in the meantime.
                None if directory.stat(name, true)?.is_none() => Err(ErrorKind::NotFound.into()),
                look => Err(no_file(look.is_some_and(|l| l.is_dir))),
            }
        };
        let set = || match Directory::open(parent) {
            Err(e) if e.kind() == ErrorKind::NotFound => self.in_new_dir(parent, set_in),
            other => set_in(other?),
        };
        retry(&PASSING, set).map_err(|e| Error::from(e).at_key(key))
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.update_value(key, &mut Instead(None), false)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        let path = self.directory(prefix)?;
        let erased = match path == self.root {
            true => self.erase_all(),
            // A value with that name does not have the prefix.
            false if path.is_dir() => self.remove_tree(&path),
            false => Ok(()),
        };
        erased.map_err(|e| if e.key().is_none() { e.at_key(prefix) } else { e })?;
        self.prune(path.parent());
        Ok(())
    }
    fn erase_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        self.orphans(prefix, true)
    }
    fn stage(&self, prefix: &Prefix) -> Result<Option<Box<dyn Staged>>> {
        let staging = Staging::begin(self, prefix).map_err(|e| if e.key().is_none() { e.at_key(prefix) } else { e })?;
        Ok(Some(Box::new(staging)))
    }
}

/// Replaces a value, regardless of the old one.
struct Instead<'v>(Option<&'v [u8]>);
impl Update for Instead<'_> {
    fn apply(&mut self, _: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        Ok(self.0)
    }
}
