//! Built-in extensions of the specification's core that need no further crates: data types, the chunk grid, and chunk
//! key encodings.
//!
//! They use the same interface as extensions in other crates.

mod chunk_grid;
mod chunk_key_encoding;
pub mod data_type;
