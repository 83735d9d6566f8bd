//! Shrinking beside others who change the same array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{
    fmt,
    sync::{Arc, Mutex},
};
use zarr_array::{
    Context, Hierarchy, NewArray, ResizeOptions, Result,
    core::{
        source::Source,
        store::{Change, Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
    },
    store::MemoryStore,
};

/// A store at which somebody else comes in after the first change of a document, and after the first chunk is erased.
struct Shared {
    store: Arc<MemoryStore>,
    after_change: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    after_erase: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

fn come_in(other: &Mutex<Option<Box<dyn FnOnce() + Send>>>) {
    let now = other.lock().unwrap().take();
    now.into_iter().for_each(|f| f());
}

impl Store for Shared {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.store.uri(prefix)
    }
}
impl ReadableStore for Shared {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.store.open(key)
    }
}
impl WriteableStore for Shared {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.store.set(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Change) -> Result<()> {
        self.store.update(key, change)?;
        come_in(&self.after_change);
        Ok(())
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.store.set_if_absent(key, value)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.store.erase(key)?;
        come_in(&self.after_erase);
        Ok(())
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.store.erase_prefix(prefix)
    }
}
impl ListableStore for Shared {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.store.list_dir(prefix)
    }
}

/// Somebody makes the array grow again and writes, before the first chunk or the second is removed: what is there stays.
#[test]
fn a_shrink_stops_where_somebody_else_grows() {
    for after_erase in [false, true] {
        let store = Arc::new(MemoryStore::default());
        let hierarchy = |store: Arc<dyn Store>| Hierarchy::new(store, Context::new().unwrap());
        let theirs = hierarchy(store.clone());
        let array = theirs.create_array("/", &NewArray::new([8], "uint8").chunk_shape([2])).unwrap();
        array.write(.., &[1u8; 8]).unwrap();
        let other: Box<dyn FnOnce() + Send> = Box::new(move || {
            let mut array = theirs.array("/").unwrap();
            array.resize(&[8], ResizeOptions::default()).unwrap();
            array.write([6..8], &[2u8; 2]).unwrap();
        });
        let shared = Shared { store: store.clone(), after_change: Mutex::default(), after_erase: Mutex::default() };
        let at = if after_erase { &shared.after_erase } else { &shared.after_change };
        *at.lock().unwrap() = Some(other);
        let mut array = hierarchy(Arc::new(shared)).array("/").unwrap();
        let e = array.resize(&[2], ResizeOptions::default()).unwrap_err();
        assert!(e.to_string().contains("somebody else") && e.hint().is_some(), "{e}");
        let left: Vec<u8> = hierarchy(store).array("/").unwrap().read(..).unwrap();
        let erased = u8::from(!after_erase);
        assert_eq!(left, [1, 1, erased, erased, 1, 1, 2, 2]);
    }
}
