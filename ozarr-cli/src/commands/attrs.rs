//! `ozarr attrs`: the attributes of a node.

use super::Outcome;
use crate::{
    args::Attrs as Subcommand,
    location::Location,
    output::{count, print_escaped, print_with},
    session::Session,
    words::Failure,
};
use ozarr::{
    Context, Error, Json, Node, Object, Result,
    zarr_core::{limits::Limits, metadata::NodeMetadata},
};
use std::{
    fmt,
    io::{self, IsTerminal},
    path::Path,
};

pub(crate) fn run(subcommand: Subcommand, session: &Session) -> Result<Outcome, Failure> {
    match subcommand {
        Subcommand::Get { node, key } => get(&node, key.as_deref(), &session.context)?,
        Subcommand::Set { node, attributes, file, .. } => {
            let mut new = file.map_or_else(|| Ok(Object::new()), |file| from_file(&file))?;
            attributes.into_iter().for_each(|(key, value)| new.set(key, value));
            let at = update(&node, session, |stored| {
                new.iter().for_each(|(key, value)| stored.set(key, value.clone()));
            })?;
            session.status.print(&format!("set {} of {}", count(new.len() as u64, "attribute"), at.typed));
        }
        Subcommand::Unset { node, keys, .. } => {
            let mut absent = Vec::new();
            let at = update(&node, session, |stored| {
                absent = keys.iter().filter(|key| stored.remove(key).is_none()).collect();
            })?;
            let removed = count((keys.len() - absent.len()) as u64, "attribute");
            let names: Vec<String> = absent.iter().map(|key| format!("`{key}`")).collect();
            let but = if names.is_empty() { String::new() } else { format!("; not found: {}", names.join(", ")) };
            session.status.print(&format!("removed {removed} from {}{but}", at.typed));
        }
    }
    Ok(Outcome::Done)
}

/// Also works for a node that needs an unknown extension.
fn get(node: &str, key: Option<&str>, context: &Context) -> Result<()> {
    let at = Location::read(node, context)?;
    let metadata = at.hierarchy.metadata(&at.node)?;
    let stored = match &metadata {
        NodeMetadata::Array(array) => array.attributes(),
        NodeMetadata::Group(group) => group.attributes(),
    };
    let none = Object::new();
    let attributes = stored.unwrap_or(&none);
    // At a terminal, text from the store must not control it.
    let print = |write: &dyn Fn(&mut dyn fmt::Write) -> fmt::Result| match io::stdout().is_terminal() {
        true => print_escaped(write),
        false => print_with(write),
    };
    let Some(key) = key else { return print(&|out| attributes.write_pretty(out, 0)) };
    let Some(value) = attributes.get(key) else {
        let e = Error::argument(format!("attribute `{key}` not found")).at_node(&at.node);
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name).collect();
        return Err(if names.is_empty() { e } else { e.with_hint(format!("use one of: {}", names.join(", "))) });
    };
    print(&|out| value.write_pretty(out, 0))
}

fn update(node: &str, session: &Session, change: impl FnMut(&mut Object)) -> Result<Location> {
    let at = Location::write(node, &session.context)?;
    match at.hierarchy.node(&at.path())? {
        Node::Array(mut array) => array.update_attributes(change)?,
        Node::Group(mut group) => group.update_attributes(change)?,
    }
    Ok(at)
}

/// Parses the attributes of an option: a JSON object, or `@FILE`.
pub(super) fn given(text: &str) -> Result<Object, Failure> {
    match text.strip_prefix('@') {
        Some(file) => from_file(Path::new(file)),
        None => Ok(object(text.as_bytes()).map_err(|e| e.with_hint("pass '{\"units\": \"K\"}', or `@FILE`"))?),
    }
}

fn from_file(file: &Path) -> Result<Object, Failure> {
    let read = std::fs::read(file).map_err(Error::from).and_then(|text| object(&text));
    read.map_err(|e| Failure::from(e.at_key(file.display())).in_file(file))
}

fn object(text: &[u8]) -> Result<Object> {
    match Json::parse(text, &Limits::default())? {
        Json::Object(attributes) => Ok(attributes),
        other => Err(Error::argument(format!("expected attributes as a JSON object, found {}", other.kind()))),
    }
}
