//! Giving a finished file its name only if nothing has that name.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

/// Gives the file at `from` the name `to` unless it is taken. `false`: it is taken. `from` is gone afterwards.
#[cfg(unix)]
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
    // A second name for the same file fails if the name is taken, and appears with all contents.
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from).map(|()| true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => fs::remove_file(from).map(|()| false),
        Err(_) => portable(from, to),
    }
}
#[cfg(not(unix))]
pub(crate) use portable as rename_new;

/// The same where files have one name: an empty file takes the name, and is then replaced at once.
pub(crate) fn portable(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::OpenOptions::new().write(true).create_new(true).open(to) {
        Ok(_) => fs::rename(from, to).map(|()| true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => fs::remove_file(from).map(|()| false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
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
                            std::fs::write(&from, format!("by {i}")).unwrap();
                            usize::from(rename(&from, to).unwrap())
                        })
                    })
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert_eq!(winners, 1);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
            assert!(std::fs::read_to_string(&to).unwrap().starts_with("by "));
        }
    }
}
