//! `ozarr repair`: what can be made right without a doubt. Shown first, done with `--apply`; data is never removed.
//!
//! Both ways the same steps are found first. Then each is done on its own: one that fails hinders no other, and the report
//! has all of them.

mod documents;
pub(super) mod shards;
#[cfg(test)]
mod tests;

use self::shards::Shards;
use super::{Outcome, consolidated::Copies};
use crate::{
    args::Repair as Args,
    location::Location,
    output::{one_line, print, say, show},
    progress::Progress,
};
use ozarr::{
    Array, Context, Error, ErrorKind, Group, Hierarchy, Node, Result,
    store::OpenMode,
    zarr_core::{
        json::{Json, Object},
        name::NodePath,
        store::{Key, Prefix},
    },
};
use std::collections::BTreeMap;

/// Something that can be made right.
struct Step {
    node: String,
    how: How,
    /// What it is done to, or why.
    of: String,
    /// Why it was not done.
    error: Option<String>,
}

enum How {
    /// Nothing: what there is to repair could not be found out.
    Look,
    Debris,
    /// With its text.
    Document(String),
    Consolidate,
    Shard(Box<Array>, Vec<u64>),
}

impl How {
    fn name(&self) -> &'static str {
        match self {
            How::Look => "find what can be repaired",
            How::Debris => "remove an orphaned temporary file",
            How::Document(_) => "recreate the document from its copy",
            How::Consolidate => "consolidate metadata again",
            How::Shard(..) => "rebuild the index of a shard",
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let mode = if args.apply { OpenMode::ReadWrite } else { OpenMode::ReadOnly };
    let at = Location::repair(&args.node.location, mode, context)?;
    let mut steps = Steps { context, data: args.data, documents: BTreeMap::new(), all: Vec::new() };
    // What writers left is nobody's. Apart from that, a directory without a node is nobody's to change.
    steps.debris(&at.hierarchy, &at.node);
    let found = at.hierarchy.node(&at.path());
    let has_node = found.is_ok();
    match found {
        Ok(node) => steps.node(node),
        Err(e) if steps.all.is_empty() => return Err(e),
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => {}
        Err(e) => steps.unknown(&at.node, Key::metadata(&at.node).to_string(), e),
    }
    let mut steps = steps.all(&at.hierarchy);
    if args.apply {
        at.hierarchy.store().writer()?;
        erase_orphans(&at.hierarchy, &at.node, &mut steps);
        for step in &mut steps {
            if let Err(e) = apply(step, &at.hierarchy, context) {
                step.error = Some(e.at_node(&step.node).to_string());
            }
        }
    }
    report(&steps, has_node, args)
}

/// Steps as they are found.
struct Steps<'c> {
    context: &'c Context,
    data: bool,
    /// By key: documents that are gone, and what they were. `None`: copies differ.
    documents: BTreeMap<String, (NodePath, Option<Object>)>,
    all: Vec<Step>,
}

impl Steps<'_> {
    fn add(&mut self, node: &NodePath, how: How, of: String) {
        self.all.push(Step { node: node.to_string(), how, of, error: None });
    }
    /// Notes that nobody knows what there is to repair.
    fn unknown(&mut self, node: &NodePath, key: String, e: Error) {
        let error = Some(e.at_node(node).to_string());
        self.all.push(Step { node: node.to_string(), how: How::Look, of: key, error });
    }
    fn debris(&mut self, hierarchy: &Hierarchy, node: &NodePath) {
        match hierarchy.store().lister().and_then(|l| l.list_orphans(&Prefix::of(node))) {
            Ok(names) => names.into_iter().for_each(|name| self.add(node, How::Debris, name)),
            Err(e) => self.unknown(node, "what writers left behind".to_owned(), e),
        }
    }
    /// Steps for a node and those below, deepest groups first.
    fn node(&mut self, node: Node) {
        let group = match node {
            Node::Array(array) => return self.array(&array),
            Node::Group(group) => group,
        };
        // The groups on the way: the copies in one are looked at after all that is below it.
        let (mut walk, mut way) = (group.walk(), vec![group]);
        while let Some(child) = walk.next() {
            // An error is of the group that was found last.
            let depth = walk.depth() + usize::from(child.is_err());
            while way.len() > depth {
                way.pop().iter().for_each(|group| self.copies(group));
            }
            match child {
                Ok(child) => match child.node {
                    Ok(Node::Array(array)) => self.array(&array),
                    Ok(Node::Group(group)) => way.push(group),
                    // What cannot be opened, `ozarr validate` tells.
                    Err(_) => {}
                },
                Err(e) => {
                    let group = way.last().map_or(NodePath::ROOT, |group| group.path().clone());
                    self.unknown(&group, "nodes".to_owned(), e);
                }
            }
        }
        way.iter().rev().for_each(|group| self.copies(group));
    }
    fn array(&mut self, array: &Array) {
        if self.data
            && let Err(e) = self.shards(array)
        {
            self.unknown(array.path(), "shards".to_owned(), e);
        }
    }
    fn copies(&mut self, group: &Group) {
        let copies = Copies::of(group);
        for (node, copy) in copies.lost {
            let same = self.documents.entry(Key::metadata(&node).to_string());
            let (_, known) = same.or_insert_with(|| (node, Some(copy.clone())));
            if known.as_ref().is_some_and(|known| !Json::Object(known.clone()).is_same(&Json::Object(copy))) {
                *known = None;
            }
        }
        if let (Some(first), true) = (copies.stale.first(), copies.unread.is_empty()) {
            let of = match copies.stale.len() {
                1 => first.clone(),
                n => format!("{first}, and {} more", n - 1),
            };
            self.add(group.path(), How::Consolidate, of);
        }
        for e in copies.unread {
            self.unknown(group.path(), "copies of metadata".to_owned(), e);
        }
    }
    /// Shards whose indexes can be made again.
    fn shards(&mut self, array: &Array) -> Result<()> {
        let Some(shards) = Shards::of(array, self.context)? else { return Ok(()) };
        let stored = array.stored_keys()?;
        for e in stored.errors {
            self.unknown(array.path(), e.key().unwrap_or_default().to_owned(), e);
        }
        let progress = Progress::new("shards", stored.chunks.len() as u64);
        for chunk_index in stored.chunks {
            progress.add(1);
            let key = format!("{}{}", Prefix::of(array.path()), array.chunk_key(&chunk_index)?);
            match shards.look(array, &chunk_index) {
                Ok(None) => {}
                // Found again when it is done, for memory holds one shard at a time.
                Ok(Some(_)) => self.add(array.path(), How::Shard(Box::new(array.clone()), chunk_index), key),
                Err(e) => self.unknown(array.path(), key, e),
            }
        }
        Ok(())
    }
    /// All that were found, documents before the copies that are made of them.
    fn all(mut self, hierarchy: &Hierarchy) -> Vec<Step> {
        let others = std::mem::take(&mut self.all);
        for (key, (node, copy)) in std::mem::take(&mut self.documents) {
            let differ = || Error::metadata("the document is missing, and its copies differ").at_key(&key);
            let agreed = copy.ok_or_else(differ).and_then(|copy| {
                documents::check(hierarchy, &node, &copy)?;
                Ok(copy)
            });
            match agreed {
                Ok(copy) => self.add(&node, How::Document(Json::Object(copy).to_pretty()), key),
                Err(e) => self.unknown(&node, key, e),
            }
        }
        self.all.extend(others);
        self.all
    }
}

/// Removes what writers left behind, and notes with each step what became of it.
fn erase_orphans(hierarchy: &Hierarchy, node: &NodePath, steps: &mut Vec<Step>) {
    let (store, prefix) = (hierarchy.store(), Prefix::of(node));
    let is_debris = |s: &&mut Step| matches!(s.how, How::Debris);
    if !steps.iter_mut().any(|s| is_debris(&s)) {
        return;
    }
    let erased = store.writer().and_then(|w| w.erase_orphans(&prefix));
    let left = store.lister().and_then(|l| l.list_orphans(&prefix));
    let failed = |e: &Error| Some(e.to_string());
    for step in steps.iter_mut().filter(is_debris) {
        step.error = match (&erased, &left) {
            (_, Ok(left)) if !left.contains(&step.of) => None,
            (Err(e), _) | (Ok(_), Err(e)) => failed(e),
            (Ok(_), Ok(_)) => Some("it is still there".to_owned()),
        };
    }
    // Left behind since the steps were found.
    let more: Vec<String> = erased.unwrap_or_default();
    let more = more.into_iter().filter(|of| !steps.iter().any(|s| s.of == *of)).collect::<Vec<_>>();
    steps.extend(more.into_iter().map(|of| Step { node: node.to_string(), how: How::Debris, of, error: None }));
}

/// Does a step.
fn apply(step: &Step, hierarchy: &Hierarchy, context: &Context) -> Result<()> {
    match &step.how {
        How::Look | How::Debris => Ok(()),
        How::Document(text) => {
            let is_new = hierarchy.store().writer()?.set_if_absent(&Key::new(&*step.of)?, text.as_bytes())?;
            // Another repair may have been faster: any document that can be read is what was missing.
            if is_new { Ok(()) } else { hierarchy.metadata(&NodePath::new(&step.node)?).map(|_| ()) }
        }
        How::Consolidate => {
            // As it is now: a copy that is all that is left of a document is never made anew.
            let copies = Copies::of(&hierarchy.group(&step.node)?);
            match (copies.unread.into_iter().next(), copies.lost.first()) {
                (Some(e), _) => Err(e),
                (None, Some((lost, _))) => {
                    let e = Error::metadata("the document is missing, and its copy would be removed too");
                    Err(e.at_key(Key::metadata(lost)))
                }
                (None, None) => hierarchy.consolidate(&step.node),
            }
        }
        How::Shard(array, chunk_index) => {
            let shard =
                Shards::of(array, context)?.map(|shards| shards.look(array, chunk_index)).transpose()?.flatten();
            let changed = || Error::data("this shard has changed and can no longer be repaired").at_key(&step.of);
            let replaced =
                shard.ok_or_else(changed).and_then(|(old, new)| Shards::replace(array, chunk_index, &old, &new));
            // Another repair may have been faster: what counts is whether the shard can be read now.
            replaced.or_else(|e| array.chunk(chunk_index).and_then(|chunk| chunk.check()).map_err(|_| e))
        }
    }
}

fn report(steps: &[Step], has_node: bool, args: &Args) -> Result<Outcome> {
    let failed = steps.iter().filter(|s| s.error.is_some()).count();
    if args.node.json {
        let all = steps.iter().map(|s| {
            let mut step: Object =
                [("node", s.node.as_str()), ("repair", s.how.name()), ("of", &s.of)].into_iter().collect();
            if let Some(e) = &s.error {
                step.set("error", one_line(e));
            }
            step
        });
        let mut o: Object = [("repairs", all.collect::<Json>())].into_iter().collect();
        o.set("applied", args.apply);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for s in steps {
            show(&format!("{}: {}: {}", s.node, s.how.name(), s.of))?;
            if let Some(e) = &s.error {
                show(&format!("    failed: {e}"))?;
            }
        }
        let mut but = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        if !has_node {
            but += ", no node is there";
        }
        say(&match (steps.len() - failed, args.apply) {
            (0, _) if failed == 0 => {
                let shards = if args.data { "" } else { " `--data` looks at shards too;" };
                format!("nothing to repair;{shards} what else `ozarr validate --data` finds cannot be repaired")
            }
            (n, true) => format!("{n} repaired{but}"),
            (0, false) => format!("nothing to repair{but}"),
            (n, false) => format!("{n} to repair{but}: nothing was done; `--apply` does it"),
        });
    }
    let is_done = failed == 0 && (steps.is_empty() || args.apply);
    Ok(if is_done { Outcome::Done } else { Outcome::ProblemsFound })
}
