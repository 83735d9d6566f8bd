//! Calls that differ between platforms: one small module each, with a portable fallback beside the fast form.

pub(crate) mod directory;
pub(crate) mod huge_pages;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod permissions;
pub(crate) mod process;
pub(crate) mod read_at;
pub(crate) mod version;

use std::sync::Arc;
use zarr_core::call::Executor;

/// All threads of the machine, on one pool.
#[cfg(feature = "parallel")]
pub(crate) fn executor() -> Arc<dyn Executor> {
    // As many as the pool has for as long as the process lives: asking it each time costs as much as a small chunk.
    struct Pool {
        threads: usize,
    }
    impl Executor for Pool {
        fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
            rayon::join(a, b);
        }
        fn threads(&self) -> usize {
            self.threads
        }
    }
    Arc::new(Pool { threads: rayon::current_num_threads() })
}

/// One thread.
#[cfg(not(feature = "parallel"))]
pub(crate) fn executor() -> Arc<dyn Executor> {
    Arc::new(zarr_core::call::Sequential)
}
