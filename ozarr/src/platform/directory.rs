//! A directory that is held open: what is done to a name in it is done in this very directory, wherever it has been moved. And
//! extended attributes, which only the system's own calls read.
#![cfg_attr(unix, allow(unsafe_code))]

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

#[cfg(target_os = "linux")]
pub(crate) use attributes::{attribute_at, attribute_of, remove_attribute};
#[cfg(not(unix))]
pub(crate) use portable::{Directory, exchange};
#[cfg(unix)]
pub(crate) use unix::{Directory, exchange};

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

#[cfg(unix)]
mod unix {
    use super::{File, Name, OsStr, Path, Stat, io};
    use std::{
        ffi::{CString, c_int},
        fs::OpenOptions,
        io::ErrorKind,
        mem::MaybeUninit,
        os::{
            fd::{AsRawFd, FromRawFd, RawFd},
            unix::{ffi::OsStrExt, fs::OpenOptionsExt},
        },
    };

    #[cfg(not(target_os = "linux"))]
    use libc::{fstatat, openat, stat};
    /// Of files of any size on all processors.
    #[cfg(target_os = "linux")]
    use libc::{fstatat64 as fstatat, openat64 as openat, stat64 as stat};

    #[derive(Debug)]
    pub(crate) struct Directory(File);

    pub(super) fn text(name: &OsStr) -> io::Result<CString> {
        Ok(CString::new(name.as_bytes())?)
    }
    pub(super) fn done(result: c_int) -> io::Result<()> {
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Exchanges what two paths name, in one step.
    #[cfg(target_os = "linux")]
    pub(crate) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
        let (a, b, here) = (text(a.as_os_str())?, text(b.as_os_str())?, libc::AT_FDCWD);
        // SAFETY: both texts end with a null byte and live until it returns.
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
        /// A link to this directory.
        #[cfg(target_os = "linux")]
        pub(super) fn own_link(&self) -> String {
            format!("/proc/self/fd/{}", self.fd())
        }
        /// True if a path leads here.
        pub(crate) fn is_at(&self, path: &Path) -> bool {
            let there = path.metadata();
            self.0.metadata().is_ok_and(|here| there.is_ok_and(|there| Stat::of(&here) == Stat::of(&there)))
        }
        /// The open directory.
        pub(crate) fn file(&self) -> &File {
            &self.0
        }
        fn fd(&self) -> RawFd {
            self.0.as_raw_fd()
        }
        fn open_at(&self, name: &OsStr, flags: c_int, mode: u32) -> io::Result<File> {
            let name = text(name)?;
            loop {
                // SAFETY: the descriptor is open, the text ends with a null byte and lives until it returns.
                let fd = unsafe { openat(self.fd(), name.as_ptr(), flags | libc::O_CLOEXEC, mode) };
                match fd {
                    // SAFETY: it was just opened, and nobody else has it.
                    0.. => return Ok(unsafe { File::from_raw_fd(fd) }),
                    _ if io::Error::last_os_error().kind() == ErrorKind::Interrupted => {}
                    _ => return Err(io::Error::last_os_error()),
                }
            }
        }
        /// Opens what has a name for reading, and for writing if it may be. Links are not followed.
        pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
            // Without the flag a named pipe waits for somebody at its other end, perhaps for ever. File servers lock only
            // what is open for writing. Others do not mind, and a file may be for reading only.
            let open = |access| self.open_at(name, access | libc::O_NONBLOCK | libc::O_NOFOLLOW, 0);
            open(libc::O_RDWR).or_else(|_| open(libc::O_RDONLY))
        }
        /// Opens a directory in this one. Links are not followed.
        pub(crate) fn open_directory(&self, name: &OsStr) -> io::Result<Self> {
            self.open_at(name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW, 0).map(Self)
        }
        /// Changes the mode of what has a name. Links are not followed, and have no mode.
        pub(crate) fn set_mode(&self, name: &OsStr, mode: libc::mode_t) -> io::Result<()> {
            let name = text(name)?;
            // SAFETY: the descriptor is open, the text ends with a null byte and lives until it returns.
            done(unsafe { libc::fchmodat(self.fd(), name.as_ptr(), mode, libc::AT_SYMLINK_NOFOLLOW) })
        }
        /// A file of a name that nothing has. Of the mode, the process's umask takes bits away.
        pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
            self.open_at(name, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL, mode)
        }
        /// What a name leads to, or with `link` what has it; `None`: nothing.
        pub(crate) fn stat(&self, name: &OsStr, link: bool) -> io::Result<Option<Stat>> {
            let (name, mut stat) = (text(name)?, MaybeUninit::<stat>::uninit());
            let flags = if link { libc::AT_SYMLINK_NOFOLLOW } else { 0 };
            // SAFETY: as above; the struct has room for what is written.
            let looked = done(unsafe { fstatat(self.fd(), name.as_ptr(), stat.as_mut_ptr(), flags) });
            match looked {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
                other => other?,
            }
            // SAFETY: the call succeeded, so it was written.
            let stat = unsafe { stat.assume_init() };
            let kind = stat.st_mode & libc::S_IFMT;
            #[allow(clippy::unnecessary_cast, reason = "their types differ between systems")]
            let id = Some((stat.st_dev as u64, stat.st_ino as u64));
            let (is_file, is_dir, is_link) = (kind == libc::S_IFREG, kind == libc::S_IFDIR, kind == libc::S_IFLNK);
            Ok(Some(Stat { is_file, is_dir, is_link, id }))
        }
        /// Gives a file another name, in this or another directory, whatever has it.
        pub(crate) fn rename(&self, from: &OsStr, into: &Self, to: &OsStr) -> io::Result<()> {
            let (from, to) = (text(from)?, text(to)?);
            // SAFETY: as above, of two descriptors and two texts.
            done(unsafe { libc::renameat(self.fd(), from.as_ptr(), into.fd(), to.as_ptr()) })
        }
        pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
            let name = text(name)?;
            // SAFETY: as above.
            done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), 0) })
        }
        /// Makes a directory of a name that nothing has.
        pub(crate) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
            let name = text(name)?;
            // SAFETY: as above.
            done(unsafe { libc::mkdirat(self.fd(), name.as_ptr(), 0o777) })
        }
        /// Opens the directory of a name. Links are not followed.
        pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<Self> {
            self.open_at(name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW, 0).map(Self)
        }
        /// Removes an empty directory.
        pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
            let name = text(name)?;
            // SAFETY: as above.
            done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), libc::AT_REMOVEDIR) })
        }
        pub(crate) fn try_clone(&self) -> io::Result<Self> {
            self.0.try_clone().map(Self)
        }
        /// Waits until the disk has the names.
        pub(crate) fn sync(&self) -> io::Result<()> {
            self.0.sync_all()
        }
        /// One step where the system has it.
        #[cfg(target_os = "linux")]
        pub(super) fn at_once(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
            let ((here, from), (there, to)) = ((from.0.fd(), text(from.1)?), (to.0.fd(), text(to.1)?));
            // SAFETY: as above, of two descriptors and two texts.
            done(unsafe { libc::renameat2(here, from.as_ptr(), there, to.as_ptr(), libc::RENAME_NOREPLACE) })
        }
        #[cfg(not(target_os = "linux"))]
        pub(super) fn at_once(_: Name<'_>, _: Name<'_>) -> io::Result<()> {
            Err(ErrorKind::Unsupported.into())
        }
        /// The same in two steps: a second name fails if it is taken, and appears with all contents. The old name stays.
        pub(super) fn linked(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
            let ((here, from), (there, to)) = ((from.0.fd(), text(from.1)?), (to.0.fd(), text(to.1)?));
            // SAFETY: as above, of two descriptors and two texts.
            done(unsafe { libc::linkat(here, from.as_ptr(), there, to.as_ptr(), 0) })
        }
    }
}

#[cfg(target_os = "linux")]
mod attributes {
    use super::{File, Path, io, unix};
    use std::{ffi::CStr, os::fd::AsRawFd};

    /// An extended attribute of an open file or directory. `None`: there is none of that name, or the file system has none.
    pub(crate) fn attribute_of(file: &File, name: &CStr) -> io::Result<Option<Vec<u8>>> {
        let (fd, name) = (file.as_raw_fd(), name.as_ptr());
        // SAFETY: the descriptor is open, the name ends with a null byte, and no more is written than there is room for.
        read(|to| unsafe { libc::fgetxattr(fd, name, to.as_mut_ptr().cast(), to.len()) })
    }
    /// The same of what a path leads to, which need not be readable.
    pub(crate) fn attribute_at(path: &Path, name: &CStr) -> io::Result<Option<Vec<u8>>> {
        let path = unix::text(path.as_os_str())?;
        let (path, name) = (path.as_ptr(), name.as_ptr());
        // SAFETY: both texts end with a null byte and live until it returns; the room is as above.
        read(|to| unsafe { libc::getxattr(path, name, to.as_mut_ptr().cast(), to.len()) })
    }
    /// Removes an extended attribute, if it is there.
    pub(crate) fn remove_attribute(file: &File, name: &CStr) -> io::Result<()> {
        // SAFETY: the descriptor is open, and the name ends with a null byte.
        match unix::done(unsafe { libc::fremovexattr(file.as_raw_fd(), name.as_ptr()) }) {
            Err(e) if is_absent(&e) => Ok(()),
            other => other,
        }
    }
    fn read(get: impl Fn(&mut [u8]) -> isize) -> io::Result<Option<Vec<u8>>> {
        let mut value = Vec::new();
        loop {
            match usize::try_from(get(&mut value)) {
                // Where there is no room it says how much is needed: 64 KiB at most.
                Ok(len) if len > value.len() => value.resize(len, 0),
                Ok(len) => {
                    value.truncate(len);
                    return Ok(Some(value));
                }
                Err(_) => match io::Error::last_os_error() {
                    // It has grown meanwhile.
                    e if e.raw_os_error() == Some(libc::ERANGE) => value.clear(),
                    e if is_absent(&e) => return Ok(None),
                    e => return Err(e),
                },
            }
        }
    }
    fn is_absent(e: &io::Error) -> bool {
        matches!(e.raw_os_error(), Some(libc::ENODATA | libc::ENOTSUP | libc::ENOSYS))
    }
}

/// A path. Who moves the directory meanwhile is not noticed.
#[cfg(not(unix))]
mod portable {
    use super::{File, Name, OsStr, Path, Stat, io};
    use std::{fs, io::ErrorKind, path::PathBuf};

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
        /// There directories cannot be opened.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const WAYS: [&[Way]; 3] = [
        &[Directory::at_once, Directory::linked, Directory::portable],
        &[Directory::linked, Directory::portable],
        &[Directory::portable],
    ];

    #[test]
    fn each_way_has_one_winner() {
        for ways in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let directory = Directory::open(dir.path()).unwrap();
            let winners: usize = std::thread::scope(|s| {
                let threads: Vec<_> = (0..8)
                    .map(|i| {
                        let (dir, directory) = (dir.path(), &directory);
                        s.spawn(move || {
                            let from = format!("from{i}");
                            fs::write(dir.join(&from), format!("by {i}")).unwrap();
                            let first = Directory::first(ways, (directory, from.as_ref()), (directory, "to".as_ref()));
                            usize::from(first.unwrap())
                        })
                    })
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert_eq!(winners, 1);
            assert!(fs::read_to_string(dir.path().join("to")).unwrap().starts_with("by "));
        }
    }

    #[test]
    fn a_file_that_is_gone_leaves_nothing() {
        for ways in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let directory = Directory::open(dir.path()).unwrap();
            assert!(Directory::first(ways, (&directory, "gone".as_ref()), (&directory, "to".as_ref())).is_err());
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_that_was_moved_is_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir(&from).unwrap();
        let directory = Directory::open(&from).unwrap();
        fs::rename(&from, &to).unwrap();
        fs::create_dir(&from).unwrap();
        directory.create_new("x".as_ref(), 0o600).unwrap();
        assert!(directory.rename_new("x".as_ref(), &directory, "y".as_ref()).unwrap());
        directory.rename("y".as_ref(), &directory, "z".as_ref()).unwrap();
        assert!(to.join("z").exists() && fs::read_dir(&from).unwrap().next().is_none());
        let metadata = directory.open_file("z".as_ref()).unwrap().metadata().unwrap();
        assert!(directory.stat("z".as_ref(), false).unwrap().unwrap().is(&metadata));
        fs::write(from.join("z"), "another").unwrap();
        assert!(!Directory::open(&from).unwrap().stat("z".as_ref(), false).unwrap().unwrap().is(&metadata));
        directory.remove("z".as_ref()).unwrap();
        assert_eq!(directory.stat("z".as_ref(), true).unwrap(), None);
    }
}
