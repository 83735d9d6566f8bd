//! Tests that apply only to directories. `store/tests.rs` has those for all stores.

use super::*;
use std::ffi::OsStr;
use zarr_core::{
    source::ByteRange,
    store::{Listing, Other, Update},
};

fn key(k: &str) -> Key {
    Key::new(k).unwrap()
}
fn prefix(p: &str) -> Prefix {
    Prefix::new(p).unwrap()
}
fn listed(store: &FilesystemStore) -> Vec<String> {
    store.list().unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn writing_and_erasing_in_one_directory_both_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    std::thread::scope(|s| {
        for t in 0..3 {
            let store = &store;
            s.spawn(move || {
                for _ in 0..200 {
                    store.set(&key(&format!("a/b/{t}")), b"x").unwrap();
                    store.erase(&key(&format!("a/b/{t}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn values_being_written_are_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    for k in ["__zarr_partial.1", "a/__zarr_partial.x/b"] {
        assert!(store.set(&key(k), b"").is_err() && store.get(&key(k)).is_err() && store.erase(&key(k)).is_err());
    }
    fs::write(dir.path().join("__zarr_partial.1.2"), "half").unwrap();
    assert!(listed(&store).is_empty() && store.list_dir(&Prefix::ROOT).unwrap() == Listing::default());
    store.erase_prefix(&Prefix::ROOT).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "leftovers go with the rest");
}

#[test]
fn failed_operations_leave_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    store.set(&key("a/b"), b"1").unwrap();
    let e = store.set(&key("a"), b"2").unwrap_err();
    assert_eq!(e.key(), Some("a"), "a directory has the name");
    assert!(store.set_if_absent(&key("a"), b"2").is_err(), "neither created nor there");
    assert_eq!(store.set(&key("a/b/c"), b"3").unwrap_err().key(), Some("a/b/c"), "a file is in the way");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(listed(&store), ["a/b"]);
}

#[test]
fn temporary_names_of_ended_processes_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    // The first temporary name that the store would create.
    let taken = format!("__zarr_partial.{}.{:x}.0", std::process::id(), std::ptr::from_ref(&store.names).addr());
    fs::write(dir.path().join(&taken), "another's").unwrap();
    store.set(&key("a"), b"1").unwrap();
    assert_eq!(store.get(&key("a")).unwrap().unwrap(), b"1");
    assert_eq!(fs::read(dir.path().join(taken)).unwrap(), b"another's");
}

#[test]
fn read_errors_name_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    store.set(&key("a/b"), b"123").unwrap();
    let value = store.open(&key("a/b")).unwrap().unwrap();
    let outside = value.read(&[ByteRange::From(4)], &mut |_, _| Ok(())).unwrap_err();
    let unequal = value.read_into(ByteRange::All, &mut [0; 4]).unwrap_err();
    fs::write(dir.path().join("a/b"), "1").unwrap();
    let shrunk = value.read(&[ByteRange::All], &mut |_, _| Ok(())).unwrap_err();
    for e in [outside, unequal, shrunk] {
        assert_eq!(e.key(), Some("a/b"), "{e}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_never_removed_through() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(outside.join("x")).unwrap();
    fs::write(outside.join("x/y"), "kept").unwrap();
    let store = FilesystemStore::open(&inside).unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    symlink(&inside, inside.join("loop")).unwrap();
    symlink(&outside, outside.join("x/back")).unwrap();
    symlink("nowhere", inside.join("dangling")).unwrap();
    symlink(outside.join("x/y"), inside.join("file")).unwrap();
    assert_eq!(listed(&store), ["file", "link/x/y"], "once, and to an end");
    let others = |p: &str| store.list_dir(&prefix(p)).unwrap().others;
    let expected = [("dangling", Other::NotAFile), ("loop", Other::Loop)];
    assert_eq!(others(""), expected.map(|(name, other)| (name.to_owned(), other)).into());
    assert_eq!(others("link/x/"), [("link/x/back".to_owned(), Other::Loop)].into());
    assert_eq!(store.get(&key("file")).unwrap().unwrap(), b"kept");
    let e = store.get(&key("dangling")).unwrap_err();
    assert!(
        e.key() == Some("dangling") && e.to_string().contains("not a regular file"),
        "not taken for what was never stored: {e}"
    );
    store.erase_prefix(&prefix("link/")).unwrap();
    store.erase_prefix(&Prefix::ROOT).unwrap();
    assert!(outside.join("x/y").exists(), "a link is removed, not what it leads to");
    assert!(inside.exists() && fs::read_dir(&inside).unwrap().next().is_none(), "the root stays");
}

#[cfg(unix)]
#[test]
fn one_directory_has_one_name() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("in");
    fs::create_dir_all(inside.join("a")).unwrap();
    std::os::unix::fs::symlink(&inside, dir.path().join("alias")).unwrap();
    let store = FilesystemStore::open(&inside).unwrap();
    let alias = FilesystemStore::open(dir.path().join("alias")).unwrap();
    let above = FilesystemStore::open(dir.path()).unwrap();
    for p in ["a/", "not/yet/"] {
        assert_eq!(alias.uri(&prefix(p)), store.uri(&prefix(p)));
        assert_eq!(above.uri(&prefix(&format!("alias/{p}"))), store.uri(&prefix(p)));
    }
    assert!(store.uri(&prefix("a/")).ends_with("/in/a/") && store.uri(&Prefix::ROOT).ends_with("/in"));
}

#[cfg(unix)]
#[test]
fn entries_other_than_values_are_listed_as_such() {
    use std::os::unix::{ffi::OsStrExt, net::UnixListener};
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    fs::create_dir_all(dir.path().join("a/empty/inner")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("a/pipe")).status();
    assert!(made.unwrap().success());
    let _socket = UnixListener::bind(dir.path().join("a/socket")).unwrap();
    fs::write(dir.path().join("a").join(OsStr::from_bytes(b"x\xff")), "").unwrap();
    fs::create_dir(dir.path().join("a").join(OsStr::from_bytes(b"\xfe/"))).unwrap();
    let others = store.list_dir(&prefix("a/")).unwrap();
    assert!(others.keys.is_empty() && others.prefixes.is_empty());
    let expected = [
        ("a/\\xfe", Other::Name),
        ("a/empty", Other::EmptyDirectory),
        ("a/pipe", Other::NotAFile),
        ("a/socket", Other::NotAFile),
        ("a/x\\xff", Other::Name),
    ];
    assert_eq!(others.others, expected.map(|(name, other)| (name.to_owned(), other)).into());
    let sub = zarr_core::store::SubStore::new(Arc::new(store), prefix("a/"));
    assert_eq!(sub.list_dir(&Prefix::ROOT).unwrap().others.keys().nth(2).unwrap(), "pipe");
    for name in ["pipe", "socket"] {
        let e = sub.get(&key(name)).unwrap_err();
        assert!(e.to_string().contains("not a regular file"), "and nobody waits: {e}");
    }
}

#[test]
fn a_directory_in_the_place_of_a_value_is_an_error() {
    struct Nothing;
    impl Update for Nothing {
        fn apply(&mut self, _: Option<&dyn Source>) -> Result<Option<&[u8]>> {
            Ok(None)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    fs::create_dir_all(dir.path().join("a/empty")).unwrap();
    store.set(&key("a/full/x"), b"1").unwrap();
    for k in ["a/empty", "a/full"] {
        let errors = [
            store.get(&key(k)).unwrap_err(),
            store.open(&key(k)).err().unwrap(),
            store.set(&key(k), b"").unwrap_err(),
            store.set_if_absent(&key(k), b"").unwrap_err(),
            store.update(&key(k), &mut Nothing).unwrap_err(),
        ];
        for e in errors {
            assert!(e.key() == Some(k) && e.to_string().contains("is a directory"), "{e}");
        }
        store.erase(&key(k)).unwrap();
    }
    assert!(!dir.path().join("a/empty").exists(), "erased");
    assert_eq!(store.get(&key("a/empty")).unwrap(), None);
    assert_eq!(listed(&store), ["a/full/x"]);
    fs::create_dir(dir.path().join("a/empty")).unwrap();
    assert_eq!(store.get(&key("a/empty/0")).unwrap(), None, "an empty directory elsewhere is not an error");
}

/// A change whose directory is erased in the middle starts again with the new directory.
#[cfg(unix)]
#[test]
fn a_change_does_not_outlive_its_directory() {
    struct Interrupted<'s>(&'s FilesystemStore, Vec<u8>, usize);
    impl Update for Interrupted<'_> {
        fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
            self.2 += 1;
            old.unwrap().read(&[ByteRange::All], &mut |_, bytes| {
                self.1 = [bytes, b" and changed"].concat();
                Ok(())
            })?;
            if self.2 == 1 {
                self.0.erase_prefix(&prefix("a/"))?;
                assert!(self.0.set_if_absent(&key("a/b"), b"new")?);
            }
            Ok((!self.1.starts_with(b"gone")).then_some(&self.1))
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    for old in ["old", "gone"] {
        store.set(&key("a/b"), old.as_bytes()).unwrap();
        let mut change = Interrupted(&store, Vec::new(), 0);
        store.update(&key("a/b"), &mut change).unwrap();
        assert_eq!((store.get(&key("a/b")).unwrap().as_deref(), change.2), (Some(&b"new and changed"[..]), 2), "{old}");
        assert_eq!(listed(&store), ["a/b"]);
    }
}

/// Returns the number of a process that has ended.
#[cfg(unix)]
fn ended_process() -> u32 {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

#[cfg(unix)]
#[test]
fn orphans_are_listed_and_erased() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let (ended, own) = (ended_process(), std::process::id());
    let file = |name: &str, text: &str| {
        fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
        fs::write(dir.path().join(name), text).unwrap();
        name.to_owned()
    };
    let mut orphans = vec![
        file(&format!("a/__zarr_partial.{own}.7f00.12"), "half"),
        file(&format!("a/b/__zarr_partial.{ended}.7f00.0"), ""),
        format!("a/__zarr_partial.{ended}.1.3"),
        file(&format!("__zarr_partial.{own}.7f00.12"), ""),
    ];
    file(&format!("a/__zarr_partial.{ended}.1.3/x/y"), "of a directory that was being removed");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(600);
    fs::File::options().write(true).open(dir.path().join(&orphans[3])).unwrap().set_modified(old).unwrap();
    let locked = file(&format!("a/__zarr_partial.{ended}.7f00.1"), "half");
    let locked = fs::File::open(dir.path().join(locked)).unwrap();
    crate::platform::lock::lock(&locked).unwrap();
    file(&format!("a/__zarr_partial.{own}.7f00.13"), "");
    // Names that no writer creates.
    let others = [
        "mine/precious",
        "1",
        "1.2",
        "1.2.3.4",
        "01.2.3",
        "1.02.3",
        "1.2.03",
        "1.A.3",
        "+1.2.3",
        "1.2.",
        "1..3",
        "1.2.3 ",
    ];
    for name in others.map(|name| format!("a/__zarr_partial.{name}")) {
        file(&name, "half");
    }
    file("a/__zarr_partial.mine/__zarr_partial.1.2.3", "half");
    let pipe = dir.path().join(format!("a/__zarr_partial.{ended}.2.2"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", dir.path().join(format!("a/__zarr_partial.{ended}.2.3"))).unwrap();

    let count = || fs::read_dir(dir.path().join("a")).unwrap().count();
    let before = count();
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    orphans.sort();
    assert_eq!(sorted(store.list_orphans(&Prefix::ROOT).unwrap()), orphans);
    assert_eq!(sorted(store.erase_orphans(&Prefix::ROOT).unwrap()), orphans);
    assert!(store.list_orphans(&Prefix::ROOT).unwrap().is_empty());
    assert_eq!((count(), fs::read_dir(dir.path().join("a/b")).unwrap().count()), (before - 2, 0));
    assert!(store.list().unwrap().is_empty(), "no values");
}

/// Other users may be able to create directories next to a store.
#[cfg(unix)]
#[test]
fn orphans_of_other_users_next_to_the_store_are_preserved() {
    use std::os::unix::fs::{MetadataExt, chown};
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::create(dir.path().join("s")).unwrap();
    let [own, other] = [1, 2].map(|n| dir.path().join(format!("__zarr_partial.1.1.{n}.s")));
    for orphan in [&own, &other] {
        fs::create_dir(orphan).unwrap();
        fs::write(orphan.join("x"), "").unwrap();
    }
    if fs::metadata(&own).unwrap().uid() != 0 {
        // Another user is needed, and only root can become one.
        return;
    }
    chown(&other, Some(12_345), None).unwrap();
    assert_eq!(store.list_orphans(&Prefix::ROOT).unwrap(), [own.to_str().unwrap()]);
    assert_eq!(store.erase_orphans(&Prefix::ROOT).unwrap(), [own.to_str().unwrap()]);
    assert!(!own.exists() && other.join("x").exists());
}

/// A link to nothing is neither a value nor a free place.
#[cfg(unix)]
#[test]
fn dangling_links_are_errors_until_they_are_erased() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    for target in ["nowhere", "no/where", "link"] {
        std::os::unix::fs::symlink(target, dir.path().join("link")).unwrap();
        let read = store.get(&key("link")).unwrap_err();
        for e in
            [read, store.set(&key("link"), b"x").unwrap_err(), store.set_if_absent(&key("link"), b"x").unwrap_err()]
        {
            assert_eq!(e.key(), Some("link"), "{e}");
            assert!(e.to_string().contains("not a regular file") || target == "link", "{e}");
        }
        store.erase(&key("link")).unwrap();
        assert_eq!((store.get(&key("link")).unwrap(), fs::read_dir(dir.path()).unwrap().count()), (None, 0));
    }
}

/// The file that a link leads to is replaced, in its own directory; the link stays.
#[cfg(unix)]
#[test]
fn writes_follow_links() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    for place in ["in/c", "in/links", "out"] {
        fs::create_dir_all(dir.path().join(place)).unwrap();
    }
    for fsync in [false, true] {
        let mut store = FilesystemStore::open(dir.path().join("in")).unwrap();
        if fsync {
            store = store.with_fsync().unwrap();
        }
        let file = dir.path().join("out/file");
        fs::write(&file, "old").unwrap();
        let links = ["c/relative", "c/absolute", "c/chain"].map(|name| (key(name), dir.path().join("in").join(name)));
        symlink("../../out/file", &links[0].1).unwrap();
        symlink(&file, &links[1].1).unwrap();
        symlink("../links/hop", &links[2].1).unwrap();
        symlink("../c/relative", dir.path().join("in/links/hop")).unwrap();
        for (key, link) in &links {
            store.set(key, b"set").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"set");
            store.set_partial_values(&[(key.clone(), 1, b"E")]).unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"sEt");
            assert!(!store.set_if_absent(key, b"x").unwrap() && link.is_symlink());
            assert_eq!(fs::read_dir(dir.path().join("out")).unwrap().count(), 1);
        }
        store.erase(&links[1].0).unwrap();
        assert!(!links[1].1.is_symlink() && fs::read(&file).unwrap() == b"sEt", "the link is erased, not the file");
        assert_eq!(store.get(&links[1].0).unwrap(), None);
        store.erase_prefix(&Prefix::ROOT).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"sEt");
        fs::create_dir_all(dir.path().join("in/c")).unwrap();
        fs::create_dir_all(dir.path().join("in/links")).unwrap();
    }
}
