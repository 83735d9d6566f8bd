//! What an extension is created for.

use super::Registry;
use crate::{
    call::Options,
    error::{ErrorKind, Result},
    extension::ExtensionPoint,
    limits::Limits,
    representation::{Representation, Size},
};
use std::sync::{Mutex, PoisonError};

/// Whether metadata is being read or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// It was stored: what the specification requires must be there.
    Open,
    /// A user asks for it: what is left out is chosen, and written out.
    Create,
}

impl Intent {
    /// True for [`Intent::Create`].
    pub fn is_create(self) -> bool {
        self == Intent::Create
    }
}

/// What happened while an array was opened that its user should know.
#[derive(Debug, Default)]
pub struct Notes {
    skipped: Mutex<Vec<(ExtensionPoint, String)>>,
}

impl Notes {
    /// Tells that an extension was skipped.
    pub fn skip(&self, point: ExtensionPoint, name: &str) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        let note = (point, name.to_owned());
        if !skipped.contains(&note) {
            skipped.push(note);
        }
    }
    /// The extensions that were skipped.
    pub fn skipped(&self) -> Vec<(ExtensionPoint, String)> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What an extension is created for.
#[derive(Clone, Copy)]
pub struct CreateContext<'a> {
    /// The name under which it was asked for; an alias, or one of a family like `r16`.
    pub name: &'a str,
    /// For codecs what reaches them; for grids, key encodings and storage transformers the whole array; for data
    /// types nothing.
    pub representation: Option<&'a Representation>,
    /// For bytes -> bytes codecs: what is known of the size of the bytes that reach them.
    pub size: Size,
    /// For extensions that contain others.
    pub registry: &'a Registry,
    /// What metadata from outside may ask for.
    pub limits: &'a Limits,
    /// Choices at run time.
    pub options: &'a Options,
    /// How deep the chain is nested.
    pub depth: u32,
    /// Whether metadata is being read or made.
    pub intent: Intent,
    /// Where to tell of what was skipped.
    pub notes: &'a Notes,
}

impl<'a> CreateContext<'a> {
    /// A site without a representation.
    pub fn new(registry: &'a Registry, limits: &'a Limits, notes: &'a Notes, intent: Intent) -> Self {
        let options = const { &Options::DEFAULT };
        Self { name: "", representation: None, size: Size::Unknown, registry, limits, options, depth: 0, intent, notes }
    }
    /// The same with choices at run time.
    pub fn with_options(&self, options: &'a Options) -> Self {
        Self { options, ..*self }
    }
    /// The same for a representation.
    pub fn with(&self, representation: &'a Representation) -> Self {
        Self { representation: Some(representation), ..*self }
    }
    /// The same one level of nesting deeper, for another representation.
    pub fn nested(&self, representation: &'a Representation) -> Self {
        Self { representation: Some(representation), size: Size::Unknown, depth: self.depth + 1, ..*self }
    }
    /// What the extension is created for.
    ///
    /// # Errors
    /// For data types, which come before there is a representation.
    pub fn representation(&self) -> Result<&'a Representation> {
        self.representation.ok_or_else(|| ErrorKind::Contract("a data type is created for no representation").into())
    }
}
