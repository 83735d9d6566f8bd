//! The shape of every extension in a metadata document: `{name, configuration, must_understand}`.
//!
//! Specification: core, "Extension definition". This is the only module of these crates that handles this JSON shape.
//!
//! ```
//! use zarr_core::{extension::Extension, json::Json};
//! let short = Extension::parse(&Json::from("crc32c"))?;
//! assert_eq!((short.name(), short.configuration(), short.must_understand()), ("crc32c", None, None));
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::{
    error::{Error, Result},
    json::{Json, Object},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

pub use crate::extension_point::ExtensionPoint;

/// An extension as a metadata document names it.
///
/// It is written in the form in which it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    // Shared, so that copies of a chain do not copy large configurations.
    written: Arc<Json>,
    name: String,
}

impl Extension {
    /// Reads a bare name or an object.
    ///
    /// # Errors
    /// If the value is neither a string nor an object, the name is missing or empty, there are members other than the
    /// three, the configuration is not an object, or `must_understand` is not a boolean.
    pub fn parse(value: &Json) -> Result<Self> {
        let name = match value {
            Json::String(name) => name.as_str(),
            Json::Object(members) => Self::check_members(members)?,
            other => return Err(Error::metadata(format!("expected a name or an object, found {}", other.kind()))),
        };
        if name.is_empty() {
            return Err(Error::metadata("the extension name is empty"));
        }
        Ok(Self { name: name.to_owned(), written: Arc::new(value.clone()) })
    }
    fn check_members(members: &Object) -> Result<&str> {
        for (member, value) in members.iter() {
            match (member, value) {
                ("name", Json::String(_)) | ("configuration", Json::Object(_)) | ("must_understand", Json::Bool(_)) => {
                }
                ("name" | "configuration" | "must_understand", other) => {
                    let wanted = match member {
                        "name" => "a string",
                        "configuration" => "an object",
                        _ => "a boolean",
                    };
                    return Err(Error::metadata(format!("expected {wanted}, found {}", other.kind())).within(member));
                }
                _ => {
                    let e = Error::metadata("unknown member of an extension").within(member);
                    return Err(e.with_hint("use only `name`, `configuration` and `must_understand`"));
                }
            }
        }
        match members.get("name") {
            Some(Json::String(name)) => Ok(name.as_str()),
            _ => Err(Error::metadata("missing member `name` of an extension")),
        }
    }
    /// Creates an extension of the form `{"name": .., "configuration": ..}`; an empty configuration is omitted.
    ///
    /// ```
    /// use zarr_core::extension::Extension;
    /// let xor = Extension::new("acme.xor", [("mask", 90)]);
    /// assert_eq!(xor.to_json().to_string(), r#"{"name":"acme.xor","configuration":{"mask":90}}"#);
    /// ```
    pub fn new(name: &str, configuration: impl Into<Object>) -> Self {
        let configuration = configuration.into();
        let mut members: Object = [("name", Json::from(name))].into_iter().collect();
        if !configuration.is_empty() {
            members.set("configuration", configuration);
        }
        Self { written: Arc::new(members.into()), name: name.to_owned() }
    }
    /// Creates an extension of a bare name: the form in which data types of the specification are written.
    pub fn short_hand(name: &str) -> Self {
        Self { written: Arc::new(name.into()), name: name.to_owned() }
    }
    /// Returns the same extension with another configuration.
    ///
    /// # Errors
    /// If the extension was created from JSON that [`parse`](Self::parse) rejects.
    pub fn with_configuration(&self, configuration: Object) -> Result<Self> {
        let name_only = || [("name", self.name())].into_iter().collect();
        let mut members: Object = self.written.as_object().cloned().unwrap_or_else(name_only);
        members.set("configuration", configuration);
        Self::parse(&members.into())
    }
    /// Returns the name as written; it may be an alias.
    pub fn name(&self) -> &str {
        &self.name
    }
    fn member(&self, name: &str) -> Option<&Json> {
        self.written.as_object()?.get(name)
    }
    /// Returns the configuration; `None` if it is absent, as for a bare name.
    pub fn configuration(&self) -> Option<&Object> {
        self.member("configuration")?.as_object()
    }
    /// Returns `must_understand`, if present.
    pub fn must_understand(&self) -> Option<bool> {
        match self.member("must_understand")? {
            Json::Bool(b) => Some(*b),
            _ => None,
        }
    }
    /// Returns the JSON as it was read or created.
    pub fn to_json(&self) -> &Json {
        &self.written
    }
}

/// Creates an extension of a bare name.
impl From<&str> for Extension {
    fn from(name: &str) -> Self {
        Self::short_hand(name)
    }
}
impl From<String> for Extension {
    fn from(name: String) -> Self {
        Self::short_hand(&name)
    }
}
impl From<&Extension> for Extension {
    fn from(extension: &Extension) -> Self {
        extension.clone()
    }
}
/// Never fails: JSON that [`parse`](Extension::parse) rejects becomes an extension with an empty name, which no
/// extension has, and is rejected where the extension is used.
impl From<Json> for Extension {
    fn from(json: Json) -> Self {
        Self::parse(&json).unwrap_or_else(|_| Self { written: Arc::new(json), name: String::new() })
    }
}
/// As for [`Json`].
impl From<serde_json::Value> for Extension {
    fn from(value: serde_json::Value) -> Self {
        Json::from(value).into()
    }
}
/// As for [`Json`].
impl From<Object> for Extension {
    fn from(members: Object) -> Self {
        Json::Object(members).into()
    }
}

impl<'de> Deserialize<'de> for Extension {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let json = <Json as Deserialize>::deserialize(d)?;
        Self::parse(&json).map_err(serde::de::Error::custom)
    }
}
impl Serialize for Extension {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Extension> {
        Extension::parse(&Json::parse(text.as_bytes(), &Default::default())?)
    }

    #[test]
    fn the_written_form_is_preserved() {
        for text in [
            r#""bytes""#,
            r#"{"name":"bytes"}"#,
            r#"{"configuration":{"b":1.0,"a":2},"name":"x1"}"#,
            r#"{"name":"x1","configuration":{},"must_understand":true}"#,
        ] {
            assert_eq!(parse(text).unwrap().to_json().to_string(), text);
        }
    }

    #[test]
    fn extensions_convert_from_names_and_json() {
        let object = r#"{"name":"x1","configuration":{"a":2}}"#;
        let json = Json::parse(object.as_bytes(), &Default::default()).unwrap();
        assert_eq!(Extension::from(json), parse(object).unwrap());
        assert_eq!(Extension::from("x1"), parse(r#""x1""#).unwrap());
        let malformed = Extension::from(Json::from(1));
        assert_eq!((malformed.name(), malformed.to_json()), ("", &Json::from(1)));
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "1",
            "null",
            "[]",
            "{}",
            r#""""#,
            r#"{"name":1}"#,
            r#"{"name":""}"#,
            r#"{"name":"a1","x":1}"#,
            r#"{"name":"a1","configuration":null}"#,
            r#"{"name":"a1","must_understand":"false"}"#,
            r#"{"configuration":{}}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
