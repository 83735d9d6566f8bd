//! Progress and cancellation of long work.

use ozarr::{Error, Result};
use std::{fmt, io};

/// Receives the progress of long work, and can cancel it. Several threads call it at the same time.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{CopyOptions, Progress, Stage, copy};
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// #[derive(Default)]
/// struct Count {
///     total: AtomicU64,
///     done: AtomicU64,
/// }
/// impl Progress for Count {
///     fn begin(&self, _stage: Stage, total: u64) {
///         self.total.store(total, Relaxed);
///     }
///     fn add(&self, n: u64) {
///         self.done.fetch_add(n, Relaxed);
///     }
/// }
/// let (zarr, count) = (Hierarchy::in_memory(), Count::default());
/// zarr.create_array("/a", NewArray::of::<u8>([100]).chunks([10]))?.write(.., &[1u8; 100])?;
/// copy(&zarr, "/a", &zarr, "/b", &CopyOptions::default().with_progress(&count))?;
/// assert_eq!((count.total.into_inner(), count.done.into_inner()), (100, 100));
/// # Ok::<(), ozarr::Error>(())
/// ```
pub trait Progress: Sync {
    /// Begins a stage with `total` parts; the previous stage has ended.
    fn begin(&self, _stage: Stage, _total: u64) {}
    /// Adds `n` completed parts.
    fn add(&self, n: u64);
    /// Returns true to cancel the work.
    ///
    /// [`copy`](crate::copy()), [`validate`](crate::validate()), [`export`](crate::export()) and
    /// [`import`](crate::import()) check this between nodes and between chunks, and then fail with an
    /// [`Io`](ozarr::ErrorKind::Io) error of the kind [`Interrupted`](io::ErrorKind::Interrupted).
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The stages of long work. Their text is one or two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Elements are copied.
    Copying,
    /// Chunks are decoded to check them.
    Chunks,
    /// Shards are searched for damaged indexes.
    Shards,
    /// Elements are written to a file.
    Exporting,
    /// Elements are written into an array.
    Importing,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Copying => "copying",
            Stage::Chunks => "chunks",
            Stage::Shards => "shards",
            Stage::Exporting => "exporting",
            Stage::Importing => "importing",
        })
    }
}

/// The caller's progress callback, if there is one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Listener<'a>(pub(crate) Option<&'a dyn Progress>);

impl Listener<'_> {
    pub(crate) fn begin(&self, stage: Stage, total: u64) {
        if let Some(progress) = self.0 {
            progress.begin(stage, total);
        }
    }
    pub(crate) fn add(&self, n: u64) {
        if let Some(progress) = self.0 {
            progress.add(n);
        }
    }
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_some_and(Progress::is_cancelled)
    }
    /// Fails if the work was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        let cancelled = || Error::from(io::Error::new(io::ErrorKind::Interrupted, "cancelled by the caller"));
        if self.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(..)" } else { "None" })
    }
}
