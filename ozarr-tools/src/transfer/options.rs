//! How elements are exchanged with files.

use crate::progress::{Listener, Progress};

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
