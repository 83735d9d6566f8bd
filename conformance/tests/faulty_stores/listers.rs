//! Stores that list wrongly.

use crate::faulty::{FaultyStore, faulty_stores, key, pause};
use ozarr::{
    Error, Result,
    zarr_core::store::{Key, ListableStore, Listing, Prefix, ReadableStore, WriteableStore},
};
use std::collections::BTreeSet;

faulty_stores! {
    /// Lists one page.
    OnePage {
        fn list(&self) -> Result<BTreeSet<Key>> {
            Ok(self.m().list()?.into_iter().take(2).collect())
        }
    }
    /// What begins with a period is hidden.
    Hides {
        fn list(&self) -> Result<BTreeSet<Key>> {
            let mut keys = self.m().list()?;
            keys.retain(|k| !k.as_str().split('/').any(|s| s.starts_with('.')));
            Ok(keys)
        }
    }
    /// Lists what was erased.
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
    /// What was written for nothing is left behind.
    Orphans {
        fn set_if_absent(&self, k: &Key, value: &[u8]) -> Result<bool> {
            let new = self.m().set_if_absent(k, value)?;
            if !new {
                self.m().set(&key(format!("{k}.tmp")), value)?;
            }
            Ok(new)
        }
    }
    /// Lists all that begins alike.
    BeginsAlike {
        fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
            let begin = prefix.as_str().trim_end_matches('/');
            Ok(self.m().list()?.into_iter().filter(|k| k.as_str().starts_with(begin)).collect())
        }
    }
    /// Shows `ab` below `a/`.
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
    /// Empty directories stay.
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
    /// Looks at each key that it lists, which may be gone.
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
