//! The abstract store interface.
//!
//! Specification: core, "Abstract store interface": three sets of operations, each of which a store may support. The
//! basic operations are required. The others have default implementations, which a store may replace with better ones.

mod key;
mod parts;
mod sub;

pub use key::{Key, Prefix};
pub use sub::SubStore;

use crate::{
    error::{Error, ErrorKind, Result},
    source::{ByteRange, Source},
};
use parts::{Overlay, by_key};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::Arc,
};

/// A store: its supported operations, and its URI.
pub trait Store: Debug + Send + Sync {
    /// Returns the readable operations, if supported.
    fn readable(&self) -> Option<&dyn ReadableStore>;
    /// Returns the writeable operations, if supported.
    fn writeable(&self) -> Option<&dyn WriteableStore>;
    /// Returns the listable operations, if supported.
    fn listable(&self) -> Option<&dyn ListableStore>;
    /// Returns the canonical URI of the values below a prefix.
    ///
    /// Two stores that reach the same place return the same URI: the writers of one process lock a value by its URI.
    /// Different places have different URIs.
    fn uri(&self, prefix: &Prefix) -> String;
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        (**self).readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        (**self).writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        (**self).listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        (**self).uri(prefix)
    }
}

/// The readable operations of a store.
pub trait ReadableStore: Send + Sync {
    /// Opens one version of a value: all reads of the result return the same bytes, even if the value is replaced in
    /// between.
    ///
    /// `None`: the key has no value. A store that cannot contain both a key and keys below it may return an error for a
    /// key that has keys below it.
    ///
    /// A store may read arrays of the same context in order to produce a value. It must then
    ///
    /// - return their errors unchanged,
    /// - read them on the thread that called it, because other threads may wait for memory that this thread uses,
    /// - and, for a value that is not a chunk, hold no lock during the reads that is needed for chunks.
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>>;

    /// Returns the value of a key; `None` if the key has no value.
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.open(key)?.map(|source| whole(&*source)).transpose()
    }
    /// Returns parts of values, in the order of `ranges`; `None` for keys without a value.
    ///
    /// A range outside a value is an error. Consecutive ranges of one key are read from one version of its value.
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut values = Vec::with_capacity(ranges.len());
        for same in ranges.chunk_by(|a, b| a.0 == b.0) {
            let Some(source) = self.open(&same[0].0)? else {
                values.extend(same.iter().map(|_| None));
                continue;
            };
            let first = values.len();
            values.extend(same.iter().map(|_| Some(Vec::new())));
            let wanted: Vec<ByteRange> = same.iter().map(|s| s.1).collect();
            source.read(&wanted, &mut |i, bytes| {
                values[first + i] = Some(bytes.to_vec());
                Ok(())
            })?;
        }
        Ok(values)
    }
}

/// Reads all bytes of a value.
pub fn whole(source: &dyn Source) -> Result<Vec<u8>> {
    let mut value = Vec::new();
    source.read(&[ByteRange::All], &mut |_, bytes| {
        value = bytes.to_vec();
        Ok(())
    })?;
    Ok(value)
}

/// A change of a value that depends on its old value.
pub trait Update {
    /// Returns the value to be stored in place of `old`. For both, `None` stands for a key without a value.
    ///
    /// It is called again if another writer was faster. It must not use the store for the same key, nor wait for a
    /// thread that does.
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>>;
}

/// The writeable operations of a store.
///
/// Each operation is atomic for one key at a time: concurrent writes of a key take effect one after another.
pub trait WriteableStore: Send + Sync {
    /// Stores a value. A reader sees the old or the new value, never a mixture.
    ///
    /// A value that is written, here or by the methods below, is visible under its key only. A store that cannot
    /// contain both a key and keys below it (`a` and `a/b`) returns an error for the second, and preserves the first.
    fn set(&self, key: &Key, value: &[u8]) -> Result<()>;

    /// Changes a value without losing concurrent changes.
    ///
    /// The store locks the value for the duration of the call, or it compares before it stores and calls `change` again. If
    /// `change` fails, the value does not change.
    ///
    /// Each store documents for which writers this is guaranteed: threads of this process, processes, or machines.
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()>;

    /// Stores a value if the key has none.
    ///
    /// Returns `false` if it has one. Of several concurrent writers exactly one gets `true`.
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool>;

    /// Writes parts of values, each given as key, offset and bytes.
    ///
    /// A value that is too short grows, and the bytes between its end and a part become zero. Each key is changed in
    /// one step, or not at all if one of its parts cannot be written.
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        by_key(parts)
            .iter()
            .try_for_each(|(key, parts)| self.update(key, &mut Overlay::new(parts)).map_err(|e| e.at_key(key)))
    }

    /// Removes a key. Succeeds if the key has no value.
    fn erase(&self, key: &Key) -> Result<()>;

    /// Removes all keys with a prefix. Succeeds if there are none.
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()>;

    /// Removes the [orphans](ListableStore::list_orphans) below a prefix, and returns their names.
    fn erase_orphans(&self, _prefix: &Prefix) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Begins to store all keys of a prefix in a separate place, from which they replace the present keys in one step.
    ///
    /// `None`: the store does not support it.
    fn stage(&self, _prefix: &Prefix) -> Result<Option<Box<dyn Staged>>> {
        Ok(None)
    }

    /// Removes several keys.
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        keys.iter().try_for_each(|k| self.erase(k))
    }
}

/// The new keys of a prefix, stored in a separate place until they are complete: see [`WriteableStore::stage`].
///
/// If it is dropped without a [`commit`](Self::commit), the new keys are removed, and nothing has changed.
pub trait Staged: Debug + Send + Sync {
    /// Returns a store of the new keys, under their final names. No other keys exist in it.
    fn store(&self) -> Arc<dyn Store>;

    /// Moves the new keys to their place. A reader sees the prefix as it was, or with all of them.
    ///
    /// If the prefix has a metadata document, it is replaced only if `replace` is true, and everything that it
    /// contained is removed afterwards. With `replace` false nothing changes, and the result is `false`.
    ///
    /// # Errors
    /// [`Occupied`](ErrorKind::Occupied) if the prefix has no metadata document, but anything else is there; any error
    /// of the store. The prefix is then as it was.
    fn commit(self: Box<Self>, replace: bool) -> Result<bool>;
}

/// The contents directly below a prefix: keys that have a value, and prefixes of such keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The keys, in full.
    pub keys: BTreeSet<Key>,
    /// The prefixes, in full.
    pub prefixes: BTreeSet<Prefix>,
    /// Other entries, for stores on a medium that may contain more than values, such as a directory.
    ///
    /// Names are in full, with bytes that are not UTF-8 as `\xNN`.
    pub others: BTreeMap<String, Other>,
}

/// The kind of an entry that is neither a key nor a prefix of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Other {
    /// A directory that contains no value at any depth.
    ///
    /// Writers create such directories temporarily, so it is an error only where a value is expected.
    EmptyDirectory,
    /// Neither a file nor a directory: a pipe, a socket, a device, or a broken link.
    NotAFile,
    /// A link to a directory that contains the link. It has no end, so it is not listed as a prefix.
    Loop,
    /// A file or directory whose name cannot be a key, because it is not UTF-8.
    Name,
}

/// The listable operations of a store.
pub trait ListableStore: Send + Sync {
    /// Returns the keys and prefixes directly below a prefix.
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing>;

    /// Returns all keys with a prefix.
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let (mut keys, mut left) = (BTreeSet::new(), vec![prefix.clone()]);
        while let Some(prefix) = left.pop() {
            let found = self.list_dir(&prefix)?;
            keys.extend(found.keys);
            left.extend(found.prefixes);
        }
        Ok(keys)
    }
    /// Returns the names of orphans below a prefix: files that writers left behind when they ended early, such as
    /// temporary files.
    ///
    /// They are not keys, and not listed as keys. Files of a writer that is still running are not orphans.
    fn list_orphans(&self, _prefix: &Prefix) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// Returns all keys.
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.list_prefix(&Prefix::ROOT)
    }
}

/// Access to the operations of a store, with an error that names an unsupported one.
impl dyn Store {
    /// Returns the readable operations.
    ///
    /// # Errors
    /// If the store does not support reading.
    pub fn reader(&self) -> Result<&dyn ReadableStore> {
        self.readable().ok_or_else(|| self.lacks("reading"))
    }
    /// Returns the writeable operations.
    ///
    /// # Errors
    /// If the store does not support writing.
    pub fn writer(&self) -> Result<&dyn WriteableStore> {
        self.writeable().ok_or_else(|| self.lacks("writing").with_hint("open the store for writing"))
    }
    /// Returns the listable operations.
    ///
    /// # Errors
    /// If the store does not support listing.
    pub fn lister(&self) -> Result<&dyn ListableStore> {
        self.listable().ok_or_else(|| self.lacks("listing"))
    }
    fn lacks(&self, what: &'static str) -> Error {
        ErrorKind::Unsupported(what).into()
    }
}

/// A store without its writeable operations.
#[derive(Debug, Clone)]
pub struct ReadOnly(pub Arc<dyn Store>);

impl Store for ReadOnly {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.0.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        None
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.0.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads share the parts of a store.
    #[test]
    fn parts_of_a_store_can_be_shared() {
        fn shared<T: Send + Sync + ?Sized>() {}
        shared::<dyn Store>();
        shared::<dyn ReadableStore>();
        shared::<dyn WriteableStore>();
        shared::<dyn ListableStore>();
        shared::<dyn Staged>();
    }
}
