//! The threads that read and write chunks.

use std::sync::Arc;
use zarr_core::{
    Result,
    call::{Executor, Sequential},
};

/// Returns an executor on all threads of the machine, in the pool of the process.
#[cfg(feature = "parallel")]
pub(crate) fn global() -> Arc<dyn Executor> {
    // The number of threads never changes, and asking the pool each time costs as much as a small chunk.
    struct Global {
        threads: usize,
    }
    impl Executor for Global {
        fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
            rayon::join(a, b);
        }
        fn threads(&self) -> usize {
            self.threads
        }
    }
    Arc::new(Global { threads: rayon::current_num_threads() })
}

/// Returns an executor on this many threads, in a pool of its own.
#[cfg(feature = "parallel")]
pub(crate) fn executor(threads: usize) -> Result<Arc<dyn Executor>> {
    struct Own(rayon::ThreadPool);
    impl Executor for Own {
        fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
            self.0.join(a, b);
        }
        fn threads(&self) -> usize {
            self.0.current_num_threads()
        }
    }
    if threads <= 1 {
        return Ok(Arc::new(Sequential));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("ozarr-{i}")).build();
    Ok(Arc::new(Own(pool.map_err(std::io::Error::other)?)))
}

/// Returns an executor on one thread: the program was built without the `parallel` feature.
#[cfg(not(feature = "parallel"))]
pub(crate) fn global() -> Arc<dyn Executor> {
    Arc::new(Sequential)
}

/// As [`global`], whatever the number.
#[cfg(not(feature = "parallel"))]
pub(crate) fn executor(_: usize) -> Result<Arc<dyn Executor>> {
    Ok(global())
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, sync::Mutex, thread};

    #[test]
    fn work_stays_on_the_threads_of_the_pool() {
        let own = executor(2).unwrap();
        let names = Mutex::new(BTreeSet::new());
        let note = || {
            names.lock().unwrap().insert(thread::current().name().unwrap_or_default().to_owned());
        };
        for _ in 0..100 {
            own.join(&mut || note(), &mut || note());
        }
        let names = names.into_inner().unwrap();
        assert!(!names.is_empty() && names.iter().all(|n| ["ozarr-0", "ozarr-1"].contains(&n.as_str())), "{names:?}");
        assert_eq!((own.threads(), executor(1).unwrap().threads(), executor(0).unwrap().threads()), (2, 1, 1));
    }
}
