//! Options of repairs.

use crate::progress::{Listener, Progress};

/// What a [repair](crate::repair()) examines, and whether it changes anything. By default it does not.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RepairOptions<'a> {
    /// Examine every shard too: an index is rebuilt where its inner chunks are intact and their places are certain.
    pub data: bool,
    /// Make the repairs. By default they are only listed.
    pub apply: bool,
    pub(super) progress: Listener<'a>,
}

impl<'a> RepairOptions<'a> {
    /// Sets [`data`](Self::data).
    #[must_use]
    pub fn with_data(mut self, data: bool) -> Self {
        self.data = data;
        self
    }
    /// Sets [`apply`](Self::apply).
    #[must_use]
    pub fn with_apply(mut self, apply: bool) -> Self {
        self.apply = apply;
        self
    }
    /// Reports the progress of examining shards, for one array after another.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}
