//! A store that reports its operations.
#![allow(dead_code, reason = "each test uses what it needs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Result,
    store::MemoryStore,
    zarr_core::{
        source::{ByteRange, RangeCallback, Source},
        store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, Update, WriteableStore},
    },
};
use std::{fmt, sync::Arc};

/// An operation that is reported.
pub(crate) enum Event<'k> {
    /// An operation begins.
    Begins,
    /// A value that was opened is read.
    Read,
    /// A value was updated.
    Updated(&'k Key),
}

type Tell = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// A store in memory that reports its operations.
pub(crate) struct Told {
    store: Arc<MemoryStore>,
    tell: Tell,
}

impl Told {
    pub(crate) fn new(store: Arc<MemoryStore>, tell: impl Fn(Event<'_>) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { store, tell: Arc::new(tell) })
    }
    fn begin(&self) -> &MemoryStore {
        (self.tell)(Event::Begins);
        &self.store
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

struct ToldSource<'s>(Box<dyn Source + 's>, Tell);
impl Source for ToldSource<'_> {
    fn size(&self) -> Result<Option<u64>> {
        self.0.size()
    }
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        (self.1)(Event::Read);
        self.0.read(ranges, each)
    }
}

impl Store for Told {
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
impl ReadableStore for Told {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        let found = self.begin().open(key)?;
        Ok(found.map(|source| Box::new(ToldSource(source, self.tell.clone())) as _))
    }
}
impl WriteableStore for Told {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.begin().set(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.begin().update(key, change)?;
        (self.tell)(Event::Updated(key));
        Ok(())
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.begin().set_if_absent(key, value)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.begin().erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.begin().erase_prefix(prefix)
    }
}
impl ListableStore for Told {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.begin().list_dir(prefix)
    }
}
