//! Directories as stores.

use super::keys;
use ozarr::{
    Hierarchy,
    store::{FilesystemStore, OpenMode, Schemes},
    zarr_core::store::{Key, Listing, Prefix, Store},
};
use std::{fs, sync::Arc};

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

#[test]
fn names_are_utf_8() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = Hierarchy::create(dir.path()).unwrap();
    zarr.create_group("/日本語", ()).unwrap();
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<Vec<u8>> = names.map(|name| name.as_encoded_bytes().to_vec()).collect();
    assert!(names.contains(&b"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e".to_vec()), "{names:?}");
    assert_eq!(zarr.group("/").unwrap().children().unwrap().next().unwrap().name, "日本語");
}

#[test]
fn keys_map_to_paths_below_the_folder_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(FilesystemStore::open(dir.path()).unwrap());
    let all = ["a/b/c/0", "a/zarr.json", "zarr.json", "日本語/x y"];
    for k in all {
        store.writer().unwrap().set(&key(k), k.as_bytes()).unwrap();
        let path = k.split('/').fold(dir.path().to_owned(), |path, segment| path.join(segment));
        assert_eq!(fs::read(path).unwrap(), k.as_bytes());
    }
    assert_eq!(keys(&store), all);
}

#[test]
fn files_are_values_and_folders_are_prefixes() {
    let dir = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(FilesystemStore::open(dir.path()).unwrap());
    let (reader, writer, lister) = (store.reader().unwrap(), store.writer().unwrap(), store.lister().unwrap());
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    fs::write(dir.path().join("a/b/c"), "value").unwrap();
    assert_eq!(reader.get(&key("a/b/c")).unwrap().unwrap(), b"value", "any program may write it");
    assert!(reader.get(&key("a/b")).is_err(), "a folder is not a value, nor room for one");
    let b = Prefix::new("a/b/").unwrap();
    let listed = Listing { prefixes: [b.clone()].into(), ..Listing::default() };
    assert_eq!(lister.list_dir(&Prefix::new("a/").unwrap()).unwrap(), listed);
    let listed = Listing { keys: [key("a/b/c")].into(), ..Listing::default() };
    assert_eq!(lister.list_dir(&b).unwrap(), listed);
    writer.set(&key("a/d"), b"new").unwrap();
    assert_eq!(fs::read(dir.path().join("a/d")).unwrap(), b"new");
    writer.erase(&key("a/d")).unwrap();
    assert!(!dir.path().join("a/d").exists());
    writer.erase_prefix(&b).unwrap();
    assert!(!dir.path().join("a/b").exists() && keys(&store).is_empty());
}

#[test]
#[cfg(unix)]
fn a_folder_has_a_file_uri() {
    let dir = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(dir.path()).unwrap().join("my data");
    let store: Arc<dyn Store> = Arc::new(FilesystemStore::create(&folder).unwrap());
    store.writer().unwrap().set(&key("a/k"), b"value").unwrap();
    let uri = store.uri(&Prefix::ROOT);
    assert_eq!(uri, format!("file://{}/my%20data", fs::canonicalize(dir.path()).unwrap().display()));
    let same = Schemes::default().open(&uri, OpenMode::ReadOnly).unwrap();
    assert_eq!(same.reader().unwrap().get(&key("a/k")).unwrap().unwrap(), b"value");
    let part = store.uri(&Prefix::new("a/").unwrap());
    let part = Schemes::default().open(&part, OpenMode::ReadOnly).unwrap();
    assert_eq!(part.reader().unwrap().get(&key("k")).unwrap().unwrap(), b"value");
}
