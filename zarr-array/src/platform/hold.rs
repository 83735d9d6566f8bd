//! Locks between processes, on the files that are about to be replaced.
//!
//! There are no lock files: a writer locks the file that has the name now, and then makes sure that it still has it. The
//! system takes the lock away when the writer ends, however it ends.

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, ErrorKind},
    path::Path,
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
    /// No file: a directory, a pipe, a link to nothing.
    Other,
}

/// Waits until nobody else holds the file at a path, and holds it.
pub(crate) fn hold(path: &Path) -> io::Result<Place> {
    loop {
        let file = match open(path) {
            Ok(file) => file,
            Err(e) => return unopened(path, e),
        };
        if !file.metadata()?.is_file() {
            return Ok(Place::Other);
        }
        let locked = lock(&file)?;
        // Who held it before may have replaced or removed it.
        match path.metadata() {
            Ok(now) if is_same(&now, &file.metadata()?) => return Ok(Place::Held { file, metadata: now, locked }),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
}

fn unopened(path: &Path, e: io::Error) -> io::Result<Place> {
    match path.symlink_metadata() {
        Ok(m) if m.is_symlink() && path.metadata().is_err() => Ok(Place::Other),
        Ok(m) if !m.is_file() && !m.is_symlink() => Ok(Place::Other),
        Err(gone) if matches!(gone.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Place::Free),
        // Replaced between two looks at it, or not to be opened.
        _ if e.kind() == ErrorKind::NotFound => hold(path),
        _ => Err(e),
    }
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
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let open = |write| {
        // Without the flag a named pipe waits for somebody at its other end, perhaps for ever.
        OpenOptions::new().read(true).write(write).custom_flags(libc::O_NONBLOCK).open(path)
    };
    // File servers lock only what is open for writing. Others do not mind, and a file may be for reading only.
    open(true).or_else(|_| open(false))
}
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn is_unknown(e: &io::Error) -> bool {
    e.kind() == ErrorKind::Unsupported || e.raw_os_error() == Some(libc::ENOLCK)
}
#[cfg(not(unix))]
fn is_unknown(e: &io::Error) -> bool {
    e.kind() == ErrorKind::Unsupported
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.len() == b.len() && a.modified().ok() == b.modified().ok()
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
        fs::write(&path, "old").unwrap();
        let Place::Held { file, locked: true, .. } = hold(&path).unwrap() else { panic!("not held") };
        let (say, hear) = mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(|| {
                let Place::Held { metadata, .. } = hold(&path).unwrap() else { panic!("not held") };
                say.send(metadata.len()).unwrap();
            });
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::write(&beside, "longer").unwrap();
            fs::rename(&beside, &path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 6);
        });
        let Place::Held { file, .. } = hold(&path).unwrap() else { panic!("not held") };
        std::thread::scope(|s| {
            s.spawn(|| say.send(u64::from(matches!(hold(&path).unwrap(), Place::Free))).unwrap());
            assert!(hear.recv_timeout(Duration::from_millis(200)).is_err(), "it waits");
            fs::remove_file(&path).unwrap();
            drop(file);
            assert_eq!(hear.recv().unwrap(), 1);
        });
    }

    #[test]
    fn what_is_no_file_is_not_held() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(hold(&dir.path().join("none")).unwrap(), Place::Free));
        assert!(matches!(hold(&dir.path().join("none/below")).unwrap(), Place::Free));
        assert!(matches!(hold(dir.path()).unwrap(), Place::Other));
        fs::write(dir.path().join("f"), "").unwrap();
        assert!(matches!(hold(&dir.path().join("f/below")).unwrap(), Place::Free));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
            assert!(matches!(hold(&dir.path().join("link")).unwrap(), Place::Other));
            assert!(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
            assert!(matches!(hold(&dir.path().join("pipe")).unwrap(), Place::Other), "and nobody waits");
        }
    }
}
