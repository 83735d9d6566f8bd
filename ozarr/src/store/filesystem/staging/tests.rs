//! Each way of taking a place, and what is left when it fails.

use super::*;
use std::ffi::OsString;
use zarr_core::store::{Key, WriteableStore};

fn key(key: &str) -> Key {
    Key::new(key).unwrap()
}
fn all_of(directory: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let (mut all, mut left) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(at) = left.pop() {
        left.extend(fs::read_dir(&at).into_iter().flatten().map(|e| e.unwrap().path()));
        all.push((at.clone(), fs::read(&at).ok()));
    }
    all.sort();
    all
}
/// Creates an old node, and a new one that is staged. With `fsync`, other code runs.
fn staging(root: &Path, at: &str, fsync: bool) -> (FilesystemStore, Staging) {
    let store = FilesystemStore::open(root).unwrap();
    let store = if fsync { store.with_fsync().unwrap() } else { store };
    let prefix = Prefix::new(at).unwrap();
    for name in [DOCUMENT, "c/0", "below/zarr.json"] {
        store.set(&prefix.key(name).unwrap(), b"old").unwrap();
    }
    let staging = Staging::begin(&store, &prefix).unwrap();
    for name in [DOCUMENT, "c/1", "x/zarr.json"] {
        staging.store.set(&prefix.key(name).unwrap(), b"new").unwrap();
    }
    (store, staging)
}
fn values(directory: &Path) -> Vec<(String, String)> {
    let relative = |path: PathBuf| path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
    let text = |value| String::from_utf8(value).unwrap();
    all_of(directory).into_iter().filter_map(|(path, value)| Some((relative(path), text(value?)))).collect()
}
const NEW_VALUES: [&str; 3] = ["c/1", "x/zarr.json", "zarr.json"];

#[test]
fn both_methods_replace_all_entries() {
    for (at, fsync) in [("", false), ("g/a/", false), ("g/a/", true)] {
        for way in [Staging::replace as fn(&mut Staging) -> io::Result<()>, Staging::replace_entries] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap().join("s");
            fs::create_dir(&root).unwrap();
            let (_store, mut staging) = staging(&root, at, fsync);
            way(&mut staging).unwrap();
            drop(staging);
            let found = values(&root.join(at));
            assert_eq!(found.iter().map(|v| v.0.as_str()).collect::<Vec<_>>(), NEW_VALUES);
            assert!(found.iter().all(|v| v.1 == "new"));
            assert!(!all_of(dir.path()).iter().any(|f| f.0.to_str().unwrap().contains("__zarr_")));
        }
    }
}

#[test]
fn moved_entries_are_moved_back() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, mut staging) = staging(dir.path(), "g/a/", false);
    let (place, temporary) = (dir.path().join("g/a"), staging.temporary.path.clone());
    let old = values(&place);
    // The document is moved last.
    fs::remove_file(staging.content().join(DOCUMENT)).unwrap();
    assert_eq!(staging.replace_entries().unwrap_err().kind(), NotFound);
    assert!(!temporary.exists(), "moved into the place");
    drop(staging);
    assert_eq!(values(&place), old);
    assert!(!all_of(dir.path()).iter().any(|f| f.0.to_str().unwrap().contains("__zarr_")));
}

#[test]
#[cfg(unix)]
fn replacing_a_link_preserves_its_target() {
    for way in [Staging::replace as fn(&mut Staging) -> io::Result<()>, Staging::replace_entries] {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = staging(dir.path(), "real/", false);
        let old = values(&dir.path().join("real"));
        std::os::unix::fs::symlink("real", dir.path().join("link")).unwrap();
        let mut staging = Staging::begin(&store, &Prefix::new("link/").unwrap()).unwrap();
        staging.store.set(&key("link/zarr.json"), b"new").unwrap();
        way(&mut staging).unwrap();
        drop(staging);
        assert!(!dir.path().join("link").is_symlink());
        assert_eq!(fs::read(dir.path().join("link/zarr.json")).unwrap(), b"new");
        assert_eq!(values(&dir.path().join("real")), old);
    }
}

#[test]
#[cfg(unix)]
fn a_staging_directory_in_use_is_not_an_orphan() {
    let dir = tempfile::tempdir().unwrap();
    let (store, staging) = staging(dir.path(), "g/a/", false);
    assert!(store.erase_orphans(&Prefix::ROOT).unwrap().is_empty());
    assert!(Box::new(staging).commit(true).unwrap());
    // Removing the directory above also removes what is staged.
    let (store, staging) = self::staging(dir.path(), "g/a/", false);
    store.erase_prefix(&Prefix::new("g/").unwrap()).unwrap();
    staging.store.set(&key("g/a/zarr.json"), b"new").unwrap();
    assert!(Box::new(staging).commit(true).unwrap_err().to_string().contains("removed concurrently"));
    assert!(values(dir.path()).is_empty());
}

/// Creates what an interrupted process would have left.
#[cfg(unix)]
fn orphan(path: PathBuf) -> PathBuf {
    fs::create_dir_all(path.join("new/c")).unwrap();
    fs::write(path.join("new/c/0"), "half").unwrap();
    path
}

#[test]
#[cfg(unix)]
fn orphans_next_to_a_place_belong_to_that_place() {
    let dir = tempfile::tempdir().unwrap();
    let above = dir.path().canonicalize().unwrap();
    fs::create_dir(above.join("s")).unwrap();
    let (store, staging) = staging(&above.join("s"), "", false);
    let path = staging.temporary.path.clone();
    assert!(path.parent() == Some(&*above) && path.to_str().unwrap().ends_with(".s"), "{path:?}");
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let named = |name: &str| above.join(format!("__zarr_partial.{}.{name}", ended.id()));
    // Names of a store `s.x`, of a store `x`, of values in the directory above, and names that [`Names`] never creates.
    for other in ["1.1.s.x", "1.1.x.s", "1.1.x", "1.1", "1.1s", "1.01.s", "1.1."] {
        orphan(named(other));
    }
    fs::write(named("1.2.s"), "a file").unwrap();
    std::os::unix::fs::symlink("s", named("1.3.s")).unwrap();
    let before = all_of(&above);
    let mine = [orphan(named("1.4.s")), orphan(named("1.5.s"))];
    let names = mine.each_ref().map(|path| path.to_str().unwrap().to_owned());
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    assert_eq!(sorted(store.orphans(&Prefix::ROOT, false).unwrap()), names);
    assert_eq!(sorted(store.orphans(&Prefix::ROOT, true).unwrap()), names);
    assert!(all_of(&above) == before, "those of others, and the one in use");
    // The temporary directory of a node, in the directory of the node above.
    let mine = orphan(above.join("s/__zarr_partial.1.1.1.below"));
    assert!(store.orphans(&Prefix::new("belo/").unwrap(), true).unwrap().is_empty());
    let below = Prefix::new("below/").unwrap();
    assert_eq!(store.orphans(&below, true).unwrap(), [mine.file_name().unwrap().to_str().unwrap()]);
    drop(staging);
    assert!(!path.exists());
    // The temporary directory of a store that never existed.
    let none = FilesystemStore::create_on_write(above.join("none")).unwrap();
    let mine = orphan(named("1.6.none"));
    assert_eq!(none.orphans(&Prefix::ROOT, true).unwrap(), [mine.to_str().unwrap()]);
}

#[test]
fn the_longest_names_can_be_staged() {
    let dir = tempfile::tempdir().unwrap();
    for length in [60, 200, 230, 255] {
        let root = dir.path().join("x".repeat(length));
        fs::create_dir(&root).unwrap();
        let (_store, staging) = staging(&root, "", false);
        assert!(Box::new(staging).commit(true).unwrap());
        assert_eq!(values(&root).len(), NEW_VALUES.len());
    }
}

/// A value that another writer stores while a place is filled is never replaced.
#[test]
fn filling_a_place_replaces_nothing() {
    const CHUNKS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let (mut filled, mut failed) = (0, 0);
    for round in 0..60 {
        let keys: Vec<Key> = (0..CHUNKS).map(|i| key(&format!("a/c/{i}"))).collect();
        let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
        staging.store.set(&key("a/zarr.json"), b"new").unwrap();
        keys.iter().for_each(|key| staging.store.set(key, b"new").unwrap());
        let staged = values(&staging.content());
        // In the order in which they are moved, so that both often reach the same value.
        let order = names_in(&staging.content().join("c")).unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        // In the first round it is certain which one comes first.
        assert!(round > 0 || store.set_if_absent(&keys[0], b"mine").unwrap());
        let start = std::sync::Barrier::new(2);
        let (mine, done) = std::thread::scope(|s| {
            let mine = s.spawn(|| {
                start.wait();
                let store_one = |name: &&OsString| {
                    let key = key(&format!("a/c/{}", name.to_str().unwrap()));
                    store.set_if_absent(&key, b"mine").unwrap()
                };
                order.iter().rev().take(CHUNKS - round % CHUNKS).filter(store_one).collect::<Vec<_>>()
            });
            start.wait();
            let done = staging.fill_entries(&staging.place);
            (mine.join().unwrap(), done)
        });
        for name in &mine {
            let found = fs::read(dir.path().join("a/c").join(name)).ok();
            assert_eq!(found.as_deref(), Some(&b"mine"[..]), "round {round}: {name:?}, {done:?}");
        }
        match done {
            Ok(()) => filled += 1,
            Err(e) => {
                assert_eq!(e.kind(), DirectoryNotEmpty, "{e}");
                assert!(values(&staging.content()) == staged, "all of it is moved back");
                assert!(values(&staging.place).iter().all(|(_, value)| value == "mine"));
                failed += 1;
            }
        }
        store.erase_prefix(&Prefix::new("a/").unwrap()).unwrap();
    }
    assert!(failed > 0, "{filled} filled");
}

/// Leaves a new node with everything but its document in an empty directory, runs `other`, and returns how that ends.
fn interrupted(other: impl FnOnce(&FilesystemStore, &Path)) -> (tempfile::TempDir, io::Error, Vec<(String, String)>) {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
    for name in NEW_VALUES {
        staging.store.set(&key(&format!("a/{name}")), b"new").unwrap();
    }
    let (content, place) = (staging.content(), dir.path().join("a"));
    fs::create_dir(&place).unwrap();
    let mut moves = Moves::new(&content, &place, false).unwrap();
    moves.fill_without_document().unwrap();
    assert_eq!(values(&place).len(), NEW_VALUES.len() - 1);
    other(&store, &place);
    let done = moves.move_document();
    let e = moves.undo(done.unwrap_err());
    let left = values(&content);
    drop(staging);
    (dir, e, left)
}

#[test]
fn values_stored_while_a_place_is_filled_survive() {
    let set = |store: &FilesystemStore, names: &[&str]| {
        names.iter().for_each(|name| store.set(&key(&format!("a/{name}")), b"mine").unwrap());
    };
    // Only the document is another writer's.
    let (dir, e, left) = interrupted(|store, _| set(store, &["zarr.json"]));
    assert_eq!((e.kind(), left.len()), (DirectoryNotEmpty, NEW_VALUES.len()));
    assert_eq!(values(&dir.path().join("a")), [("zarr.json".to_owned(), "mine".to_owned())]);
    // A new value, and one in place of a moved one.
    let names = ["c/1", "c/9", "zarr.json"];
    let (dir, e, left) = interrupted(|store, _| set(store, &names));
    assert!(e.kind() == io::ErrorKind::Other && e.to_string().contains("c/1"), "it must not be tried again: {e}");
    assert_eq!(left.len(), NEW_VALUES.len() - 1);
    assert_eq!(values(&dir.path().join("a")), names.map(|name| (name.to_owned(), "mine".to_owned())));
    // Another node takes the place of the whole directory.
    let (dir, e, _) = interrupted(|store, place| {
        fs::rename(place, place.with_file_name("away")).unwrap();
        set(store, &names);
    });
    assert!(e.to_string().contains("removed or replaced"), "{e}");
    assert_eq!(values(&dir.path().join("a")), names.map(|name| (name.to_owned(), "mine".to_owned())));
    assert!(values(&dir.path().join("away")).is_empty());
    // The place is removed with everything that was moved.
    let (dir, e, left) = interrupted(|_, place| fs::remove_dir_all(place).unwrap());
    assert!(e.kind() == io::ErrorKind::Other && left.len() == 1, "it must not be tried again: {e}");
    assert!(values(dir.path()).is_empty());
}

/// Entries that are moved away while a node is overwritten are restored, but never over values that other writers store
/// there.
#[test]
fn values_stored_while_a_node_is_overwritten_survive() {
    let dir = tempfile::tempdir().unwrap();
    let (store, staging) = staging(dir.path(), "g/a/", false);
    let (content, place) = (staging.content(), dir.path().join("g/a"));
    let aside = place.join(staging.names.next_replaced());
    create_private(&aside).unwrap();
    let mut moves = Moves::new(&content, &place, false).unwrap();
    moves.set_aside(&aside).unwrap();
    let mine = ["c/7", "zarr.json"];
    mine.iter().for_each(|name| store.set(&key(&format!("g/a/{name}")), b"mine").unwrap());
    let e = moves.fill().unwrap_err();
    let e = moves.undo(e);
    assert!(e.kind() == io::ErrorKind::Other, "{e}");
    for name in mine {
        assert_eq!(fs::read(place.join(name)).unwrap(), b"mine");
    }
    assert_eq!(fs::read(place.join("below/zarr.json")).unwrap(), b"old");
    let kept: Vec<_> = values(&aside).into_iter().map(|v| v.0).collect();
    assert_eq!(kept, ["c/0", "zarr.json"], "what has no place any more is not lost");
}

#[test]
fn an_occupied_place_is_refused() {
    for (what, name) in [("a file", "g/a/x"), ("a node below", "g/a/b/zarr.json"), ("a file in the place", "g/a")] {
        let dir = tempfile::tempdir().unwrap();
        let store = FilesystemStore::open(dir.path()).unwrap();
        let staging = Staging::begin(&store, &Prefix::new("g/a/").unwrap()).unwrap();
        staging.store.set(&key("g/a/zarr.json"), b"new").unwrap();
        store.set(&key(name), b"mine").unwrap();
        let before = values(dir.path()).into_iter().filter(|v| !v.0.contains("__zarr_")).collect::<Vec<_>>();
        let e = Box::new(staging).commit(true).unwrap_err();
        assert!(
            matches!(e.kind(), ErrorKind::Occupied(Occupant::Entry(found)) if name.starts_with(found)),
            "{what}: {e}"
        );
        assert!(values(dir.path()) == before, "{what}");
    }
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
    fs::create_dir_all(dir.path().join("a/c")).unwrap();
    assert!(matches!(Box::new(staging).commit(true).unwrap_err().kind(), ErrorKind::Occupied(_)), "an empty directory");
}

/// Temporary files of other writers do not get in the way, and are preserved.
#[test]
fn temporary_files_of_others_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
    NEW_VALUES.iter().for_each(|name| staging.store.set(&key(&format!("a/{name}")), b"new").unwrap());
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("a/__zarr_partial.1.1.1"), "theirs").unwrap();
    assert!(Box::new(staging).commit(false).unwrap());
    assert_eq!(values(&dir.path().join("a")).len(), NEW_VALUES.len() + 1);
}

/// The node is as private as the empty directory that it replaces.
#[test]
#[cfg(unix)]
fn a_link_to_a_private_empty_directory_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let (real, link) = (dir.path().join("real"), dir.path().join("a"));
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o710)).unwrap();
    std::os::unix::fs::symlink("real", &link).unwrap();
    let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
    NEW_VALUES.iter().for_each(|name| staging.store.set(&key(&format!("a/{name}")), b"new").unwrap());
    assert!(Box::new(staging).commit(false).unwrap());
    assert!(link.is_symlink() && values(&real).len() == NEW_VALUES.len());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o710);
}

/// Erasing everything does not wait for what is being staged, which is moved to its place afterwards.
#[test]
#[cfg(unix)]
fn erasing_all_does_not_wait() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    fs::create_dir(&root).unwrap();
    let (store, first) = staging(&root, "a/", false);
    let (_, second) = staging(&root, "", false);
    let orphan = orphan(root.join("__zarr_partial.1.1.1.x"));
    let (say, hear) = std::sync::mpsc::channel();
    let erasing = std::thread::spawn(move || say.send(store.erase_prefix(&Prefix::ROOT)).unwrap());
    hear.recv_timeout(std::time::Duration::from_secs(60)).expect("it does not wait").unwrap();
    erasing.join().unwrap();
    assert!(values(&root).iter().all(|(path, _)| path.contains("__zarr_partial")), "{:?}", values(&root));
    assert!(!orphan.exists(), "nobody uses it");
    assert!(Box::new(first).commit(false).unwrap());
    assert_eq!(values(&root.join("a")).len(), NEW_VALUES.len());
    // The place of the second has a node by now.
    let e = Box::new(second).commit(false).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Occupied(Occupant::Entry(entry)) if entry == "a"), "{e}");
    assert_eq!(values(&root).len(), NEW_VALUES.len());
}
