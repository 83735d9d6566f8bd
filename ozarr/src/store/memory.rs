//! A store in memory.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use zarr_core::{
    ErrorKind, Result,
    error::Occupant,
    source::{ByteRange, RangeCallback, Source},
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Staged, Store, Update, WriteableStore},
};

type Values = BTreeMap<String, Arc<[u8]>>;

/// A store in memory. Clones share their contents.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<RwLock<Values>>);

impl MemoryStore {
    fn values(&self) -> RwLockReadGuard<'_, Values> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn snapshot(&self, key: &Key) -> Option<Snapshot> {
        self.values().get(key.as_str()).cloned().map(Snapshot)
    }
    fn values_mut(&self) -> RwLockWriteGuard<'_, Values> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value as it was when it was opened.
struct Snapshot(Arc<[u8]>);

impl Source for Snapshot {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        ranges.iter().enumerate().try_for_each(|(i, r)| each(i, r.of(&self.0)?))
    }
    fn in_memory(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

impl Store for MemoryStore {
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
        format!("memory://{:x}/{prefix}", Arc::as_ptr(&self.0).addr())
    }
}

impl ReadableStore for MemoryStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        Ok(self.snapshot(key).map(|s| Box::new(s) as _))
    }
}

impl WriteableStore for MemoryStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.values_mut().insert(key.to_string(), value.into());
        Ok(())
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        let mut values = self.values_mut();
        let absent = !values.contains_key(key.as_str());
        if absent {
            values.insert(key.to_string(), value.into());
        }
        Ok(absent)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        loop {
            let old = self.snapshot(key);
            let new: Option<Arc<[u8]>> = change.apply(old.as_ref().map(|s| s as _))?.map(Into::into);
            let mut values = self.values_mut();
            let is_old = match (values.get(key.as_str()), &old) {
                (Some(now), Some(old)) => Arc::ptr_eq(now, &old.0),
                (None, None) => true,
                _ => false,
            };
            if is_old {
                match new {
                    Some(new) => values.insert(key.to_string(), new),
                    None => values.remove(key.as_str()),
                };
                return Ok(());
            }
        }
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.values_mut().remove(key.as_str());
        Ok(())
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.values_mut().retain(|k, _| !k.starts_with(prefix.as_str()));
        Ok(())
    }
    fn stage(&self, prefix: &Prefix) -> Result<Option<Box<dyn Staged>>> {
        let staging = Staging { target: self.clone(), prefix: prefix.clone(), new: Self::default() };
        Ok(Some(Box::new(staging)))
    }
}

/// Values that will replace those of a prefix under one lock.
#[derive(Debug)]
struct Staging {
    target: MemoryStore,
    prefix: Prefix,
    new: MemoryStore,
}

impl Staged for Staging {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.new.clone())
    }
    fn commit(self: Box<Self>, replace: bool) -> Result<bool> {
        let new = std::mem::take(&mut *self.new.values_mut());
        let mut values = self.target.values_mut();
        if values.contains_key(self.prefix.key("zarr.json")?.as_str()) {
            if !replace {
                return Ok(false);
            }
            values.retain(|k, _| !k.starts_with(self.prefix.as_str()));
        } else if let Some(key) = values.keys().find(|k| k.starts_with(self.prefix.as_str())) {
            return Err(ErrorKind::Occupied(Occupant::Entry(key.clone())).into());
        }
        values.extend(new);
        Ok(true)
    }
}

impl ListableStore for MemoryStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let (values, mut found) = (self.values(), Listing::default());
        let mut from = Bound::Included(prefix.to_string());
        // Skips everything below a prefix once one key of it was seen.
        while let Some((key, _)) = values.range((from, Bound::Unbounded)).next() {
            let Some(rest) = key.strip_prefix(prefix.as_str()) else { break };
            match rest.split_once('/') {
                None => {
                    found.keys.insert(Key::new(key.as_str())?);
                    from = Bound::Excluded(key.clone());
                }
                Some((name, _)) => {
                    found.prefixes.insert(Prefix::new(format!("{prefix}{name}/"))?);
                    // `0` is the character after `/`.
                    from = Bound::Included(format!("{prefix}{name}0"));
                }
            }
        }
        Ok(found)
    }
}
