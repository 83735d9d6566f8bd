//! The extensions of the specification's core that need no library: data types, the chunk grid, chunk key encodings.
//!
//! They use the contract as an extension of another crate does.

mod chunk_grid;
mod chunk_key_encoding;
pub mod data_type;
