//! `ozarr rm`: removes a node, and with `--recursive` everything below it.

use super::Outcome;
use crate::{
    args::Remove as Args,
    location::Location,
    output::{print_status, shown},
    session::Session,
};
use ozarr::{
    Error, ErrorKind, Node, Result,
    zarr_core::{
        name::NodePath,
        store::{Key, Other, Prefix},
    },
};
use std::io::{self, IsTerminal, Write};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::write(&args.node, &session.context)?;
    check_below(&at, args)?;
    if !args.yes && io::stdin().is_terminal() {
        if !confirmed(&at.typed)? {
            print_status("nothing was removed");
            return Ok(Outcome::Done);
        }
        // Other writers may have created something while the user was thinking.
        check_below(&at, args)?;
    }
    at.hierarchy.erase(&at.path())?;
    if at.node == NodePath::ROOT
        && let Some(directory) = ozarr::Location::from(args.node.as_str()).directory()?
    {
        // Removing a store removes its directory too, unless that has other entries.
        let _it_may_have_entries = std::fs::remove_dir(directory);
    }
    session.status.print(&format!("removed {}", at.typed));
    Ok(Outcome::Done)
}

fn check_below(at: &Location, args: &Args) -> Result<()> {
    match below(at)?.filter(|_| !args.recursive) {
        Some(why) => {
            let e = Error::argument(format!("cannot remove {}: {why}", at.typed)).at_node(&at.node);
            Err(e.with_hint("pass `--recursive` to remove everything below it as well"))
        }
        None => Ok(()),
    }
}

/// Returns what would be removed with a node although it does not belong to it alone.
fn below(at: &Location) -> Result<Option<String>> {
    Ok(match at.hierarchy.node(&at.path()) {
        Ok(Node::Array(array)) => {
            let stored = array.stored_keys()?;
            let unknown = stored.unknown.first().map(|key| format!("`{key}` is below it and belongs to no chunk"));
            unknown.or_else(|| stored.errors.first().map(ToString::to_string))
        }
        Ok(Node::Group(group)) => {
            let listed = group.hierarchy().store().lister()?.list_dir(&Prefix::of(group.path()))?;
            let document = Key::metadata(group.path());
            let mut keys = listed.keys.iter().filter(|key| **key != document).map(ToString::to_string);
            let others = || listed.others.iter().find(|(_, other)| **other != Other::EmptyDirectory);
            let first = keys.next().or_else(|| listed.prefixes.first().map(ToString::to_string));
            let first = first.or_else(|| others().map(|(name, _)| name.clone()));
            first.map(|name| format!("`{name}` is below it"))
        }
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => return Err(e),
        Err(e) => Some(format!("it cannot be opened: {e}")),
    })
}

fn confirmed(node: &str) -> Result<bool> {
    let mut answer = String::new();
    let _standard_error_may_be_closed = write!(io::stderr().lock(), "remove {}? [y/N] ", shown(node));
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
