//! The extension point `chunk_key_encoding`.
//!
//! Specification: the array metadata member `chunk_key_encoding`. It maps the index of a chunk to a key relative to the
//! array.

use crate::{error::Result, view::Dims};
use std::fmt::Debug;

/// A chunk key encoding: a mapping between chunk indices and store keys.
pub trait ChunkKeyEncoding: Debug + Send + Sync {
    /// Returns the key of a chunk, relative to the array. Different chunks have different keys.
    fn encode(&self, chunk_index: &[u64]) -> Result<String>;

    /// Returns the chunk index of a key, or `None` if it is not the key of a chunk.
    fn decode(&self, key: &str, rank: usize) -> Option<Dims>;
}
