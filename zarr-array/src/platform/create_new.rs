//! Giving a finished file its name only if nothing has that name.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

/// Gives the file at `from` the name `to` unless it is taken. `false`: it is taken. The name `from` may stay.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
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
        for rename in [super::rename_new, super::portable] {
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
        for rename in [super::rename_new, super::portable] {
            let dir = tempfile::tempdir().unwrap();
            assert!(rename(&dir.path().join("gone"), &dir.path().join("to")).is_err());
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}
