//! Giving a finished file its name only if nothing has that name.
#![cfg_attr(target_os = "linux", allow(unsafe_code))]

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

/// Gives the file at `from` the name `to` unless it is taken. `false`: it is taken. The name `from` may stay.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
    match at_once(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(e),
        // The system or the file system does not know how.
        Err(_) => linked(from, to),
    }
}

/// One step where the system has it.
#[cfg(target_os = "linux")]
fn at_once(from: &Path, to: &Path) -> io::Result<()> {
    use std::{ffi::CString, os::unix::ffi::OsStrExt};
    let [from, to] = [from, to].map(|path| CString::new(path.as_os_str().as_bytes()));
    let (from, to, here) = (from?, to?, libc::AT_FDCWD);
    // SAFETY: two texts that end with a null byte and live until it returns.
    let done = unsafe { libc::renameat2(here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
#[cfg(not(target_os = "linux"))]
fn at_once(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// The same in two steps: the old name stays.
pub(crate) fn linked(from: &Path, to: &Path) -> io::Result<bool> {
    // A second name for the same file fails if the name is taken, and appears with all contents.
    match fs::hard_link(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        // Somebody removed a directory: no reason to take the name for a file that may be gone.
        Err(e) if e.kind() == ErrorKind::NotFound => Err(e),
        Err(_) => portable(from, to),
    }
}

/// The same where files have one name: an empty file takes the name, and is then replaced at once.
pub(crate) fn portable(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::OpenOptions::new().write(true).create_new(true).open(to) {
        Ok(_) => {
            let renamed = fs::rename(from, to);
            if renamed.is_err() {
                // Nobody may take the empty file for the value.
                let _the_first_error_says_more = fs::remove_file(to);
            }
            renamed.map(|()| true)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn both_ways_have_one_winner() {
        for rename in [super::rename_new, super::linked, super::portable] {
            let dir = tempfile::tempdir().unwrap();
            let to = dir.path().join("to");
            let winners: usize = std::thread::scope(|s| {
                let threads: Vec<_> = (0..8)
                    .map(|i| {
                        let (dir, to) = (dir.path(), &to);
                        s.spawn(move || {
                            let from = dir.join(format!("from{i}"));
                            fs::write(&from, format!("by {i}")).unwrap();
                            usize::from(rename(&from, to).unwrap())
                        })
                    })
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert_eq!(winners, 1);
            assert!(fs::read_to_string(&to).unwrap().starts_with("by "));
        }
    }

    #[test]
    fn a_file_that_is_gone_leaves_nothing() {
        for rename in [super::rename_new, super::linked, super::portable] {
            let dir = tempfile::tempdir().unwrap();
            assert!(rename(&dir.path().join("gone"), &dir.path().join("to")).is_err());
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}
