//! What is looked at, and whether it is done.

use crate::progress::{Listener, Progress};

/// What a [repair](crate::repair()) looks at, and whether it is done. By default nothing is changed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RepairOptions<'a> {
    /// Look at every shard too: an index is written again where its inner chunks are intact and there is no doubt where they
    /// are.
    pub data: bool,
    /// Do it. By default it is only found out what can be done.
    pub apply: bool,
    pub(super) progress: Listener<'a>,
}

impl<'a> RepairOptions<'a> {
    /// The same with another [`data`](Self::data).
    #[must_use]
    pub fn with_data(mut self, data: bool) -> Self {
        self.data = data;
        self
    }
    /// The same with another [`apply`](Self::apply).
    #[must_use]
    pub fn with_apply(mut self, apply: bool) -> Self {
        self.apply = apply;
        self
    }
    /// Tells how far the look at shards is, for one array after another.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
}
