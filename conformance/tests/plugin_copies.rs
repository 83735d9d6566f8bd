//! A call of a plugin needs no unnecessary allocation and no unnecessary copy: the plugin receives the caller's own
//! memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]
#![allow(unsafe_code, reason = "an allocator that counts")]

use ozarr::{
    plugins::Plugin,
    zarr_core::{
        call::OutputBuffer,
        registry::Registry,
        view::{Region, View, ViewMut},
    },
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};
use zarr_conformance::third_party;
use zarr_plugin_api::testing::{Bench, Codec};

struct Counting;
static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn codec(name: &str) -> Codec {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/c/witness.c");
    let mut registry = Registry::builtin();
    Plugin::open(&third_party::c(&source, &[]).unwrap()).unwrap().add_to(&mut registry).unwrap();
    Bench::of(registry).codec(name, "uint64", &[4, 8]).unwrap()
}

fn address(bytes: &[u8]) -> usize {
    usize::from_ne_bytes(bytes[..8].try_into().unwrap())
}

/// A single test, so that nothing else allocates in the meantime.
#[test]
fn plugins_work_on_the_memory_of_the_caller() {
    let [bytes, passing, plain, strided] =
        ["witness.bytes", "witness.passing", "witness.plain", "witness.strided"].map(codec);
    let (bench, [bytes, passing]) = (Bench::new(), [&bytes, &passing].map(Codec::bytes_to_bytes));
    let (call, [plain, strided]) = (bench.call(), [&plain, &strided].map(Codec::array_to_bytes));
    let input = vec![7u8; 256];
    let mut output = vec![0u8; 256];
    let mut wide = vec![0u64; 64];
    let wide: &mut [u8] = {
        let (ptr, len) = (wide.as_mut_ptr().cast::<u8>(), wide.len() * 8);
        // SAFETY: these are the bytes of a vector that is not accessed elsewhere from here on.
        unsafe { std::slice::from_raw_parts_mut(ptr, len) }
    };
    let left = Region::new(&[0, 0], &[4, 8]).unwrap();
    let mut round = || {
        let out_at = output.as_ptr() as usize;
        bytes.encode(&call, &input, &mut OutputBuffer::fixed(&mut output)).unwrap();
        assert_eq!(address(&output), input.as_ptr() as usize, "the codec reads the caller's bytes");
        bytes.decode(&call, &input, &mut OutputBuffer::fixed(&mut output)).unwrap();
        assert_eq!(address(&output), out_at, "the codec writes to the caller's memory");
        let mut out = OutputBuffer::fixed(&mut output);
        passing.decode(&call, &input, &mut out).unwrap();
        assert_eq!(out.alias(), Some(0..256), "the result is the input itself");

        let at = wide.as_ptr() as usize;
        let all = View::new(&wide[..256], &[4, 8], 8).unwrap();
        plain.encode(&call, &all, &mut OutputBuffer::fixed(&mut output)).unwrap();
        assert_eq!(address(&output), at, "elements without gaps are passed as they are");
        plain.decode(&call, &input, ViewMut::new(&mut wide[..256], &[4, 8], 8).unwrap()).unwrap();
        assert_eq!(address(wide), at, "and written where they belong");

        let columns = View::new(wide, &[4, 16], 8).unwrap().region(&left).unwrap();
        strided.encode(&call, &columns, &mut OutputBuffer::fixed(&mut output)).unwrap();
        assert_eq!(address(&output), at, "with strides, too, where a plugin takes them");
        let columns = ViewMut::new(wide, &[4, 16], 8).unwrap().region(&left).unwrap();
        strided.decode(&call, &input, columns).unwrap();
        assert_eq!(address(wide), at);
        let columns = View::new(wide, &[4, 16], 8).unwrap().region(&left).unwrap();
        plain.encode(&call, &columns, &mut OutputBuffer::fixed(&mut output)).unwrap();
        assert_ne!(address(&output), at, "others get a copy");
    };
    round();
    let before = COUNT.load(Ordering::Relaxed);
    for _ in 0..1000 {
        round();
    }
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0, "allocations in 8000 calls");
}
