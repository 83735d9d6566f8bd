//! A store in memory.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use zarr_core::{
    Error, Result,
    source::{ByteRange, Each, Source},
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
};

type Values = BTreeMap<String, Arc<[u8]>>;

/// A store in memory. Clones share their contents.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<RwLock<Values>>);

impl MemoryStore {
    fn values(&self) -> RwLockReadGuard<'_, Values> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn values_mut(&self) -> RwLockWriteGuard<'_, Values> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value as it was when it was opened.
struct Snapshot(Arc<[u8]>);

impl Source for Snapshot {
    fn read(&self, ranges: &[ByteRange], each: Each<'_>) -> Result<()> {
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
        Ok(self.values().get(key.as_str()).map(|v| Box::new(Snapshot(v.clone())) as _))
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
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        let mut values = self.values_mut();
        for same in parts.chunk_by(|a, b| a.0 == b.0) {
            let mut value = values.get(same[0].0.as_str()).map_or_else(Vec::new, |v| v.to_vec());
            same.iter()
                .try_for_each(|(key, start, part)| overlay(&mut value, *start, part).map_err(|e| e.at_key(key)))?;
            values.insert(same[0].0.to_string(), value.into());
        }
        Ok(())
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.values_mut().remove(key.as_str());
        Ok(())
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.values_mut().retain(|k, _| !k.starts_with(prefix.as_str()));
        Ok(())
    }
}

/// Writes a part into a value, which grows as needed, with zeros before the part.
pub(super) fn overlay(value: &mut Vec<u8>, start: u64, part: &[u8]) -> Result<()> {
    let end = usize::try_from(start).ok().and_then(|s| s.checked_add(part.len()));
    let end = end.ok_or_else(|| Error::argument("a part ends beyond memory"))?;
    if value.len() < end {
        value.try_reserve(end - value.len()).map_err(|_| zarr_core::ErrorKind::Memory(end as u64))?;
        value.resize(end, 0);
    }
    value[end - part.len()..end].copy_from_slice(part);
    Ok(())
}

impl ListableStore for MemoryStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let (values, mut found) = (self.values(), Listing::default());
        let mut from = Bound::Included(prefix.to_string());
        // Jumps over everything below a prefix once it was seen.
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
