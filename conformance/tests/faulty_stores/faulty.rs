//! The common code of all faulty stores: a store in memory, of which each implements one thing wrongly.

use ozarr::{
    Result,
    store::MemoryStore,
    zarr_core::{
        source::{ByteRange, RangeCallback, Source},
        store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, Update, WriteableStore},
    },
};
use std::{collections::BTreeSet, fmt::Debug, sync::MutexGuard, time::Duration};
use zarr_conformance::store::Contents;

pub(crate) type Open<'s> = Result<Option<Box<dyn Source + 's>>>;
pub(crate) type Part<'p> = (Key, u64, &'p [u8]);

/// A store that is correct in all methods that are not overridden.
pub(crate) trait FaultyStore: Debug + Default + Send + Sync + 'static {
    fn m(&self) -> &MemoryStore;
    /// Data that the store keeps but should not.
    fn past(&self) -> MutexGuard<'_, Contents>;

    fn open<'s>(&'s self, key: &Key) -> Open<'s> {
        self.m().open(key)
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.m().get(key)
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.m().get_partial_values(ranges)
    }
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.m().set(key, value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.m().set_if_absent(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.m().update(key, change)
    }
    fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
        self.m().set_partial_values(parts)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.m().erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.m().erase_prefix(prefix)
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        self.m().erase_values(keys)
    }
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.m().list_dir(prefix)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        self.m().list_prefix(prefix)
    }
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.m().list()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.m().uri(prefix)
    }
}

/// Implements the traits of stores for a faulty store.
#[derive(Debug, Default)]
pub(crate) struct AsStore<B>(pub(crate) B);

impl<B: FaultyStore> Store for AsStore<B> {
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
        self.0.uri(prefix)
    }
}
impl<B: FaultyStore> ReadableStore for AsStore<B> {
    fn open<'s>(&'s self, key: &Key) -> Open<'s> {
        self.0.open(key)
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.0.get(key)
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.0.get_partial_values(ranges)
    }
}
impl<B: FaultyStore> WriteableStore for AsStore<B> {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.0.set(key, value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.0.set_if_absent(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.0.update(key, change)
    }
    fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
        self.0.set_partial_values(parts)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.0.erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.0.erase_prefix(prefix)
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        self.0.erase_values(keys)
    }
}
impl<B: FaultyStore> ListableStore for AsStore<B> {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.0.list_dir(prefix)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        self.0.list_prefix(prefix)
    }
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.0.list()
    }
}

/// Defines faulty stores, each with the methods that it implements wrongly.
macro_rules! faulty_stores {
    ($($(#[$doc:meta])* $name:ident { $($methods:tt)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name(ozarr::store::MemoryStore, std::sync::Mutex<zarr_conformance::store::Contents>);
        impl FaultyStore for $name {
            fn m(&self) -> &ozarr::store::MemoryStore {
                &self.0
            }
            fn past(&self) -> std::sync::MutexGuard<'_, zarr_conformance::store::Contents> {
                self.1.lock().unwrap()
            }
            $($methods)*
        }
    )*};
}
pub(crate) use faulty_stores;

/// An open value with one fault.
pub(crate) struct FaultySource {
    value: Vec<u8>,
    pub(crate) read: fn(&[u8], &[ByteRange], RangeCallback<'_>) -> Result<()>,
    pub(crate) read_into: fn(&[u8], ByteRange, &mut [u8]) -> Result<()>,
    pub(crate) size: fn(&[u8]) -> u64,
}

/// Opens a value, and changes how it is read.
pub(crate) fn faulty_source<'s>(store: &MemoryStore, key: &Key, change: impl FnOnce(&mut FaultySource)) -> Open<'s> {
    let Some(value) = store.get(key)? else { return Ok(None) };
    let mut opened = FaultySource {
        value,
        read: |v, ranges, each| v.read(ranges, each),
        read_into: |v, range, out| v.read_into(range, out),
        size: |v| v.len() as u64,
    };
    change(&mut opened);
    Ok(Some(Box::new(opened)))
}

impl Source for FaultySource {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        (self.read)(&self.value, ranges, each)
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        (self.read_into)(&self.value, range, out)
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some((self.size)(&self.value)))
    }
}

/// Lets other threads run.
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(1));
}

pub(crate) fn key(text: impl Into<String>) -> Key {
    Key::new(text).unwrap()
}
