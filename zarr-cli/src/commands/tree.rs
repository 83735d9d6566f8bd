//! `zarr tree`: the nodes of a hierarchy, also those that cannot be opened.

use super::Outcome;
use crate::{
    args::Node as Args,
    location::Location,
    output::{name, print, say, shown},
};
use zarr_array::{
    Array, Context, Node, Result,
    core::json::{Json, Object},
};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.location, context)?;
    let mut broken = 0;
    let root = at.hierarchy.node(&at.path())?;
    if args.json {
        print(&Json::Object(as_json("", &root, &mut broken)?).to_pretty())?;
    } else {
        print(&shown(&line(&at.typed, &root)))?;
        if let Node::Group(_) = &root {
            below(&root, "", &mut broken)?;
        }
    }
    if broken == 0 {
        return Ok(Outcome::Done);
    }
    say(&format!("{broken} of the nodes cannot be opened"));
    Ok(Outcome::ProblemsFound)
}

fn below(node: &Node, indent: &str, broken: &mut usize) -> Result<()> {
    let Node::Group(group) = node else { return Ok(()) };
    let children = group.children()?;
    for (i, child) in children.iter().enumerate() {
        let last = i + 1 == children.len();
        let (branch, space) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        match &child.node {
            Ok(node) => {
                print(&format!("{indent}{branch}{}", shown(&line(&name(&child.name), node))))?;
                below(node, &format!("{indent}{space}"), broken)?;
            }
            Err(e) => {
                *broken += 1;
                let line = format!("{} (cannot be opened: {e})", name(&child.name));
                print(&format!("{indent}{branch}{}", shown(&line)))?;
            }
        }
    }
    Ok(())
}

/// A node in one line, without what is above it.
fn line(name: &str, node: &Node) -> String {
    match node {
        Node::Group(_) => format!("{name}/"),
        Node::Array(array) => format!("{name} {}", describe(array)),
    }
}

/// Shape, data type, chunks and codecs in one line.
fn describe(array: &Array) -> String {
    let metadata = array.metadata();
    let codecs: Vec<_> = metadata.codecs().iter().map(|codec| name(codec.name())).collect();
    let chunks = match (array.chunk_shape(), array.inner_chunk_shape()) {
        (Some(shard), Some(inner)) => format!("chunks {inner:?} in shards {shard:?}"),
        (Some(chunk), None) => format!("chunks {chunk:?}"),
        (None, _) => format!("grid {}", name(metadata.chunk_grid().name())),
    };
    format!("{:?} {}, {chunks}, {}", metadata.shape(), name(metadata.data_type().name()), codecs.join(" "))
}

fn as_json(name: &str, node: &Node, broken: &mut usize) -> Result<Object> {
    let mut o: Object = [("name", name)].into_iter().collect();
    o.set("path", node.path().to_string());
    match node {
        Node::Array(array) => {
            o.set("node_type", "array");
            o.set("shape", array.shape());
            o.set("data_type", array.metadata().data_type().to_json().clone());
            o.set("chunk_shape", array.chunk_shape().map_or(Json::Null, Json::from));
            o.set("inner_chunk_shape", array.inner_chunk_shape().map_or(Json::Null, Json::from));
            o.set("codecs", array.metadata().codecs().iter().map(|c| Json::from(c.name())).collect::<Json>());
        }
        Node::Group(group) => {
            o.set("node_type", "group");
            let mut children = Vec::new();
            for child in group.children()? {
                children.push(Json::Object(match &child.node {
                    Ok(node) => as_json(&child.name, node, broken)?,
                    Err(e) => {
                        *broken += 1;
                        [("name", child.name.as_str()), ("error", &e.to_string())].into_iter().collect()
                    }
                }));
            }
            o.set("children", Json::Array(children));
        }
    }
    Ok(o)
}
