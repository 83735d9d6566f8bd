//! How far long work is.

use std::fmt;

/// Hears how far long work is. It is called from several threads at once.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{CopyOptions, Progress, copy};
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// #[derive(Default)]
/// struct Count {
///     total: AtomicU64,
///     done: AtomicU64,
/// }
/// impl Progress for Count {
///     fn begin(&self, _label: &'static str, total: u64) {
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
    /// Work begins that has `total` parts; what was under way before has ended. The label says in a word what it is:
    /// "copying", "chunks".
    fn begin(&self, label: &'static str, total: u64);
    /// So many more parts are done.
    fn add(&self, n: u64);
}

/// Who is told, if anybody asked.
#[derive(Clone, Copy, Default)]
pub(crate) struct Listener<'a>(pub(crate) Option<&'a dyn Progress>);

impl Listener<'_> {
    pub(crate) fn begin(&self, label: &'static str, total: u64) {
        if let Some(progress) = self.0 {
            progress.begin(label, total);
        }
    }
    pub(crate) fn add(&self, n: u64) {
        if let Some(progress) = self.0 {
            progress.add(n);
        }
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(..)" } else { "None" })
    }
}
