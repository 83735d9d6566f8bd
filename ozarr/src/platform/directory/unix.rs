//! An open directory, for the system calls that take one.
#![allow(unsafe_code)]

use super::{Name, Stat};
use crate::platform::system_call::{done, text};
use std::{
    ffi::{OsStr, c_int},
    fs::{File, OpenOptions},
    io::{self, ErrorKind},
    mem::MaybeUninit,
    os::{
        fd::{AsRawFd, FromRawFd, RawFd},
        unix::fs::OpenOptionsExt,
    },
    path::Path,
};

#[cfg(not(target_os = "linux"))]
use libc::{fstatat, openat, stat};
/// The variants for files of any size on all processors.
#[cfg(target_os = "linux")]
use libc::{fstatat64 as fstatat, openat64 as openat, stat64 as stat};

#[derive(Debug)]
pub(crate) struct Directory(File);

/// Exchanges two paths in one step.
#[cfg(target_os = "linux")]
pub(crate) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    let (a, b, here) = (text(a.as_os_str())?, text(b.as_os_str())?, libc::AT_FDCWD);
    // SAFETY: both strings are null-terminated and outlive the call.
    done(unsafe { libc::renameat2(here, a.as_ptr(), here, b.as_ptr(), libc::RENAME_EXCHANGE) })
}
#[cfg(not(target_os = "linux"))]
pub(crate) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(path).map(Self)
    }
    /// Returns a link to this directory.
    #[cfg(target_os = "linux")]
    pub(super) fn own_link(&self) -> String {
        format!("/proc/self/fd/{}", self.fd())
    }
    /// Returns true if a path leads to this directory.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let there = path.metadata();
        self.0.metadata().is_ok_and(|here| there.is_ok_and(|there| Stat::of(&here) == Stat::of(&there)))
    }
    /// Returns the open directory as a file.
    pub(crate) fn file(&self) -> &File {
        &self.0
    }
    fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
    fn open_at(&self, name: &OsStr, flags: c_int, mode: u32) -> io::Result<File> {
        let name = text(name)?;
        loop {
            // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call.
            let fd = unsafe { openat(self.fd(), name.as_ptr(), flags | libc::O_CLOEXEC, mode) };
            match fd {
                // SAFETY: the descriptor was just opened, and nothing else owns it.
                0.. => return Ok(unsafe { File::from_raw_fd(fd) }),
                _ if io::Error::last_os_error().kind() == ErrorKind::Interrupted => {}
                _ => return Err(io::Error::last_os_error()),
            }
        }
    }
    /// Opens a file for reading, and for writing if that is allowed. Links are not followed.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        // Without `O_NONBLOCK`, opening a named pipe waits for its other end, perhaps for ever. Read-write first,
        // because some file servers lock only files that are open for writing; read-only as the fallback.
        let open = |access| self.open_at(name, access | libc::O_NONBLOCK | libc::O_NOFOLLOW, 0);
        open(libc::O_RDWR).or_else(|_| open(libc::O_RDONLY))
    }
    /// Changes the mode of an entry. Links are not followed, and have no mode.
    pub(crate) fn set_mode(&self, name: &OsStr, mode: libc::mode_t) -> io::Result<()> {
        let name = text(name)?;
        // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call.
        done(unsafe { libc::fchmodat(self.fd(), name.as_ptr(), mode, libc::AT_SYMLINK_NOFOLLOW) })
    }
    /// Creates a file with a free name. The process's umask removes bits from the mode.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        self.open_at(name, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL, mode)
    }
    /// Describes the target of a name, or with `link` the entry itself. Returns `None` if there is none.
    pub(crate) fn stat(&self, name: &OsStr, link: bool) -> io::Result<Option<Stat>> {
        let (name, mut stat) = (text(name)?, MaybeUninit::<stat>::uninit());
        let flags = if link { libc::AT_SYMLINK_NOFOLLOW } else { 0 };
        // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call. The buffer is
        // writable and has the size of the struct that is written.
        let looked = done(unsafe { fstatat(self.fd(), name.as_ptr(), stat.as_mut_ptr(), flags) });
        match looked {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        }
        // SAFETY: the call succeeded, so it has initialized the struct.
        let stat = unsafe { stat.assume_init() };
        let kind = stat.st_mode & libc::S_IFMT;
        #[allow(clippy::unnecessary_cast, reason = "their types differ between systems")]
        let id = Some((stat.st_dev as u64, stat.st_ino as u64));
        let (is_file, is_dir, is_link) = (kind == libc::S_IFREG, kind == libc::S_IFDIR, kind == libc::S_IFLNK);
        Ok(Some(Stat { is_file, is_dir, is_link, id }))
    }
    /// Renames a file, in this or another directory, and replaces an entry with the new name.
    pub(crate) fn rename(&self, from: &OsStr, into: &Self, to: &OsStr) -> io::Result<()> {
        let (from, to) = (text(from)?, text(to)?);
        // SAFETY: both descriptors are open, and both strings are null-terminated and outlive the call.
        done(unsafe { libc::renameat(self.fd(), from.as_ptr(), into.fd(), to.as_ptr()) })
    }
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let name = text(name)?;
        // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call.
        done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), 0) })
    }
    /// Creates a directory with a free name.
    pub(crate) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        let name = text(name)?;
        // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call.
        done(unsafe { libc::mkdirat(self.fd(), name.as_ptr(), 0o777) })
    }
    /// Opens the directory with a name. Links are not followed.
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<Self> {
        self.open_at(name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW, 0).map(Self)
    }
    /// Removes an empty directory.
    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        let name = text(name)?;
        // SAFETY: the descriptor is open, and the string is null-terminated and outlives the call.
        done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), libc::AT_REMOVEDIR) })
    }
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
    /// Waits until the directory's entries are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
    /// Renames in one step, where the system can.
    #[cfg(target_os = "linux")]
    pub(super) fn at_once(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        let ((here, from), (there, to)) = ((from.0.fd(), text(from.1)?), (to.0.fd(), text(to.1)?));
        // SAFETY: both descriptors are open, and both strings are null-terminated and outlive the call.
        done(unsafe { libc::renameat2(here, from.as_ptr(), there, to.as_ptr(), libc::RENAME_NOREPLACE) })
    }
    #[cfg(not(target_os = "linux"))]
    pub(super) fn at_once(_: Name<'_>, _: Name<'_>) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
    /// Renames in two steps: adding a second name fails if it is taken, and the file appears with its whole contents.
    /// The old name stays.
    pub(super) fn linked(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        let ((here, from), (there, to)) = ((from.0.fd(), text(from.1)?), (to.0.fd(), text(to.1)?));
        // SAFETY: both descriptors are open, and both strings are null-terminated and outlive the call.
        done(unsafe { libc::linkat(here, from.as_ptr(), there, to.as_ptr(), 0) })
    }
}
