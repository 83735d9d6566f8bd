//! Names in open directories.

use super::*;
use std::fs;

const WAYS: [&[Way]; 3] = [
    &[Directory::at_once, Directory::linked, Directory::portable],
    &[Directory::linked, Directory::portable],
    &[Directory::portable],
];

#[test]
fn concurrent_creation_has_one_winner() {
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
fn renaming_a_missing_file_leaves_nothing() {
    for ways in WAYS {
        let dir = tempfile::tempdir().unwrap();
        let directory = Directory::open(dir.path()).unwrap();
        assert!(Directory::first(ways, (&directory, "gone".as_ref()), (&directory, "to".as_ref())).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
#[cfg(unix)]
fn a_moved_directory_is_still_the_same() {
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
