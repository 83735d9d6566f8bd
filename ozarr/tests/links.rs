//! Links below an array: links that form a loop are reported and not entered, others are followed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, Error, ErrorKind, Hierarchy, NewArray, Result,
    store::FilesystemStore,
    zarr_core::store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, SubStore, WriteableStore},
};
use std::{
    fs,
    os::unix::fs::symlink,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// A store that returns an error if its directories are listed too often.
#[derive(Debug)]
struct Bounded {
    store: FilesystemStore,
    left: AtomicUsize,
}

impl Store for Bounded {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.store.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.store.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.store.uri(prefix)
    }
}
impl ListableStore for Bounded {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let left = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        left.map_err(|_| Error::data("listing does not end"))?;
        self.store.list_dir(prefix)
    }
}

#[test]
fn links_to_a_containing_directory_are_reported_and_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    fs::create_dir_all(dir.path().join("elsewhere")).unwrap();
    fs::write(dir.path().join("elsewhere/n"), "").unwrap();
    let store = FilesystemStore::create(&root).unwrap();
    let store = Arc::new(Bounded { store, left: AtomicUsize::new(20) });
    let zarr = Hierarchy::new(store.clone(), Context::new());
    let array = zarr.create_array("/g/a", NewArray::new([2], "uint8").chunks([1])).unwrap();
    array.write(.., &[1u8, 2]).unwrap();
    for (target, link) in
        [(".", "u1"), (".", "u2"), ("..", "up"), ("../../..", "top"), ("../../../../elsewhere", "elsewhere")]
    {
        symlink(target, root.join("g/a/c").join(link)).unwrap();
    }
    store.left.store(3, Relaxed);
    let stored = array.stored_keys().unwrap();
    assert_eq!(stored.chunks, [[0], [1]]);
    assert_eq!(stored.unknown.iter().map(Key::as_str).collect::<Vec<_>>(), ["c/elsewhere/n"]);
    let told = |e: &Error| match e.kind() {
        ErrorKind::Loop(to) => format!("{} -> {to}", e.key().unwrap()),
        other => panic!("{other}"),
    };
    let expected = ["g/a/c/top -> /", "g/a/c/u1 -> /g/a/c", "g/a/c/u2 -> /g/a/c", "g/a/c/up -> /g/a"];
    assert_eq!(stored.errors.iter().map(told).collect::<Vec<_>>(), expected);
    // Every store that wraps this one lists the same.
    let below: Arc<dyn Store> = Arc::new(SubStore::new(store.clone(), Prefix::new("g/a/").unwrap()));
    for (listed, keys) in [(&below, 3), (array.data_store(), 3), (zarr.store(), 6)] {
        store.left.store(5, Relaxed);
        let found = listed.lister().unwrap().list().unwrap();
        assert_eq!(found.len(), keys, "{found:?}");
    }
}
