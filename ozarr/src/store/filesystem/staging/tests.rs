//! Each way of taking a place, and what is left when it fails.

use super::*;
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
/// An old node, and a new one that is staged; `fsync` takes other paths.
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
fn each_way_replaces_all_entries() {
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
fn entries_that_were_moved_are_moved_back() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, mut staging) = staging(dir.path(), "g/a/", false);
    let (place, temporary) = (dir.path().join("g/a"), staging.temporary.path.clone());
    let old = values(&place);
    // The document is what is moved last.
    fs::remove_file(staging.content().join(DOCUMENT)).unwrap();
    assert_eq!(staging.replace_entries().unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!temporary.exists(), "moved into the place");
    drop(staging);
    assert_eq!(values(&place), old);
    assert!(!all_of(dir.path()).iter().any(|f| f.0.to_str().unwrap().contains("__zarr_")));
}

#[test]
#[cfg(unix)]
fn a_link_is_replaced_and_not_what_it_leads_to() {
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
fn is_an_orphan_only_when_nobody_uses_it() {
    let dir = tempfile::tempdir().unwrap();
    let (store, staging) = staging(dir.path(), "g/a/", false);
    assert!(store.erase_orphans(&Prefix::ROOT).unwrap().is_empty());
    assert!(Box::new(staging).commit(true).unwrap());
    // Whoever removes the directory above takes what is staged with it.
    let (store, staging) = self::staging(dir.path(), "g/a/", false);
    store.erase_prefix(&Prefix::new("g/").unwrap()).unwrap();
    staging.store.set(&key("g/a/zarr.json"), b"new").unwrap();
    assert!(Box::new(staging).commit(true).unwrap_err().to_string().contains("removed meanwhile"));
    assert!(values(dir.path()).is_empty());
}

/// What a process that ended would have left.
#[cfg(unix)]
fn orphan(path: PathBuf) -> PathBuf {
    fs::create_dir_all(path.join("new/c")).unwrap();
    fs::write(path.join("new/c/0"), "half").unwrap();
    path
}

#[test]
#[cfg(unix)]
fn orphans_beside_a_place_are_of_that_place() {
    let dir = tempfile::tempdir().unwrap();
    let above = dir.path().canonicalize().unwrap();
    fs::create_dir(above.join("s")).unwrap();
    let (store, staging) = staging(&above.join("s"), "", false);
    let path = staging.temporary.path.clone();
    assert!(path.parent() == Some(&*above) && path.to_str().unwrap().ends_with(".s"), "{path:?}");
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let named = |name: &str| above.join(format!("__zarr_partial.{}.{name}", ended.id()));
    // Of a store `s.x`, of one `x`, of values in the directory above, and no name of ours.
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
    // Of a node, in the directory of the one above.
    let mine = orphan(above.join("s/__zarr_partial.1.1.1.below"));
    assert!(store.orphans(&Prefix::new("belo/").unwrap(), true).unwrap().is_empty());
    let below = Prefix::new("below/").unwrap();
    assert_eq!(store.orphans(&below, true).unwrap(), [mine.file_name().unwrap().to_str().unwrap()]);
    drop(staging);
    assert!(!path.exists());
    // Of a store that was never there.
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

/// A value that somebody stores while a place is filled is never replaced.
#[test]
fn filling_replaces_nothing() {
    const CHUNKS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    let (mut filled, mut failed) = (0, 0);
    for round in 0..60 {
        let keys: Vec<Key> = (0..CHUNKS).map(|i| key(&format!("a/c/{i}"))).collect();
        let staging = Staging::begin(&store, &Prefix::new("a/").unwrap()).unwrap();
        staging.store.set(&key("a/zarr.json"), b"new").unwrap();
        keys.iter().for_each(|key| staging.store.set(key, b"new").unwrap());
        // In the order in which they are moved, so that both are at the same value again and again.
        let order = names_in(&staging.content().join("c")).unwrap();
        fs::create_dir_all(dir.path().join("a/c")).unwrap();
        // Of the first round it is certain who comes first.
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
            let done = Box::new(staging).commit(true);
            (mine.join().unwrap(), done)
        });
        for name in &mine {
            let found = fs::read(dir.path().join("a/c").join(name)).ok();
            assert_eq!(found.as_deref(), Some(&b"mine"[..]), "round {round}: {name:?}, {done:?}");
        }
        match done {
            Ok(_) => filled += 1,
            Err(e) => {
                assert!(e.to_string().contains("belongs to no node"), "{e}");
                failed += 1;
            }
        }
        store.erase_prefix(&Prefix::new("a/").unwrap()).unwrap();
    }
    assert!(failed > 0, "{filled} filled");
}

/// Erasing all does not wait for what is being staged: that comes afterwards.
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
    assert!(Box::new(second).commit(false).unwrap());
    assert_eq!(values(&root).len(), 2 * NEW_VALUES.len());
}
