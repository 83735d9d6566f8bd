//! Parts of values that are written: gathered by key, laid over what is there.

use std::collections::BTreeMap;
use zarr_core::{Error, ErrorKind, Result, store::Key};

/// The parts of each key, in the order in which they were given.
pub(super) fn by_key<'p>(parts: &[(Key, u64, &'p [u8])]) -> BTreeMap<Key, Vec<(u64, &'p [u8])>> {
    let mut keys = BTreeMap::<_, Vec<_>>::new();
    for (key, start, part) in parts {
        keys.entry(key.clone()).or_default().push((*start, *part));
    }
    keys
}

/// Writes parts into a value, which grows as needed, with zeros before a part.
pub(super) fn overlay(value: &mut Vec<u8>, parts: &[(u64, &[u8])]) -> Result<()> {
    for (start, part) in parts {
        let end = usize::try_from(*start).ok().and_then(|s| s.checked_add(part.len()));
        let end = end.ok_or_else(|| Error::argument("a part ends beyond memory"))?;
        if value.len() < end {
            value.try_reserve(end - value.len()).map_err(|_| ErrorKind::Memory(end as u64))?;
            value.resize(end, 0);
        }
        value[end - part.len()..end].copy_from_slice(part);
    }
    Ok(())
}
