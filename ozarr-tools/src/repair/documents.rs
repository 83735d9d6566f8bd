//! Checks that stored chunks agree with the copy of a missing document.
//!
//! Some implementations change a document without updating its copy in consolidated metadata. A document recreated from
//! such a copy would hide chunks, and the next resize could remove them.

use ozarr::{
    Array, Error, Hierarchy, Result,
    zarr_core::{
        json::{Json, Object},
        metadata::NodeMetadata,
        name::NodePath,
        store::{Key, Prefix},
        view::Dims,
    },
};

/// Checks that all keys below a node are chunks in the grid of a copy, and that at least one of the chunks decodes with
/// it.
///
/// Nothing contradicts the copy of a group's document, or that of an array without stored chunks: no data can be lost
/// through it. Decodes one chunk at a time.
///
/// # Errors
/// If a key or chunk contradicts the copy; the error is about the first.
pub(super) fn check(hierarchy: &Hierarchy, node: &NodePath, copy: &Object) -> Result<()> {
    let copy = NodeMetadata::from_json(Json::Object(copy.clone()), &hierarchy.context().limits)?;
    let NodeMetadata::Array(metadata) = copy else { return Ok(()) };
    let array = hierarchy.array_with(node, metadata)?;
    let keys = array.data_store().lister()?.list()?;
    // Names with this prefix are reserved, and no implementation uses them for chunks.
    let chunks = || keys.iter().filter(|key| !key.as_str().starts_with("__"));
    for key in chunks() {
        chunk(&array, key)?;
    }
    let mut first = None;
    for key in chunks() {
        match array.chunk(&chunk(&array, key)?).and_then(|chunk| chunk.check()) {
            Ok(()) => return Ok(()),
            Err(e) => _ = first.get_or_insert(e),
        }
    }
    first.map_or(Ok(()), |e| {
        Err(e.with_hint("restore `zarr.json` by hand: no stored chunk decodes with the consolidated copy"))
    })
}

/// Returns the chunk index of a key.
fn chunk(array: &Array, key: &Key) -> Result<Dims> {
    let (rank, shape) = (array.shape().len(), array.shape());
    let contradicts = |what: String| {
        let e = Error::data(what).at_key(format_args!("{}{key}", Prefix::of(array.path()))).at_node(array.path());
        e.with_hint("restore `zarr.json` by hand: the consolidated copy is outdated or belongs to another array")
    };
    let chunk_index = array.chunk_key_encoding().decode(key.as_str(), rank);
    let chunk_index = chunk_index.ok_or_else(|| {
        contradicts("the key does not belong to a chunk of the array in the consolidated copy".to_owned())
    })?;
    match array.chunk_region(&chunk_index) {
        Ok(_) => Ok(chunk_index),
        Err(_) => Err(contradicts(format!(
            "chunk {chunk_index:?} is out of bounds for shape {shape:?} in the consolidated copy"
        ))),
    }
}
