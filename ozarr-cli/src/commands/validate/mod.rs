//! `ozarr validate`: every problem of a hierarchy, with node, key and rule.

mod complete;
#[cfg(test)]
mod tests;

use super::{Outcome, consolidated::Copies, repair::shards::Shards};
use crate::{
    args::Validate as Args,
    location::Location,
    output::{count, one_line, print, say, show},
    progress::Progress,
};
use ozarr::{
    Array, Child, Context, Error, Group, Hierarchy, Node, Result,
    store::OpenMode,
    zarr_core::{
        json::{Json, Object},
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

struct Problem {
    node: String,
    key: Option<String>,
    rule: &'static str,
    what: String,
    /// More members of its JSON.
    more: Vec<(&'static str, Json)>,
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
    nodes: u64,
    chunks: u64,
    /// `ozarr repair` can do something about one of the problems.
    repairable: bool,
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
    fn add(&mut self, node: &str, key: Option<String>, rule: &'static str, what: &dyn std::fmt::Display) {
        self.problems.push(Problem { node: node.to_owned(), key, rule, what: what.to_string(), more: Vec::new() });
    }
    fn error(&mut self, node: &str, rule: &'static str, e: &Error) {
        self.add(node, e.key().map(str::to_owned), rule, e);
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::repair(&args.node.location, OpenMode::ReadOnly, context)?;
    let found = find(&at.hierarchy, &at.node, args);
    report(&found, args)
}

/// All problems. What cannot be read is one of them, and hides no other.
fn find(hierarchy: &Hierarchy, node: &NodePath, args: &Args) -> Found {
    let mut found = Found { keep: args.data || args.complete, ..Found::default() };
    let path = node.to_string();
    match hierarchy.node(&path) {
        Ok(node) => check(&node, &mut found),
        Err(e) => found.error(&path, "a node opens", &e),
    }
    let arrays = std::mem::take(&mut found.arrays);
    if args.data {
        check_chunks(hierarchy, &arrays, &mut found);
    }
    for Stored { path, cells } in arrays.iter().filter(|_| args.complete) {
        let checked = hierarchy.array(path).and_then(|array| complete::check(&array, cells, &mut found));
        if let Err(e) = checked {
            found.error(path, "all chunks are stored", &e);
        }
    }
    let rule = "nothing is left behind";
    let what = "orphaned temporary file of a writer that was killed; `ozarr repair` removes it";
    match hierarchy.store().lister().and_then(|l| l.list_orphans(&Prefix::of(node))) {
        Ok(names) => {
            found.repairable |= !names.is_empty();
            names.into_iter().for_each(|name| found.add(&path, Some(name), rule, &what));
        }
        Err(e) => found.error(&path, rule, &e),
    }
    found
}

fn report(found: &Found, args: &Args) -> Result<Outcome> {
    if args.node.json {
        let problems = found.problems.iter().map(|p| {
            let mut o: Object =
                [("node", p.node.as_str()), ("rule", p.rule), ("problem", &one_line(&p.what))].into_iter().collect();
            o.set("key", p.key.as_deref().map_or(Json::Null, Json::from));
            p.more.iter().for_each(|(name, value)| o.set(*name, value.clone()));
            o
        });
        let mut o: Object = [("problems", problems.collect::<Json>())].into_iter().collect();
        o.set("nodes", found.nodes);
        o.set("chunks", found.chunks);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for p in &found.problems {
            let key = p.key.as_ref().map_or(String::new(), |k| format!(" {k}:"));
            show(&format!("{}:{key} {} [{}]", p.node, p.what, p.rule))?;
        }
        let (nodes, problems) = (count(found.nodes, "node"), count(found.problems.len() as u64, "problem"));
        let data = if args.data { format!(", {} decoded", count(found.chunks, "chunk")) } else { String::new() };
        let next = if found.repairable { "; `ozarr repair --data` shows what can be repaired" } else { "" };
        say(&format!("{nodes}{data}, {problems}{next}"));
    }
    Ok(if found.problems.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

fn check(node: &Node, found: &mut Found) {
    check_node(node, found);
    let Node::Group(group) = node else { return };
    for child in group.walk() {
        match child {
            Ok(Child { node: Ok(node), .. }) => check_node(&node, found),
            Ok(Child { path, node: Err(e), .. }) => found.error(&format!("/{path}"), "a node opens", &e),
            Err(e) => {
                let path = e.node().unwrap_or_default().to_owned();
                let is_same = |p: &Problem| p.node == path && p.rule == KEYS_ARE_LISTED;
                if !found.problems.last().is_some_and(is_same) {
                    found.error(&path, KEYS_ARE_LISTED, &e);
                }
            }
        }
    }
}

const KEYS_ARE_LISTED: &str = "keys are listed";

/// One node, without those below.
fn check_node(node: &Node, found: &mut Found) {
    found.nodes += 1;
    let checked = match node {
        Node::Array(array) => check_keys(array, found),
        Node::Group(group) => {
            check_consolidated(group, found);
            check_group_keys(group, found)
        }
    };
    if let Err(e) = checked {
        found.error(&node.path().to_string(), KEYS_ARE_LISTED, &e);
    }
}

/// Below an array are its metadata document and its chunks, and nothing else.
fn check_keys(array: &Array, found: &mut Found) -> Result<()> {
    let path = array.path().to_string();
    for (point, name) in array.skipped() {
        found.add(&path, None, "an extension is known", &format!("the {point} `{name}` is skipped"));
    }
    let stored = array.stored_keys()?;
    let full = |key: &Key| Some(format!("{}{key}", Prefix::of(array.path())));
    for key in &stored.unknown {
        found.add(&path, full(key), "a key is a chunk's", &"this key belongs to no chunk");
    }
    for e in &stored.errors {
        found.error(&path, "a key can be read", e);
    }
    let mut cells = Vec::new();
    for chunk_index in stored.chunks {
        if array.chunk_region(&chunk_index).is_err() {
            let key = full(&array.chunk_key(&chunk_index)?);
            found.add(&path, key, "a chunk lies in the grid", &format!("there is no cell {chunk_index:?}"));
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
            found.add(
                &group.path().to_string(),
                Some(key.to_string()),
                "a key belongs to a node",
                &"this key belongs to no node",
            );
        }
    }
    Ok(())
}

/// Decodes all chunks that are stored, on all threads.
fn check_chunks(hierarchy: &Hierarchy, arrays: &[Stored], found: &mut Found) {
    let all: Vec<_> = arrays.iter().flat_map(|a| a.cells.iter().map(move |c| (a.path.as_str(), c))).collect();
    let (progress, next, damaged) =
        (Progress::new("chunks", all.len() as u64), AtomicUsize::new(0), Mutex::new(Vec::new()));
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
    found.chunks += all.len() as u64;
    let mut damaged = damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    damaged.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    for (path, chunk_index, e) in &damaged {
        // Once is enough: each look reads a shard.
        found.repairable = found.repairable || is_repairable(hierarchy, path, chunk_index);
        found.error(path, "a chunk decodes", e);
    }
}

/// True of a shard whose index `ozarr repair` can make again.
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
    let (copies, path) = (Copies::of(group), group.path().to_string());
    let rule = "consolidated metadata is up to date";
    found.repairable |= !copies.lost.is_empty() || !copies.stale.is_empty();
    for (node, _) in copies.lost {
        let what = "the document is missing, but not what is below it: `ozarr repair` can recreate it from its copy";
        found.add(&path, Some(Key::metadata(&node).to_string()), rule, &what);
    }
    for what in copies.stale {
        found.add(&path, Some(Key::metadata(group.path()).to_string()), rule, &what);
    }
    copies.unread.iter().for_each(|e| found.error(&path, rule, e));
}
