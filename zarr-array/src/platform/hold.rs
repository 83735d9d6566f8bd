//! Locks between processes, on the files that are about to be replaced.
//!
//! There are no lock files: a writer locks the file that has the name now, and then makes sure that it still has it. The
//! system takes the lock away when the writer ends, however it ends.

use super::directory::Directory;
use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io::{self, ErrorKind},
};

/// What has a name.
#[derive(Debug)]
pub(crate) enum Place {
    /// A file. Nobody else holds it until it is dropped, if the file system knows locks.
    Held {
        /// Open for reading.
        file: File,
        /// As it was when it was held.
        metadata: Metadata,
        /// False where the file system knows no locks.
        locked: bool,
    },
    /// Nothing.
    Free,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// Anything else: a pipe, a socket, a device.
    Other,
}

/// Waits until nobody else holds the file of a name, and holds it.
pub(crate) fn hold(directory: &Directory, name: &OsStr) -> io::Result<Place> {
    loop {
        let file = match directory.open_file(name) {
            Ok(file) => file,
            Err(e) => match directory.look(name, true)? {
                None => return Ok(Place::Free),
                Some(found) if found.is_link => return Ok(Place::Link),
                Some(found) if found.is_dir => return Ok(Place::Directory),
                // Replaced between two looks at it, or not to be opened.
                Some(found) if found.is_file && is_passing(&e) => continue,
                Some(found) if found.is_file => return Err(e),
                Some(_) => return Ok(Place::Other),
            },
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(if metadata.is_dir() { Place::Directory } else { Place::Other });
        }
        let locked = match lock(&file) {
            Err(e) if is_passing(&e) => continue,
            other => other?,
        };
        // Who held it before may have replaced or removed it.
        let metadata = file.metadata()?;
        match directory.look(name, true)? {
            Some(now) if now.is(&metadata) => return Ok(Place::Held { file, metadata, locked }),
            Some(now) if now.is_link => return Ok(Place::Link),
            _ => {}
        }
    }
}

/// True of a file that was there and is not any more, or is there where a link was.
fn is_passing(e: &io::Error) -> bool {
    #[cfg(unix)]
    let was_link = e.raw_os_error() == Some(libc::ELOOP);
    #[cfg(not(unix))]
    let was_link = false;
    was_link || matches!(e.kind(), ErrorKind::NotFound | ErrorKind::StaleNetworkFileHandle)
}

/// Locks a file that others may lock too. False: the file system knows no locks.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    if cfg!(not(unix)) {
        // There a lock keeps readers out.
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
    // The last: a file server that locks only what is open for writing, and a file that may not be.
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
    fn who_waited_holds_what_has_the_name_then() {
        let dir = tempfile::tempdir().unwrap();
        let (path, beside) = (dir.path().join("v"), dir.path().join("beside"));
        let directory = Directory::open(dir.path()).unwrap();
        let hold = || hold(&directory, "v".as_ref());
        fs::write(&path, "old").unwrap();
        let Place::Held { file, locked: true, .. } = hold().unwrap() else { panic!("not held") };
        let (say, hear) = mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(|| {
                let Place::Held { metadata, .. } = hold().unwrap() else { panic!("not held") };
                say.send(metadata.len()).unwrap();
            });
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::write(&beside, "longer").unwrap();
            fs::rename(&beside, &path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 6);
        });
        let Place::Held { file, .. } = hold().unwrap() else { panic!("not held") };
        std::thread::scope(|s| {
            s.spawn(|| say.send(u64::from(matches!(hold().unwrap(), Place::Free))).unwrap());
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::remove_file(&path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 1);
        });
    }

    #[test]
    fn what_is_no_file_is_not_held() {
        let dir = tempfile::tempdir().unwrap();
        let directory = Directory::open(dir.path()).unwrap();
        let place = |name: &str| hold(&directory, name.as_ref()).unwrap();
        assert!(matches!(place("none"), Place::Free));
        fs::create_dir(dir.path().join("directory")).unwrap();
        assert!(matches!(place("directory"), Place::Directory));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
            assert!(matches!(place("link"), Place::Link));
            std::os::unix::fs::symlink("directory", dir.path().join("alias")).unwrap();
            assert!(matches!(place("alias"), Place::Link));
            assert!(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
            assert!(matches!(place("pipe"), Place::Other), "and nobody waits");
        }
    }
}
