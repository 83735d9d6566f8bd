//! Laws of stores: of everything that has the abstract store interface, a storage transformer's store too.
//!
//! A law looks only at what it is about: what is wrong in one place should break one law.

mod concurrent;
mod erase;
mod inputs;
mod list;
mod partial;
mod read;
mod sequence;
mod set;
mod tested;
mod update;

use crate::{
    check::{Check, Settings, Verdict},
    report::Record,
};
use ozarr::{
    Error, Result,
    core::store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
    store::{FilesystemStore, MemoryStore, file_path},
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
pub type Holding = Box<dyn Fn(&Contents) -> Result<Arc<dyn Store>> + Send + Sync>;

/// A kind of store.
pub struct Subject {
    /// Makes an empty store that shares nothing with others.
    pub make: Make,
    /// Opens the same contents again, where they outlive a store.
    pub reopen: Option<Reopen>,
    /// Makes a store that holds something, where it cannot be written through the store itself.
    pub holding: Option<Holding>,
}

impl Subject {
    /// Stores that can be written.
    pub fn new(make: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), reopen: None, holding: None }
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

const fn law(id: &'static str, clause: &'static str, run: fn(&Subject, &Settings) -> Verdict) -> Check<Subject> {
    Check { id, clause, run }
}

/// The laws of stores.
pub const CHECKS: &[Check<Subject>] = &[
    law("get/missing", "store/get", read::missing),
    law("get/ranges", "store/get", read::ranges),
    law("get/ranges-outside", "store/get", read::ranges_outside),
    law("get/many-ranges", "store/get", read::many_ranges),
    law("get/stops", "store/get", read::stops),
    law("get/read-into", "store/get", read::read_into),
    law("get/size", "store/get", read::size),
    law("get/one-version", "store/get", read::one_version),
    law("partial-values/any", "store/partial-values", partial::values),
    law("partial-values/missing", "store/partial-values", partial::values_missing),
    law("partial-values/outside", "store/partial-values", partial::values_outside),
    law("set/get", "store/set", set::get),
    law("set/replaces", "store/set", set::replaces),
    law("set/empty", "store/set", set::empty),
    law("set/large", "store/set", set::large),
    law("set/odd-keys", "store/set", set::odd_keys),
    law("set/case", "store/case", set::case),
    law("set/similar-keys", "store/set", set::similar_keys),
    law("set/key-and-prefix", "store/set", set::key_and_prefix),
    law("set/aliasing", "store/set", set::aliasing),
    law("set/any-sequence", "store/set", sequence::any),
    law("set/reopen", "store/set", sequence::reopen),
    law("set/uri", "store/uri", sequence::uri),
    law("set-if-absent/one-after-another", "store/set-if-absent", set::if_absent),
    law("set-if-absent/one-winner", "store/set-if-absent", concurrent::one_winner),
    law("update/changes", "store/set", update::changes),
    law("update/fails", "store/set", update::fails),
    law("set-partial/overlays", "store/set-partial", partial::overlays),
    law("set-partial/extends", "store/set-partial", partial::extends),
    law("set-partial/creates", "store/set-partial", partial::creates),
    law("set-partial/many", "store/set-partial", partial::many),
    law("set-partial/outside", "store/set-partial", partial::outside),
    law("erase/removes", "store/erase", erase::removes),
    law("erase/missing", "store/erase", erase::missing),
    law("erase/values", "store/erase-values", erase::values),
    law("erase-prefix/removes", "store/erase-prefix", erase::prefix),
    law("erase-prefix/all", "store/erase-prefix", erase::all),
    law("erase-prefix/missing", "store/erase-prefix", erase::prefix_missing),
    law("list/all", "store/list", list::all),
    law("list/odd-keys", "store/list", list::odd_keys),
    law("list/erased", "store/list", list::erased),
    law("list/debris", "store/list", list::debris),
    law("list-prefix/any", "store/list-prefix", list::prefix),
    law("list-dir/any", "store/list-dir", list::dir),
    law("list-dir/erased", "store/list-dir", list::dir_erased),
    law("concurrent/one-key", "store/concurrent", concurrent::one_key),
    law("concurrent/many-keys", "store/concurrent", concurrent::many_keys),
    law("concurrent/parts", "store/concurrent", concurrent::parts),
    law("concurrent/updates", "store/concurrent", concurrent::updates),
    law("concurrent/erase-and-update", "store/concurrent", concurrent::erase_and_update),
    law("concurrent/erase-and-list", "store/concurrent", concurrent::erase_and_list),
];

/// Runs the laws on a kind of store.
pub fn run(subject: &Subject, prefix: &str, settings: &Settings, each: &mut dyn FnMut(Record)) {
    settings.run(prefix, subject, CHECKS, each);
}
