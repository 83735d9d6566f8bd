//! The subject of checks of stores: a kind of store.

use ozarr::{
    Error, Result,
    store::{FilesystemStore, MemoryStore, file_path},
    zarr_core::store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use tempfile::TempDir;

/// The contents of a store.
pub type Contents = BTreeMap<Key, Vec<u8>>;
/// Creates a store.
pub type Make = Box<dyn Fn() -> Result<Arc<dyn Store>> + Send + Sync>;
/// Opens the contents of a store, which may still be open, again.
pub type Reopen = Box<dyn Fn(&dyn Store) -> Result<Arc<dyn Store>> + Send + Sync>;
/// Creates a store with given contents.
pub type MakeWith = Box<dyn Fn(&Contents) -> Result<Arc<dyn Store>> + Send + Sync>;

/// A kind of store to check.
pub struct Subject {
    /// Creates an empty store that shares nothing with others.
    pub make: Make,
    /// Opens the same contents again, if they outlive a store.
    pub reopen: Option<Reopen>,
    /// Creates a store with given contents, if they cannot be written through the store itself.
    pub make_with: Option<MakeWith>,
}

impl Subject {
    /// Creates a subject from stores that can be written.
    pub fn new(make: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), reopen: None, make_with: None }
    }
}

/// Returns the subject for stores in memory.
pub fn memory() -> Subject {
    Subject::new(|| Ok(Arc::new(MemoryStore::default())))
}

/// Returns the subject for stores in directories below `folder`, each of which is removed with its store.
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
