//! `ozarr info`: a node's metadata, how much is stored, and what it needs.

use super::{Outcome, needs};
use crate::{
    args::Info as Args,
    location::Location,
    output::{bytes, count, name, print_escaped, print_status, print_with, show},
    session::Session,
};
use ozarr::{
    Array, ErrorKind, Node, Result,
    zarr_core::{
        json::{Json, Object},
        metadata::{ArrayMetadata, NodeMetadata},
        name::NodePath,
    },
};
use ozarr_tools::{stored, stored_bytes};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::read(&args.node.location, &session.context)?;
    if args.needs {
        return needs::needs(&at, session, args.node.json);
    }
    let node = match at.hierarchy.node(&at.path()) {
        Err(e) if matches!(e.kind(), ErrorKind::UnknownExtension { .. }) && !args.node.json => {
            // The metadata of an array can be shown without its extensions.
            if let Ok(NodeMetadata::Array(metadata)) = at.hierarchy.metadata(&at.node) {
                show_metadata(&at.node, &metadata)?;
                show_attributes(metadata.attributes())?;
            }
            return Err(e);
        }
        node => node?,
    };
    let mut info = Object::new();
    let document = match &node {
        Node::Group(group) => {
            if args.sizes {
                info.set("stored_bytes", stored_bytes(&at.hierarchy, &at.path())?);
            }
            group.metadata().document()
        }
        Node::Array(array) => {
            if args.sizes {
                let stored = stored(array)?;
                info.set("stored_keys", stored.keys);
                info.set("stored_bytes", stored.bytes);
                info.set("not_values", stored.not_values);
            }
            info.set("decoded_bytes", array.representation().bytes().map_or(Json::Null, Json::from));
            let skipped = array.skipped().iter().map(|(_, name)| Json::from(name.as_str()));
            info.set("skipped", skipped.collect::<Json>());
            array.metadata().document()
        }
    };
    if args.node.json {
        // A document may be large: it is printed without being copied into a string.
        print_with(|out| {
            write!(out, "{{\n  \"path\": {},\n  \"metadata\": ", Json::from(node.path().to_string()))?;
            document.write_pretty(out, 1)?;
            for (name, value) in info.iter() {
                write!(out, ",\n  {}: ", Json::from(name))?;
                value.write_pretty(out, 1)?;
            }
            out.write_str("\n}")
        })?;
        return Ok(Outcome::Done);
    }
    match &node {
        Node::Group(group) => {
            show(&format!("group {}", group.path()))?;
            if let Some(stored) = info.get("stored_bytes").and_then(Json::as_u64) {
                show(&format!("stored: {}", bytes(stored)))?;
            }
            show_attributes(group.metadata().attributes())?;
        }
        Node::Array(array) => show_array(array, &info)?,
    }
    Ok(Outcome::Done)
}

fn show_metadata(path: &NodePath, m: &ArrayMetadata) -> Result<()> {
    show(&format!("array {path}"))?;
    show(&format!("shape: {:?}", m.shape()))?;
    if let Some(names) = m.dimension_names() {
        let names: Vec<_> = names.iter().map(|n| name(n.as_deref().unwrap_or("-"))).collect();
        show(&format!("dimension names: {}", names.join(", ")))?;
    }
    show(&format!("data type: {}", m.data_type().to_json()))?;
    show(&format!("chunk grid: {}", m.chunk_grid().to_json()))?;
    show(&format!("chunk key encoding: {}", m.chunk_key_encoding().to_json()))?;
    show(&format!("fill value: {}", m.fill_value()))?;
    for codec in m.codecs() {
        show(&format!("codec: {}", codec.to_json()))?;
    }
    for transformer in m.storage_transformers() {
        show(&format!("storage transformer: {}", transformer.to_json()))?;
    }
    Ok(())
}

fn show_array(array: &Array, info: &Object) -> Result<()> {
    show_metadata(array.path(), array.metadata())?;
    if let Some(inner) = array.inner_chunk_shape() {
        show(&format!("inner chunks: {inner:?}"))?;
    }
    for (point, skipped) in array.skipped() {
        let name = name(skipped);
        print_status(&format!("warning: the unknown {point} `{name}` is skipped; chunks cannot be written"));
    }
    let number = |name: &str| info.get(name).and_then(Json::as_u64);
    if let Some(n) = number("not_values").filter(|n| *n > 0) {
        let are = if n == 1 { "is not a value" } else { "are not values" };
        print_status(&format!("warning: {} {are}; `ozarr validate` describes each", count(n, "key")));
    }
    if let Some(decoded) = number("decoded_bytes") {
        show(&format!("size: {}", bytes(decoded)))?;
    }
    if let (Some(stored), Some(keys)) = (number("stored_bytes"), number("stored_keys")) {
        show(&format!("stored: {} in {}", bytes(stored), count(keys, "key")))?;
    }
    show_attributes(array.metadata().attributes())
}

/// Attributes are the user's own text: no line of them is truncated.
fn show_attributes(attributes: Option<&Object>) -> Result<()> {
    print_escaped(|out| {
        out.write_str("attributes: ")?;
        match attributes {
            Some(attributes) => attributes.write_pretty(out, 0),
            None => out.write_str("{}"),
        }
    })
}
