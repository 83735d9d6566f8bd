//! Problems of a hierarchy.

use crate::consolidated::StaleCopy;
use ozarr::{
    Error,
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
    /// The rule that is broken.
    pub rule: Rule,
    /// How the rule is broken.
    pub fault: Fault,
}

impl Problem {
    /// Returns the line of this problem with `advice` after the fault.
    pub fn with_advice(&self, advice: &str) -> impl fmt::Display {
        let key = self.key.as_ref().map_or(String::new(), |key| format!(" {key}:"));
        format!("{}:{key} {}{advice} [{}]", self.node, self.fault, self.rule)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_advice("").fmt(f)
    }
}

/// The rules that a hierarchy without problems satisfies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Every node can be opened.
    NodeOpens,
    /// The keys and nodes below a group can be listed.
    KeysAreListed,
    /// All extensions are known, even those with `must_understand` set to false.
    ExtensionIsKnown,
    /// All keys below an array belong to chunks.
    KeyOfChunk,
    /// The entry at a key is a value.
    KeyIsReadable,
    /// All chunks lie in the grid of their array.
    ChunkInGrid,
    /// Only nodes and reserved names are directly below a group.
    KeyOfNode,
    /// Consolidated metadata equals the documents.
    ConsolidatedIsUpToDate,
    /// All stored chunks can be decoded.
    ChunkDecodes,
    /// All chunks are stored.
    AllChunksAreStored,
    /// There are no temporary files of killed writers.
    NothingIsLeftBehind,
}

impl Rule {
    /// Returns the rule in words, which do not change between versions.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::NodeOpens => "a node opens",
            Rule::KeysAreListed => "keys are listed",
            Rule::ExtensionIsKnown => "an extension is known",
            Rule::KeyOfChunk => "a key belongs to a chunk",
            Rule::KeyIsReadable => "a key can be read",
            Rule::ChunkInGrid => "a chunk is inside the grid",
            Rule::KeyOfNode => "a key belongs to a node",
            Rule::ConsolidatedIsUpToDate => "consolidated metadata is up to date",
            Rule::ChunkDecodes => "a chunk decodes",
            Rule::AllChunksAreStored => "all chunks are stored",
            Rule::NothingIsLeftBehind => "no temporary file is orphaned",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The ways in which a rule can be broken.
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
                write!(f, "{missing} of {total} chunks are not stored: {}{more}", examples.join(", "))
            }
            Fault::Orphan => f.write_str("orphaned temporary file of a killed writer"),
        }
    }
}
