//! Lists the keys that are stored below an array.

use super::Array;
use crate::nodes::{bad_name, leads_back};
use zarr_core::{
    Error, Result,
    store::{Key, Other, Prefix},
};

/// The keys that are stored below an array, apart from its metadata document.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StoredKeys {
    /// The indices of stored chunks, sorted. Includes chunks outside the grid.
    pub chunks: Vec<Vec<u64>>,
    /// Keys that are not keys of chunks, relative to the array, sorted.
    pub unknown: Vec<Key>,
    /// One error for each entry that is not a value but that a reader could take for a missing chunk: pipes, sockets,
    /// devices, links to nothing, links that form a loop, directories where a chunk is expected, and names that are not
    /// UTF-8. Each error names the key. Sorted by key.
    pub errors: Vec<Error>,
}

impl Array {
    /// Returns the sorted indices of all stored chunks, including those outside the grid.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// array.write((.., 0), &[1u8; 10])?;
    /// assert_eq!(array.stored_chunks()?, [[0, 0], [1, 0], [2, 0]]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot list its keys, or if it has an entry that is neither a value nor a directory, or a directory
    /// where a chunk is expected: see [`StoredKeys::errors`].
    pub fn stored_chunks(&self) -> Result<Vec<Vec<u64>>> {
        let found = self.stored_keys()?;
        match found.errors.into_iter().next() {
            Some(e) => Err(e),
            None => Ok(found.chunks),
        }
    }
    /// Lists everything that is stored below the array, apart from its metadata document.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([4]))?;
    /// array.write(.., &[1u8; 4])?;
    /// array.data_store().writer()?.set(&Key::new("notes.txt")?, b"hello")?;
    /// let found = array.stored_keys()?;
    /// assert_eq!(found.chunks, [[0]]);
    /// assert_eq!(found.unknown, [Key::new("notes.txt")?]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot list its keys.
    pub fn stored_keys(&self) -> Result<StoredKeys> {
        let (lister, rank) = (self.data.lister()?, self.shape().len());
        let decode = |name: &str| self.resolved.chunk_key_encoding.decode(name, rank);
        let (mut found, mut left) = (StoredKeys::default(), vec![Prefix::ROOT]);
        while let Some(prefix) = left.pop() {
            let listed = lister.list_dir(&prefix)?;
            for key in listed.keys {
                match decode(key.as_str()) {
                    Some(chunk_index) => found.chunks.push(chunk_index.to_vec()),
                    None => found.unknown.push(key),
                }
            }
            for (name, other) in listed.others {
                let is_chunk = decode(&name).is_some();
                found.errors.extend(self.unusable(&name, other, is_chunk).map(|e| e.at_node(&self.path)));
                if other == Other::EmptyDirectory && !is_chunk {
                    left.push(Prefix::new(format!("{name}/"))?);
                }
            }
            for prefix in listed.prefixes {
                let name = prefix.as_str().trim_end_matches('/');
                if decode(name).is_some() {
                    // Some stores can have a chunk and keys below it. For others, opening the chunk returns an error.
                    let e = self.unusable(name, Other::EmptyDirectory, true);
                    found.errors.extend(e.map(|e| e.at_node(&self.path)));
                }
                left.push(prefix);
            }
        }
        found.chunks.sort_unstable();
        found.unknown.sort_unstable();
        found.errors.sort_by(|a, b| a.key().cmp(&b.key()));
        Ok(found)
    }
    /// Returns the error of an entry that is not a value and makes its place unusable.
    fn unusable(&self, name: &str, other: Other, is_chunk: bool) -> Option<Error> {
        match (other, Key::new(name)) {
            (Other::EmptyDirectory, _) if !is_chunk => None,
            (Other::Loop, _) => {
                Some(leads_back(&**self.hierarchy.store(), &format!("{}{name}", Prefix::of(&self.path))))
            }
            // The entry may have been removed since it was listed.
            (Other::EmptyDirectory | Other::NotAFile, Ok(key)) => self.data.reader().and_then(|r| r.open(&key)).err(),
            _ => Some(bad_name().at_key(format_args!("{}{name}", Prefix::of(&self.path)))),
        }
    }
}
