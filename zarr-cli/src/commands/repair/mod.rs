//! `zarr repair`: what can be made right without a doubt. Shown first, done with `--apply`; data is never removed.

mod shards;

use self::shards::Shards;
use super::{Outcome, validate::consolidated_problems};
use crate::{
    args::Repair as Args,
    location::Location,
    output::{print, say},
    progress::Progress,
};
use zarr_array::{
    Array, Context, Group, Hierarchy, Node, Result,
    core::{
        json::{Json, Object},
        store::Prefix,
    },
};

/// Something that can be made right.
struct Step {
    node: String,
    what: &'static str,
    /// What it is done to, or why.
    of: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = if args.apply {
        Location::write(&args.node.location, context)
    } else {
        Location::read(&args.node.location, context)
    }?;
    let (mut steps, prefix) = (Vec::new(), Prefix::of(&at.node));
    let store = at.hierarchy.store();
    let debris =
        if args.apply { store.writer()?.erase_debris(&prefix)? } else { store.lister()?.list_debris(&prefix)? };
    let node = at.path();
    steps.extend(debris.into_iter().map(|of| Step {
        node: node.clone(),
        what: "remove what a writer left behind",
        of,
    }));
    match at.hierarchy.node(&node)? {
        Node::Group(group) => {
            if args.data {
                group.walk(&mut |_, node| match node {
                    Ok(Node::Array(array)) => rebuild(array, context, args.apply, &mut steps),
                    _ => Ok(()),
                })?;
            }
            consolidate(&at.hierarchy, &group, args.apply, &mut steps)?;
        }
        Node::Array(array) if args.data => rebuild(&array, context, args.apply, &mut steps)?,
        Node::Array(_) => {}
    }
    report(&steps, args)
}

/// Makes copies of metadata anew where they are not those of the documents, deepest groups first.
fn consolidate(hierarchy: &Hierarchy, group: &Group, apply: bool, steps: &mut Vec<Step>) -> Result<()> {
    for child in group.children()? {
        if let Ok(Node::Group(below)) = child.node {
            consolidate(hierarchy, &below, apply, steps)?;
        }
    }
    let problems = consolidated_problems(group);
    if let Some(first) = problems.first() {
        let of = match problems.len() {
            1 => first.clone(),
            n => format!("{first}, and {} more", n - 1),
        };
        let node = group.path().to_string();
        if apply {
            hierarchy.consolidate(&node)?;
        }
        steps.push(Step { node, what: "consolidate metadata anew", of });
    }
    Ok(())
}

/// Makes indexes of shards again whose inner chunks are intact.
fn rebuild(array: &Array, context: &Context, apply: bool, steps: &mut Vec<Step>) -> Result<()> {
    let Some(shards) = Shards::of(array, context)? else { return Ok(()) };
    let (cells, path) = (array.stored_chunks()?, array.path().to_string());
    let progress = Progress::new("shards", cells.len() as u64);
    for cell in cells {
        progress.add(1);
        let Some(old) = array.read_encoded_chunk(&cell)? else { continue };
        let Some(new) = shards.rebuilt(&old)? else { continue };
        if apply {
            Shards::replace(array, &cell, &old, &new)?;
        }
        let of = format!("{}{}", Prefix::of(array.path()), array.chunk_key(&cell)?);
        steps.push(Step { node: path.clone(), what: "make the index of a shard again", of });
    }
    Ok(())
}

fn report(steps: &[Step], args: &Args) -> Result<Outcome> {
    if args.node.json {
        let all = steps.iter().map(|s| {
            let step: Object = [("node", s.node.as_str()), ("repair", s.what), ("of", &s.of)].into_iter().collect();
            step
        });
        let mut o: Object = [("repairs", all.collect::<Json>())].into_iter().collect();
        o.set("applied", args.apply);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for s in steps {
            print(&format!("{}: {}: {}", s.node, s.what, s.of))?;
        }
        say(&match (steps.len(), args.apply) {
            (0, _) => "nothing to repair; `zarr validate --data` looks for what cannot be repaired".to_owned(),
            (n, true) => format!("{n} repaired"),
            (n, false) => format!("{n} to repair: nothing was done; `--apply` does it"),
        });
    }
    Ok(if steps.is_empty() || args.apply { Outcome::Done } else { Outcome::ProblemsFound })
}
