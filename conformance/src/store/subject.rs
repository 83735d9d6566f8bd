//! What is checked: a kind of store.

use ozarr::{
    Error, Result,
    store::{FilesystemStore, MemoryStore, file_path},
    zarr_core::store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use tempfile::TempDir;

/// What a store is to hold.
pub type Contents = BTreeMap<Key, Vec<u8>>;
/// Makes a store.
pub type Make = Box<dyn Fn() -> Result<Arc<dyn Store>> + Send + Sync>;
/// Opens again what a store holds that may still be open.
pub type Reopen = Box<dyn Fn(&dyn Store) -> Result<Arc<dyn Store>> + Send + Sync>;
/// Makes a store that holds something.
pub type MakeWith = Box<dyn Fn(&Contents) -> Result<Arc<dyn Store>> + Send + Sync>;

/// A kind of store.
pub struct Subject {
    /// Makes an empty store that shares nothing with others.
    pub make: Make,
    /// Opens the same contents again, where they outlive a store.
    pub reopen: Option<Reopen>,
    /// Makes a store that holds something, where it cannot be written through the store itself.
    pub make_with: Option<MakeWith>,
}

impl Subject {
    /// Stores that can be written.
    pub fn new(make: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), reopen: None, make_with: None }
    }
}

/// Stores in memory.
pub fn memory() -> Subject {
    Subject::new(|| Ok(Arc::new(MemoryStore::default())))
}

/// Directories, each below this folder and removed with its store.
pub fn filesystem(folder: &Path) -> Subject {
    let folder = folder.to_owned();
    let make = move || {
        let folder = tempfile::tempdir_in(&folder).map_err(|e| Error::from(e).at_key(folder.display()))?;
        Ok(Arc::new(Temporary { store: FilesystemStore::open(folder.path())?, _folder: folder }) as _)
    };
    let reopen: Reopen = Box::new(|store| {
        let path = file_path(&store.uri(&Prefix::ROOT))?;
        Ok(Arc::new(FilesystemStore::open(path)?))
    });
    Subject { reopen: Some(reopen), ..Subject::new(make) }
}

/// A directory that is removed with its store.
#[derive(Debug)]
struct Temporary {
    store: FilesystemStore,
    _folder: TempDir,
}

impl Store for Temporary {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.store.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.store.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.store.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.store.uri(prefix)
    }
}
