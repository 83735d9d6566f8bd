//! The error type of these crates: what went wrong, where, and what to do next.
//!
//! An [`Error`] is a kind and a location. The code that detects a problem chooses the kind. Each layer above adds what
//! only it knows (the extension, the chunk, the key, the node) as the error passes through.

mod kind;

pub use kind::{ErrorKind, Occupant};

use crate::extension_point::ExtensionPoint;
use std::fmt;

/// The result of every fallible function of these crates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The location of an error. Every part is optional.
#[derive(Debug, Default)]
struct Place {
    node: Option<String>,
    key: Option<String>,
    chunk: Option<Vec<u64>>,
    extension: Option<(ExtensionPoint, String)>,
    stage: Option<&'static str>,
    json_path: Option<String>,
    hint: Option<String>,
}

/// An error of any of these crates.
///
/// It is the size of one pointer.
pub struct Error(Box<(ErrorKind, Place)>);

impl Error {
    /// Creates an error whose location is not known yet.
    #[cold]
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new((kind, Place::default())))
    }
    /// Returns what went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }
    /// Returns the path of the node in its hierarchy.
    pub fn node(&self) -> Option<&str> {
        self.0.1.node.as_deref()
    }
    /// Returns the store key.
    pub fn key(&self) -> Option<&str> {
        self.0.1.key.as_deref()
    }
    /// Returns the index of the chunk in its grid.
    pub fn chunk(&self) -> Option<&[u64]> {
        self.0.1.chunk.as_deref()
    }
    /// Returns the extension that reported the error, by its extension point and name.
    pub fn extension(&self) -> Option<(ExtensionPoint, &str)> {
        self.0.1.extension.as_ref().map(|(p, n)| (*p, n.as_str()))
    }
    /// Returns the location in the metadata document, for instance `codecs[1].configuration`.
    pub fn json_path(&self) -> Option<&str> {
        self.0.1.json_path.as_deref()
    }
    /// Returns the hint: what to do next.
    pub fn hint(&self) -> Option<&str> {
        self.0.1.hint.as_deref()
    }
    /// True if the key is absent.
    pub fn is_not_found(&self) -> bool {
        matches!(self.kind(), ErrorKind::KeyNotFound)
    }
    /// True if a source is waiting for bytes: see [`Replay`](crate::source::Replay).
    pub fn is_suspended(&self) -> bool {
        matches!(self.kind(), ErrorKind::Suspended)
    }

    /// True if the memory shared by calls is used up: see
    /// [`CallContext::within_memory`](crate::call::CallContext::within_memory).
    pub fn is_budget(&self) -> bool {
        matches!(self.kind(), ErrorKind::Budget { .. })
    }

    /// Adds the node, unless a layer below already has.
    pub fn at_node(mut self, path: impl fmt::Display) -> Self {
        self.0.1.node.get_or_insert_with(|| path.to_string());
        self
    }
    /// Adds the key, unless a layer below already has. The empty prefix, which matches all keys, is ignored.
    pub fn at_key(mut self, key: impl fmt::Display) -> Self {
        if self.0.1.key.is_none() {
            self.0.1.key = Some(key.to_string()).filter(|key| !key.is_empty());
        }
        self
    }
    /// Adds the chunk, unless a layer below already has.
    pub fn at_chunk(mut self, chunk_index: &[u64]) -> Self {
        self.0.1.chunk.get_or_insert_with(|| chunk_index.to_vec());
        self
    }
    /// Adds the extension, unless a layer below already has.
    pub fn at_extension(mut self, point: ExtensionPoint, name: &str) -> Self {
        self.0.1.extension.get_or_insert_with(|| (point, name.to_owned()));
        self
    }
    /// Adds the operation (`"encode"`, `"decode"`, `"open"`), unless a layer below already has.
    pub fn at_stage(mut self, stage: &'static str) -> Self {
        self.0.1.stage.get_or_insert(stage);
        self
    }
    /// Prepends a step to the JSON path, which grows from the inside out.
    pub fn within(mut self, step: impl fmt::Display) -> Self {
        let path = match self.0.1.json_path.take() {
            None => step.to_string(),
            Some(rest) if rest.starts_with('[') => format!("{step}{rest}"),
            Some(rest) => format!("{step}.{rest}"),
        };
        self.0.1.json_path = Some(path);
        self
    }
    /// Adds a hint about what to do next, unless a layer below already has.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.1.hint.get_or_insert_with(|| hint.into());
        self
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}
impl From<std::io::Error> for Error {
    #[cold]
    fn from(e: std::io::Error) -> Self {
        Self::new(ErrorKind::Io(e))
    }
}

macro_rules! shorthand {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => { impl Error { $(
        $(#[$doc])*
        #[cold]
        pub fn $name(reason: impl Into<String>) -> Self { Self::new(ErrorKind::$kind(reason.into())) }
    )* } };
}
shorthand! {
    /// Creates an error for stored bytes that are damaged or do not match the metadata.
    data Data;
    /// Creates an error for a configuration that an extension rejects.
    configuration Configuration;
    /// Creates an error for a representation that a codec does not accept, or for codecs in the wrong order.
    chain InvalidCodecChain;
    /// Creates an error for a metadata document that breaks a rule.
    metadata Metadata;
    /// Creates an error for a fill value that the data type rejects.
    fill_value FillValue;
    /// Creates an error for a name that the specification does not allow.
    name Name;
    /// Creates an error for an invalid argument of the caller.
    argument Argument;
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, place) = &*self.0;
        if let Some((point, name)) = &place.extension {
            write!(f, "{point} `{name}`: ")?;
        }
        if let Some(stage) = place.stage {
            write!(f, "{stage}: ")?;
        }
        write!(f, "{kind}")?;
        let mut sep = " (";
        let mut part = |f: &mut fmt::Formatter<'_>, name: &str, value: &dyn fmt::Display| {
            let r = write!(f, "{sep}{name} {value}");
            sep = ", ";
            r
        };
        if let Some(v) = &place.json_path {
            part(f, "at", v)?;
        }
        if let Some(v) = &place.chunk {
            part(f, "chunk", &format_args!("{v:?}"))?;
        }
        if let Some(v) = &place.key {
            part(f, "key", v)?;
        }
        if let Some(v) = &place.node {
            part(f, "node", v)?;
        }
        if sep == ", " {
            f.write_str(")")?;
        }
        if let Some(v) = &place.hint {
            write!(f, "; hint: {v}")?;
        }
        Ok(())
    }
}
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}
/// Each message already contains the messages of the errors inside, so [`source`](std::error::Error::source) continues
/// below them. [`kind`](Error::kind) returns the typed error inside.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::StaleCopies { reason, .. } => reason.source(),
            kind => kind.source(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_pointer() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn errors_state_the_place_and_a_hint() {
        let e = Error::configuration("missing member `level`")
            .within("configuration")
            .within("[1]")
            .within("codecs")
            .at_extension(ExtensionPoint::Codec, "gzip")
            .at_node("/a")
            .with_hint("set `level`");
        assert_eq!(e.json_path(), Some("codecs[1].configuration"));
        let text = e.to_string();
        assert_eq!(
            text,
            "codec `gzip`: invalid configuration: missing member `level` (at codecs[1].configuration, node /a); hint: set `level`"
        );
    }

    /// Walks the chain as programs do that print every source of an error.
    #[test]
    fn no_text_is_printed_twice() {
        let io = || std::io::Error::new(std::io::ErrorKind::NotFound, "the file is gone");
        let deep = || std::io::Error::other(Error::new(ErrorKind::Io(std::io::Error::other(Error::from(io())))));
        let stale = |reason: Error| ErrorKind::StaleCopies { group: "/g".into(), reason };
        let (n, what, text) = (1, "what", || "text".to_owned());
        let kinds = [
            ErrorKind::Json { line: 1, column: 1, reason: "reason" },
            ErrorKind::Metadata(text()),
            ErrorKind::Name(text()),
            ErrorKind::UnknownExtension { point: ExtensionPoint::Codec, name: text() },
            ErrorKind::Configuration(text()),
            ErrorKind::InvalidCodecChain(text()),
            ErrorKind::FillValue(text()),
            ErrorKind::Registration(text()),
            ErrorKind::Data(text()),
            ErrorKind::Limit { what, asked: n, limit: n },
            ErrorKind::Budget { asked: n, taken: n, limit: n },
            ErrorKind::Memory(n),
            ErrorKind::Argument(text()),
            ErrorKind::Io(io()),
            ErrorKind::Io(deep()),
            ErrorKind::KeyNotFound,
            ErrorKind::NodeNotFound,
            ErrorKind::NodeAlreadyExists,
            stale(io().into()),
            stale(deep().into()),
            stale(stale(ErrorKind::Plugin(Box::new(deep())).into()).into()),
            ErrorKind::Skipped(text()),
            ErrorKind::Loop(text()),
            ErrorKind::Unsupported(what),
            ErrorKind::Conversion(text()),
            ErrorKind::Suspended,
            ErrorKind::Plugin(Box::new(io())),
            ErrorKind::Plugin(Box::new(Error::from(deep()))),
            ErrorKind::Contract(what),
        ];
        for kind in kinds {
            let error = Error::new(kind);
            let chain = std::iter::successors(Some(&error as &dyn std::error::Error), |e| e.source());
            let texts: Vec<String> = chain.map(ToString::to_string).collect();
            let twice = texts.iter().skip(1).any(|inner| texts[0].contains(inner.as_str()));
            assert!(!twice, "{texts:?}");
        }
        assert_eq!(Error::from(io()).to_string(), "the file is gone");
    }

    #[test]
    fn the_innermost_layer_names_the_place() {
        let e = Error::data("short").at_key("a/c/0").at_key("outer");
        assert_eq!(e.key(), Some("a/c/0"));
        assert_eq!(Error::data("short").at_key("").at_key("outer").key(), Some("outer"));
        assert!(!Error::data("short").at_key("").to_string().contains("key"));
    }
}
