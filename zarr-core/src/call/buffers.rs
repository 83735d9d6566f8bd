//! The memory that calls share: spare buffers, and one budget for all threads.

use super::{CallContext, executor::Sequential, pool::Pool};
use crate::{
    error::{ErrorKind, Result},
    limits::{Limits, zeroed},
};
use std::{
    cell::Cell,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// The memory of all calls of a context: spare buffers, and the number of bytes that calls use of [`Limits::memory`].
///
/// Calls that run at the same time share a quarter of the limit. A chunk that does not get enough of this quarter is
/// tried again with the other three quarters, *the rest*, which one chunk at a time may use. So whether a chunk can be
/// read depends on the chunk and the limit, not on other threads.
///
/// Calls nest: a store may read one array in order to read another. No thread waits forever for the rest:
///
/// 1. Only the outermost chunk of a thread waits for the rest. If a nested chunk needs more memory, its error goes to
///    the outer chunk, which is tried again with the rest. So a waiting thread holds no lock that a store acquires for
///    a chunk.
/// 2. The chunk that uses the rest runs on one thread. Its own call is sequential, and so is each call that a store
///    [makes within a chunk](CallContext::within_chunk). So it waits for another thread only where its store does.
/// 3. A chunk nested in that one does not wait for the rest; it may use the same amount again.
/// 4. While a thread waits for the other half of a chunk, the executor may give it any other work, even another chunk,
///    which may wait for the rest. That is safe because the thread then holds no lock that chunks need (1), and because
///    no work that a thread runs on top of a chunk that uses the rest waits for it: it may use the same amount again,
///    as in 3.
///
/// So the chunk that uses the rest waits at most for its store, the store does not wait for threads that wait for the
/// rest, and the chunk finishes.
///
/// This state belongs to a thread. It is passed on to the threads that [share](CallContext::join) the work, but not to
/// other work that an executor gives to them. Work that a store does on threads of its own, or when it is not called
/// for a chunk, does not count as part of a chunk; there the rules of
/// [`ReadableStore::open`](crate::store::ReadableStore::open) are needed.
#[derive(Debug, Default)]
pub struct Buffers {
    pub(super) spare: Pool<Vec<u8>>,
    /// Bytes in use or spare.
    taken: AtomicU64,
    /// Locked by the thread whose chunk uses the rest.
    rest: Mutex<()>,
    /// True for the memory of that chunk.
    is_rest: bool,
}

/// The kind of memory that the thread's current chunk may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The thread does not work for a chunk.
    Outside,
    Shared,
    Rest,
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work::Outside) };
    /// True if the thread's current work, or any work that waits below it on the stack, uses the rest.
    static IS_ABOVE_REST: Cell<bool> = const { Cell::new(false) };
}

impl Work {
    /// Returns the work of this thread.
    #[inline]
    pub(super) fn here() -> Self {
        WORK.get()
    }
    /// Runs `f` as part of this work.
    #[inline]
    pub(super) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        struct Reset(Work, bool);
        impl Drop for Reset {
            fn drop(&mut self) {
                WORK.set(self.0);
                IS_ABOVE_REST.set(self.1);
            }
        }
        let is_above = IS_ABOVE_REST.get();
        let _reset = Reset(WORK.replace(self), IS_ABOVE_REST.replace(is_above || self == Work::Rest));
        f()
    }
}

impl Buffers {
    pub(super) fn limit(&self, limits: &Limits) -> u64 {
        let shared = limits.memory / 4;
        if self.is_rest { limits.memory - shared } else { shared }
    }
    /// Takes `bytes` from the budget, and frees spare buffers if not enough is left.
    fn take(&self, bytes: u64, limit: u64) -> Result<()> {
        let fits = || {
            let taken = self.taken.fetch_add(bytes, Relaxed).saturating_add(bytes);
            if taken > limit {
                self.taken.fetch_sub(bytes, Relaxed);
            }
            taken <= limit
        };
        if bytes == 0 || fits() {
            return Ok(());
        }
        for buffer in self.spare.drain() {
            self.taken.fetch_sub(buffer.capacity() as u64, Relaxed);
        }
        match fits() {
            true => Ok(()),
            false => Err(ErrorKind::Budget { asked: bytes, taken: self.taken.load(Relaxed), limit }.into()),
        }
    }
    pub(super) fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Relaxed);
    }
    /// Runs `f` with the rest of the memory, as soon as no other thread uses it.
    fn with_rest<R>(&self, f: impl FnOnce(&Buffers) -> Result<R>) -> Result<R> {
        let _locked = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        Work::Rest.run(|| f(&Self::rest()))
    }
    fn rest() -> Self {
        Self { is_rest: true, ..Self::default() }
    }
}

/// A part of the memory budget, returned on drop.
#[derive(Debug)]
pub struct Charge<'a> {
    buffers: &'a Buffers,
    bytes: u64,
}
impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.buffers.give_back(self.bytes);
    }
}

impl<'a> CallContext<'a> {
    /// Charges `bytes` of memory allocated elsewhere to [`Limits::memory`] until the result is dropped.
    ///
    /// # Errors
    /// If that is more than is left.
    pub fn charge(&self, bytes: u64) -> Result<Charge<'a>> {
        self.buffers.take(bytes, self.buffers.limit(self.limits))?;
        Ok(Charge { buffers: self.buffers, bytes })
    }
    /// Runs `f`, and runs it again with more memory if other threads leave it too little.
    ///
    /// The second run is on this thread alone, with the part of [`Limits::memory`] that other threads do not share.
    /// Within a chunk that uses shared memory, the error is returned instead, and the outer chunk is run again.
    pub fn within_memory<R>(&self, mut f: impl FnMut(&CallContext<'_>) -> Result<R>) -> Result<R> {
        let around = Work::here();
        let first = match around {
            Work::Outside => Work::Shared.run(|| f(self)),
            Work::Shared | Work::Rest => f(self),
        };
        let e = match first {
            Err(e) if e.is_budget() && !self.buffers.is_rest => e,
            other => return other,
        };
        let mut again = |buffers: &Buffers| f(&CallContext { executor: &Sequential, buffers, ..*self });
        let done = match around {
            Work::Outside if !IS_ABOVE_REST.get() => self.buffers.with_rest(again),
            Work::Outside => Work::Rest.run(|| again(&Buffers::rest())),
            Work::Shared => return Err(e),
            Work::Rest => again(&Buffers::rest()),
        };
        done.map_err(|e| if e.is_budget() { e.with_hint("raise `Limits::memory`") } else { e })
    }
    /// Returns this context for calls that a store makes: limited to this thread if they are part of reading or writing
    /// a chunk.
    pub fn within_chunk(self) -> Self {
        if Work::here() == Work::Outside { self } else { self.sequential() }
    }
}

/// The budget to which a growing buffer charges its capacity.
#[derive(Clone, Copy)]
pub(super) struct Budget<'a> {
    pub(super) buffers: &'a Buffers,
    pub(super) limit: u64,
}

impl Budget<'_> {
    /// Replaces a buffer by one of `len` zeros.
    pub(super) fn replace(self, buffer: &mut Vec<u8>, len: usize) -> Result<()> {
        self.buffers.give_back(std::mem::take(buffer).capacity() as u64);
        self.buffers.take(len as u64, self.limit)?;
        match zeroed(len) {
            Ok(new) => {
                *buffer = new;
                Ok(())
            }
            Err(e) => {
                self.buffers.give_back(len as u64);
                Err(e)
            }
        }
    }
    /// Reserves space for `len` bytes in total, or for twice the present capacity if the budget allows it, so that
    /// bytes are moved only a few times. During a move both buffers may exist, so both are charged. Near the limit the
    /// buffer grows only to `len`, and only that is charged: a chunk that fits does not fail because of a temporary
    /// copy.
    pub(super) fn reserve(self, buffer: &mut Vec<u8>, len: usize) -> Result<()> {
        let before = buffer.capacity();
        if len <= before {
            return Ok(());
        }
        let twice = len.max(before.saturating_mul(2));
        if self.buffers.take(twice as u64, self.limit).is_ok() {
            let reserved = buffer.try_reserve_exact(twice - buffer.len());
            self.settle(before.saturating_add(twice), buffer);
            if reserved.is_ok() {
                return Ok(());
            }
        }
        self.buffers.take((len - before) as u64, self.limit)?;
        let reserved = buffer.try_reserve_exact(len - buffer.len());
        self.settle(len, buffer);
        reserved.map_err(|_| ErrorKind::Memory(len as u64).into())
    }
    /// Replaces the charge for a buffer by its actual capacity. The allocator may have reserved more, or nothing.
    fn settle(self, counted: usize, buffer: &Vec<u8>) {
        let (counted, has) = (counted as u64, buffer.capacity() as u64);
        match has.checked_sub(counted) {
            Some(more) => self.buffers.taken.fetch_add(more, Relaxed),
            None => self.buffers.taken.fetch_sub(counted - has, Relaxed),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Options;

    fn limits(memory: u64) -> Limits {
        Limits { memory, ..Limits::default() }
    }
    fn with<R>(limits: &Limits, buffers: &Buffers, f: impl FnOnce(&CallContext<'_>) -> R) -> R {
        f(&CallContext { limits, options: &Options::DEFAULT, executor: &Sequential, buffers })
    }

    #[test]
    fn used_and_spare_memory_is_counted() {
        let (limits, buffers) = (limits(4000), Buffers::default());
        with(&limits, &buffers, |call| {
            let first = call.scratch(600).unwrap();
            assert!(call.scratch(401).is_err_and(|e| e.is_budget()), "600 of 1000 are in use");
            assert!(call.charge(401).is_err_and(|e| e.is_budget()));
            drop(call.charge(400).unwrap());
            let second = call.scratch(400).unwrap();
            drop((first, second));
            assert_eq!(buffers.taken.load(Relaxed), 1000, "kept to be used again");
            // Spare buffers are freed when memory is needed.
            let mut large = call.scratch(0).unwrap();
            let mut out = large.grow(u64::MAX);
            out.extend(&[7; 900]).unwrap();
            assert!(out.extend(&[7; 101]).is_err_and(|e| e.is_budget()));
            out.extend(&[7; 100]).unwrap();
            assert_eq!(out.len(), 1000);
        });
        buffers.spare.drain().for_each(|b| buffers.give_back(b.capacity() as u64));
        assert_eq!(buffers.taken.load(Relaxed), 0);
    }

    #[test]
    fn one_chunk_at_a_time_uses_the_remaining_memory() {
        let (limits, buffers) = (limits(4000), Buffers::default());
        with(&limits, &buffers, |call| {
            let _others = call.scratch(1000).unwrap();
            let mut tries = 0;
            let mut ask = |len| {
                tries += 1;
                call.within_memory(|call| call.scratch(len).map(|s| s.len()))
            };
            assert_eq!(ask(3000).unwrap(), 3000);
            let e = ask(3001).unwrap_err();
            let ErrorKind::Budget { asked: 3001, taken: 0, limit: 3000 } = e.kind() else { panic!("{e}") };
            assert!(e.hint().is_some());
            // Nested, as in a store that reads another array.
            let nested = call.within_memory(|outer| {
                let _own = outer.scratch(2000)?;
                call.within_memory(|inner| inner.scratch(2000).map(|s| s.len()))
            });
            assert_eq!(nested.unwrap(), 2000);
            assert!(Work::here() == Work::Outside && tries == 2);
        });
    }

    /// A growing buffer is charged twice while its bytes are moved; near the limit it is charged only for its new size.
    #[test]
    fn growth_is_counted() {
        let (limits, buffers) = (limits(4000), Buffers::default());
        for (before, after, capacity) in [(300, 310, 600), (400, 410, 410), (600, 1000, 1000)] {
            with(&limits, &buffers, |call| {
                let mut scratch = call.scratch(0).unwrap();
                scratch.grow(u64::MAX).space(before).unwrap();
                assert_eq!(scratch.buffer.capacity(), before);
                let mut out = scratch.grow(u64::MAX);
                out.space(before).unwrap();
                out.space(after - before).unwrap();
                assert_eq!(scratch.buffer.capacity(), capacity);
            });
            assert_eq!(buffers.taken.load(Relaxed), capacity as u64);
            buffers.spare.drain().for_each(|b| buffers.give_back(b.capacity() as u64));
        }
    }

    /// Work of several threads for one chunk is part of it on each of them: the chunk gets the rest, and none of the
    /// threads waits for it or uses other threads.
    #[test]
    fn all_threads_of_a_chunk_share_its_memory() {
        /// Runs each half on a thread of its own.
        struct Threads;
        impl crate::call::Executor for Threads {
            fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
                std::thread::scope(|s| [s.spawn(a), s.spawn(b)].map(|half| half.join().unwrap()));
            }
            fn threads(&self) -> usize {
                2
            }
        }
        let (limits, buffers) = (limits(4000), Buffers::default());
        let call = CallContext { limits: &limits, options: &Options::DEFAULT, executor: &Threads, buffers: &buffers };
        let (tries, alone) = (AtomicU64::new(0), AtomicU64::new(0));
        let threads = || call.within_chunk().executor.threads();
        let done = call.within_memory(|outer| {
            tries.fetch_add(1, Relaxed);
            outer.each(0..4, 1, &|_| {
                // As in a store that reads another array.
                assert_eq!(threads(), 1);
                let inner = call.within_memory(|inner| inner.scratch(2000).map(|_| ()));
                alone.fetch_add(u64::from(inner.is_ok()), Relaxed);
                inner
            })
        });
        done.unwrap();
        assert_eq!((tries.into_inner(), alone.into_inner(), threads()), (2, 4, 2));
    }

    /// Regardless of the number of threads, each gets as much as one chunk may use.
    #[test]
    fn threads_do_not_fail_because_of_others() {
        let (limits, buffers) = (limits(4000), Buffers::default());
        std::thread::scope(|s| {
            for _ in 0..8 {
                s.spawn(|| {
                    with(&limits, &buffers, |call| {
                        for len in (1..=3000).step_by(7) {
                            let filled = call.within_memory(|call| {
                                let mut scratch = call.scratch(len)?;
                                scratch.fill(1);
                                Ok(scratch.iter().map(|b| usize::from(*b)).sum::<usize>())
                            });
                            assert_eq!(filled.unwrap(), len);
                        }
                    });
                });
            }
        });
        assert!(buffers.taken.load(Relaxed) <= 1000);
    }
}
