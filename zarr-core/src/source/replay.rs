//! Resumable blocking code: call it, fetch the missing bytes, call it again.

use super::{ByteRange, Cached, RangeCallback, Source};
use crate::error::{ErrorKind, Result};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A source of the bytes that were fetched so far.
///
/// A read of any other bytes records its ranges and returns [`ErrorKind::Suspended`]; the driver then fetches them and
/// calls again.
///
/// ```
/// # use zarr_core::{source::{ByteRange, Replay, Source}, Result};
/// # fn codec(source: &dyn Source) -> Result<()> { source.read(&[ByteRange::All], &mut |_, _| Ok(())) }
/// # let fetch = |_: &[ByteRange]| vec![vec![1, 2, 3]];
/// let mut replay = Replay::default();
/// while let Some(ranges) = replay.pass(codec)? {
///     let bytes = fetch(&ranges); // an asynchronous driver awaits here
///     replay.supply(ranges, bytes);
/// }
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Default)]
pub struct Replay {
    have: HashMap<ByteRange, Vec<u8>>,
    want: Mutex<Vec<ByteRange>>,
    cache: Mutex<HashMap<(usize, u64), Cached>>,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each critical section leaves the value consistent, so a panic of another thread does not matter.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Replay {
    /// Calls `f` once, and returns the ranges that it lacked; `None` if it is done.
    ///
    /// Fetch the ranges, [`supply`](Self::supply) them, and call `pass` again.
    ///
    /// # Errors
    /// Those of `f`. If `f` needed bytes that were missing, its result is ignored.
    pub fn pass(&mut self, f: impl FnOnce(&dyn Source) -> Result<()>) -> Result<Option<Vec<ByteRange>>> {
        let outcome = f(self);
        let mut want = std::mem::take(&mut *lock(&self.want));
        if want.is_empty() {
            return outcome.map(|()| None);
        }
        want.sort_unstable();
        want.dedup();
        Ok(Some(want))
    }
    /// Supplies the bytes of the ranges that the last pass returned, in the same order.
    pub fn supply(&mut self, ranges: Vec<ByteRange>, bytes: Vec<Vec<u8>>) {
        self.have.extend(ranges.into_iter().zip(bytes));
    }
}

impl Source for Replay {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let lacking: Vec<_> = ranges.iter().filter(|r| !self.have.contains_key(r)).copied().collect();
        if !lacking.is_empty() {
            lock(&self.want).extend(lacking);
            return Err(ErrorKind::Suspended.into());
        }
        ranges.iter().enumerate().try_for_each(|(i, r)| each(i, &self.have[r]))
    }
    fn cached(&self, key: (usize, u64), _: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
        if let Some(cached) = lock(&self.cache).get(&key) {
            return Ok(cached.clone());
        }
        let made = make()?;
        lock(&self.cache).insert(key, made.clone());
        Ok(made)
    }
}
