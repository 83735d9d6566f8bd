//! Run-time options.

use crate::limits::setters;

/// Run-time options, which never enter metadata.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// The order in which the inner chunks of a shard are written.
    pub inner_chunk_order: InnerChunkOrder,
    /// Store chunks and inner chunks even if every element is the fill value.
    pub store_fill: bool,
    /// Reject data that can be read but should not have been stored: inner chunks of a shard that overlap each other or
    /// the index.
    ///
    /// An index larger than 16 MiB of which only a part is read is checked only in that part.
    pub strict: bool,
    /// The folders, as absolute paths, below which an extension may open files that are named by metadata or data.
    ///
    /// By default there are none, and no file may be opened.
    pub roots: Vec<String>,
}

impl Options {
    /// The default options.
    pub const DEFAULT: Options =
        Options { inner_chunk_order: InnerChunkOrder::RowMajor, store_fill: false, strict: false, roots: Vec::new() };
}

setters! { Options {
    with_inner_chunk_order inner_chunk_order: InnerChunkOrder,
    with_store_fill store_fill: bool,
    with_strict strict: bool,
    with_roots roots: Vec<String>,
} }

/// The order of the inner chunks of a shard.
///
/// It affects the speed of reading, not its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InnerChunkOrder {
    /// The last dimension varies fastest.
    #[default]
    RowMajor,
    /// The first dimension varies fastest.
    ColumnMajor,
    /// Morton (Z) order: neighbors in space are close together in the shard.
    Morton,
}
