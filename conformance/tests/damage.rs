//! Every stored chunk of every golden, cut at each length and with each byte changed: an error or data, never a panic,
//! and never a large allocation.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use zarr_array::{
    Array, Context, Hierarchy,
    core::{
        json::Json,
        store::{Key, Store},
    },
    store::MemoryStore,
};
use zarr_conformance::cases::{Golden, read_elements};

/// Remembers the largest single allocation.
struct Watched;
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}
#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The golden in memory, with its stored chunks.
fn load(golden: &Golden) -> Option<(Arc<dyn Store>, Array, Vec<(Key, Vec<u8>)>)> {
    let array = golden.open().ok()?;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (from, to) = (array.data_store().clone(), store.writer().unwrap());
    let document = Json::Object(array.metadata().document().clone()).to_string();
    to.set(&Key::new("zarr.json").unwrap(), document.as_bytes()).unwrap();
    let mut chunks = Vec::new();
    for key in from.lister().unwrap().list().unwrap() {
        let value = from.reader().unwrap().get(&key).unwrap().unwrap();
        to.set(&key, &value).unwrap();
        chunks.push((key, value));
    }
    let mut context = Context::new().unwrap();
    context.limits.chunk_bytes = 1 << 20;
    let array = Hierarchy::new(store.clone(), context).array("/").unwrap();
    Some((store, array, chunks))
}

/// True if a change anywhere in a chunk must be noticed, or leave the data as it was. A shard that overhangs the array
/// is read inner chunk by inner chunk, and so without a checksum that follows it.
fn is_protected(array: &Array) -> bool {
    let shape = array.shape().iter().zip(array.chunk_shape().unwrap());
    let overhangs = shape.into_iter().any(|(n, c)| !n.is_multiple_of(*c));
    if overhangs && array.metadata().codecs().iter().any(|c| c.name() == "sharding_indexed") {
        return false;
    }
    let last = array.metadata().codecs().last().unwrap();
    let checksum = last.configuration().and_then(|c| c.get("checksum")) == Some(&Json::Bool(true));
    matches!(last.name(), "crc32c" | "gzip") || last.name() == "zstd" && checksum
}

#[test]
fn every_chunk_damaged_everywhere() {
    let (mut failures, mut cuts, mut flips) = (Vec::new(), 0, 0);
    for golden in Golden::all().unwrap() {
        let Some((store, array, chunks)) = load(&golden) else { continue };
        let want = read_elements(&array).unwrap();
        let (w, protected) = (store.writer().unwrap(), is_protected(&array));
        LARGEST.store(0, Relaxed);
        for (key, good) in &chunks {
            for n in 0..good.len() {
                w.set(key, &good[..n]).unwrap();
                cuts += 1;
                if read_elements(&array).is_ok() {
                    failures.push(format!("{}: {key} cut to {n} of {} bytes is read", golden.id, good.len()));
                }
            }
            let mut bad = good.clone();
            for n in 0..good.len() {
                for bits in [1 << (n % 8), 0xff] {
                    bad[n] = good[n] ^ bits;
                    w.set(key, &bad).unwrap();
                    flips += 1;
                    if let Ok(got) = read_elements(&array)
                        && protected
                        && got != want
                    {
                        failures.push(format!("{}: {key} changed at {n} is read as other data", golden.id));
                    }
                }
                bad[n] = good[n];
            }
            w.set(key, good).unwrap();
        }
        let largest = LARGEST.load(Relaxed);
        if largest > 4 << 20 {
            failures.push(format!("{}: {largest} bytes were allocated at once", golden.id));
        }
    }
    failures.truncate(40);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cuts > 50_000 && flips > 100_000, "{cuts} {flips}");
}
