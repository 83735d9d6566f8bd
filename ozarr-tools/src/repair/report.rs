//! What can be made right, and what became of it.

use ozarr::Error;
use std::{fmt, sync::Arc};

/// What can be made right in a hierarchy, or was.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RepairReport {
    /// Each thing that can be made right, in the order in which it is done.
    pub repairs: Vec<Repair>,
    /// A node is at the path.
    pub has_node: bool,
}

impl RepairReport {
    /// How many were not done, or could not be found out.
    pub fn failed(&self) -> usize {
        self.repairs.iter().filter(|repair| repair.error.is_some()).count()
    }
}

/// One thing that can be made right, or was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Repair {
    /// The path of the node.
    pub node: String,
    /// What is done.
    pub action: Action,
    /// What it is done to, or why: the key of a document or shard, the name of a temporary file, the first of the copies that
    /// are stale, or what could not be looked at.
    pub subject: String,
    /// Why it was not done, or not found out.
    pub error: Option<Arc<Error>>,
}

/// What is done to make something right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Nothing: what there is to repair could not be found out.
    Find,
    /// Remove a temporary file that a writer left behind.
    RemoveOrphan,
    /// Write a document that is missing, from its copy in a group above.
    RecreateDocument,
    /// Write copies of metadata documents into a group again.
    Consolidate,
    /// Write the index of a shard again, whose inner chunks are intact.
    RebuildIndex,
}

impl Action {
    /// The action in words. They stay the same from version to version.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Find => "find what can be repaired",
            Action::RemoveOrphan => "remove an orphaned temporary file",
            Action::RecreateDocument => "recreate the document from its copy",
            Action::Consolidate => "consolidate metadata again",
            Action::RebuildIndex => "rebuild the index of a shard",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
