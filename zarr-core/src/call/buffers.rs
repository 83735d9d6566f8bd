//! Memory that calls share: spare buffers, and one budget for all threads.

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

/// The memory of all calls of a context: spare buffers, and how many bytes calls have taken of
/// [`Limits::memory`].
///
/// Calls that run at the same time share a quarter. A chunk that does not get what it needs of that is tried again with
/// the rest, which belongs to one chunk at a time: whether it can be read depends on the chunk and the limit, and not on
/// what other threads do.
///
/// Calls nest: a store may read one array to read another. Nobody waits for ever for the rest:
///
/// 1. Only the outermost chunk of a thread waits for it. A chunk within another that needs more gives the error to the one
///    around it, which tries again with the rest. So a thread that waits has no lock that a store takes for a chunk.
/// 2. The chunk that has the rest runs on its thread alone. Its own call is sequential, as is each call that a store
///    [makes](CallContext::within_chunk) within a chunk. So it waits for no other thread but where its store does.
/// 3. A chunk within that one does not wait for the rest, but may use as much again.
/// 4. A thread that waits for the other half of a chunk may be given anything to do meanwhile, also another chunk, which may
///    wait for the rest. That is safe because the thread has no lock then that chunks need (1), and because nothing that a
///    thread does on top of a chunk that has the rest waits for it: it may use as much again, as in 3.
///
/// So the chunk that has the rest waits at most for a store, which waits for nobody who waits for the rest, and comes to its
/// end. All this is known of a thread, and passed on where work is [shared](CallContext::join), but not to what an executor gives
/// the thread to do besides. What a store does on threads that it
/// starts, or when it is not asked for a chunk, is not seen as part of one: there the rules of
/// [`ReadableStore::open`](crate::store::ReadableStore::open) are needed.
#[derive(Debug, Default)]
pub struct Buffers {
    pub(super) spare: Pool<Vec<u8>>,
    /// Bytes in use or spare.
    taken: AtomicU64,
    /// Locked by the thread whose chunk has the rest.
    rest: Mutex<()>,
    /// True for the memory of that chunk.
    is_rest: bool,
}

/// What the chunk may take that a thread works for at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// It works for none.
    Outside,
    Shared,
    Rest,
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work::Outside) };
    /// True if this work of the thread, or any that waits below it, has the rest.
    static IS_ABOVE_REST: Cell<bool> = const { Cell::new(false) };
}

impl Work {
    /// That of this thread.
    #[inline]
    pub(super) fn here() -> Self {
        WORK.get()
    }
    /// Runs `f` as part of this.
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
    /// Takes `bytes` of the budget, those of spare buffers if there are not enough left.
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
    /// Runs `f` with the rest of the memory, once no other thread has it.
    fn with_rest<R>(&self, f: impl FnOnce(&Buffers) -> Result<R>) -> Result<R> {
        let _locked = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        Work::Rest.run(|| f(&Self::rest()))
    }
    fn rest() -> Self {
        Self { is_rest: true, ..Self::default() }
    }
}

/// A part of the memory budget, given back when dropped.
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
    /// Counts `bytes` of memory from elsewhere towards [`Limits::memory`] until the result is dropped.
    ///
    /// # Errors
    /// More than what is left.
    pub fn charge(&self, bytes: u64) -> Result<Charge<'a>> {
        self.buffers.take(bytes, self.buffers.limit(self.limits))?;
        Ok(Charge { buffers: self.buffers, bytes })
    }
    /// Runs `f`. If other threads leave it too little memory, runs it again on this thread alone, with the
    /// part of [`Limits::memory`] that they do not share.
    ///
    /// Within a chunk that shares its memory, that one is run again instead, and gets this error.
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
        done.map_err(|e| if e.is_budget() { e.with_hint("a larger `Limits::memory` allows more") } else { e })
    }
    /// This call as a store may make it: on this thread alone if it does so to read or write a chunk.
    pub fn within_chunk(self) -> Self {
        if Work::here() == Work::Outside { self } else { self.sequential() }
    }
}

/// What a growing buffer charges its capacity to.
#[derive(Clone, Copy)]
pub(super) struct Budget<'a> {
    pub(super) buffers: &'a Buffers,
    pub(super) limit: u64,
}

impl Budget<'_> {
    /// Makes it a buffer of `len` zeros.
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
    /// Makes room for `len` bytes in all; twice as much as there was if that can be had, so that bytes are moved a few
    /// times only. While they are moved there may be both buffers, so both are counted. Near the limit it grows by what it
    /// needs, and only that is counted: a chunk that fits does not fail for a moment of moving.
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
    /// Counts what a buffer has instead of what was counted for it. The allocator may give more, or nothing.
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
    fn memory_in_use_and_spare_is_counted() {
        let (limits, buffers) = (limits(4000), Buffers::default());
        with(&limits, &buffers, |call| {
            let first = call.scratch(600).unwrap();
            assert!(call.scratch(401).is_err_and(|e| e.is_budget()), "600 of 1000 are in use");
            assert!(call.charge(401).is_err_and(|e| e.is_budget()));
            drop(call.charge(400).unwrap());
            let second = call.scratch(400).unwrap();
            drop((first, second));
            assert_eq!(buffers.taken.load(Relaxed), 1000, "kept to be used again");
            // What is spare makes room for what is needed.
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
    fn one_chunk_at_a_time_has_the_rest() {
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
            // Within itself, as a store may that reads another array.
            let nested = call.within_memory(|outer| {
                let _own = outer.scratch(2000)?;
                call.within_memory(|inner| inner.scratch(2000).map(|s| s.len()))
            });
            assert_eq!(nested.unwrap(), 2000);
            assert!(Work::here() == Work::Outside && tries == 2);
        });
    }

    /// A buffer that grows counts twice while its bytes are moved, and near the limit takes what it needs.
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

    /// What several threads do for one chunk is part of it on each of them: the chunk gets the rest, and none of them waits
    /// for it or uses others.
    #[test]
    fn work_for_a_chunk_is_known_on_all_its_threads() {
        /// Another thread for each half.
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
                // As a store that reads another array.
                assert_eq!(threads(), 1);
                let inner = call.within_memory(|inner| inner.scratch(2000).map(|_| ()));
                alone.fetch_add(u64::from(inner.is_ok()), Relaxed);
                inner
            })
        });
        done.unwrap();
        assert_eq!((tries.into_inner(), alone.into_inner(), threads()), (2, 4, 2));
    }

    /// However many ask at once, each gets what one may have.
    #[test]
    fn no_thread_fails_because_of_others() {
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
