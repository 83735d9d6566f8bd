//! A call of a plugin costs no allocation and no copy that is not needed: the plugin gets the caller's own memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]
#![allow(unsafe_code, reason = "an allocator that counts")]

use ozarr::{
    core::{
        call::{Buffers, CallContext, Options, OutputBuffer, Sequential},
        codec::{ArrayToBytes, BytesToBytes},
        extension::Extension,
        json::Json,
        limits::Limits,
        registry::{Constructor, CreateContext, Intent, Notes, Registry},
        representation::{Representation, Size},
        view::{Region, View, ViewMut},
    },
    plugins::Plugin,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use zarr_conformance::strangers;

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

enum Codec {
    Bytes(Arc<dyn BytesToBytes>),
    Array(Arc<dyn ArrayToBytes>),
}

fn codec(name: &str) -> Codec {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/c/witness.c");
    let mut registry = Registry::builtin().unwrap();
    Plugin::open(&strangers::c(&source, &[]).unwrap()).unwrap().add_to(&mut registry).unwrap();
    let (limits, notes) = (Limits::default(), Notes::default());
    let data_type = registry.data_type(&Extension::short_hand("uint64"), &limits).unwrap().object;
    let array = Representation::new(data_type, &[4, 8], &[0; 8]);
    let cx = CreateContext {
        size: Size::Exact(256),
        ..CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array)
    };
    let extension = Extension::parse(&Json::from(name)).unwrap();
    match registry.codec(&extension).unwrap().unwrap().constructor() {
        Constructor::BytesToBytes(make) => Codec::Bytes(make(&extension, &cx).unwrap().object),
        Constructor::ArrayToBytes(make) => Codec::Array(make(&extension, &cx).unwrap().object),
        _ => panic!("it is another kind"),
    }
}

fn address(bytes: &[u8]) -> usize {
    usize::from_ne_bytes(bytes[..8].try_into().unwrap())
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn memory_of_the_caller_and_nothing_else() {
    let (limits, options, buffers) = (Limits::default(), Options::default(), Buffers::default());
    let call = CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers };
    let (Codec::Bytes(bytes), Codec::Bytes(passing)) = (codec("witness.bytes"), codec("witness.passing")) else {
        panic!("they are other kinds");
    };
    let (Codec::Array(plain), Codec::Array(strided)) = (codec("witness.plain"), codec("witness.strided")) else {
        panic!("they are other kinds");
    };
    let input = vec![7u8; 256];
    let mut output = vec![0u8; 256];
    let mut wide = vec![0u64; 64];
    let wide: &mut [u8] = {
        let (ptr, len) = (wide.as_mut_ptr().cast::<u8>(), wide.len() * 8);
        // SAFETY: bytes of a vector that nobody else uses from here on.
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
        assert_eq!(address(&output), at, "elements without gaps are lent as they are");
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
