//! An open directory. Operations on names in it act on this directory, wherever it has been moved.

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

/// Returns the path of an existing entry without links. For directories, uses a single step where the system has it:
/// `canonicalize` examines each directory above, and each time all directories above that one.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if let Ok(directory) = Directory::open(path) {
        let found = std::fs::read_link(directory.own_link());
        // If the directory has been moved since, or `/proc` is something else, the path leads to another directory.
        let is_same = |found: &PathBuf| found.is_absolute() && directory.is_at(found);
        if let Some(found) = found.ok().filter(is_same) {
            return Ok(found);
        }
    }
    std::fs::canonicalize(path)
}

/// The kind and identity of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) is_file: bool,
    pub(crate) is_dir: bool,
    pub(crate) is_link: bool,
    /// The device and inode number, where the system has them.
    id: Option<(u64, u64)>,
}

impl Stat {
    /// Returns true if this is the given open file, as far as the system can tell.
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
    /// Renames a file, in this or another directory, unless the new name is taken. Returns false if it is. The name
    /// `from` may still exist afterwards.
    pub(crate) fn rename_new(&self, from: &OsStr, into: &Self, to: &OsStr) -> io::Result<bool> {
        Self::first(&[Self::at_once, Self::linked, Self::portable], (self, from), (into, to))
    }
    /// Uses the first way that this system and its file system support.
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
    /// For file systems without hard links, on systems that cannot check a name and rename in one call: creates an
    /// empty file with the name, and replaces it at once.
    fn portable(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        to.0.create_new(to.1, 0o600)?;
        let renamed = from.0.rename(from.1, to.0, to.1);
        if renamed.is_err() {
            // Nobody may read the empty file as the value.
            let _the_first_error_says_more = to.0.remove(to.1);
        }
        renamed
    }
}

/// A name in a directory.
type Name<'n> = (&'n Directory, &'n OsStr);
type Way = fn(Name<'_>, Name<'_>) -> io::Result<()>;

/// Returns true if the system or the file system does not support the operation.
pub(crate) fn is_unknown(e: &io::Error) -> bool {
    let kinds = [ErrorKind::Unsupported, ErrorKind::InvalidInput, ErrorKind::PermissionDenied, ErrorKind::TooManyLinks];
    // Codes of some systems for which the standard library has no kind.
    #[cfg(unix)]
    let codes = [libc::ENOTSUP, libc::EOPNOTSUPP];
    #[cfg(not(unix))]
    let codes = [1, 50];
    kinds.contains(&e.kind()) || e.raw_os_error().is_some_and(|code| codes.contains(&code))
}
