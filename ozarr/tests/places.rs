//! Where new nodes may be created: nothing that is stored is lost, hidden or read as a part of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Array, Context, ErrorKind, Hierarchy, NewArray, Result,
    store::{FilesystemStore, MemoryStore},
    zarr_core::{
        error::Occupant,
        json::{Json, Object},
        limits::Limits,
        store::{Key, Prefix, Store},
    },
};
use std::{path::Path, sync::Arc, thread};

/// Moving this many chunks into place one by one takes a while.
const CHUNKS: usize = 2000;

/// Describes an array whose chunks are next to its document.
fn wide() -> NewArray {
    let keys = Json::parse(br#"{"name":"v2","configuration":{"separator":"."}}"#, &Limits::default()).unwrap();
    NewArray::new([CHUNKS as u64], "uint8").chunks([1]).codecs([Json::from("bytes")]).chunk_key_encoding(keys)
}
fn create(hierarchy: &Hierarchy, path: &str, value: u8) -> Result<Array> {
    let array = hierarchy.create_array(path, wide())?;
    array.write([0..10], &[value; 10])?;
    Ok(array)
}
fn build(hierarchy: &Hierarchy, path: &str, overwrite: bool, value: u8) -> Result<()> {
    hierarchy.build(path, overwrite, |staged| staged.create_array(path, wide())?.write(.., &[value; CHUNKS]))
}
fn all(hierarchy: &Hierarchy, path: &str) -> Option<Vec<u8>> {
    match hierarchy.array(path) {
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => None,
        array => Some(array.unwrap().read(..).unwrap()),
    }
}
/// Builds a node in an empty directory, and runs `other` as soon as something is visible there.
fn while_building<T>(path: &str, other: impl FnOnce(&Hierarchy) -> T) -> (tempfile::TempDir, Hierarchy, Result<()>, T) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    let place = root.join(path.trim_start_matches('/'));
    std::fs::create_dir_all(&place).unwrap();
    let hierarchy = Hierarchy::open(root).unwrap();
    let (built, other) = thread::scope(|s| {
        let builder = s.spawn(|| build(&hierarchy, path, false, 1));
        while is_empty(&place) && !builder.is_finished() {}
        let other = other(&hierarchy);
        (builder.join().unwrap(), other)
    });
    (dir, hierarchy, built, other)
}
fn is_empty(directory: &Path) -> bool {
    let is_value = |name: std::ffi::OsString| !name.to_string_lossy().starts_with("__zarr_");
    !std::fs::read_dir(directory).into_iter().flatten().flatten().any(|entry| is_value(entry.file_name()))
}

#[test]
fn a_concurrently_created_node_keeps_its_data() {
    for path in ["/", "/a"] {
        for overwrites in [false, true] {
            let (_dir, hierarchy, built, other) = while_building(path, |hierarchy| {
                let created = create(hierarchy, path, 2).map(|_| ());
                if overwrites && created.is_ok() { build(hierarchy, path, true, 2) } else { created }
            });
            let found = all(&hierarchy, path).expect("one of both is there");
            match (built, other) {
                (Ok(()), Err(e)) => {
                    assert!(found == [1; CHUNKS]);
                    assert!(matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}");
                }
                (Err(e), Ok(())) => {
                    let own = if overwrites { CHUNKS } else { 10 };
                    assert!(found[..own] == vec![2; own] && found[own..] == vec![0; CHUNKS - own], "it is lost");
                    assert!(matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}");
                }
                (built, other) => panic!("one wins: {built:?}, {other:?}"),
            }
        }
    }
}

#[test]
fn a_created_node_is_whole_even_if_its_directory_is_removed() {
    let (_dir, hierarchy, built, ()) = while_building("/a", |hierarchy| {
        let prefix = Prefix::new("a/").unwrap();
        hierarchy.store().writer().unwrap().erase_prefix(&prefix).unwrap();
    });
    match all(&hierarchy, "/a") {
        Some(found) => assert!(built.is_ok() && found == [1; CHUNKS]),
        // It was removed after it appeared, or the build noticed.
        None => assert!(built.is_ok() || built.unwrap_err().to_string().contains("removed")),
    }
}

/// Runs a check on a hierarchy in memory and one in a directory.
fn each(check: impl Fn(&Hierarchy)) {
    let dir = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn Store>; 2] =
        [Arc::new(MemoryStore::default()), Arc::new(FilesystemStore::open(dir.path()).unwrap())];
    for store in stores {
        check(&Hierarchy::new(store, Context::new()));
    }
}
fn values(hierarchy: &Hierarchy) -> Vec<(String, Vec<u8>)> {
    let (store, keys) = (hierarchy.store(), hierarchy.store().lister().unwrap().list().unwrap());
    keys.into_iter().map(|k| (k.to_string(), store.reader().unwrap().get(&k).unwrap().unwrap())).collect()
}
fn set(hierarchy: &Hierarchy, key: &str) {
    hierarchy.store().writer().unwrap().set(&Key::new(key).unwrap(), &[7; 4]).unwrap();
}
fn occupant<T>(done: Result<T>) -> Occupant {
    let Err(e) = done else { panic!("it has no place") };
    assert!(e.hint().is_some() && e.node().is_some(), "{e}");
    match e.kind() {
        ErrorKind::Occupied(occupant) => occupant.clone(),
        _ => panic!("{e}"),
    }
}

/// Describes an array with chunks of four bytes.
fn plain(data_type: &str) -> NewArray {
    let little = Json::parse(br#"{"name":"bytes","configuration":{"endian":"little"}}"#, &Limits::default()).unwrap();
    NewArray::new([4], data_type).chunks([1]).codecs([little])
}

/// Otherwise the new array would have their elements where it stores nothing.
#[test]
fn chunks_without_a_document_are_not_those_of_a_new_array() {
    each(|hierarchy| {
        set(hierarchy, "g/a/c/2");
        let before = values(hierarchy);
        for overwrite in [false, true] {
            for data_type in ["uint32", "float32"] {
                let new = if overwrite { plain(data_type).overwrite() } else { plain(data_type) };
                let created = hierarchy.create_array("/g/a", &new);
                assert_eq!(occupant(created), Occupant::Chunk("g/a/c/2".into()));
                let built = hierarchy.build("/g/a", overwrite, |staged| staged.create_array("/g/a", &new).map(|_| ()));
                assert_eq!(occupant(built), Occupant::Entry("g/a/c/2".into()));
                assert!(values(hierarchy) == before);
            }
        }
        // In the grid of this array the key is not a chunk.
        hierarchy.create_array("/g/a", NewArray::new([2], "uint32").chunks([1])).unwrap();
    });
}

#[test]
fn a_new_array_does_not_hide_nodes() {
    each(|hierarchy| {
        hierarchy.create_array("/k/i/x/inner", plain("uint32")).unwrap();
        for group in ["k", "k/i", "k/i/x"] {
            hierarchy.store().writer().unwrap().erase(&Key::new(format!("{group}/zarr.json")).unwrap()).unwrap();
        }
        let before = values(hierarchy);
        for overwrite in [false, true] {
            let new = if overwrite { plain("uint8").overwrite() } else { plain("uint8") };
            let inner = Occupant::Node("/k/i/x/inner".into());
            assert_eq!(occupant(hierarchy.create_array("/k/i", &new)), inner);
            let built = hierarchy.build("/k/i", overwrite, |staged| staged.create_group("/k/i", Object::new()));
            assert_eq!(occupant(built), inner);
            assert!(values(hierarchy) == before);
        }
        // A group hides nothing.
        hierarchy.create_group("/k/i", Object::new()).unwrap();
        hierarchy.array("/k/i/x/inner").unwrap();
    });
}

/// A storage transformer may read them.
#[test]
fn an_array_may_be_created_next_to_other_keys() {
    each(|hierarchy| {
        for key in ["g/a/manifest.json", "g/a/more/c/0", "g/a/c/4", "g/a/c/x"] {
            set(hierarchy, key);
        }
        hierarchy.create_array("/g/a", plain("uint32")).unwrap();
    });
}

/// The place is checked before anything is built, and again when it is taken.
#[test]
fn values_stored_while_a_node_is_built_survive() {
    each(|hierarchy| {
        let built = hierarchy.build("/g", true, |staged| -> Result<()> {
            create(staged, "/g", 1)?;
            set(hierarchy, "g/notes");
            Ok(())
        });
        assert_eq!(occupant(built), Occupant::Entry("g/notes".into()));
        let left = values(hierarchy).into_iter().filter(|(key, _)| key.starts_with("g/")).collect::<Vec<_>>();
        assert_eq!(left, [("g/notes".to_owned(), vec![7; 4])]);
        let built = hierarchy.build("/g", true, |_| -> Result<()> { panic!("it has no place") });
        assert_eq!(occupant(built), Occupant::Entry("g/notes".into()));
    });
}
