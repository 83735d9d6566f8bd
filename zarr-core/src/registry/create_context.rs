//! The context in which an extension is created.

use super::Registry;
use crate::{
    call::Options,
    error::{ErrorKind, Result},
    extension::ExtensionPoint,
    limits::Limits,
    representation::{Representation, Size},
};
use std::sync::{Mutex, PoisonError};

/// Whether metadata is being read or created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// The metadata was stored: all members that the specification requires must be present.
    Open,
    /// The metadata is new: omitted members are chosen and written to the document.
    Create,
}

impl Intent {
    /// True for [`Intent::Create`].
    pub fn is_create(self) -> bool {
        self == Intent::Create
    }
}

/// Events during the opening of an array that its user should know about.
#[derive(Debug, Default)]
pub struct Notes {
    skipped: Mutex<Vec<(ExtensionPoint, String)>>,
}

impl Notes {
    /// Records that an extension was skipped.
    pub fn skip(&self, point: ExtensionPoint, name: &str) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        let note = (point, name.to_owned());
        if !skipped.contains(&note) {
            skipped.push(note);
        }
    }
    /// Returns the extensions that were skipped.
    pub fn skipped(&self) -> Vec<(ExtensionPoint, String)> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The context in which an extension is created: its input, the other extensions, and the limits.
#[derive(Clone, Copy)]
pub struct CreateContext<'a> {
    /// The name in the metadata: it may be an alias, or a member of a family such as `r16`.
    pub name: &'a str,
    /// For a codec, the array that it encodes; for a chunk grid, chunk key encoding or storage transformer, the whole
    /// array; for a data type, `None`.
    pub representation: Option<&'a Representation>,
    /// For a bytes -> bytes codec, the known size of its decoded bytes.
    pub size: Size,
    /// The registry, for extensions that contain others.
    pub registry: &'a Registry,
    /// The limits on untrusted metadata.
    pub limits: &'a Limits,
    /// The run-time options.
    pub options: &'a Options,
    /// The nesting depth of the chain.
    pub depth: u32,
    /// Whether metadata is being read or created.
    pub intent: Intent,
    /// Records the extensions that are skipped.
    pub notes: &'a Notes,
}

impl<'a> CreateContext<'a> {
    /// Creates a context without a representation, with the default options.
    pub fn new(registry: &'a Registry, limits: &'a Limits, notes: &'a Notes, intent: Intent) -> Self {
        let options = const { &Options::DEFAULT };
        Self { name: "", representation: None, size: Size::Unknown, registry, limits, options, depth: 0, intent, notes }
    }
    /// Returns the same context with other run-time options.
    pub fn with_options(&self, options: &'a Options) -> Self {
        Self { options, ..*self }
    }
    /// Returns the same context with another representation.
    pub fn with(&self, representation: &'a Representation) -> Self {
        Self { representation: Some(representation), ..*self }
    }
    /// Returns the same context one level of nesting deeper, with another representation and an unknown size.
    pub fn nested(&self, representation: &'a Representation) -> Self {
        Self { representation: Some(representation), size: Size::Unknown, depth: self.depth + 1, ..*self }
    }
    /// Returns the representation for which the extension is created.
    ///
    /// # Errors
    /// If the extension is a data type: it is created before there is a representation.
    pub fn representation(&self) -> Result<&'a Representation> {
        self.representation.ok_or_else(|| ErrorKind::Contract("a data type is created without a representation").into())
    }
}
