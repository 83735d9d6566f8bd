//! What can be made right, and what became of it.

use crate::consolidated::StaleCopy;
use ozarr::{Error, zarr_core::name::NodePath};
use std::{fmt, sync::Arc};

/// What can be made right in a hierarchy, or was.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RepairReport {
    /// Each thing that can be made right, in the order in which it is done.
    pub repairs: Vec<Repair>,
    /// What could not be looked at: it is not known whether it needs a repair.
    pub unexamined: Vec<Unexamined>,
    /// A node is at the path.
    pub has_node: bool,
}

impl RepairReport {
    /// How many repairs failed.
    pub fn failed(&self) -> usize {
        self.repairs.iter().filter(|repair| repair.error.is_some()).count()
    }
}

/// One thing that can be made right, or was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Repair {
    /// The node.
    pub node: NodePath,
    /// What is done, and to what.
    pub action: Action,
    /// Why it was not done.
    pub error: Option<Arc<Error>>,
}

/// What is done to make something right. As text, the action without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Remove a temporary file that a writer left behind.
    #[non_exhaustive]
    RemoveOrphan {
        /// What the store calls it.
        name: String,
    },
    /// Write a document that is missing, from its copy in a group above.
    #[non_exhaustive]
    RecreateDocument {
        /// The key of the document.
        key: String,
    },
    /// Write copies of metadata documents into a group again.
    #[non_exhaustive]
    Consolidate {
        /// The copies that are stale, at least one.
        stale: Vec<StaleCopy>,
    },
    /// Write the index of a shard again, whose inner chunks are intact.
    #[non_exhaustive]
    RebuildIndex {
        /// The key of the shard.
        key: String,
        /// The chunk index of the shard.
        chunk_index: Vec<u64>,
    },
}

impl Action {
    /// The action in words. They stay the same from version to version.
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

/// Something that could not be looked at.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unexamined {
    /// The node.
    pub node: NodePath,
    /// What of it.
    pub subject: Subject,
    /// Why not.
    pub error: Arc<Error>,
}

/// What a repair looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// Temporary files that writers left behind.
    Orphans,
    /// The nodes below a group.
    Nodes,
    /// The copies of metadata documents in a group.
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
