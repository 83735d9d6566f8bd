//! The extensions that the arrays at and below a node use, and the provider of each.

use super::Outcome;
use crate::{
    location::Location,
    output::{one_line, print, print_status, show},
    session::Session,
};
use ozarr::{
    Child, Error, Hierarchy, Node, Result,
    plugins::Discovery,
    zarr_core::{
        extension::{Extension, ExtensionPoint},
        json::{Json, Object},
        metadata::{ArrayMetadata, NodeMetadata},
        name::NodePath,
        registry::Registry,
    },
};
use std::collections::BTreeMap;

/// An extension that arrays use.
pub(super) struct Need {
    pub(super) point: ExtensionPoint,
    pub(super) name: String,
    /// False if readers may ignore it.
    pub(super) is_needed: bool,
    /// True if the name is registered, by an extension that may be refused.
    pub(super) is_known: bool,
    /// The extension and its provider, or why it is unknown.
    pub(super) explained: String,
    /// Why the plugin that provides it is not used.
    pub(super) refused: Option<String>,
}

impl Need {
    /// Returns true if it can be used.
    pub(super) fn is_there(&self) -> bool {
        self.is_known && self.refused.is_none()
    }
    /// Formats the extension as a line of text.
    pub(super) fn text(&self) -> String {
        let refused = self.refused.as_ref().map_or(String::new(), |reason| format!("; refused: {reason}"));
        let point = if self.is_known { format!("{} ", self.point) } else { String::new() };
        format!("{point}{}{refused}", self.explained)
    }
    pub(super) fn to_json(&self) -> Object {
        let why = || Json::from(self.explained.as_str());
        let mut o: Object =
            [("extension_point", self.point.as_str()), ("name", self.name.as_str())].into_iter().collect();
        o.set("given_by", if self.is_known { why() } else { Json::Null });
        o.set("unknown", if self.is_known { Json::Null } else { why() });
        o.set("available", self.is_there());
        o.set("needed", self.is_needed);
        o.set("refused", self.refused.as_deref().map_or(Json::Null, Json::from));
        o
    }
}

/// Returns the extensions of all arrays, each once, and the number of documents that could not be read.
pub(super) fn of(at: &Location, session: &Session) -> Result<(Vec<Need>, usize)> {
    let (mut used, registry) = (BTreeMap::new(), &at.hierarchy.context().registry);
    let unread = arrays(&at.hierarchy, &at.node, &mut |metadata| {
        metadata.extensions().for_each(|(point, e)| nested(point, e, &mut used));
    })?;
    let need = |((point, name), is_needed): ((ExtensionPoint, String), bool)| {
        let refused = refusal(&session.found, registry, point, &name);
        let is_known = registry.find(point, &name).is_some();
        Need { explained: registry.explain(point, &name), point, name, is_needed, is_known, refused }
    };
    Ok((used.into_iter().map(need).collect(), unread))
}

/// Prints the extensions of the arrays at and below a node.
pub(super) fn needs(at: &Location, session: &Session, json: bool) -> Result<Outcome> {
    let (needs, unread) = of(at, session)?;
    match json {
        true => print(&needs.iter().map(Need::to_json).collect::<Json>().to_pretty())?,
        false => needs.iter().try_for_each(|need| show(&need.text()))?,
    }
    let is_missing = unread > 0 || needs.iter().any(|need| need.is_needed && !need.is_there());
    Ok(if is_missing { Outcome::ProblemsFound } else { Outcome::Done })
}

/// Calls `each` with the metadata of the arrays at and below a node, even of those that cannot be opened. Returns the
/// number of documents that could not be read.
fn arrays(hierarchy: &Hierarchy, path: &NodePath, each: &mut dyn FnMut(&ArrayMetadata)) -> Result<usize> {
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
fn nested(point: ExtensionPoint, e: &Extension, found: &mut BTreeMap<(ExtensionPoint, String), bool>) {
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
