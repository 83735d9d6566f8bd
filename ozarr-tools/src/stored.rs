//! Counts stored values.

use ozarr::{
    Array, Hierarchy, Result,
    zarr_core::{
        name::NodePath,
        source::ByteRange,
        store::{Key, Prefix, Store},
    },
};

/// The stored values of an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The number of keys with values below the array, of chunks and others, without the metadata document.
    pub keys: u64,
    /// The total size of these values in bytes.
    pub bytes: u64,
    /// The number of entries that are not values: directories, dangling links, devices.
    pub not_values: u64,
}

/// Counts the stored values of an array, without its metadata document.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::stored;
///
/// let zarr = Hierarchy::in_memory();
/// let array = zarr.create_array("/a", NewArray::of::<u16>([100]).chunks([10]).no_compressor())?;
/// array.write(0..30, &[1u16; 30])?;
/// let stored = stored(&array)?;
/// assert_eq!((stored.keys, stored.bytes), (3, 60));
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If the store cannot list, or a value cannot be opened.
pub fn stored(array: &Array) -> Result<Stored> {
    let (found, store) = (array.stored_keys()?, array.data_store());
    let mut bytes = 0;
    for chunk_index in &found.chunks {
        bytes += size(&**store, &array.chunk_key(chunk_index)?)?;
    }
    for key in &found.unknown {
        bytes += size(&**store, key)?;
    }
    let keys = (found.chunks.len() + found.unknown.len()) as u64;
    Ok(Stored { keys, bytes, not_values: found.errors.len() as u64 })
}

/// Returns the number of bytes stored at and below a path, including metadata documents, or 0 if nothing is there. Uses
/// memory for the keys directly below one prefix at a time.
///
/// ```
/// use ozarr::Hierarchy;
/// use ozarr_tools::stored_bytes;
///
/// let zarr = Hierarchy::in_memory();
/// assert_eq!(stored_bytes(&zarr, "/")?, 0);
/// zarr.create_group("/g", ())?;
/// assert!(stored_bytes(&zarr, "/")? > stored_bytes(&zarr, "/g")?);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If the path is not a node path, the store cannot list, or a value cannot be opened.
pub fn stored_bytes(hierarchy: &Hierarchy, path: &str) -> Result<u64> {
    let (store, mut total) = (&**hierarchy.store(), 0u64);
    let mut left = vec![Prefix::of(&NodePath::new(path)?)];
    while let Some(prefix) = left.pop() {
        let listed = store.lister()?.list_dir(&prefix)?;
        for key in &listed.keys {
            total = total.saturating_add(size(store, key)?);
        }
        left.extend(listed.prefixes);
    }
    Ok(total)
}

/// Returns the size of a value in bytes, or 0 if it does not exist.
fn size(store: &(dyn Store + 'static), key: &Key) -> Result<u64> {
    let Some(value) = store.reader()?.open(key)? else { return Ok(0) };
    if let Some(size) = value.size()? {
        return Ok(size);
    }
    let mut size = 0;
    value.read(&[ByteRange::All], &mut |_, bytes| {
        size = bytes.len() as u64;
        Ok(())
    })?;
    Ok(size)
}
