//! Formats and options of transfers.

use crate::progress::{Listener, Progress};

/// A format for the elements of an array outside a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Nested JSON lists, one level for each dimension. Elements have the form of fill values.
    Json,
    /// One JSON text per line, in C order. Elements have the form of fill values.
    JsonLines,
    /// Little-endian bytes in C order. Elements of variable length are not supported.
    Raw,
    /// A NumPy file, version 1. Versions 2 and 3 are also read. Structs and elements of variable length are not
    /// supported.
    Npy,
}

/// Options of [`export`](crate::export()), [`import`](crate::import()) and their variants for files.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TransferOptions<'a> {
    pub(super) progress: Listener<'a>,
    /// The number of elements in memory at a time, instead of the default.
    pub(super) part: Option<u64>,
}

impl<'a> TransferOptions<'a> {
    /// Reports progress in elements.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}
