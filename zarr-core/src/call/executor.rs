//! The sharing of work between threads.

/// Runs two closures in any order, possibly in parallel: the one primitive of parallelism.
pub trait Executor: Send + Sync {
    /// Runs both closures, and returns when both have finished.
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send));

    /// Returns how many threads may work at the same time.
    fn threads(&self) -> usize {
        1
    }
}

/// An executor that runs one closure after the other on the calling thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        a();
        b();
    }
}
