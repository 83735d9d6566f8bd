//! A directory as a path, for systems without the calls of Unix. Does not notice if the directory is moved.

use super::{Name, Stat};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

pub(crate) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let is_dir = path.metadata()?.is_dir();
        is_dir.then(|| Self(path.to_owned())).ok_or_else(|| ErrorKind::NotADirectory.into())
    }
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.0.join(name))
    }
    pub(crate) fn create_new(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }
    pub(crate) fn stat(&self, name: &OsStr, link: bool) -> io::Result<Option<Stat>> {
        let path = self.0.join(name);
        match if link { path.symlink_metadata() } else { path.metadata() } {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            other => Ok(Some(Stat::of(&other?))),
        }
    }
    pub(crate) fn rename(&self, from: &OsStr, into: &Self, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), into.0.join(to))
    }
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }
    pub(crate) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.0.join(name))
    }
    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        path.is_dir()
    }
    /// On these systems directories cannot be opened.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
    pub(super) fn at_once(_: Name<'_>, _: Name<'_>) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
    pub(super) fn linked(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        fs::hard_link(from.0.0.join(from.1), to.0.0.join(to.1))
    }
}
