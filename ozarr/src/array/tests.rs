//! Any array, codec chain and region against a model, and proof that partial reads and writes do only partial work.

use crate::{Array, Context, Hierarchy, NewArray, ResizeOptions, Selection, Slice, slice, store::MemoryStore};
use proptest::prelude::*;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use zarr_core::{
    ErrorKind, Result,
    json::Json,
    layout::Layout,
    source::{ByteRange, RangeCallback, Source},
    storage_transformer::StorageTransformer,
    store::{Key, ListableStore, Prefix, ReadableStore, Store, Update, WriteableStore},
};

fn hierarchy() -> Hierarchy {
    Hierarchy::new(MemoryStore::default(), Context::new())
}

// ---- a model of any array ----

const TYPES: &[&str] = &[
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "r24",
    "string",
    "bytes",
];

#[derive(Debug, Clone)]
struct Plan {
    shape: Vec<u64>,
    inner: Vec<u64>,
    per_shard: Option<Vec<u64>>,
    data_type: usize,
    transpose: Option<Vec<usize>>,
    big: bool,
    compress: Vec<usize>,
    start: bool,
    v2: bool,
    store_fill: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    prop::collection::vec((0u64..9, 1u64..5, 1u64..4), 0..=5).prop_flat_map(|dims| {
        let order = Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
        let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        let chain = (0..TYPES.len(), prop::option::of(order), prop::collection::vec(0usize..5, 0..3));
        (Just(dims), chain, flags).prop_map(
            |(dims, (data_type, transpose, compress), (big, start, v2, sharded, store_fill))| Plan {
                shape: dims.iter().map(|d| d.0).collect(),
                inner: dims.iter().map(|d| d.1).collect(),
                per_shard: sharded.then(|| dims.iter().map(|d| d.2).collect()),
                data_type,
                transpose,
                big,
                compress,
                start,
                v2,
                store_fill,
            },
        )
    })
}

impl Plan {
    fn new_array(&self) -> NewArray {
        let name = TYPES[self.data_type];
        let mut inner = Vec::new();
        let mut chunk = self.inner.clone();
        if let Some(order) = &self.transpose {
            inner.push(
                format!(r#"{{"name":"transpose","configuration":{{"order":{order:?}}}}}"#).parse::<Json>().unwrap(),
            );
        }
        inner.push(match name {
            "string" => r#""vlen-utf8""#.parse::<Json>().unwrap(),
            "bytes" => r#""vlen-bytes""#.parse::<Json>().unwrap(),
            _ => format!(
                r#"{{"name":"bytes","configuration":{{"endian":"{}"}}}}"#,
                if self.big { "big" } else { "little" }
            )
            .parse::<Json>()
            .unwrap(),
        });
        inner.extend(self.compress.iter().map(|i| ([
            r#"{"name":"gzip","configuration":{"level":1}}"#, r#"{"name":"zstd","configuration":{"level":1,"checksum":true}}"#,
            r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":3,"shuffle":"shuffle","typesize":4,"blocksize":0}}"#,
            r#""crc32c""#, r#"{"name":"blosc","configuration":{"cname":"zstd"}}"#,
        ][*i]).parse::<Json>().unwrap()));
        let mut codecs = inner;
        if let Some(counts) = &self.per_shard {
            // If the transpose is outside the sharding codec, the shard is the transposed chunk.
            let location = if self.start { "start" } else { "end" };
            let shape = self.inner.clone();
            codecs = vec![format!(
                r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{shape:?},"codecs":{},"index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},"crc32c"],"index_location":"{location}"}}}}"#,
                Json::Array(codecs)
            ).parse::<Json>().unwrap()];
            chunk = chunk.iter().zip(counts).map(|(c, n)| c * n).collect();
        }
        let mut new = NewArray::new(self.shape.clone(), name).chunks(chunk).codecs(codecs).fill_value(fill(name));
        if self.v2 {
            new = new.chunk_key_encoding("v2");
        }
        new
    }
}
fn fill(name: &str) -> Json {
    (match name {
        "bool" => "true",
        "float16" | "float32" | "float64" => "\"NaN\"",
        "complex64" | "complex128" => "[1.5, \"-Infinity\"]",
        "r24" => "[1,2,3]",
        "string" => "\"none\"",
        "bytes" => "\"AQI=\"",
        _ => "42",
    })
    .parse::<Json>()
    .unwrap()
}

/// Returns the elements of a selection, each as its bytes.
fn read(array: &Array, selection: &Selection) -> Result<Vec<Vec<u8>>> {
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            Ok(array.read::<String>(selection.clone())?.into_iter().map(String::into_bytes).collect())
        }
        Layout::Variable { .. } => array.read::<Vec<u8>>(selection.clone()),
        layout => Ok(array.read_bytes(selection.clone())?.chunks(layout.size()).map(<[u8]>::to_vec).collect()),
    }
}
fn write(array: &Array, selection: &Selection, elements: &[Vec<u8>]) -> Result<()> {
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            let text: Vec<String> = elements.iter().map(|e| String::from_utf8(e.clone()).unwrap()).collect();
            array.write(selection.clone(), &text)
        }
        Layout::Variable { .. } => array.write(selection.clone(), elements),
        _ => array.write_bytes(selection.clone(), &elements.concat()),
    }
}
fn element(array: &Array, seed: u64) -> Vec<u8> {
    let fill = array.representation().fill().to_vec();
    let n = array.representation().element_size();
    match array.representation().layout() {
        _ if seed.is_multiple_of(3) => fill,
        Layout::Variable { .. } => "é".repeat((seed % 4) as usize).into_bytes(),
        Layout::Fixed { .. } if fill.len() == 1 && array.metadata().data_type().name() == "bool" => {
            vec![(seed % 2) as u8]
        }
        _ => seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes().repeat(2)[..n].to_vec(),
    }
}
fn flat(shape: &[u64], selection: &Selection) -> Vec<usize> {
    selection.indices(shape).unwrap().iter().zip(shape).fold(vec![0], |all, (s, n)| {
        let indices: Vec<u64> = (0..s.len).map(|i| s.start + i * s.step).collect();
        all.iter().flat_map(|i| indices.iter().map(move |k| i * *n as usize + *k as usize)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn any_array_equals_its_model(plan in plan(), seeds in prop::collection::vec(any::<u64>(), 24)) {
        let store = Arc::new(MemoryStore::default());
        let mut context = Context::new();
        context.options.store_fill = plan.store_fill;
        let array = Hierarchy::new(store.clone(), context).create_array("/x/a", plan.new_array()).unwrap();
        let total = plan.shape.iter().product::<u64>() as usize;
        let mut model = vec![array.representation().fill().to_vec(); total];
        prop_assert_eq!(&read(&array, &(..).into()).unwrap(), &model);
        for round in seeds.chunks(8) {
            let slices: Vec<Slice> = plan.shape.iter().zip(round).map(|(n, s)| {
                if s.is_multiple_of(4) { return slice(..) }
                let start = s % (n + 1);
                if s % 4 == 1 && start < *n { return slice(start) }
                slice(start..start + (s >> 8) % (n - start + 1)).step_by(1 + (s >> 16) % 3)
            }).collect();
            let given = if round[7].is_multiple_of(3) { round[7] as usize % (slices.len() + 1) } else { slices.len() };
            let selection: Selection = slices[..given].into();
            let places = flat(&plan.shape, &selection);
            let new: Vec<Vec<u8>> = places.iter().enumerate().map(|(i, _)| element(&array, round[7].wrapping_add(i as u64))).collect();
            write(&array, &selection, &new).unwrap();
            places.iter().zip(new).for_each(|(p, e)| model[*p] = e);
            // through another handle
            let reopened = Hierarchy::new(store.clone(), Context::new()).array("/x/a").unwrap();
            prop_assert_eq!(&read(&reopened, &(..).into()).unwrap(), &model);
            let part: Vec<Vec<u8>> = places.iter().map(|p| model[*p].clone()).collect();
            prop_assert_eq!(read(&reopened, &selection).unwrap(), part);
        }
        if !plan.store_fill {
            // only chunks with other values than the fill value are stored
            write(&array, &(..).into(), &vec![array.representation().fill().to_vec(); total]).unwrap();
            prop_assert!(array.stored_chunks().unwrap().is_empty());
        }
        let document = Json::Object(array.metadata().document().clone());
        let reopened = Hierarchy::new(store, Context::new()).array("/x/a").unwrap();
        prop_assert_eq!(Json::Object(reopened.metadata().document().clone()), document);
    }
}

// ---- partial work is partial ----

/// Counts the operations that reach the store below it.
#[derive(Debug, Default)]
struct Counter {
    opened: AtomicU64,
    read: AtomicU64,
    set: AtomicU64,
    ranges: Mutex<Vec<u64>>,
}
#[derive(Debug)]
struct Counted(Arc<dyn Store>, Arc<Counter>);
#[derive(Debug)]
struct CountingTransformer(Arc<Counter>);
impl StorageTransformer for CountingTransformer {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(Counted(below, self.0.clone())))
    }
}
struct CountedSource<'s, S>(S, &'s Counter);
impl<'a, S: std::ops::Deref<Target = dyn Source + 'a> + Send + Sync> Source for CountedSource<'_, S> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        self.0.read(ranges, &mut |i, b| {
            self.1.read.fetch_add(b.len() as u64, Relaxed);
            self.1.ranges.lock().unwrap().push(b.len() as u64);
            each(i, b)
        })
    }
}
struct CountedChange<'c>(&'c mut dyn Update, &'c Counter);
impl Update for CountedChange<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let counted = old.map(|old| CountedSource(old, self.1));
        self.0.apply(counted.as_ref().map(|c| c as _))
    }
}
impl Store for Counted {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.0.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}
impl ReadableStore for Counted {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.1.opened.fetch_add(1, Relaxed);
        let source = self.0.reader()?.open(key)?;
        Ok(source.map(|s| Box::new(CountedSource(s, &self.1)) as _))
    }
}
impl WriteableStore for Counted {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.1.set.fetch_add(1, Relaxed);
        self.0.writer()?.set(key, value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.0.writer()?.set_if_absent(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.1.opened.fetch_add(1, Relaxed);
        self.1.set.fetch_add(1, Relaxed);
        self.0.writer()?.update(key, &mut CountedChange(change, &self.1))
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.0.writer()?.erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.0.writer()?.erase_prefix(prefix)
    }
}
impl Counter {
    fn take(&self) -> (u64, u64, u64, Vec<u64>) {
        let ranges = std::mem::take(&mut *self.ranges.lock().unwrap());
        (self.opened.swap(0, Relaxed), self.read.swap(0, Relaxed), self.set.swap(0, Relaxed), ranges)
    }
}

fn sharded() -> NewArray {
    NewArray::new([64, 64], "uint16").chunks([8, 8]).shards([32, 32]).codecs([r#""bytes""#.parse::<Json>().unwrap()])
}

#[test]
fn one_inner_chunk_costs_the_index_and_its_bytes() {
    let counter = Arc::new(Counter::default());
    let array = hierarchy().create_array("/a", sharded()).unwrap();
    let array = array.with_transformer(Arc::new(CountingTransformer(counter.clone()))).unwrap();
    assert_eq!(array.inner_chunk_shape().unwrap(), [8, 8]);
    let data: Vec<u16> = (0..64 * 64).map(|i| i as u16 + 1).collect();
    array.write(.., &data).unwrap();
    assert_eq!(counter.take(), (0, 0, 4, vec![]), "whole chunks are written without reading");
    let part: Vec<u16> = array.read([8..16, 40..48]).unwrap();
    assert_eq!(part[..8], data[8 * 64 + 40..][..8]);
    let index = 16 * 16 + 4;
    assert_eq!(counter.take(), (1, index + 128, 0, vec![index, 128]));
    let one: Vec<u16> = array.read([9..10, 41..42]).unwrap();
    assert_eq!(one, [data[9 * 64 + 41]]);
    let (_, read, _, _) = counter.take();
    assert!(read <= index + 128, "{read}");
}

#[test]
fn an_update_encodes_only_the_inner_chunks_it_touches() {
    use zarr_core::{
        call::{CallContext, OutputBuffer},
        codec::BytesToBytes,
        registration,
        registry::{CreateContext, ExtensionType, NoConfiguration, Registry},
        representation::Size,
    };
    static ENCODED: AtomicU64 = AtomicU64::new(0);
    #[derive(Debug)]
    struct Tally;
    impl ExtensionType for Tally {
        const NAME: &'static str = "test.tally";
        type Configuration = NoConfiguration;
        fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
            Ok(Self)
        }
        fn configuration(&self) -> NoConfiguration {
            NoConfiguration {}
        }
    }
    impl BytesToBytes for Tally {
        fn encoded_size(&self, decoded: Size) -> Size {
            decoded
        }
        fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
            ENCODED.fetch_add(1, Relaxed);
            out.extend(decoded)
        }
        fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
            out.alias_input(0..encoded.len());
            Ok(())
        }
    }
    let mut registry = Registry::builtin();
    registry.add(registration!(BytesToBytes: Tally)).unwrap();
    let zarr = Hierarchy::new(MemoryStore::default(), Context::with_registry(registry));
    let new = sharded().codecs([r#""bytes""#.parse::<Json>().unwrap(), r#""test.tally""#.parse::<Json>().unwrap()]);
    let array = zarr.create_array("/a", &new).unwrap();
    array.write(.., &vec![7u16; 64 * 64]).unwrap();
    assert_eq!(ENCODED.swap(0, Relaxed), 64);
    array.write([4..12, 4..20], &[9u16; 8 * 16]).unwrap();
    assert_eq!(ENCODED.swap(0, Relaxed), 6);
    array.write([0..8, 0..8], &[0u16; 64]).unwrap();
    assert_eq!(ENCODED.swap(0, Relaxed), 0, "an inner chunk of fill is not stored");
    let all: Vec<u16> = array.read(..).unwrap();
    let want = |i: usize| match (i / 64, i % 64) {
        (0..8, 0..8) => 0,
        (4..12, 4..20) => 9,
        _ => 7,
    };
    assert!(all.iter().enumerate().all(|(i, v)| *v == want(i)));
}

#[test]
fn an_edge_chunk_overwritten_where_it_is_visible_is_not_read() {
    let counter = Arc::new(Counter::default());
    let new = NewArray::new([10], "uint8").chunks([8]).codecs([r#""bytes""#.parse::<Json>().unwrap()]);
    let array = hierarchy().create_array("/a", &new).unwrap();
    let array = array.with_transformer(Arc::new(CountingTransformer(counter.clone()))).unwrap();
    for round in 0..2 {
        array.write([8..10], &[1u8, 2]).unwrap();
        assert_eq!(counter.take(), (1, 0, 1, vec![]), "round {round}: opened, and nothing of it read");
    }
    array.write([0..8], &[9u8; 8]).unwrap();
    assert_eq!(counter.take(), (0, 0, 1, vec![]));
    array.write([7..10], &[3u8, 4, 5]).unwrap();
    assert_eq!(counter.take(), (2, 8, 2, vec![8]), "the other chunk is read");
}

// ---- resizing ----

#[test]
fn shrinking_and_growing_clear_reappearing_elements() {
    let zarr = hierarchy();
    let new = NewArray::new([10], "uint8").chunks([4]).fill_value(9);
    let mut array = zarr.create_array("/a", &new).unwrap();
    array.write(.., &[1u8; 10]).unwrap();
    let report = array.resize(&[5], ResizeOptions::default()).unwrap();
    assert_eq!((report.erased, report.reappeared), (vec![vec![2]], vec![]));
    let report = array.resize(&[10], ResizeOptions::default()).unwrap();
    assert_eq!(report.reappeared, [[1]], "what the straddling chunk kept is reported");
    assert_eq!(array.read::<u8>(..).unwrap(), [1, 1, 1, 1, 1, 1, 1, 1, 9, 9]);
    array.resize(&[5], ResizeOptions::default().with_keep_outside(true)).unwrap();
    let report = array.resize(&[10], ResizeOptions::default().with_clear_reappearing(true)).unwrap();
    assert_eq!(report.reappeared, [[1]]);
    assert_eq!(zarr.array("/a").unwrap().read::<u8>(..).unwrap(), [1, 1, 1, 1, 1, 9, 9, 9, 9, 9]);
    array.append(0, &[5u8; 3]).unwrap();
    assert_eq!(array.shape(), [13]);
    assert_eq!(array.read::<u8>([9..13]).unwrap(), [9, 5, 5, 5]);
    #[derive(Debug)]
    struct OnlyRead;
    impl StorageTransformer for OnlyRead {
        fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
            Ok(Arc::new(zarr_core::store::ReadOnly(below)))
        }
    }
    let shape = array.shape().to_vec();
    let mut only_read = array.hierarchy().array("/a").unwrap().with_transformer(Arc::new(OnlyRead)).unwrap();
    assert!(only_read.resize(&[5], ResizeOptions::default()).is_err());
    assert_eq!(array.hierarchy().array("/a").unwrap().shape(), shape, "the document is as it was");
    assert!(array.resize(&[1, 1], ResizeOptions::default()).is_err());
    assert!(array.append(1, &[0u8]).is_err());
}

#[test]
fn missing_chunks_can_be_errors() {
    let store = Arc::new(MemoryStore::default());
    let mut context = Context::new();
    context.missing_chunk_is_error = true;
    let array = Hierarchy::new(store, context).create_array("/a", NewArray::new([4], "int8").chunks([2])).unwrap();
    array.write([0..2], &[1i8, 2]).unwrap();
    assert_eq!(array.read::<i8>([0..2]).unwrap(), [1, 2]);
    let e = array.read::<i8>(..).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::KeyNotFound) && e.chunk() == Some(&[1]) && e.key().is_some(), "{e}");
}

#[test]
fn mismatched_rust_types_are_refused() {
    let array = hierarchy().create_array("/a", NewArray::new([2], "uint16")).unwrap();
    assert!(array.read::<i16>(..).is_err() && array.read::<String>(..).is_err() && array.read::<u32>(..).is_err());
    assert!(array.write(.., &[1u16]).is_err() && array.write(.., &[1u8, 2]).is_err());
    let mut short = [0u16; 1];
    assert!(array.read_into(.., &mut short).is_err());
}

#[test]
fn omitted_members_are_chosen_and_recorded() {
    let zarr = hierarchy();
    let array = zarr.create_array("/a", NewArray::new([5000, 3000], "float64")).unwrap();
    let chunk = array.chunk_shape().unwrap();
    let bytes = chunk.iter().product::<u64>() * 8;
    assert!(bytes <= 4 << 20 && bytes > 1 << 20, "{chunk:?}");
    let names: Vec<&str> = array.metadata().codecs().iter().map(zarr_core::extension::Extension::name).collect();
    assert_eq!(names, ["bytes", "zstd"]);
    assert_eq!(array.metadata().fill_value(), &"0.0".parse::<Json>().unwrap());
    for (data_type, codec) in [("string", "vlen-utf8"), ("bytes", "vlen-bytes"), ("uint8", "bytes")] {
        let array = zarr.create_array(&format!("/{data_type}"), NewArray::new([0, 3], data_type)).unwrap();
        assert_eq!((array.metadata().codecs()[0].name(), array.chunk_shape().unwrap()), (codec, &[1, 3][..]));
    }
    let sharded = zarr.create_array("/s", NewArray::new([512, 512], "int32").shards([256, 256])).unwrap();
    let inner = sharded.inner_chunk_shape().unwrap();
    assert!(inner.iter().all(|n| 256u64.is_multiple_of(*n) && *n < 256), "{inner:?}");
    assert!(zarr.create_array("/z", NewArray::new([1], "unit8")).unwrap_err().hint().is_some());
}

#[test]
fn wrong_lengths_are_reported_in_elements() {
    let zarr = Hierarchy::new(MemoryStore::default(), Context::new());
    let array = zarr.create_array("/a", NewArray::new([4], "float32")).unwrap();
    let told = |e: crate::Error| e.to_string();
    let needs = "expected 4 elements for shape [4], found 2";
    assert!(told(array.write(.., &[1f32; 2]).unwrap_err()).contains(needs));
    assert!(told(array.read_into(.., &mut [1f32; 2]).unwrap_err()).contains(needs));
    assert!(told(array.write_bytes(.., &[0; 8]).unwrap_err()).contains(needs));
    assert!(
        told(array.write_bytes(.., &[0; 7]).unwrap_err())
            .contains("7 bytes are not a multiple of the element size of 4 bytes")
    );
    let texts = zarr.create_array("/texts", NewArray::new([4], "string")).unwrap();
    assert!(told(texts.write(.., &["a".to_owned(), "b".to_owned()]).unwrap_err()).contains(needs));
}

#[test]
fn non_finite_fill_values_are_preserved() {
    let zarr = Hierarchy::new(MemoryStore::default(), Context::new());
    for (i, fill) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.1].into_iter().enumerate() {
        let array = zarr.create_array(&format!("/{i}"), NewArray::new([2], "float32").fill_value(fill)).unwrap();
        assert_eq!(array.read::<f32>(..).unwrap()[0].to_bits(), fill.to_bits());
    }
}
