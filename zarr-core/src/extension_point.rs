//! The extension points of metadata documents.

use std::fmt;

/// The five extension points: the places in a metadata document where an extension is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExtensionPoint {
    /// The member `data_type`.
    DataType,
    /// The member `chunk_grid`.
    ChunkGrid,
    /// The member `chunk_key_encoding`.
    ChunkKeyEncoding,
    /// An entry of `codecs`.
    Codec,
    /// An entry of `storage_transformers`.
    StorageTransformer,
}

impl ExtensionPoint {
    /// All five, in the order of the specification's table.
    pub const ALL: [Self; 5] =
        [Self::DataType, Self::ChunkGrid, Self::ChunkKeyEncoding, Self::Codec, Self::StorageTransformer];

    /// Returns the term of the specification.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DataType => "data type",
            Self::ChunkGrid => "chunk grid",
            Self::ChunkKeyEncoding => "chunk key encoding",
            Self::Codec => "codec",
            Self::StorageTransformer => "storage transformer",
        }
    }
}
impl fmt::Display for ExtensionPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
