//! The store that an array uses: the keys of the manifest, and the keys of the store below it.

use crate::{ChunkManifest, manifest::Manifest};
use std::{collections::BTreeSet, sync::Arc};
use zarr_plugin_api::{
    ExtensionType, Key, ListableStore, Listing, Prefix, ReadableStore, Result, Source, Store, WriteableStore,
};

/// If both have a key, the value of the manifest is used.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) below: Arc<dyn Store>,
    pub(crate) manifest: Arc<Manifest>,
}

impl Store for Mapped {
    /// Also if the store below cannot be read, because the keys of the manifest do not need it.
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        None
    }
    /// Without the store below, a list would not contain all keys.
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
