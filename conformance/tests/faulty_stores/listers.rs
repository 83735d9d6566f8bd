//! Stores that list wrongly.

use crate::faulty::{FaultyStore, faulty_stores, key, pause};
use ozarr::{
    Error, Result,
    zarr_core::store::{Key, ListableStore, Listing, Prefix, ReadableStore, WriteableStore},
};
use std::collections::BTreeSet;

faulty_stores! {
    /// Lists only the first page.
    OnePage {
        fn list(&self) -> Result<BTreeSet<Key>> {
            Ok(self.m().list()?.into_iter().take(2).collect())
        }
    }
    /// Hides names that begin with a period.
    Hides {
        fn list(&self) -> Result<BTreeSet<Key>> {
            let mut keys = self.m().list()?;
            keys.retain(|k| !k.as_str().split('/').any(|s| s.starts_with('.')));
            Ok(keys)
        }
    }
    /// Lists erased keys.
    Tombstones {
        fn erase(&self, key: &Key) -> Result<()> {
            if self.m().get(key)?.is_some() {
                self.past().insert(key.clone(), Vec::new());
            }
            self.m().erase(key)
        }
        fn list(&self) -> Result<BTreeSet<Key>> {
            Ok(self.m().list()?.into_iter().chain(self.past().keys().cloned()).collect())
        }
    }
    /// Leaves a temporary key if a value exists already.
    Orphans {
        fn set_if_absent(&self, k: &Key, value: &[u8]) -> Result<bool> {
            let new = self.m().set_if_absent(k, value)?;
            if !new {
                self.m().set(&key(format!("{k}.tmp")), value)?;
            }
            Ok(new)
        }
    }
    /// Lists all keys with a common beginning, not only those below a prefix.
    BeginsAlike {
        fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
            let begin = prefix.as_str().trim_end_matches('/');
            Ok(self.m().list()?.into_iter().filter(|k| k.as_str().starts_with(begin)).collect())
        }
    }
    /// Lists `ab` below `a/`.
    ShowsSiblings {
        fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
            let (mut found, begin) = (self.m().list_dir(prefix)?, prefix.as_str().trim_end_matches('/'));
            if !begin.is_empty() {
                let all = self.m().list()?.into_iter();
                found.keys.extend(all.filter(|k| k.as_str().starts_with(begin) && !k.as_str()[begin.len()..].contains('/')));
            }
            Ok(found)
        }
    }
    /// Lists empty directories.
    EmptyDirectories {
        fn erase(&self, key: &Key) -> Result<()> {
            if self.m().get(key)?.is_some() {
                self.past().insert(key.clone(), Vec::new());
            }
            self.m().erase(key)
        }
        fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
            let mut found = self.m().list_dir(prefix)?;
            for key in self.past().keys() {
                let rest = key.as_str().strip_prefix(prefix.as_str()).and_then(|rest| rest.split_once('/'));
                found.prefixes.extend(rest.and_then(|(name, _)| Prefix::new(format!("{prefix}{name}/")).ok()));
            }
            Ok(found)
        }
    }
    /// Opens each key that it lists, which may have been erased.
    Looks {
        fn list(&self) -> Result<BTreeSet<Key>> {
            let keys = self.m().list()?;
            pause();
            for key in &keys {
                self.m().get(key)?.ok_or_else(|| Error::argument(format!("{key} is gone")))?;
            }
            Ok(keys)
        }
    }
}
