//! A pool of reusable objects.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

const SLOTS: usize = 16;
/// Slots have at most this many spare objects; others are dropped.
const SPARE: usize = 4;

/// A pool of objects that are expensive to create: buffers, compressor contexts.
///
/// Threads rarely contend for a slot.
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
        // The address of a thread-local byte identifies the thread without a system call.
        thread_local! { static HERE: u8 = const { 0 } }
        let address = HERE.with(|here| std::ptr::from_ref(here) as usize);
        &self.0[(address >> 8) % SLOTS]
    }
    /// Takes a spare object, if this thread has one.
    pub fn take(&self) -> Option<T> {
        self.slot().lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
    /// Takes the spare object of this thread that has the smallest key.
    pub fn take_by<K: Ord>(&self, order: impl Fn(&T) -> K) -> Option<T> {
        let mut slot = self.slot().lock().unwrap_or_else(PoisonError::into_inner);
        let first = (0..slot.len()).min_by_key(|i| order(&slot[*i]))?;
        Some(slot.swap_remove(first))
    }
    /// Returns an object to the pool for reuse, or drops it if the slot is full.
    pub fn give(&self, item: T) {
        let _no_room = self.offer(item);
    }
    /// Like [`give`](Self::give), but returns the object if the slot is full.
    pub(super) fn offer(&self, item: T) -> Option<T> {
        let mut slot = self.slot().lock().unwrap_or_else(PoisonError::into_inner);
        if slot.len() >= SPARE {
            return Some(item);
        }
        slot.push(item);
        None
    }
    /// Removes and returns all spare objects, of all threads.
    pub(super) fn drain(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flat_map(|slot| std::mem::take(&mut *slot.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
