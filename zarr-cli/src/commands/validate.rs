//! `zarr validate`: every problem of a hierarchy, with node, key and rule.

use super::Outcome;
use crate::{
    args::Validate as Args,
    location::Location,
    output::{one_line, print, say},
    progress::Progress,
};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};
use zarr_array::{
    Array, Context, Error, Group, Node, Result,
    core::{
        json::{Json, Object},
        store::Prefix,
        view::Region,
    },
};

struct Problem {
    node: String,
    key: Option<String>,
    rule: &'static str,
    what: String,
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
    nodes: u64,
    chunks: u64,
    arrays: Vec<Array>,
}

impl Found {
    fn add(&mut self, node: &str, key: Option<String>, rule: &'static str, what: &dyn std::fmt::Display) {
        self.problems.push(Problem { node: node.to_owned(), key, rule, what: one_line(&what.to_string()) });
    }
    fn error(&mut self, node: &str, rule: &'static str, e: &Error) {
        self.add(node, e.key().map(str::to_owned), rule, e);
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.node.location, context)?;
    let mut found = Found::default();
    match at.hierarchy.node(&at.path()) {
        Ok(node) => check(&node, &mut found)?,
        Err(e) => found.error(&at.path(), "a node opens", &e),
    }
    let arrays = std::mem::take(&mut found.arrays);
    let stored: Vec<_> = arrays.iter().map(|a| a.stored_chunks().unwrap_or_default()).collect();
    if args.data {
        check_chunks(&arrays, &stored, &mut found);
    }
    if args.complete {
        arrays.iter().zip(&stored).try_for_each(|(array, cells)| check_complete(array, cells, &mut found))?;
    }
    for name in at.hierarchy.store().lister()?.list_debris(&Prefix::of(&at.node))? {
        found.add(
            &at.path(),
            Some(name),
            "nothing is left behind",
            &"a writer that was killed left this, `zarr repair` removes it",
        );
    }
    report(&found, args)
}

fn report(found: &Found, args: &Args) -> Result<Outcome> {
    if args.node.json {
        let problems = found.problems.iter().map(|p| {
            let mut o: Object =
                [("node", p.node.as_str()), ("rule", p.rule), ("problem", &p.what)].into_iter().collect();
            o.set("key", p.key.as_deref().map_or(Json::Null, Json::from));
            o
        });
        let mut o: Object = [("problems", problems.collect::<Json>())].into_iter().collect();
        o.set("nodes", found.nodes);
        o.set("chunks", found.chunks);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for p in &found.problems {
            let key = p.key.as_ref().map_or(String::new(), |k| format!(" {k}:"));
            print(&format!("{}:{key} {} [{}]", p.node, p.what, p.rule))?;
        }
        let data = if args.data { format!(", {} chunks decoded", found.chunks) } else { String::new() };
        say(&format!("{} nodes{data}, {} problems", found.nodes, found.problems.len()));
    }
    Ok(if found.problems.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

fn check(node: &Node, found: &mut Found) -> Result<()> {
    found.nodes += 1;
    match node {
        Node::Array(array) => check_keys(array, found),
        Node::Group(group) => {
            check_consolidated(group, found);
            check_group_keys(group, found)?;
            for child in group.children()? {
                match &child.node {
                    Ok(node) => check(node, found)?,
                    Err(e) => {
                        let node = format!("{}/{}", group.path().to_string().trim_end_matches('/'), child.name);
                        found.error(&node, "a node opens", e);
                    }
                }
            }
            Ok(())
        }
    }
}

/// Below an array are its metadata document and its chunks, and nothing else.
fn check_keys(array: &Array, found: &mut Found) -> Result<()> {
    let (path, rank) = (array.path().to_string(), array.shape().len());
    for (point, name) in array.skipped() {
        found.add(&path, None, "an extension is known", &format!("the {point} `{name}` is skipped"));
    }
    for key in array.data_store().lister()?.list()? {
        let full = Some(format!("{}{key}", Prefix::of(array.path())));
        match array.resolved().chunk_key_encoding.decode(key.as_str(), rank) {
            None => found.add(&path, full, "a key is a chunk's", &"this key belongs to no chunk"),
            Some(cell) if array.chunk_region(&cell).is_err() => {
                found.add(&path, full, "a chunk lies in the grid", &format!("there is no cell {cell:?}"));
            }
            Some(_) => {}
        }
    }
    found.arrays.push(array.clone());
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
fn check_chunks(arrays: &[Array], stored: &[Vec<Vec<u64>>], found: &mut Found) {
    let all: Vec<_> = arrays.iter().zip(stored).flat_map(|(a, cells)| cells.iter().map(move |c| (a, c))).collect();
    let (progress, next, damaged) =
        (Progress::new("chunks", all.len() as u64), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((array, cell)) = all.get(next.fetch_add(1, Relaxed)) {
            if let Ok(chunk) = array.chunk_region(cell)
                && let Err(e) = decode(array, cell, &chunk)
            {
                damaged.lock().unwrap_or_else(PoisonError::into_inner).push((array.path().to_string(), cell, e));
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
    damaged.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    damaged.iter().for_each(|(path, _, e)| found.error(path, "a chunk decodes", e));
}

/// All chunks are stored. `stored`: sorted.
fn check_complete(array: &Array, stored: &[Vec<u64>], found: &mut Found) -> Result<()> {
    for chunk in array.chunks(..)? {
        if stored.binary_search(&chunk.cell).is_err() {
            let key = format!("{}{}", Prefix::of(array.path()), array.chunk_key(&chunk.cell)?);
            found.add(&array.path().to_string(), Some(key), "all chunks are stored", &"there is no such key");
        }
    }
    Ok(())
}

fn check_consolidated(group: &Group, found: &mut Found) {
    for problem in consolidated_problems(group) {
        found.add(&group.path().to_string(), None, "consolidated metadata is up to date", &problem);
    }
}

/// Copies of documents are what the documents are: where they are not.
pub(super) fn consolidated_problems(group: &Group) -> Vec<String> {
    let mut found = Vec::new();
    let Some(copies) = group.metadata().consolidated() else { return found };
    for (below, copy) in copies.iter() {
        let node = group.path().join(below).and_then(|p| group.hierarchy().metadata(&p));
        match node {
            Err(e) => found.push(format!("there is a copy of `{below}`, but: {e}")),
            Ok(node) => {
                let (mut own, mut copy) = (node.document().clone(), copy.as_object().cloned().unwrap_or_default());
                own.remove("consolidated_metadata");
                copy.remove("consolidated_metadata");
                if !Json::Object(own).is_same(&Json::Object(copy)) {
                    found.push(format!("the copy of `{below}` differs from its document"));
                }
            }
        }
    }
    let walked = group.walk(&mut |child, _| {
        let prefix = group.path().as_key();
        let below = child.strip_prefix(prefix).unwrap_or(child).trim_start_matches('/');
        if copies.get(below).is_none() {
            found.push(format!("there is no copy of `{below}`"));
        }
        Ok(())
    });
    if let Err(e) = walked {
        found.push(e.to_string());
    }
    found
}

fn decode(array: &Array, cell: &[u64], chunk: &Region) -> Result<()> {
    if !array.representation().layout().is_variable() {
        return array.read_chunk(cell).map(|_| ());
    }
    let visible = chunk.intersection(&Region::whole(array.shape()));
    let selection = visible.unwrap_or_else(|| Region::whole(array.shape()));
    crate::elements::each_as_json(array, &selection.into(), &mut |_| Ok(()))
}
