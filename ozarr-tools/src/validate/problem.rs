//! Problems of a hierarchy.

use crate::consolidated::StaleCopy;
use ozarr::{
    Error, ErrorKind,
    zarr_core::{extension::ExtensionPoint, name::NodePath},
};
use std::{fmt, sync::Arc};

/// A problem in a hierarchy. Its text is one line without advice.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem {
    /// The node, or for an entry with an invalid node name the group that contains it.
    pub node: NodePath,
    /// The key as text, if the problem concerns one; also a prefix, or a name that is not a valid key.
    pub key: Option<String>,
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The details.
    pub fault: Fault,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.node)?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        write!(f, "{} [{}]", self.fault, self.kind)
    }
}

/// The kinds of problems. Their ids are the same in all versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A node cannot be opened.
    UnreadableNode,
    /// The keys or nodes below a node cannot be listed.
    Unlistable,
    /// An extension is not known. If its `must_understand` is false, it is skipped.
    UnknownExtension,
    /// A key belongs neither to a chunk of its array nor to a node of its group.
    UnknownKey,
    /// The entry at a key is not a value that can be read.
    UnreadableKey,
    /// A stored chunk is outside the grid of its array.
    ChunkOutOfGrid,
    /// Consolidated metadata differs from the documents.
    StaleConsolidated,
    /// Consolidated metadata cannot be read or compared.
    UnreadableConsolidated,
    /// A metadata document is missing although its copy and keys below the node exist.
    MissingDocument,
    /// A stored chunk cannot be decoded.
    CorruptChunk,
    /// The store failed to read a chunk.
    UnreadableChunk,
    /// A chunk is not stored, which is a problem only if complete arrays are required.
    MissingChunk,
    /// A killed writer left a temporary file.
    OrphanedTemporary,
}

impl ProblemKind {
    /// Returns the id, such as `corrupt-chunk`.
    pub fn id(self) -> &'static str {
        match self {
            Self::UnreadableNode => "unreadable-node",
            Self::Unlistable => "unlistable",
            Self::UnknownExtension => "unknown-extension",
            Self::UnknownKey => "unknown-key",
            Self::UnreadableKey => "unreadable-key",
            Self::ChunkOutOfGrid => "chunk-out-of-grid",
            Self::StaleConsolidated => "stale-consolidated",
            Self::UnreadableConsolidated => "unreadable-consolidated",
            Self::MissingDocument => "missing-document",
            Self::CorruptChunk => "corrupt-chunk",
            Self::UnreadableChunk => "unreadable-chunk",
            Self::MissingChunk => "missing-chunk",
            Self::OrphanedTemporary => "orphaned-temporary",
        }
    }
    /// Returns the kind of a problem that an error shows: this kind, unless the error names its cause.
    pub(super) fn of(self, e: &Error) -> Self {
        match (self, e.kind()) {
            (_, ErrorKind::UnknownExtension { .. }) => Self::UnknownExtension,
            (Self::StaleConsolidated, _) => Self::UnreadableConsolidated,
            (Self::OrphanedTemporary, _) => Self::Unlistable,
            (Self::CorruptChunk, ErrorKind::Io(_)) => Self::UnreadableChunk,
            (kind, _) => kind,
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The details of a problem.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// An operation failed, or its outcome is unknown.
    Error(Arc<Error>),
    /// An extension with `must_understand` set to false is not known, and is skipped.
    SkippedExtension(ExtensionPoint, String),
    /// A key below an array belongs to no chunk.
    KeyOfNoChunk,
    /// A chunk lies outside the grid of its array; the value is its chunk index.
    ChunkOutsideGrid(Vec<u64>),
    /// A key below a group belongs to no node.
    KeyOfNoNode,
    /// A document is missing although its copy and keys below the node exist.
    LostDocument,
    /// A copy differs from its document.
    StaleCopy(StaleCopy),
    /// Chunks are not stored, and therefore have the fill value.
    MissingChunks {
        /// The number of missing chunks.
        missing: u64,
        /// The number of chunks of the array.
        total: u64,
        /// The keys of the first missing chunks.
        examples: Vec<String>,
    },
    /// A killed writer left a temporary file.
    Orphan,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Error(e) => e.fmt(f),
            Fault::SkippedExtension(point, name) => write!(f, "the unknown {point} `{name}` is skipped"),
            Fault::KeyOfNoChunk => f.write_str("the key does not belong to a chunk"),
            Fault::ChunkOutsideGrid(chunk_index) => write!(f, "chunk index {chunk_index:?} is outside the grid"),
            Fault::KeyOfNoNode => f.write_str("the key does not belong to a node"),
            Fault::LostDocument => f.write_str("the metadata document is missing, but keys below it exist"),
            Fault::StaleCopy(copy) => copy.fmt(f),
            Fault::MissingChunks { missing, total, examples } => {
                let more = if *missing > examples.len() as u64 { ", and more" } else { "" };
                let chunks = if *total == 1 { "chunk is" } else { "chunks are" };
                write!(f, "{missing} of {total} {chunks} not stored: {}{more}", examples.join(", "))
            }
            Fault::Orphan => f.write_str("orphaned temporary file of a killed writer"),
        }
    }
}
