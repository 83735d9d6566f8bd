//! Every problem of a hierarchy, with node, key and rule.

mod complete;
mod problem;
#[cfg(test)]
mod tests;

pub use problem::{Fault, Problem, Rule};

use crate::{
    consolidated::{ConsolidatedCheck, by_documents},
    progress::{Listener, Progress},
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
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// What is checked beside metadata and keys.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateOptions<'a> {
    /// Decode every stored chunk too.
    pub data: bool,
    /// Report chunks that are not stored, and so have the fill value, as problems.
    pub complete: bool,
    progress: Listener<'a>,
}

impl<'a> ValidateOptions<'a> {
    /// The same with another [`data`](Self::data).
    #[must_use]
    pub fn with_data(mut self, data: bool) -> Self {
        self.data = data;
        self
    }
    /// The same with another [`complete`](Self::complete).
    #[must_use]
    pub fn with_complete(mut self, complete: bool) -> Self {
        self.complete = complete;
        self
    }
    /// Tells how far the decoding of chunks is.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}

/// What was found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Validation {
    /// All problems, in the order of the nodes; those of chunks after those of keys.
    pub problems: Vec<Problem>,
    /// Nodes that were opened.
    pub nodes: u64,
    /// Chunks that were decoded, or found damaged.
    pub chunks: u64,
    /// [`repair`](crate::repair()) can do something about one of the problems.
    pub is_repairable: bool,
}

/// Checks a node and all below it. What cannot be read is a problem, and hides no other. Documents themselves are checked, also
/// if the hierarchy was opened to use copies of them.
///
/// Decodes chunks on all threads, one at a time on each. Takes memory for the problems, and with
/// [`data`](ValidateOptions::data) or [`complete`](ValidateOptions::complete) for the indices of all stored chunks.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
/// use ozarr_tools::{Rule, ValidateOptions, validate};
///
/// let zarr = Hierarchy::in_memory();
/// zarr.create_array("/a", NewArray::of::<u8>([4]).chunks([2]))?.write(.., &[1u8; 4])?;
/// zarr.store().writer()?.set(&Key::new("a/c/1")?, b"damaged")?;
/// let found = validate(&zarr, "/", &ValidateOptions::default().with_data(true))?;
/// assert_eq!((found.nodes, found.chunks), (2, 2));
/// let [problem] = &found.problems[..] else { panic!("{found:?}") };
/// assert_eq!((problem.rule, problem.key.as_deref()), (Rule::ChunkDecodes, Some("a/c/1")));
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// When the path is not one of a node. That there is no node is a problem.
pub fn validate(hierarchy: &Hierarchy, path: &str, options: &ValidateOptions<'_>) -> Result<Validation> {
    let node = NodePath::new(path)?;
    let mut found = Found { keep: options.data || options.complete, ..Found::default() };
    found.all(&by_documents(hierarchy), &node, options);
    Ok(found.report)
}

#[derive(Default)]
struct Found {
    report: Validation,
    arrays: Vec<Stored>,
    /// Keeps `arrays`.
    keep: bool,
}

/// An array, to be opened again, and the cells of the chunks that are stored: sorted, and each of them in the grid.
struct Stored {
    path: String,
    cells: Vec<Vec<u64>>,
}

impl Found {
    fn add(&mut self, node: &str, key: Option<String>, rule: Rule, fault: Fault) {
        self.report.problems.push(Problem { node: node.to_owned(), key, rule, fault });
    }
    fn error(&mut self, node: &str, rule: Rule, e: Error) {
        self.add(node, e.key().map(str::to_owned), rule, Fault::Error(e));
    }
    fn all(&mut self, hierarchy: &Hierarchy, node: &NodePath, options: &ValidateOptions<'_>) {
        let path = node.to_string();
        match hierarchy.node(&path) {
            Ok(node) => check(&node, self),
            Err(e) => self.error(&path, Rule::NodeOpens, e),
        }
        let arrays = std::mem::take(&mut self.arrays);
        if options.data {
            check_chunks(hierarchy, &arrays, options.progress, self);
        }
        for Stored { path, cells } in arrays.iter().filter(|_| options.complete) {
            match hierarchy.array(path).and_then(|array| complete::check(&array, cells)) {
                Ok(None) => {}
                Ok(Some(missing)) => self.add(path, None, Rule::AllChunksAreStored, missing),
                Err(e) => self.error(path, Rule::AllChunksAreStored, e),
            }
        }
        match hierarchy.store().lister().and_then(|l| l.list_orphans(&Prefix::of(node))) {
            Ok(names) => {
                self.report.is_repairable |= !names.is_empty();
                names.into_iter().for_each(|n| self.add(&path, Some(n), Rule::NothingIsLeftBehind, Fault::Orphan));
            }
            Err(e) => self.error(&path, Rule::NothingIsLeftBehind, e),
        }
    }
}

fn check(node: &Node, found: &mut Found) {
    check_node(node, found);
    let Node::Group(group) = node else { return };
    for child in group.walk() {
        match child {
            Ok(Child { node: Ok(node), .. }) => check_node(&node, found),
            Ok(Child { path, node: Err(e), .. }) => found.error(&format!("/{path}"), Rule::NodeOpens, e),
            Err(e) => {
                let path = e.node().unwrap_or_default().to_owned();
                let is_same = |p: &Problem| p.node == path && p.rule == Rule::KeysAreListed;
                if !found.report.problems.last().is_some_and(is_same) {
                    found.error(&path, Rule::KeysAreListed, e);
                }
            }
        }
    }
}

/// One node, without those below.
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
        found.error(&node.path().to_string(), Rule::KeysAreListed, e);
    }
}

/// Below an array are its metadata document and its chunks, and nothing else.
fn check_keys(array: &Array, found: &mut Found) -> Result<()> {
    let path = array.path().to_string();
    for (point, name) in array.skipped() {
        found.add(&path, None, Rule::ExtensionIsKnown, Fault::SkippedExtension(*point, name.clone()));
    }
    let stored = array.stored_keys()?;
    let full = |key: &Key| Some(format!("{}{key}", Prefix::of(array.path())));
    for key in &stored.unknown {
        found.add(&path, full(key), Rule::KeyOfChunk, Fault::KeyOfNoChunk);
    }
    for e in stored.errors {
        found.error(&path, Rule::KeyIsReadable, e);
    }
    let mut cells = Vec::new();
    for chunk_index in stored.chunks {
        if array.chunk_region(&chunk_index).is_err() {
            let key = full(&array.chunk_key(&chunk_index)?);
            found.add(&path, key, Rule::ChunkInGrid, Fault::NoSuchCell(chunk_index));
        } else if found.keep {
            cells.push(chunk_index);
        }
    }
    if found.keep {
        cells.dedup();
        found.arrays.push(Stored { path, cells });
    }
    Ok(())
}

/// Directly below a group is its metadata document, and no other key.
fn check_group_keys(group: &Group, found: &mut Found) -> Result<()> {
    let prefix = Prefix::of(group.path());
    for key in group.hierarchy().store().lister()?.list_dir(&prefix)?.keys {
        let name = key.strip(&prefix);
        if name.is_some_and(|n| n.as_str() != "zarr.json" && !n.as_str().starts_with("__")) {
            found.add(&group.path().to_string(), Some(key.to_string()), Rule::KeyOfNode, Fault::KeyOfNoNode);
        }
    }
    Ok(())
}

/// Decodes all chunks that are stored, on all threads.
fn check_chunks(hierarchy: &Hierarchy, arrays: &[Stored], progress: Listener<'_>, found: &mut Found) {
    let all: Vec<_> = arrays.iter().flat_map(|a| a.cells.iter().map(move |c| (a.path.as_str(), c))).collect();
    let (next, damaged) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    progress.begin("chunks", all.len() as u64);
    let work = || {
        // Each thread has one array open: the one whose chunks it is at.
        let mut open: Option<(&str, Array)> = None;
        while let Some((path, chunk_index)) = all.get(next.fetch_add(1, Relaxed)) {
            let array = match open.take().filter(|(at, _)| at == path) {
                Some((_, array)) => Ok(array),
                None => hierarchy.array(path),
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
        let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len());
        (1..threads).for_each(|_| _ = s.spawn(work));
        work();
    });
    found.report.chunks += all.len() as u64;
    let mut damaged = damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    damaged.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    for (path, chunk_index, e) in damaged {
        // Once is enough: each look reads a shard.
        found.report.is_repairable = found.report.is_repairable || is_repairable(hierarchy, path, chunk_index);
        found.error(path, Rule::ChunkDecodes, e);
    }
}

/// True of a shard whose index can be rebuilt.
fn is_repairable(hierarchy: &Hierarchy, path: &str, chunk_index: &[u64]) -> bool {
    let look = || -> Result<bool> {
        let array = hierarchy.array(path)?;
        match Shards::of(&array, hierarchy.context())? {
            Some(shards) => shards.look(&array, chunk_index).map(|shard| shard.is_some()),
            None => Ok(false),
        }
    };
    look().unwrap_or(false)
}

fn check_consolidated(group: &Group, found: &mut Found) {
    let (copies, path, rule) = (ConsolidatedCheck::of(group), group.path().to_string(), Rule::ConsolidatedIsUpToDate);
    found.report.is_repairable |= !copies.lost.is_empty() || !copies.stale.is_empty();
    for lost in copies.lost {
        found.add(&path, Some(Key::metadata(&lost.node).to_string()), rule, Fault::LostDocument);
    }
    for stale in copies.stale {
        found.add(&path, Some(Key::metadata(group.path()).to_string()), rule, Fault::StaleCopy(stale));
    }
    copies.unread.into_iter().for_each(|e| found.error(&path, rule, e));
}
