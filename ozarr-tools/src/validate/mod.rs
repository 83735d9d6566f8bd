//! Finds every problem of a hierarchy, with node, key and rule.

mod complete;
mod problem;
#[cfg(test)]
mod tests;

pub use problem::{Fault, Problem, ProblemKind};

use crate::{
    consolidated::ConsolidatedCheck,
    progress::{Listener, Progress, Stage},
    shards::Shards,
};
use ozarr::{
    Array, Child, Error, Group, Hierarchy, Node, Result,
    zarr_core::{
        name::NodePath,
        store::{Key, Prefix},
    },
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// What is checked in addition to metadata and keys.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateOptions<'a> {
    /// Decode every stored chunk.
    pub data: bool,
    /// Report chunks that are not stored, and therefore have the fill value, as problems.
    pub complete: bool,
    progress: Listener<'a>,
}

impl<'a> ValidateOptions<'a> {
    /// Sets [`data`](Self::data).
    #[must_use]
    pub fn with_data(mut self, data: bool) -> Self {
        self.data = data;
        self
    }
    /// Sets [`complete`](Self::complete).
    #[must_use]
    pub fn with_complete(mut self, complete: bool) -> Self {
        self.complete = complete;
        self
    }
    /// Reports the progress of decoding chunks.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}

/// The result of a validation.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Validation {
    /// All problems, in the order of the nodes; those of chunks follow those of keys.
    pub problems: Vec<Problem>,
    /// The number of nodes that were opened.
    pub nodes: u64,
    /// The number of chunks that were decoded or found damaged.
    pub chunks: u64,
    /// [`repair`](crate::repair()) can repair at least one of the problems.
    pub is_repairable: bool,
}

/// Checks a node and everything below it.
///
/// Anything that cannot be read is a problem and does not hide others. The documents themselves are checked, even if
/// the hierarchy was opened to use their copies.
///
/// Decodes chunks on the number of threads of the [context](ozarr::Context::threads), one at a time on each. Uses
/// memory for the problems, and with [`data`](ValidateOptions::data) or [`complete`](ValidateOptions::complete) for the
/// indices of all stored chunks.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
/// use ozarr_tools::{ProblemKind, ValidateOptions, validate};
///
/// let zarr = Hierarchy::in_memory();
/// zarr.create_array("/a", NewArray::of::<u8>([4]).chunks([2]))?.write(.., &[1u8; 4])?;
/// zarr.store().writer()?.set(&Key::new("a/c/1")?, b"damaged")?;
/// let found = validate(&zarr, "/", &ValidateOptions::default().with_data(true))?;
/// assert_eq!((found.nodes, found.chunks), (2, 2));
/// let [problem] = &found.problems[..] else { panic!("{found:?}") };
/// assert_eq!((problem.kind, problem.key.as_deref()), (ProblemKind::CorruptChunk, Some("a/c/1")));
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If the path is not a node path, or the work is [cancelled](Progress::is_cancelled). A missing node is a problem, not
/// an error.
pub fn validate(hierarchy: &Hierarchy, path: &str, options: &ValidateOptions<'_>) -> Result<Validation> {
    let node = NodePath::new(path)?;
    let mut found = Found { keep: options.data || options.complete, ..Found::default() };
    found.all(&hierarchy.without_consolidated_metadata(), &node, options);
    options.progress.check()?;
    Ok(found.report)
}

#[derive(Default)]
struct Found {
    report: Validation,
    arrays: Vec<StoredChunks>,
    /// Collect `arrays`.
    keep: bool,
}

/// An array to be opened again, and the sorted indices of its stored chunks, all of them in the grid.
struct StoredChunks {
    array: NodePath,
    indices: Vec<Vec<u64>>,
}

impl Found {
    fn add(&mut self, node: &NodePath, key: Option<String>, kind: ProblemKind, fault: Fault) {
        self.report.problems.push(Problem { node: node.clone(), key, kind, fault });
    }
    fn error(&mut self, node: &NodePath, kind: ProblemKind, e: Error) {
        self.add(node, e.key().map(str::to_owned), kind.of(&e), Fault::Error(Arc::new(e)));
    }
    fn all(&mut self, hierarchy: &Hierarchy, node: &NodePath, options: &ValidateOptions<'_>) {
        match hierarchy.node(&node.to_string()) {
            Ok(node) => check(&node, options.progress, self),
            Err(e) => self.error(node, ProblemKind::UnreadableNode, e),
        }
        let arrays = std::mem::take(&mut self.arrays);
        if options.data {
            check_chunks(hierarchy, &arrays, options, self);
        }
        for StoredChunks { array: path, indices } in arrays.iter().filter(|_| options.complete) {
            match hierarchy.array(&path.to_string()).and_then(|array| complete::check(&array, indices)) {
                Ok(None) => {}
                Ok(Some(missing)) => self.add(path, None, ProblemKind::MissingChunk, missing),
                Err(e) => self.error(path, ProblemKind::MissingChunk, e),
            }
        }
        match hierarchy.store().lister().and_then(|l| l.list_orphans(&Prefix::of(node))) {
            Ok(names) => {
                self.report.is_repairable |= !names.is_empty();
                names.into_iter().for_each(|n| self.add(node, Some(n), ProblemKind::OrphanedTemporary, Fault::Orphan));
            }
            Err(e) => self.error(node, ProblemKind::OrphanedTemporary, e),
        }
    }
}

fn check(node: &Node, progress: Listener<'_>, found: &mut Found) {
    check_node(node, found);
    let Node::Group(group) = node else { return };
    for child in group.walk() {
        if progress.is_cancelled() {
            return;
        }
        match child {
            Ok(Child { node: Ok(node), .. }) => check_node(&node, found),
            Ok(Child { path, node: Err(e), .. }) => found.error(&nearest(&path), ProblemKind::UnreadableNode, e),
            Err(e) => {
                let path = nearest(e.node().unwrap_or_default());
                let is_same = |p: &Problem| p.node == path && p.kind == ProblemKind::Unlistable;
                if !found.report.problems.last().is_some_and(is_same) {
                    found.error(&path, ProblemKind::Unlistable, e);
                }
            }
        }
    }
}

/// Returns the node at a path, or the group above if the name is not a valid node name.
fn nearest(path: &str) -> NodePath {
    let mut path = path.trim_start_matches('/');
    loop {
        match NodePath::new(path) {
            Ok(node) => return node,
            Err(_) => path = path.rsplit_once('/').map_or("", |(above, _)| above),
        }
    }
}

/// Checks one node without its children.
fn check_node(node: &Node, found: &mut Found) {
    found.report.nodes += 1;
    let checked = match node {
        Node::Array(array) => check_keys(array, found),
        Node::Group(group) => {
            check_consolidated(group, found);
            check_group_keys(group, found)
        }
    };
    if let Err(e) = checked {
        found.error(node.path(), ProblemKind::Unlistable, e);
    }
}

/// Checks that only the metadata document and chunks are below an array.
fn check_keys(array: &Array, found: &mut Found) -> Result<()> {
    let path = array.path();
    for (point, name) in array.skipped() {
        found.add(path, None, ProblemKind::UnknownExtension, Fault::SkippedExtension(*point, name.clone()));
    }
    let stored = array.stored_keys()?;
    let full = |key: &Key| Some(format!("{}{key}", Prefix::of(array.path())));
    for key in &stored.unknown {
        found.add(path, full(key), ProblemKind::UnknownKey, Fault::KeyOfNoChunk);
    }
    for e in stored.errors {
        found.error(path, ProblemKind::UnreadableKey, e);
    }
    let mut indices = Vec::new();
    for chunk_index in stored.chunks {
        if array.chunk_region(&chunk_index).is_err() {
            let key = full(&array.chunk_key(&chunk_index)?);
            found.add(path, key, ProblemKind::ChunkOutOfGrid, Fault::ChunkOutsideGrid(chunk_index));
        } else if found.keep {
            indices.push(chunk_index);
        }
    }
    if found.keep {
        indices.dedup();
        found.arrays.push(StoredChunks { array: path.clone(), indices });
    }
    Ok(())
}

/// Checks that a group has no key directly below it except its metadata document.
fn check_group_keys(group: &Group, found: &mut Found) -> Result<()> {
    let prefix = Prefix::of(group.path());
    for key in group.hierarchy().store().lister()?.list_dir(&prefix)?.keys {
        let name = key.strip(&prefix);
        if name.is_some_and(|n| n.as_str() != "zarr.json" && !n.as_str().starts_with("__")) {
            found.add(group.path(), Some(key.to_string()), ProblemKind::UnknownKey, Fault::KeyOfNoNode);
        }
    }
    Ok(())
}

/// Decodes all stored chunks on several threads.
fn check_chunks(hierarchy: &Hierarchy, arrays: &[StoredChunks], options: &ValidateOptions<'_>, found: &mut Found) {
    let progress = options.progress;
    let all: Vec<_> = arrays.iter().flat_map(|a| a.indices.iter().map(|index| (&a.array, index))).collect();
    let (next, damaged) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    progress.begin(Stage::Chunks, all.len() as u64);
    let work = || {
        // Each thread has one array open: that of its current chunk.
        let mut open: Option<(&NodePath, Array)> = None;
        while !progress.is_cancelled()
            && let Some((path, chunk_index)) = all.get(next.fetch_add(1, Relaxed))
        {
            let array = match open.take().filter(|(at, _)| at == path) {
                Some((_, array)) => Ok(array),
                None => hierarchy.array(&path.to_string()),
            };
            let decoded = array.and_then(|array| {
                let (_, array) = open.insert((*path, array));
                array.chunk(chunk_index).and_then(|chunk| chunk.check())
            });
            if let Err(e) = decoded {
                damaged.lock().unwrap_or_else(PoisonError::into_inner).push((*path, *chunk_index, e));
            }
            progress.add(1);
        }
    };
    thread::scope(|s| {
        let threads = hierarchy.context().threads();
        // If the system starts no more threads, those that run do the work.
        let _fewer_will_do = (1..threads.min(all.len())).all(|_| thread::Builder::new().spawn_scoped(s, work).is_ok());
        work();
    });
    found.report.chunks += all.len() as u64;
    let mut damaged = damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    damaged.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    for (path, chunk_index, e) in damaged {
        // Once is enough: each check reads a shard.
        found.report.is_repairable = found.report.is_repairable || is_repairable(hierarchy, path, chunk_index);
        found.error(path, ProblemKind::CorruptChunk, e);
    }
}

/// Returns true for a shard whose index can be rebuilt.
fn is_repairable(hierarchy: &Hierarchy, path: &NodePath, chunk_index: &[u64]) -> bool {
    let look = || -> Result<bool> {
        let array = hierarchy.array(&path.to_string())?;
        match Shards::of(&array)? {
            Some(shards) => shards.look(&array, chunk_index).map(|shard| shard.is_some()),
            None => Ok(false),
        }
    };
    look().unwrap_or(false)
}

fn check_consolidated(group: &Group, found: &mut Found) {
    let (copies, path, stale) = (ConsolidatedCheck::of(group), group.path(), ProblemKind::StaleConsolidated);
    found.report.is_repairable |= !copies.lost.is_empty() || !copies.stale.is_empty();
    for lost in copies.lost {
        found.add(path, Some(Key::metadata(&lost.node).to_string()), ProblemKind::MissingDocument, Fault::LostDocument);
    }
    for copy in copies.stale {
        found.add(path, Some(Key::metadata(group.path()).to_string()), stale, Fault::StaleCopy(copy));
    }
    copies.unread.into_iter().for_each(|e| found.error(path, stale, e));
}
