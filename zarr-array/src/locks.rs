//! Locks of stored objects, by name, for all threads of this process.
//!
//! A chunk that is changed in part is read, changed and written back. Who does so holds the lock of the stored object,
//! whatever handle it was reached by. This table is the one global of these crates.

use std::{
    collections::HashSet,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::{Condvar, Mutex, PoisonError},
};

struct Stripe {
    held: Mutex<Option<HashSet<String>>>,
    released: Condvar,
}

const STRIPES: usize = 64;
static TABLE: [Stripe; STRIPES] = [const { Stripe { held: Mutex::new(None), released: Condvar::new() } }; STRIPES];

/// Holds a name until it is dropped.
pub(crate) struct Guard {
    name: String,
    stripe: &'static Stripe,
}

/// Waits until nobody holds the name.
pub(crate) fn lock(name: String) -> Guard {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&name);
    let stripe = &TABLE[(hash % STRIPES as u64) as usize];
    let mut held = stripe.held.lock().unwrap_or_else(PoisonError::into_inner);
    while held.get_or_insert_default().contains(&name) {
        held = stripe.released.wait(held).unwrap_or_else(PoisonError::into_inner);
    }
    held.get_or_insert_default().insert(name.clone());
    Guard { name, stripe }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut held = self.stripe.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.get_or_insert_default().remove(&self.name);
        self.stripe.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_holder_for_each_name() {
        let inside = [const { AtomicUsize::new(0) }; 3];
        std::thread::scope(|s| {
            for t in 0..6 {
                let inside = &inside;
                s.spawn(move || {
                    for i in 0..300 {
                        let n = (t + i) % 3;
                        let _held = lock(format!("locks test {n}"));
                        assert_eq!(inside[n].fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside[n].fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn other_names_do_not_wait() {
        let _a = lock("locks test a".into());
        let names = 2 * STRIPES;
        let guards: Vec<Guard> = (0..names).map(|i| lock(format!("locks test other {i}"))).collect();
        assert_eq!(guards.len(), names);
    }
}
