//! An open directory: what is done to a name in it is done in this very directory, wherever it has been moved.

#[cfg(not(unix))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Directory, exchange};
#[cfg(unix)]
pub(crate) use unix::{Directory, exchange};

use std::{
    ffi::OsStr,
    fs::Metadata,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// The path of what exists, without links. Of directories in one step where the system has it: `canonicalize` looks at each
/// directory above, and each time at all above that.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if let Ok(directory) = Directory::open(path) {
        let found = std::fs::read_link(directory.own_link());
        // Where this is not what it was, or `/proc` is something else, it is not the same directory.
        let is_same = |found: &PathBuf| found.is_absolute() && directory.is_at(found);
        if let Some(found) = found.ok().filter(is_same) {
            return Ok(found);
        }
    }
    std::fs::canonicalize(path)
}

/// What has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) is_file: bool,
    pub(crate) is_dir: bool,
    pub(crate) is_link: bool,
    /// What tells it from all others, where the system says so.
    id: Option<(u64, u64)>,
}

impl Stat {
    /// True if this is an open file, as far as the system tells.
    pub(crate) fn is(&self, file: &Metadata) -> bool {
        let file = Self::of(file);
        self.id == file.id && self.is_file == file.is_file
    }
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let id = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let id = None;
        Self { is_file: metadata.is_file(), is_dir: metadata.is_dir(), is_link: metadata.is_symlink(), id }
    }
}

impl Directory {
    /// Gives a file another name, in this or another directory, unless that is taken. `false`: it is taken. The name `from`
    /// may stay.
    pub(crate) fn rename_new(&self, from: &OsStr, into: &Self, to: &OsStr) -> io::Result<bool> {
        Self::first(&[Self::at_once, Self::linked, Self::portable], (self, from), (into, to))
    }
    /// The first way that this system and its file system know.
    fn first(ways: &[Way], from: Name<'_>, to: Name<'_>) -> io::Result<bool> {
        let mut unknown = ErrorKind::Unsupported.into();
        for way in ways {
            match way(from, to) {
                Ok(()) => return Ok(true),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(false),
                Err(e) if is_unknown(&e) => unknown = e,
                Err(e) => return Err(e),
            }
        }
        Err(unknown)
    }
    /// Where files have one name, and no system call looks and renames: an empty file takes the name, and is replaced at once.
    fn portable(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        to.0.create_new(to.1, 0o600)?;
        let renamed = from.0.rename(from.1, to.0, to.1);
        if renamed.is_err() {
            // Nobody may take the empty file for the value.
            let _the_first_error_says_more = to.0.remove(to.1);
        }
        renamed
    }
}

/// A name in a directory.
type Name<'n> = (&'n Directory, &'n OsStr);
type Way = fn(Name<'_>, Name<'_>) -> io::Result<()>;

/// True if the system or the file system does not know how.
pub(crate) fn is_unknown(e: &io::Error) -> bool {
    let kinds = [ErrorKind::Unsupported, ErrorKind::InvalidInput, ErrorKind::PermissionDenied, ErrorKind::TooManyLinks];
    // Some systems have names for it that the standard library does not know.
    #[cfg(unix)]
    let codes = [libc::ENOTSUP, libc::EOPNOTSUPP];
    #[cfg(not(unix))]
    let codes = [1, 50];
    kinds.contains(&e.kind()) || e.raw_os_error().is_some_and(|code| codes.contains(&code))
}
