//! `zarr_fuzz::descriptor`.
#![no_main]

#[global_allocator]
static HEAP: zarr_fuzz::Heap = zarr_fuzz::Heap;

libfuzzer_sys::fuzz_target!(|data: &[u8]| zarr_fuzz::descriptor(data));
