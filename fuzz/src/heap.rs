//! The memory that a run allocates from Rust's heap.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The most memory that a run may allocate: several times its limits.
pub const MOST: usize = 64 << 20;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator with counters.
pub struct Heap;

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Runs `f`, and panics if it allocated too much memory.
pub(crate) fn bounded(f: impl FnOnce()) {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    f();
    let taken = PEAK.load(Relaxed).saturating_sub(before);
    assert!(taken <= MOST, "{taken} bytes of memory");
}
