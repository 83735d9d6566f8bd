//! The abstract store interface.
//!
//! Specification: core, "Abstract store interface": three sets of operations, each of which a store may have. The
//! operations that others can be built from are required; the others have defaults that a store may better.

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

/// A store: what it can do, and what it is called.
pub trait Store: Debug + Send + Sync {
    /// Reading, if the store can.
    fn readable(&self) -> Option<&dyn ReadableStore>;
    /// Writing, if the store can.
    fn writeable(&self) -> Option<&dyn WriteableStore>;
    /// Listing, if the store can.
    fn listable(&self) -> Option<&dyn ListableStore>;
    /// The canonical URI of what is stored below a prefix. Two stores that reach one object give it one name: writers
    /// of one process lock by it. Different places have different names.
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

/// The readable operations.
pub trait ReadableStore: Send + Sync {
    /// One version of a value: all reads through it see the same bytes, also when the value is replaced meanwhile.
    /// `None`: there is none. A store that cannot keep both a key and keys below it may refuse a key that has keys below.
    ///
    /// A store may read arrays of the same context to make a value. It passes their errors on unchanged. It reads them on
    /// the thread that called it: other threads may wait for the memory that this one has. For a value that is no chunk it
    /// has no lock meanwhile that is needed for chunks.
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>>;

    /// The value of a key.
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.open(key)?.map(|source| whole(&*source)).transpose()
    }
    /// Parts of values, in order; `None` for keys without value. A range outside a value is an error. Parts of one key
    /// that follow one another come from one version of it.
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

/// All bytes of a value.
pub fn whole(source: &dyn Source) -> Result<Vec<u8>> {
    let mut value = Vec::new();
    source.read(&[ByteRange::All], &mut |_, bytes| {
        value = bytes.to_vec();
        Ok(())
    })?;
    Ok(value)
}

/// A value that depends on the one before.
pub trait Update {
    /// What is to be stored in place of `old`; `None`: nothing. Both ways `None` stands for a key without value.
    ///
    /// Called again when another writer was faster. It must not use the store for the same key, nor wait for a thread that does.
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>>;
}

/// The writeable operations. Each is for one key at a time as if there were no others: of writers at the same time each
/// comes before or after the other.
pub trait WriteableStore: Send + Sync {
    /// Stores a value. A reader sees the old or the new one, never a part. What is written, here or below, belongs to
    /// its key alone. A store that cannot keep both a key and keys below it (`a` and `a/b`) refuses the second, and
    /// keeps the first.
    fn set(&self, key: &Key, value: &[u8]) -> Result<()>;

    /// Changes a value, and loses nothing that others store at the same time: the store locks the value meanwhile, or it
    /// compares before it stores, and asks again. An error of `change` leaves the value as it was.
    ///
    /// Among which writers this is true is for the store to say: threads of this process, processes, or machines.
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()>;

    /// Stores a value where there is none. `false`: there is one. Of several writers at once exactly one gets `true`.
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool>;

    /// Writes parts of values, each given by key, first byte and bytes. A value that is too short grows; bytes between
    /// its end and a part become zero. Each key is changed at once, and not at all if one of its parts cannot be
    /// written.
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        by_key(parts)
            .iter()
            .try_for_each(|(key, parts)| self.update(key, &mut Overlay::new(parts)).map_err(|e| e.at_key(key)))
    }

    /// Removes a key. No error if there is none.
    fn erase(&self, key: &Key) -> Result<()>;

    /// Removes all keys with a prefix. No error if there is none.
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()>;

    /// Removes the [orphans](ListableStore::list_orphans) below a prefix, and gives what to call it.
    fn erase_orphans(&self, _prefix: &Prefix) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Begins to store all keys of a prefix apart from their place, so that they replace what is there in one step.
    /// `None`: the store cannot.
    fn stage(&self, _prefix: &Prefix) -> Result<Option<Box<dyn Staged>>> {
        Ok(None)
    }

    /// Removes several keys.
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        keys.iter().try_for_each(|k| self.erase(k))
    }
}

/// The keys of a prefix, stored apart from their place until they are complete: see [`WriteableStore::stage`]. If it is
/// dropped without [`commit`](Self::commit), they are removed, and nothing has changed.
pub trait Staged: Debug + Send + Sync {
    /// A store of these keys under the names that they will have. Other keys do not exist in it.
    fn store(&self) -> Arc<dyn Store>;

    /// Moves the keys to their place. A reader sees the prefix as it was or with all of them.
    ///
    /// Where the prefix has a metadata document, it takes `replace`: everything that it had is removed afterwards.
    /// Otherwise nothing changes, and the result is `false`.
    ///
    /// # Errors
    /// [`Occupied`](ErrorKind::Occupied) when the prefix has no metadata document and anything else is there, or when the
    /// store fails. The prefix is as it was.
    fn commit(self: Box<Self>, replace: bool) -> Result<bool>;
}

/// What is directly below a prefix: keys that have a value, and prefixes of such keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Keys, in full.
    pub keys: BTreeSet<Key>,
    /// Prefixes, in full.
    pub prefixes: BTreeSet<Prefix>,
    /// Entries of a medium that also has other things than values, such as a directory: in full, bytes that are not UTF-8
    /// as `\xNN`. Stores that have nothing but values have none.
    pub others: BTreeMap<String, Other>,
}

/// An entry that is neither a key nor a prefix of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Other {
    /// A directory without a value anywhere in it. Writers leave some for a moment, so it is an error only in the place of a
    /// value.
    EmptyDirectory,
    /// Neither a file nor a directory, such as a pipe, a socket, a device or a link to nothing.
    NotAFile,
    /// A link to a directory that contains it. What is below it has no end, so it is not listed as a prefix.
    Loop,
    /// A file or directory with a name that no key can have: it is not UTF-8.
    Name,
}

/// The listable operations.
pub trait ListableStore: Send + Sync {
    /// The keys and prefixes directly below a prefix.
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing>;

    /// All keys with a prefix.
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let (mut keys, mut left) = (BTreeSet::new(), vec![prefix.clone()]);
        while let Some(prefix) = left.pop() {
            let found = self.list_dir(&prefix)?;
            keys.extend(found.keys);
            left.extend(found.prefixes);
        }
        Ok(keys)
    }
    /// What writers that ended before they were done left behind below a prefix: no keys, and not listed as such. What
    /// belongs to a writer that is still at work is not an orphan. Gives what to call it.
    fn list_orphans(&self, _prefix: &Prefix) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// All keys.
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.list_prefix(&Prefix::ROOT)
    }
}

/// The abilities of a store, or the error that says which is missing.
impl dyn Store {
    /// Reading.
    pub fn reader(&self) -> Result<&dyn ReadableStore> {
        self.readable().ok_or_else(|| self.lacks("reading"))
    }
    /// Writing.
    pub fn writer(&self) -> Result<&dyn WriteableStore> {
        self.writeable().ok_or_else(|| self.lacks("writing").with_hint("it was opened for reading only"))
    }
    /// Listing.
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

    /// Threads share what a store gives for its parts.
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
