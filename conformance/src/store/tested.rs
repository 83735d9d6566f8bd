//! A store under test: operations that it does not support result in findings of their own.

use super::{Contents, Subject};
use crate::check::{Finding, ensure, unsupported};
use ozarr::{
    ErrorKind, Result,
    zarr_core::{
        source::{ByteRange, Source},
        store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
    },
};
use std::{collections::BTreeSet, fmt::Debug, sync::Arc};

/// A result, or the finding if there is none.
pub(super) type Found<T> = std::result::Result<T, Finding>;

/// A store under test.
pub(super) struct Tested(pub(super) Arc<dyn Store>);

/// Converts the result of an operation that must not fail, except if it is not supported.
pub(super) fn done<T>(result: Result<T>) -> Found<T> {
    result.map_err(|e| match e.kind() {
        ErrorKind::Unsupported(what) => Finding::Unsupported(format!("the store does not support {what}")),
        _ => Finding::Broken(e.to_string()),
    })
}

/// Fails with a finding unless both are equal.
pub(super) fn same<T: PartialEq + Debug>(what: impl FnOnce() -> String, found: &T, expected: &T) -> Found<()> {
    ensure(found == expected, || format!("{} is {found:?}, not {expected:?}", what()))
}

impl Subject {
    /// Creates an empty store.
    pub(super) fn empty(&self) -> Found<Tested> {
        Ok(Tested(done((self.make)())?))
    }
    /// Creates a store with these contents.
    pub(super) fn with(&self, contents: &Contents) -> Found<Tested> {
        if let Some(make) = &self.make_with {
            return Ok(Tested(done(make(contents))?));
        }
        let store = self.empty()?;
        contents.iter().try_for_each(|(k, v)| store.set(k, v))?;
        Ok(store)
    }
    /// Creates a store with one value.
    pub(super) fn with_one(&self, key: &Key, value: &[u8]) -> Found<Tested> {
        self.with(&[(key.clone(), value.to_vec())].into())
    }
    /// Opens the contents of a store again.
    pub(super) fn again(&self, store: &Tested) -> Found<Tested> {
        match &self.reopen {
            Some(reopen) => Ok(Tested(done(reopen(&*store.0))?)),
            None => unsupported("its contents do not outlive it"),
        }
    }
}

impl Tested {
    pub(super) fn reader(&self) -> Found<&dyn ReadableStore> {
        done(self.0.reader())
    }
    pub(super) fn writer(&self) -> Found<&dyn WriteableStore> {
        done(self.0.writer())
    }
    pub(super) fn lister(&self) -> Found<&dyn ListableStore> {
        done(self.0.lister())
    }
    pub(super) fn get(&self, key: &Key) -> Found<Option<Vec<u8>>> {
        done(self.reader()?.get(key))
    }
    /// Opens a value that must exist.
    pub(super) fn open(&self, key: &Key) -> Found<Box<dyn Source + '_>> {
        done(self.reader()?.open(key))?.ok_or_else(|| Finding::Broken(format!("{key} is missing")))
    }
    pub(super) fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Found<Vec<Option<Vec<u8>>>> {
        done(self.reader()?.get_partial_values(ranges))
    }
    pub(super) fn set(&self, key: &Key, value: &[u8]) -> Found<()> {
        done(self.writer()?.set(key, value))
    }
    pub(super) fn set_if_absent(&self, key: &Key, value: &[u8]) -> Found<bool> {
        done(self.writer()?.set_if_absent(key, value))
    }
    pub(super) fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Found<()> {
        done(self.writer()?.set_partial_values(parts))
    }
    pub(super) fn erase(&self, key: &Key) -> Found<()> {
        done(self.writer()?.erase(key))
    }
    pub(super) fn erase_prefix(&self, prefix: &Prefix) -> Found<()> {
        done(self.writer()?.erase_prefix(prefix))
    }
    pub(super) fn list(&self) -> Found<BTreeSet<Key>> {
        done(self.lister()?.list())
    }
    pub(super) fn list_prefix(&self, prefix: &Prefix) -> Found<BTreeSet<Key>> {
        done(self.lister()?.list_prefix(prefix))
    }
    pub(super) fn list_dir(&self, prefix: &Prefix) -> Found<Listing> {
        done(self.lister()?.list_dir(prefix))
    }
    /// Fails with a finding unless a key has this value.
    pub(super) fn ensure_value(&self, key: &Key, value: &[u8]) -> Found<()> {
        self.ensure_value_or_none(key, Some(value))
    }
    /// Fails with a finding unless a key has this value, or no value for `None`.
    pub(super) fn ensure_value_or_none(&self, key: &Key, value: Option<&[u8]>) -> Found<()> {
        same(|| format!("the value of {:?}", key.as_str()), &self.get(key)?.as_deref(), &value)
    }
    /// Returns whether there are keys below this key and reading it fails, as in a store that cannot store both.
    pub(super) fn refuses_prefix(&self, key: &Key, contents: &Contents) -> Found<bool> {
        let below = format!("{key}/");
        let reader = self.reader()?;
        Ok(contents.keys().any(|k| k.as_str().starts_with(&below))
            && reader.get(key).is_err()
            && reader.open(key).is_err())
    }
    /// Fails with a finding unless each of these keys has its value in `contents`, or none.
    pub(super) fn ensure_values(&self, keys: &[Key], contents: &Contents) -> Found<()> {
        keys.iter().try_for_each(|k| self.ensure_value_or_none(k, contents.get(k).map(Vec::as_slice)))
    }
}
