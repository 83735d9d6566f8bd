//! The metadata documents of arrays and groups.
//!
//! Specification: core, "Metadata". A document is preserved as it was read: unchanged members are written back in their
//! order and with their digits, including members that this library does not know.

mod array;
mod consolidated;
mod group;
mod resolved;
#[cfg(test)]
mod tests;

pub use array::ArrayMetadata;
pub use consolidated::Consolidated;
pub use group::GroupMetadata;
pub use resolved::{Chains, ResolvedArray};

use crate::{
    error::{Error, Result},
    json::{Json, Object},
    limits::Limits,
    must_understand,
};

/// The metadata document of a node.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "most nodes are arrays")]
pub enum NodeMetadata {
    /// A document with `"node_type": "array"`.
    Array(ArrayMetadata),
    /// A document with `"node_type": "group"`.
    Group(GroupMetadata),
}

impl NodeMetadata {
    /// Reads the text of a `zarr.json`.
    ///
    /// # Errors
    /// If the text is not valid JSON, or as for [`from_json`](Self::from_json).
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self> {
        Self::from_json(Json::parse(text, limits)?, limits)
    }
    /// Reads a document.
    ///
    /// # Errors
    /// If the document breaks a rule of the specification, with its path in the document.
    pub fn from_json(document: Json, limits: &Limits) -> Result<Self> {
        let Json::Object(document) = document else {
            return Err(Error::metadata(format!("expected an object, found {}", document.kind())));
        };
        match document.get("zarr_format") {
            Some(v) if v.as_u64() == Some(3) => {}
            Some(v) => {
                let e = Error::metadata(format!("expected 3, found {v}")).within("zarr_format");
                return Err(
                    e.with_hint("convert the data to version 3 of the format; other versions are not supported")
                );
            }
            None => return Err(missing("zarr_format")),
        }
        match document.get("node_type") {
            Some(Json::String(t)) if t == "array" => ArrayMetadata::from_object(document, limits).map(Self::Array),
            Some(Json::String(t)) if t == "group" => GroupMetadata::from_object(document).map(Self::Group),
            Some(v) => Err(Error::metadata(format!("expected \"array\" or \"group\", found {v}")).within("node_type")),
            None => Err(missing("node_type")),
        }
    }
    /// Returns the document.
    pub fn document(&self) -> &Object {
        match self {
            Self::Array(a) => a.document(),
            Self::Group(g) => g.document(),
        }
    }
    /// Returns the user's attributes.
    pub fn attributes(&self) -> Option<&Object> {
        self.document().get("attributes")?.as_object()
    }
}

fn missing(member: &str) -> Error {
    Error::metadata("missing member").within(member)
}

fn required<'d>(document: &'d Object, member: &str) -> Result<&'d Json> {
    document.get(member).ok_or_else(|| missing(member))
}

/// Checks that `attributes`, if present, is an object; its members are never examined.
fn check_attributes(document: &Object) -> Result<()> {
    match document.get("attributes") {
        None | Some(Json::Object(_)) => Ok(()),
        Some(v) => Err(Error::metadata(format!("expected an object, found {}", v.kind())).within("attributes")),
    }
}

fn check_unknown(document: &Object, known: &[&str]) -> Result<()> {
    document.iter().filter(|(name, _)| !known.contains(name)).try_for_each(|(name, v)| must_understand::member(name, v))
}

fn set_attributes(document: &mut Object, attributes: Object) {
    document.set("attributes", attributes);
}
