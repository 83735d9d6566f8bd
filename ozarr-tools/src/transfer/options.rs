//! How elements are exchanged with files.

use crate::progress::{Listener, Progress};

/// A form that elements of an array have outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON lists in lists, one for each dimension. An element has the form that it has as a fill value.
    Json,
    /// Each element as JSON, one a line in C order. An element has the form that it has as a fill value.
    JsonLines,
    /// Little-endian bytes in C order. Not for elements of variable length.
    Raw,
    /// A NumPy file, version 1. Versions 2 and 3 are read too. Not for structs and elements of variable length.
    Npy,
}

/// How [`export`](crate::export()), [`import`](crate::import()) and their forms for files go about it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TransferOptions<'a> {
    pub(super) progress: Listener<'a>,
    /// Elements that are in memory at a time, instead of what is usual.
    pub(super) part: Option<u64>,
}

impl<'a> TransferOptions<'a> {
    /// Tells how far the work is, in elements.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}
