//! The keys below one prefix as a store: the view of the data of an array that storage transformers get.

use super::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, Update, WriteableStore};
use crate::{
    error::{Error, Result},
    source::{ByteRange, Source},
};
use std::sync::Arc;

/// A store of the keys below a prefix, relative to it, without the metadata document `zarr.json`, which can be neither
/// read nor written through it.
#[derive(Debug, Clone)]
pub struct SubStore {
    store: Arc<dyn Store>,
    prefix: Prefix,
}

impl SubStore {
    /// Creates a store of the data of the node at a prefix.
    pub fn new(store: Arc<dyn Store>, prefix: Prefix) -> Self {
        Self { store, prefix }
    }
    fn is_metadata(key: &Key) -> bool {
        key.as_str() == "zarr.json"
    }
    fn outer(&self, key: &Key) -> Result<Key> {
        if Self::is_metadata(key) {
            return Err(Error::name("`zarr.json` is reserved for the metadata document"));
        }
        Ok(self.prefix.join(key))
    }
}

impl Store for SubStore {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.store.readable().map(|_| self as _)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.store.writeable().map(|_| self as _)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.store.listable().map(|_| self as _)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.store.uri(&self.prefix.join_prefix(prefix))
    }
}

impl ReadableStore for SubStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.store.reader()?.open(&self.outer(key)?)
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.store.reader()?.get(&self.outer(key)?)
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        let outer = ranges.iter().map(|(k, r)| Ok((self.outer(k)?, *r))).collect::<Result<Vec<_>>>()?;
        self.store.reader()?.get_partial_values(&outer)
    }
}

impl WriteableStore for SubStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.store.writer()?.set(&self.outer(key)?, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.store.writer()?.update(&self.outer(key)?, change)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.store.writer()?.set_if_absent(&self.outer(key)?, value)
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        let outer = parts.iter().map(|(k, at, b)| Ok((self.outer(k)?, *at, *b))).collect::<Result<Vec<_>>>()?;
        self.store.writer()?.set_partial_values(&outer)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.store.writer()?.erase(&self.outer(key)?)
    }
    /// Erases everything except the metadata document.
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        if *prefix != Prefix::ROOT {
            return self.store.writer()?.erase_prefix(&self.prefix.join_prefix(prefix));
        }
        let found = self.list_dir(prefix)?;
        found.prefixes.iter().try_for_each(|p| self.erase_prefix(p))?;
        found.keys.iter().try_for_each(|k| self.erase(k))
    }
    fn erase_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        self.store.writer()?.erase_orphans(&self.prefix.join_prefix(prefix))
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        let outer = keys.iter().map(|k| self.outer(k)).collect::<Result<Vec<_>>>()?;
        self.store.writer()?.erase_values(&outer)
    }
}

impl ListableStore for SubStore {
    fn list_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        self.store.lister()?.list_orphans(&self.prefix.join_prefix(prefix))
    }
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let found = self.store.lister()?.list_dir(&self.prefix.join_prefix(prefix))?;
        Ok(Listing {
            keys: found.keys.iter().filter_map(|k| k.strip(&self.prefix)).filter(|k| !Self::is_metadata(k)).collect(),
            prefixes: found.prefixes.iter().filter_map(|p| p.strip(&self.prefix)).collect(),
            others: found
                .others
                .iter()
                .filter_map(|(name, other)| Some((name.strip_prefix(self.prefix.as_str())?.to_owned(), *other)))
                .collect(),
        })
    }
}
