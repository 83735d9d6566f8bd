//! Anything that a document may request fits the stack of every thread that reads or writes chunks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, ErrorKind, Hierarchy,
    store::MemoryStore,
    zarr_core::{
        Result,
        call::{CallContext, Sequential},
        codec::ArrayToArray,
        json::Json,
        limits::Limits,
        metadata::{ArrayMetadata, NodeMetadata},
        registration,
        registry::{CreateContext, ExtensionType, NoConfiguration, Registry},
        representation::Representation,
        store::Store,
        view::{View, ViewMut},
    },
};
use std::sync::Arc;

/// Copies elements from one array to another. This takes the most stack, as each copy decodes within the one before.
#[derive(Debug)]
struct Copy(Representation);
impl ExtensionType for Copy {
    const NAME: &'static str = "test.copy";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, cx: &CreateContext<'_>) -> Result<Self> {
        Ok(Self(cx.representation()?.clone()))
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}
impl ArrayToArray for Copy {
    fn encoded_representation(&self) -> &Representation {
        &self.0
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        encoded.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, mut decoded: ViewMut<'_>) -> Result<()> {
        decoded.copy_from(encoded, 1)
    }
}

/// Returns a chain of this many copies before the array -> bytes codec.
fn chain(copies: usize, last: &str) -> String {
    format!("{}{last}", r#""test.copy","#.repeat(copies))
}
fn document(codecs: &str, inner: u64) -> ArrayMetadata {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[{inner}],"data_type":"uint8","chunk_grid":{{"name":"regular",
        "configuration":{{"chunk_shape":[{inner}]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":[{codecs}]}}"#
    );
    match NodeMetadata::parse(text.as_bytes(), &Limits::default()).unwrap() {
        NodeMetadata::Array(metadata) => metadata,
        NodeMetadata::Group(_) => panic!("a group"),
    }
}
fn context() -> Context {
    let mut registry = Registry::builtin();
    registry.add(registration!(ArrayToArray: Copy)).unwrap();
    Context::with_registry(registry)
}

/// Returns the metadata of shards in shards as deep as the limits allow, each with the maximum number of codecs, and
/// the same for their indexes.
fn nested(limits: &Limits) -> ArrayMetadata {
    let copies = limits.codec_count as usize - 1;
    let bytes = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    let (index, mut codecs) = (chain(copies, bytes), chain(copies, bytes));
    for depth in 0..limits.codec_depth {
        codecs = chain(
            copies,
            &format!(
                r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[{}],"codecs":[{codecs}],"index_codecs":[{index}]}}}}"#,
                1 << depth
            ),
        );
    }
    document(&codecs, 1 << limits.codec_depth)
}

fn write_and_read(context: Context, metadata: ArrayMetadata) {
    let zarr = Hierarchy::new(MemoryStore::default(), context);
    let array = zarr.create_array_from("/a", metadata, false).unwrap();
    let n = array.shape()[0];
    let elements: Vec<u8> = (0..n).map(|i| i as u8 | 1).collect();
    array.write(.., &elements).unwrap();
    array.write([n / 3..n / 2], &elements[(n / 3) as usize..(n / 2) as usize]).unwrap();
    assert_eq!(array.read::<u8>(..).unwrap(), elements);
    assert_eq!(array.read::<u8>([n - 1..n]).unwrap(), elements[n as usize - 1..]);
}

/// The default stack size of threads in Rust and its pools.
const STACK: usize = 2 << 20;

#[test]
fn the_deepest_nesting_of_the_longest_chains_fits_the_stack() {
    let limits = Limits::default();
    let run = |context: Context| {
        let metadata = nested(&Limits::default());
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn(move || write_and_read(context, metadata)).unwrap().join().unwrap();
    };
    assert!(limits.codec_depth >= 8 && limits.codec_count >= 32);
    run(context().with_executor(Arc::new(Sequential)));
    run(context());
}

#[test]
fn a_chain_beyond_the_limit_is_refused_by_its_path() {
    let limit = u64::from(Limits::default().codec_count);
    let too_many = chain(limit as usize, r#""bytes""#);
    let shard = |codecs: &str, index: &str| {
        format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[1],"codecs":[{codecs}],"index_codecs":[{index}]}}}}"#
        )
    };
    let little = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    for (place, codecs) in [
        ("codecs", too_many.clone()),
        ("codecs[0].codecs", shard(&too_many, little)),
        ("codecs[0].index_codecs", shard(r#""bytes""#, &too_many)),
    ] {
        let (store, metadata) = (Arc::new(MemoryStore::default()), document(&codecs, 4));
        let text = Json::Object(metadata.document().clone()).to_string();
        let key = zarr_core::store::Key::new("zarr.json").unwrap();
        (store.clone() as Arc<dyn Store>).writer().unwrap().set(&key, text.as_bytes()).unwrap();
        let zarr = Hierarchy::new(store, context());
        for e in [zarr.array("/").unwrap_err(), zarr.create_array_from("/x", metadata, false).unwrap_err()] {
            let is_limit =
                matches!(e.kind(), ErrorKind::Limit { asked, limit: l, .. } if (*asked, *l) == (limit + 1, limit));
            assert!(is_limit && e.json_path() == Some(place), "{place}: {e}");
        }
    }
}

/// Reading 64 chunks of an array with 2,375 permutations, on all threads, is an error and does not overflow the stack.
#[test]
fn thousands_of_permutations_are_an_error() {
    let store = Arc::new(MemoryStore::default());
    let transpose = r#"{"name":"transpose","configuration":{"order":[0]}},"#.repeat(2375);
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[256],"data_type":"uint8","chunk_grid":{{"name":"regular",
        "configuration":{{"chunk_shape":[4]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":[{transpose}"bytes"]}}"#
    );
    let put = |key: &str, value: &[u8]| {
        let store: Arc<dyn Store> = store.clone();
        store.writer().unwrap().set(&zarr_core::store::Key::new(key).unwrap(), value).unwrap();
    };
    put("zarr.json", text.as_bytes());
    (0..64).for_each(|i| put(&format!("c/{i}"), &[1, 2, 3, 4]));
    let read = |limits: Limits| {
        let mut context = Context::new();
        context.limits = limits;
        Hierarchy::new(store.clone(), context).array("/")?.read::<u8>(..)
    };
    let e = read(Limits::default()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Limit { asked: 2376, limit: 32, .. }), "{e}");
    assert!(e.to_string().contains("2376") && e.to_string().contains("32"), "{e}");
    // An application that allows this many can read them.
    let mut limits = Limits::default();
    limits.codec_count = 3000;
    assert_eq!(read(limits).unwrap(), [1, 2, 3, 4].repeat(64));
}
