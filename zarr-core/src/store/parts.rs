//! Parts of values to be written: grouped by key, and applied to the present value.

use super::{Key, Update, whole};
use crate::{
    error::{Error, ErrorKind, Result},
    source::Source,
};
use std::collections::BTreeMap;

/// The offset and the bytes of a part.
pub(super) type Part<'p> = (u64, &'p [u8]);

/// Groups parts by key, in their given order.
pub(super) fn by_key<'p>(parts: &[(Key, u64, &'p [u8])]) -> BTreeMap<Key, Vec<Part<'p>>> {
    let mut keys = BTreeMap::<_, Vec<_>>::new();
    for (key, start, part) in parts {
        keys.entry(key.clone()).or_default().push((*start, *part));
    }
    keys
}

/// An update that writes parts over a value. The value grows as needed, with zeros before a part.
pub(super) struct Overlay<'p> {
    parts: &'p [Part<'p>],
    value: Vec<u8>,
}

impl<'p> Overlay<'p> {
    pub(super) fn new(parts: &'p [Part<'p>]) -> Self {
        Self { parts, value: Vec::new() }
    }
}

impl Update for Overlay<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let value = &mut self.value;
        *value = old.map(whole).transpose()?.unwrap_or_default();
        for (start, part) in self.parts {
            let end = usize::try_from(*start).ok().and_then(|s| s.checked_add(part.len()));
            let end = end.ok_or_else(|| Error::argument("a part ends beyond the address space"))?;
            if value.len() < end {
                value.try_reserve(end - value.len()).map_err(|_| ErrorKind::Memory(end as u64))?;
                value.resize(end, 0);
            }
            value[end - part.len()..end].copy_from_slice(part);
        }
        Ok(Some(value))
    }
}
