//! How work is shared by threads.

/// The one primitive of parallelism: run both, in any order, perhaps at the same time.
pub trait Executor: Send + Sync {
    /// Returns when both have run.
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send));

    /// How many threads may work at the same time.
    fn threads(&self) -> usize {
        1
    }
}

/// Runs one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        a();
        b();
    }
}
