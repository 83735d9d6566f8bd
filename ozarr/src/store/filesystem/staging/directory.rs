//! The temporary directory of a staged prefix.

use super::super::{
    errors::NOT_OURS,
    paths::split,
    retry::retry,
    temporary::{Names, remove_all},
};
use crate::platform::{directory::Directory, lock};
use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// A directory that is removed with everything in it when it is dropped.
#[derive(Debug)]
pub(super) struct TemporaryDirectory {
    pub(super) path: PathBuf,
    /// Locked, so that it is not taken for an orphan. `None` where directories cannot be opened.
    lock: Option<File>,
}

impl TemporaryDirectory {
    /// Creates the directory in the parent of the place, or in the place itself if that is a mount point or nothing can
    /// be created in the parent. Its name ends with the name of the place, or of the first directory on the way to it
    /// that does not exist: above the root of a store, this tells which store it belongs to.
    pub(super) fn near(place: &Path, names: &Names) -> io::Result<Self> {
        // A writer that replaces the place at the same time also removes its contents.
        retry(&[ErrorKind::NotFound], || Self::try_near(place, names))
    }
    fn try_near(place: &Path, names: &Names) -> io::Result<Self> {
        let above = place.ancestors().skip(1).find(|path| path.is_dir());
        let is_real = place.is_dir() && !place.is_symlink();
        let Some(above) = above else {
            return if is_real { Self::create(place, None, names) } else { Err(ErrorKind::NotFound.into()) };
        };
        let way = place.strip_prefix(above).ok().and_then(|way| way.iter().next());
        if !is_real {
            return Self::create(above, way, names);
        }
        // Only moving it tells whether it can be moved: a directory of the same file system may be a mount point too.
        let mut temporary = Self::create(place, way, names)?;
        match temporary.move_into(above) {
            Err(e) if e.kind() == ErrorKind::CrossesDevices || NOT_OURS.contains(&e.kind()) => Ok(temporary),
            other => other.map(|()| temporary),
        }
    }
    fn create(parent: &Path, place: Option<&OsStr>, names: &Names) -> io::Result<Self> {
        let mut place = place.and_then(OsStr::to_str);
        loop {
            let path = parent.join(names.next_of(place));
            match create_private(&path) {
                // Left behind by an earlier process with this number.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                // The name would be too long with the place.
                Err(e) if e.kind() == ErrorKind::InvalidFilename && place.is_some() => {
                    place = None;
                    continue;
                }
                other => other?,
            }
            let mut temporary = Self { path, lock: None };
            match File::open(&temporary.path) {
                Ok(directory) => {
                    lock::lock(&directory)?;
                    temporary.lock = Some(directory);
                }
                // On these systems directories cannot be opened.
                Err(_) if cfg!(not(unix)) => {}
                // Another process that removes orphans has removed it.
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            }
            // Another process that removes orphans may have removed it before it was locked.
            if temporary.exists()? {
                return Ok(temporary);
            }
        }
    }
    /// Returns true if the name still belongs to this directory.
    pub(super) fn exists(&self) -> io::Result<bool> {
        let Some(lock) = &self.lock else { return Ok(self.path.is_dir()) };
        let own = lock.metadata()?;
        match split(&self.path).and_then(|(parent, name)| Directory::open(parent)?.stat(name, true)) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            found => Ok(found?.is_some_and(|found| found.is(&own))),
        }
    }
    /// Moves it into another directory.
    pub(super) fn move_into(&mut self, directory: &Path) -> io::Result<()> {
        let path = directory.join(split(&self.path)?.1);
        fs::rename(&self.path, &path)?;
        self.path = path;
        Ok(())
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // A directory that cannot be removed is an orphan, and listed as one.
        let _done = remove_all(&self.path);
    }
}

/// Creates a directory that only its owner may read: what will be private must not be readable before.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
