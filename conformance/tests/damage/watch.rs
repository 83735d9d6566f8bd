//! Measures the largest single allocation of a thread, by Rust and by the C libraries.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! { static LARGEST: Cell<usize> = const { Cell::new(0) } }

/// Counts on the allocating thread, so that tests that run in parallel do not count.
fn note(size: usize) {
    let _none_while_the_thread_ends = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

struct Watched;
#[global_allocator]
static ALLOCATOR: Watched = Watched;

// SAFETY: every call is passed to the system's allocator unchanged; counting does not access the caller's memory.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// The allocator of C code, where the C library allows a program to replace it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod c {
    use super::note;
    use std::ffi::{c_int, c_void};

    const OUT_OF_MEMORY: c_int = 12;

    unsafe extern "C" {
        fn __libc_malloc(size: usize) -> *mut c_void;
        fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
        fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
    }

    // SAFETY: it is the C library's own function under another name, with the same contract.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        note(size);
        // SAFETY: any size is allowed.
        unsafe { __libc_malloc(size) }
    }
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        note(count.saturating_mul(size));
        // SAFETY: any size is allowed.
        unsafe { __libc_calloc(count, size) }
    }
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
        note(size);
        // SAFETY: the caller passes a permitted alignment.
        let memory = unsafe { __libc_memalign(align, size) };
        if memory.is_null() {
            return OUT_OF_MEMORY;
        }
        // SAFETY: the caller passes a place for the pointer.
        unsafe { *out = memory };
        0
    }
}

/// Runs `f`, and returns the size of the largest single allocation of this thread after `f` calls its argument.
pub(crate) fn largest_allocation<R>(f: impl FnOnce(&dyn Fn()) -> R) -> (R, usize) {
    let result = f(&|| LARGEST.set(0));
    (result, LARGEST.get())
}

/// The measurement would be useless if it did not include the C libraries.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn allocations_in_c_are_observed() {
    let ((), largest) = largest_allocation(|begin| {
        let codecs = [r#"{"name":"bytes"}"#, r#"{"name":"zstd","configuration":{"level":22}}"#]
            .map(|text| text.parse::<ozarr::Json>().unwrap());
        let new = ozarr::NewArray::new([8 << 20], "uint8").chunks([8 << 20]).codecs(codecs);
        let array = crate::memory(u64::MAX >> 1).create_array("/", &new).unwrap();
        let data: Vec<u8> = (0..8u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        begin();
        array.write(.., &data).unwrap();
    });
    assert!(largest > 16 << 20, "{largest}");
}
