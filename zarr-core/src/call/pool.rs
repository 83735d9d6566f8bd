//! Things that are used again.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

const SLOTS: usize = 16;
/// More than this many spare things in one slot are dropped.
const SPARE: usize = 4;

/// Things that are costly to make and can be used again: buffers, compressor contexts. Threads rarely meet in a slot.
pub struct Pool<T>([Mutex<Vec<T>>; SLOTS]);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(Vec::new())))
    }
}
impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool")
    }
}
impl<T> Pool<T> {
    fn slot(&self) -> &Mutex<Vec<T>> {
        // The address of a thread's own byte tells threads apart without asking the system.
        thread_local! { static HERE: u8 = const { 0 } }
        let address = HERE.with(|here| std::ptr::from_ref(here) as usize);
        &self.0[(address >> 8) % SLOTS]
    }
    /// A spare one, if there is one for this thread.
    pub fn take(&self) -> Option<T> {
        self.slot().lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
    /// The spare one for this thread that comes first in an order.
    pub fn take_by<K: Ord>(&self, order: impl Fn(&T) -> K) -> Option<T> {
        let mut slot = self.slot().lock().unwrap_or_else(PoisonError::into_inner);
        let first = (0..slot.len()).min_by_key(|i| order(&slot[*i]))?;
        Some(slot.swap_remove(first))
    }
    /// Keeps it for the next.
    pub fn give(&self, item: T) {
        let _no_room = self.offer(item);
    }
    /// The same; gives it back where there is no room.
    pub(super) fn offer(&self, item: T) -> Option<T> {
        let mut slot = self.slot().lock().unwrap_or_else(PoisonError::into_inner);
        if slot.len() >= SPARE {
            return Some(item);
        }
        slot.push(item);
        None
    }
    /// All that are spare, of all threads.
    pub(super) fn drain(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flat_map(|slot| std::mem::take(&mut *slot.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
