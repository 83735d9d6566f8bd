//! A task that a thread runs while it waits for the other half of a chunk is not a part of that chunk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Result,
    zarr_core::{
        call::{Buffers, CallContext, Executor, Options, Sequential},
        limits::Limits,
    },
};
use std::{
    sync::{
        Barrier, Mutex,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

/// The threads of the pool in which a task runs.
struct Rayon;
impl Executor for Rayon {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }
    fn threads(&self) -> usize {
        2
    }
}

/// Calls share 1000 bytes, and one call at a time has the other 3000.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.memory = 4000;
    limits
}

/// Tasks of the application, one of which takes more memory than calls share.
#[test]
fn a_task_run_by_a_waiting_thread_is_a_separate_call() {
    let (limits, buffers) = (limits(), Buffers::default());
    let call = CallContext { limits: &limits, options: &Options::DEFAULT, executor: &Rayon, buffers: &buffers };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (started, ended, found) = (Barrier::new(3), Barrier::new(2), Mutex::new(None));
    pool.in_place_scope(|tasks| {
        tasks.spawn(|_| {
            // The second half runs on the other thread, and this thread has nothing to do but take other tasks.
            let both = || {
                call.join(&mut || _ = started.wait(), &mut || {
                    started.wait();
                    ended.wait();
                });
                Ok(())
            };
            call.within_memory(|_| both()).unwrap();
        });
        started.wait();
        tasks.spawn(|_| {
            let threads = call.within_chunk().executor.threads();
            let taken = call.within_memory(|call| call.scratch(2000).map(|scratch| scratch.len()));
            *found.lock().unwrap() = Some((threads, taken));
            ended.wait();
        });
    });
    let (threads, taken) = found.into_inner().unwrap().unwrap();
    assert_eq!((threads, taken.unwrap()), (2, 2000));
}

/// Runs something else before the second half, like a thread that waits.
struct Waiting<'t>(&'t (dyn Fn() + Sync));
impl Executor for Waiting<'_> {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        a();
        (self.0)();
        b();
    }
}

/// Otherwise the thread would wait for itself.
#[test]
fn a_thread_never_waits_for_its_own_chunk() {
    let (say, hear) = mpsc::channel();
    let nested = || -> Result<usize> {
        let (limits, buffers, found) = (limits(), Buffers::default(), Mutex::new(None));
        let call =
            CallContext { limits: &limits, options: &Options::DEFAULT, executor: &Sequential, buffers: &buffers };
        let other = || {
            let taken = call.within_memory(|call| call.scratch(3000).map(|scratch| scratch.len()));
            *found.lock().unwrap() = Some(taken);
        };
        let waiting = CallContext { executor: &Waiting(&other), ..call };
        call.within_memory(|rest| {
            let _most = rest.scratch(3000)?;
            waiting.join(&mut || {}, &mut || {});
            Ok(())
        })?;
        found.into_inner().unwrap().unwrap()
    };
    let thread = std::thread::spawn(move || say.send(nested().map_err(|e| e.to_string())).unwrap());
    match hear.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Timeout) => panic!("it waits for ever"),
        other => assert_eq!(other.unwrap(), Ok(3000)),
    }
    thread.join().unwrap();
}
