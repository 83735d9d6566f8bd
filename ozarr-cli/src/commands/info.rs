//! `ozarr info`: a node's metadata, how much is stored, and what it needs.

use super::Outcome;
use crate::{
    args::Info as Args,
    location::Location,
    output::{bytes, count, name, one_line, print, print_escaped, print_status, print_with, show},
    session::Session,
};
use ozarr::{
    Array, Child, Error, ErrorKind, Hierarchy, Node, Result,
    plugins::Discovery,
    zarr_core::{
        extension::{Extension, ExtensionPoint},
        json::{Json, Object},
        metadata::{ArrayMetadata, NodeMetadata},
        name::NodePath,
        registry::Registry,
    },
};
use ozarr_tools::{stored, stored_bytes};
use std::collections::BTreeMap;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::read(&args.node.location, &session.context)?;
    if args.needs {
        return needs(&at.hierarchy, &at.node, &session.found, args.node.json);
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

/// Calls `each` with the metadata of the arrays at and below a node, even of those that cannot be opened. Returns the
/// number of documents that could not be read.
pub(super) fn arrays(hierarchy: &Hierarchy, path: &NodePath, each: &mut dyn FnMut(&ArrayMetadata)) -> Result<usize> {
    if let NodeMetadata::Array(m) = hierarchy.metadata(path)? {
        each(&m);
        return Ok(0);
    }
    let mut unread = 0;
    let mut warn = |e: &Error| {
        print_status(&format!("warning: {e}"));
        unread += 1;
    };
    for child in hierarchy.group(&path.to_string())?.walk() {
        match child {
            Ok(Child { node: Ok(Node::Array(array)), .. }) => each(array.metadata()),
            Ok(Child { node: Ok(Node::Group(_)), .. }) => {}
            Ok(Child { path, node: Err(e), .. }) => match hierarchy.metadata(&NodePath::new(&path)?) {
                // The missing extensions are the answer here.
                Ok(NodeMetadata::Array(m)) => each(&m),
                Ok(NodeMetadata::Group(_)) => warn(&e),
                Err(e) => warn(&e),
            },
            Err(e) => warn(&e),
        }
    }
    Ok(unread)
}

/// Collects the extension and those in its configuration, in every list of codecs.
pub(super) fn nested(point: ExtensionPoint, e: &Extension, found: &mut BTreeMap<(ExtensionPoint, String), bool>) {
    *found.entry((point, e.name().to_owned())).or_default() |= e.must_understand() != Some(false);
    for (member, value) in e.configuration().into_iter().flat_map(Object::iter) {
        if member == "codecs" || member.ends_with("_codecs") {
            for inner in value.as_array().unwrap_or_default() {
                if let Ok(inner) = Extension::parse(inner) {
                    nested(ExtensionPoint::Codec, &inner, found);
                }
            }
        }
    }
}

/// Returns why the plugin behind a name is not used.
pub(super) fn refusal(found: &Discovery, registry: &Registry, point: ExtensionPoint, name: &str) -> Option<String> {
    let provider = registry.find(point, name)?.provider();
    found.plugins.iter().find_map(|c| {
        let m = c.manifest.as_ref().filter(|m| m.id == provider)?;
        let offers = m.extensions.iter().any(|o| o.kind.point() == point && o.names().any(|n| n == name));
        c.refused.as_ref().filter(|_| offers).map(|e| one_line(&e.reason().to_string()))
    })
}

/// Shows which extensions the arrays at and below a node need, and the provider of each.
pub(super) fn needs(hierarchy: &Hierarchy, path: &NodePath, plugins: &Discovery, json: bool) -> Result<Outcome> {
    let mut used = BTreeMap::new();
    let unread = arrays(hierarchy, path, &mut |metadata| {
        metadata.extensions().for_each(|(point, e)| nested(point, e, &mut used));
    })?;
    let (registry, mut missing, mut lines) = (&hierarchy.context().registry, unread > 0, Vec::new());
    for ((point, name), needed) in &used {
        let refused = refusal(plugins, registry, *point, name);
        let there = registry.find(*point, name).is_some() && refused.is_none();
        missing |= !there && *needed;
        let known = registry.find(*point, name).is_some();
        let why = registry.explain(*point, name);
        let mut o: Object = [("extension_point", point.as_str()), ("name", name)].into_iter().collect();
        o.set("given_by", if known { Json::from(why.as_str()) } else { Json::Null });
        o.set("unknown", if known { Json::Null } else { Json::from(why.as_str()) });
        o.set("available", there);
        o.set("needed", *needed);
        o.set("refused", refused.as_deref().map_or(Json::Null, Json::from));
        if !json {
            let refused = refused.map_or(String::new(), |r| format!("; refused: {r}"));
            let point = if known { format!("{point} ") } else { String::new() };
            show(&format!("{point}{why}{refused}"))?;
        }
        lines.push(o);
    }
    if json {
        print(&lines.into_iter().collect::<Json>().to_pretty())?;
    }
    Ok(if missing { Outcome::ProblemsFound } else { Outcome::Done })
}
