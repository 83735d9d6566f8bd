//! The store that an array sees: the manifest's keys, and those of the store below it.

use crate::{ChunkManifest, manifest::Manifest};
use std::{collections::BTreeSet, sync::Arc};
use zarr_plugin_api::{
    ExtensionType, Key, ListableStore, Listing, Prefix, ReadableStore, Result, Source, Store, WriteableStore,
};

/// Of a key that both have the manifest's value is seen.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) below: Arc<dyn Store>,
    pub(crate) manifest: Arc<Manifest>,
}

impl Store for Mapped {
    /// Also when the store below cannot read: the manifest's keys need it not.
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        None
    }
    /// A list without what is below would not be one of all keys.
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.below.listable().map(|_| self as _)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        format!("{}|{}:{prefix}", self.below.uri(&Prefix::ROOT), ChunkManifest::NAME)
    }
}

impl ReadableStore for Mapped {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        match self.manifest.open(key)? {
            Some(part) => Ok(Some(Box::new(part))),
            None => self.below.reader()?.open(key),
        }
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        match self.manifest.open(key)? {
            Some(part) => part.get().map(Some),
            None => self.below.reader()?.get(key),
        }
    }
}

impl ListableStore for Mapped {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let mut listing = self.below.lister()?.list_dir(prefix)?;
        self.manifest.list_dir(prefix, &mut listing)?;
        Ok(listing)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let mut keys = self.below.lister()?.list_prefix(prefix)?;
        self.manifest.list_prefix(prefix, &mut keys)?;
        Ok(keys)
    }
}
