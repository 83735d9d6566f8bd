//! The environment of a codec call: limits, run-time options, parallelism and scratch memory.

mod buffers;
mod executor;
mod options;
mod output_buffer;
mod pool;
mod scratch;

use buffers::Work;
pub use buffers::{Buffers, Charge};
pub use executor::{Executor, Sequential};
pub use options::{InnerChunkOrder, Options};
pub use output_buffer::{OutputBuffer, Sink};
pub use pool::Pool;
pub use scratch::Scratch;

use crate::{
    error::{ErrorKind, Result},
    limits::Limits,
    view::{Tile, Tiles},
};
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// The environment of a call, provided by the host and shared by all threads that work on the call.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// The limits on untrusted data.
    pub limits: &'a Limits,
    /// The run-time options, which never enter metadata.
    pub options: &'a Options,
    /// Runs work on several threads.
    pub executor: &'a dyn Executor,
    /// Reusable buffers, and the memory budget of all calls.
    pub buffers: &'a Buffers,
}

impl<'a> CallContext<'a> {
    /// Returns the same context for work on this thread alone.
    pub fn sequential(&self) -> CallContext<'a> {
        CallContext { executor: &Sequential, ..*self }
    }
    /// Runs `f` for every tile, on several threads if there are more than `grain`.
    ///
    /// A suspended tile does not stop the others, so that one pass records all missing ranges; any other error does.
    ///
    /// # Errors
    /// The error of a tile; a suspension only if no tile fails otherwise.
    pub fn tiles<'v>(
        &self,
        tiles: Tiles<'v, '_>,
        grain: usize,
        f: &(dyn Fn(Tile<'v>) -> Result<()> + Sync),
    ) -> Result<()> {
        self.tiles_until(&AtomicBool::new(false), tiles, grain, f)
    }
    fn tiles_until<'v>(
        &self,
        failed: &AtomicBool,
        tiles: Tiles<'v, '_>,
        grain: usize,
        f: &(dyn Fn(Tile<'v>) -> Result<()> + Sync),
    ) -> Result<()> {
        if tiles.len() <= grain.max(1) {
            let mut outcome = Ok(());
            for tile in tiles {
                if failed.load(Relaxed) {
                    break;
                }
                outcome = worse(outcome, f(tile));
                if outcome.as_ref().is_err_and(|e| !e.is_suspended()) {
                    failed.store(true, Relaxed);
                }
            }
            return outcome;
        }
        if failed.load(Relaxed) {
            return Ok(());
        }
        let (a, b) = tiles.split();
        let (mut a, mut b) = (Some(a), Some(b));
        self.both(&mut || a.take().map_or(Ok(()), |t| self.tiles_until(failed, t, grain, f)), &mut || {
            b.take().map_or(Ok(()), |t| self.tiles_until(failed, t, grain, f))
        })
    }
    /// Runs `f` for each number of a range, on several threads if there are more than `grain`.
    ///
    /// # Errors
    /// The error of a call; a suspension only if no call fails otherwise.
    pub fn each(&self, range: Range<usize>, grain: usize, f: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        if range.len() <= grain.max(1) {
            return range.map(f).fold(Ok(()), worse);
        }
        let mid = range.start + range.len() / 2;
        self.both(&mut || self.each(range.start..mid, grain, f), &mut || self.each(mid..range.end, grain, f))
    }
    /// Runs `f` for each item of a slice and its number, counted from `first`, on several threads.
    ///
    /// # Errors
    /// The error of a call; a suspension only if no call fails otherwise.
    pub fn each_mut<T: Send>(
        &self,
        items: &mut [T],
        first: usize,
        f: &(dyn Fn(usize, &mut T) -> Result<()> + Sync),
    ) -> Result<()> {
        if let [item] = items {
            return f(first, item);
        }
        let mid = items.len() / 2;
        let (a, b) = items.split_at_mut(mid);
        if a.is_empty() {
            return Ok(());
        }
        self.both(&mut || self.each_mut(a, first, f), &mut || self.each_mut(b, first + mid, f))
    }
    /// Runs both closures, possibly in parallel, as parts of the work of this thread.
    pub fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        let work = Work::here();
        // Other work that the executor gives to this thread while it waits is not part of the call.
        Work::Outside.run(|| self.executor.join(&mut || work.run(&mut *a), &mut || work.run(&mut *b)));
    }
    fn both(
        &self,
        a: &mut (dyn FnMut() -> Result<()> + Send),
        b: &mut (dyn FnMut() -> Result<()> + Send),
    ) -> Result<()> {
        let (mut first, mut second) = (None, None);
        self.join(&mut || first = Some(a()), &mut || second = Some(b()));
        match (first, second) {
            (Some(a), Some(b)) => worse(a, b),
            _ => Err(ErrorKind::Contract("the executor did not run its tasks").into()),
        }
    }
}

/// Returns the outcome with precedence: an error over a suspension, a suspension over success.
fn worse(a: Result<()>, b: Result<()>) -> Result<()> {
    match (a, b) {
        (Err(e), Err(f)) if e.is_suspended() => Err(f),
        (Ok(()), r) | (r, _) => r,
    }
}
