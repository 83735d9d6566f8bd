//! Locks between processes, on the files that will be replaced.
//!
//! There are no lock files: a writer locks the file that has the name now, and then checks that it still has it. The
//! system releases the lock when the writer ends, however it ends.

use super::directory::Directory;
use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io::{self, ErrorKind},
};

/// A directory entry. If it is a file, it is locked.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A regular file. Nobody else locks it until this is dropped, if the file system supports locks.
    Locked {
        /// Open for reading.
        file: File,
        /// Its metadata when it was locked.
        metadata: Metadata,
        /// False if the file system does not support locks.
        locked: bool,
    },
    /// The name is free.
    Vacant,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// Any other entry: a pipe, a socket, a device.
    Special,
}

/// Locks the file with a name, after waiting until nobody else has locked it.
pub(crate) fn lock_entry(directory: &Directory, name: &OsStr) -> io::Result<Entry> {
    loop {
        let file = match directory.open_file(name) {
            Ok(file) => file,
            Err(e) => match directory.stat(name, true)? {
                None => return Ok(Entry::Vacant),
                Some(found) if found.is_link => return Ok(Entry::Link),
                Some(found) if found.is_dir => return Ok(Entry::Directory),
                // Replaced between the two calls, or not readable.
                Some(found) if found.is_file && is_passing(&e) => continue,
                Some(found) if found.is_file => return Err(e),
                Some(_) => return Ok(Entry::Special),
            },
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(if metadata.is_dir() { Entry::Directory } else { Entry::Special });
        }
        let locked = match lock(&file) {
            Err(e) if is_passing(&e) => continue,
            other => other?,
        };
        // The writer that had locked it before may have replaced or removed it.
        let metadata = file.metadata()?;
        match directory.stat(name, true)? {
            Some(now) if now.is(&metadata) => return Ok(Entry::Locked { file, metadata, locked }),
            Some(now) if now.is_link => return Ok(Entry::Link),
            _ => {}
        }
    }
}

/// Returns true if the file was removed, or has replaced a link, since the last call.
fn is_passing(e: &io::Error) -> bool {
    #[cfg(unix)]
    let was_link = e.raw_os_error() == Some(libc::ELOOP);
    #[cfg(not(unix))]
    let was_link = false;
    was_link || matches!(e.kind(), ErrorKind::NotFound | ErrorKind::StaleNetworkFileHandle)
}

/// Locks a file that others may lock too. Returns false if the file system does not support locks.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    if cfg!(not(unix)) {
        // On these systems a lock would keep readers out.
        return Ok(false);
    }
    loop {
        match file.lock() {
            Ok(()) => return Ok(true),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if is_unknown(&e) => return Ok(false),
            Err(e) => return Err(e),
        }
    }
}

#[cfg(unix)]
fn is_unknown(e: &io::Error) -> bool {
    // `EBADF`: a file server that locks only files that are open for writing, and a file that cannot be opened for
    // that.
    let codes = [libc::ENOLCK, libc::ENOTSUP, libc::EOPNOTSUPP, libc::EBADF];
    e.kind() == ErrorKind::Unsupported || e.raw_os_error().is_some_and(|code| codes.contains(&code))
}
#[cfg(not(unix))]
fn is_unknown(e: &io::Error) -> bool {
    e.kind() == ErrorKind::Unsupported
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, sync::mpsc, time::Duration};

    #[test]
    #[cfg(unix)]
    fn a_waiter_locks_the_file_that_has_the_name_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let (path, temporary) = (dir.path().join("v"), dir.path().join("temporary"));
        let directory = Directory::open(dir.path()).unwrap();
        let locked = || lock_entry(&directory, "v".as_ref());
        fs::write(&path, "old").unwrap();
        let Entry::Locked { file, locked: true, .. } = locked().unwrap() else { panic!("not locked") };
        let (say, hear) = mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(|| {
                let Entry::Locked { metadata, .. } = locked().unwrap() else { panic!("not locked") };
                say.send(metadata.len()).unwrap();
            });
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::write(&temporary, "longer").unwrap();
            fs::rename(&temporary, &path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 6);
        });
        let Entry::Locked { file, .. } = locked().unwrap() else { panic!("not locked") };
        std::thread::scope(|s| {
            s.spawn(|| say.send(u64::from(matches!(locked().unwrap(), Entry::Vacant))).unwrap());
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::remove_file(&path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 1);
        });
    }

    #[test]
    fn only_files_are_locked() {
        let dir = tempfile::tempdir().unwrap();
        let directory = Directory::open(dir.path()).unwrap();
        let place = |name: &str| lock_entry(&directory, name.as_ref()).unwrap();
        assert!(matches!(place("none"), Entry::Vacant));
        fs::create_dir(dir.path().join("directory")).unwrap();
        assert!(matches!(place("directory"), Entry::Directory));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
            assert!(matches!(place("link"), Entry::Link));
            std::os::unix::fs::symlink("directory", dir.path().join("alias")).unwrap();
            assert!(matches!(place("alias"), Entry::Link));
            assert!(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
            assert!(matches!(place("pipe"), Entry::Special), "and nobody waits");
        }
    }
}
