//! What is wrong with a hierarchy.

use crate::consolidated::StaleCopy;
use ozarr::{
    Error,
    zarr_core::{extension::ExtensionPoint, name::NodePath},
};
use std::{fmt, sync::Arc};

/// Something in a hierarchy that should not be as it is. As text it is one line, without what can be done about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem {
    /// The node; of an entry that has a name which no node can have, the group that it is in.
    pub node: NodePath,
    /// The key, if it is one of a key, as text: also a prefix, or a name that no key can have.
    pub key: Option<String>,
    /// The rule that is broken.
    pub rule: Rule,
    /// How it is broken.
    pub fault: Fault,
}

impl Problem {
    /// The line of this problem with `advice` behind the fault: what can be done about it.
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

/// What is true of a hierarchy in which nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A node can be opened.
    NodeOpens,
    /// Its keys and the nodes below it can be listed.
    KeysAreListed,
    /// All extensions are known, also those that need not be understood.
    ExtensionIsKnown,
    /// All keys below an array are of chunks.
    KeyOfChunk,
    /// What is in the place of a key is a value.
    KeyIsReadable,
    /// All chunks lie in the grid of their array.
    ChunkInGrid,
    /// Directly below a group are only nodes and reserved names.
    KeyOfNode,
    /// Consolidated metadata is what the documents are.
    ConsolidatedIsUpToDate,
    /// All stored chunks can be decoded.
    ChunkDecodes,
    /// All chunks are stored.
    AllChunksAreStored,
    /// Writers that were killed left no temporary files.
    NothingIsLeftBehind,
}

impl Rule {
    /// The rule in words. They stay the same from version to version.
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

/// How a rule is broken.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// It failed, or could not be found out.
    Error(Arc<Error>),
    /// An extension that need not be understood is not known, and skipped.
    SkippedExtension(ExtensionPoint, String),
    /// A key below an array that belongs to no chunk.
    KeyOfNoChunk,
    /// A chunk outside the grid of its array, with its chunk index.
    ChunkOutsideGrid(Vec<u64>),
    /// A key below a group that belongs to no node.
    KeyOfNoNode,
    /// A document that is missing while its copy is there, and something below the node.
    LostDocument,
    /// A copy that is not what its document is.
    StaleCopy(StaleCopy),
    /// Chunks that are not stored, and so have the fill value.
    MissingChunks {
        /// How many.
        missing: u64,
        /// How many chunks the array has.
        total: u64,
        /// The keys of the first of them.
        examples: Vec<String>,
    },
    /// A temporary file that a writer left behind.
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
