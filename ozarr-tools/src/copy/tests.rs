use super::*;
use crate::{Progress, stored_bytes};
use ozarr::{
    Context, Error, NewArray,
    store::MemoryStore,
    zarr_core::{
        source::Source,
        store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
    },
};
use std::{
    io,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// A store with an unreadable key.
#[derive(Debug)]
struct Denied(MemoryStore);

impl Store for Denied {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.0.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.0.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}
impl ReadableStore for Denied {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        if key.as_str() == "g/note" {
            return Err(Error::from(io::Error::from(io::ErrorKind::PermissionDenied)));
        }
        self.0.open(key)
    }
}

#[test]
fn a_copy_reads_only_nodes_and_chunks() {
    let source = Hierarchy::new(Denied(MemoryStore::default()), Context::new());
    source.create_array("/g/a", NewArray::of::<u8>([4])).unwrap().write(.., &[1u8, 2, 3, 4]).unwrap();
    source.store().writer().unwrap().set(&Key::new("g/note").unwrap(), b"mine").unwrap();
    let destination = Hierarchy::in_memory();
    let report = copy(&source, "/g", &destination, "/g", &CopyOptions::default()).unwrap();
    assert_eq!((report.arrays, report.groups), (1, 1));
    assert_eq!(destination.array("/g/a").unwrap().read::<u8>(..).unwrap(), [1, 2, 3, 4]);
    assert!(stored_bytes(&source, "/g").is_err() && stored_bytes(&destination, "/g").unwrap() > 0);
}

#[test]
fn the_limits_of_the_context_apply() {
    let mut context = Context::new();
    context.limits.rank = 70;
    let source = Hierarchy::new(MemoryStore::default(), context.clone());
    let destination = Hierarchy::new(MemoryStore::default(), context);
    let lengths = vec![1u64; 70];
    for (path, new) in [
        ("/chunks", NewArray::new(&lengths, "uint8").chunks(&lengths)),
        ("/shards", NewArray::new(&lengths, "uint8").chunks(&lengths).shards(&lengths)),
    ] {
        source.create_array(path, new).unwrap().write(.., &[7u8]).unwrap();
        copy(&source, path, &destination, path, &CopyOptions::default()).unwrap();
        assert_eq!(destination.array(path).unwrap().read::<u8>(..).unwrap(), [7], "{path}");
    }
}

/// Cancels after a number of elements is copied.
struct Cancel(AtomicU64, u64);
impl Progress for Cancel {
    fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }
    fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed) >= self.1
    }
}

#[test]
fn a_cancelled_copy_leaves_the_destination_unchanged() {
    let (dir, source) = (tempfile::tempdir().unwrap(), Hierarchy::in_memory());
    // The elements of one block.
    let new = NewArray::of::<u8>([3, 1 << 23]).chunks([1, 1 << 23]).no_compressor();
    source.create_array("/a", new).unwrap().write(.., &vec![1u8; 3 << 23]).unwrap();
    let destination = Hierarchy::create(dir.path()).unwrap();
    destination.create_array("/a", NewArray::of::<u8>([4])).unwrap().write(.., &[1u8, 2, 3, 4]).unwrap();
    let entries = || std::fs::read_dir(dir.path()).unwrap().count();
    let before = entries();
    for (most, copied) in [(0, 0), (1, 1 << 23), (2 << 23, 2 << 23)] {
        let cancel = Cancel(AtomicU64::new(0), most);
        let options = CopyOptions::default().with_overwrite(true).with_progress(&cancel);
        let e = copy(&source, "/a", &destination, "/a", &options).unwrap_err();
        assert!(e.to_string().contains("cancelled"), "{e}");
        assert_eq!(cancel.0.load(Relaxed), copied);
        assert_eq!(destination.array("/a").unwrap().read::<u8>(..).unwrap(), [1, 2, 3, 4]);
        assert!(copy(&source, "/a", &destination, "/b", &options).is_err());
        assert_eq!(entries(), before, "nothing is left behind");
    }
}
