//! Choices at run time.

use crate::limits::setters;

/// Choices at run time that never enter metadata.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// In which order a shard's inner chunks are written.
    pub inner_chunk_order: InnerChunkOrder,
    /// Store chunks and inner chunks also when every element is the fill value.
    pub store_fill: bool,
    /// Refuse what can be read, but should not have been stored: inner chunks of a shard that overlap each other or the
    /// index. An index that is read in parts, if it has more than 16 MiB, is looked at in those.
    pub strict: bool,
    /// The folders, as absolute paths, below which an extension may open files that metadata or data name. None are
    /// allowed unless they are given.
    pub roots: Vec<String>,
}

impl Options {
    /// What is used if nobody chooses.
    pub const DEFAULT: Options =
        Options { inner_chunk_order: InnerChunkOrder::RowMajor, store_fill: false, strict: false, roots: Vec::new() };
}

setters! { Options {
    with_inner_chunk_order inner_chunk_order: InnerChunkOrder,
    with_store_fill store_fill: bool,
    with_strict strict: bool,
    with_roots roots: Vec<String>,
} }

/// The order of the inner chunks of a shard. Readers do not care; reading patterns do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InnerChunkOrder {
    /// The last dimension runs fastest.
    #[default]
    RowMajor,
    /// The first dimension runs fastest.
    ColumnMajor,
    /// Morton (Z) order: neighbours in space are neighbours in the shard.
    Morton,
}
