//! Reports of repairs.

use crate::consolidated::StaleCopy;
use ozarr::{Error, zarr_core::name::NodePath};
use std::{fmt, sync::Arc};

/// The repairs of a hierarchy, possible or made.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RepairReport {
    /// Every repair, in the order in which they are made.
    pub repairs: Vec<Repair>,
    /// What could not be examined: it is unknown whether it needs a repair.
    pub unexamined: Vec<Unexamined>,
    /// There is a node at the path.
    pub has_node: bool,
}

impl RepairReport {
    /// Returns the number of repairs that failed.
    pub fn failed(&self) -> usize {
        self.repairs.iter().filter(|repair| repair.error.is_some()).count()
    }
}

/// A repair, possible or made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Repair {
    /// The node.
    pub node: NodePath,
    /// What the repair does, and to what.
    pub action: Action,
    /// Why the repair failed.
    pub error: Option<Arc<Error>>,
}

/// The kinds of repairs. The text is the action without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Removes a temporary file that a killed writer left.
    #[non_exhaustive]
    RemoveOrphan {
        /// The name of the file in the store.
        name: String,
    },
    /// Writes a missing document from its copy in a group above.
    #[non_exhaustive]
    RecreateDocument {
        /// The key of the document.
        key: String,
    },
    /// Rewrites consolidated metadata of a group.
    #[non_exhaustive]
    Consolidate {
        /// The copies that are stale, at least one.
        stale: Vec<StaleCopy>,
    },
    /// Rebuilds the index of a shard whose inner chunks are intact.
    #[non_exhaustive]
    RebuildIndex {
        /// The key of the shard.
        key: String,
        /// The chunk index of the shard.
        chunk_index: Vec<u64>,
    },
}

impl Action {
    /// Returns the action in words, which do not change between versions.
    pub fn as_str(&self) -> &'static str {
        match self {
            Action::RemoveOrphan { .. } => "remove an orphaned temporary file",
            Action::RecreateDocument { .. } => "recreate the document from its copy",
            Action::Consolidate { .. } => "consolidate metadata again",
            Action::RebuildIndex { .. } => "rebuild the index of a shard",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that could not be examined.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unexamined {
    /// The node.
    pub node: NodePath,
    /// The part of the node.
    pub subject: Subject,
    /// The reason.
    pub error: Arc<Error>,
}

/// The things that a repair examines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// Temporary files of killed writers.
    Orphans,
    /// The nodes below a group.
    Nodes,
    /// Consolidated metadata in a group.
    ConsolidatedMetadata,
    /// The shards of an array.
    Shards,
    /// The value of a key: a document or a shard.
    Key(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Subject::Orphans => "orphaned temporary files",
            Subject::Nodes => "nodes",
            Subject::ConsolidatedMetadata => "consolidated metadata",
            Subject::Shards => "shards",
            Subject::Key(key) => key,
        })
    }
}
