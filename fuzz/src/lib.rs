//! The fuzz targets and the properties that they check. Each function panics if a property does not hold.
//!
//! Memory from Rust's heap is counted: whatever the input, a run may allocate at most [`MOST`]. Allocations of
//! libraries in C are not in that sum; `run` limits each of them to the same size.

mod descriptor;
mod grammar;
mod heap;

pub use descriptor::descriptor;
pub use grammar::on_a_usual_stack;
pub use heap::MOST;

use grammar::expanded;
use heap::bounded;
use ozarr::{
    Array, Context, Hierarchy,
    plugins::Manifest,
    store::{FilesystemStore, MemoryStore},
    zarr_core::{
        call::Sequential,
        json::Json,
        limits::Limits,
        metadata::{NodeMetadata, ResolvedArray},
        name::NodePath,
        registry::Registry,
        store::{Key, ListableStore, Prefix, ReadableStore, WriteableStore},
    },
};
use std::{
    path::Path,
    sync::{Arc, OnceLock},
};
use zarr_plugin_api::testing::Bench;

/// The arrays whose chunks the targets decode: target, data type, shape, codecs.
pub const CHUNKS: [(&str, &str, &str, &str); 9] = [
    // `blosc`.
    (
        "blosc",
        "uint16",
        "[16,8]",
        r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]"#,
    ),
    // `bytes` with a data type that has invalid bit patterns.
    ("bytes_bool", "bool", "[8,5]", r#"["bytes"]"#),
    // `crc32c` after a transpose.
    (
        "crc32c",
        "uint16",
        "[16,8]",
        r#"[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]"#,
    ),
    // `gzip`.
    (
        "gzip",
        "uint16",
        "[16,8]",
        r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]"#,
    ),
    // `sharding_indexed` with an unprotected index at the start.
    (
        "sharding",
        "uint8",
        "[16,8]",
        r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,4],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"start"}}]"#,
    ),
    // Nested shards of strings.
    (
        "sharding_nested",
        "string",
        "[8]",
        r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[4],"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["vlen-utf8"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}}]"#,
    ),
    // `vlen-bytes`, compressed twice: the decoded size is unknown.
    (
        "vlen_bytes",
        "bytes",
        "[6,2]",
        r#"["vlen-bytes",{"name":"gzip","configuration":{"level":1}},{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#,
    ),
    // `vlen-utf8`.
    ("vlen_utf8", "string", "[6,2]", r#"["vlen-utf8"]"#),
    // `zstd`.
    (
        "zstd",
        "uint16",
        "[16,8]",
        r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#,
    ),
];

/// Returns the context of an application that reads data from third parties.
fn context() -> Context {
    let mut context = Context::new().with_executor(Arc::new(Sequential));
    context.limits = limits();
    context
}

fn limits() -> Limits {
    Limits::default().with_chunk_bytes(1 << 20).with_metadata_bytes(1 << 20)
}

/// An array with one chunk of untrusted bytes.
pub struct Chunk {
    array: Array,
    key: Key,
    fixed: bool,
}

impl Chunk {
    /// Returns the array of a target.
    pub fn new(target: &str) -> Self {
        let found = CHUNKS.iter().find(|(name, ..)| *name == target).expect("a target");
        let (_, data_type, shape, codecs) = *found;
        let fill = if ["string", "bytes"].contains(&data_type) { "\"\"" } else { "0" };
        let fill = if data_type == "bool" { "false" } else { fill };
        let fill = if data_type == "bytes" { "[]" } else { fill };
        let text = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{shape},"data_type":"{data_type}","chunk_grid":{{"name":"regular",
            "configuration":{{"chunk_shape":{shape}}}}},"chunk_key_encoding":"default","fill_value":{fill},"codecs":{codecs}}}"#
        );
        let NodeMetadata::Array(metadata) = NodeMetadata::parse(text.as_bytes(), &limits()).expect("metadata") else {
            panic!("a group");
        };
        let hierarchy = Hierarchy::new(MemoryStore::default(), context());
        let array = hierarchy.create_array_from("/", metadata, false).expect("an array");
        let key = array.chunk_key(&vec![0; array.shape().len()]).expect("a key");
        let fixed = !array.representation().layout().is_variable();
        Self { array, key, fixed }
    }

    /// Returns the second half of the array along its first dimension, less one element.
    fn part(&self) -> Vec<std::ops::Range<u64>> {
        let shape = self.array.shape();
        shape.iter().enumerate().map(|(d, n)| if d == 0 { 1..n / 2 + 1 } else { 0..*n }).collect()
    }

    /// Returns the bytes of a valid chunk for the initial corpus.
    pub fn seed(&self, step: u64) -> Vec<u8> {
        let n = self.array.shape().iter().product::<u64>();
        if self.fixed {
            let bits = if self.array.metadata().data_type().name() == "bool" { 1 } else { 0xff };
            let size = self.array.representation().element_size() as u64;
            let mut bytes: Vec<u8> = (0..n * size).map(|i| ((i * i / 7 * step) & bits) as u8).collect();
            // Differs from the fill value.
            bytes[0] = 1;
            self.array.write_bytes(.., &bytes).expect("it is written");
        } else {
            let texts: Vec<String> = (0..n).map(|i| "aé".repeat((i * step % 4) as usize)).collect();
            let bytes: Vec<Vec<u8>> = texts.iter().map(|t| t.clone().into_bytes()).collect();
            self.array.write(.., &texts).or_else(|_| self.array.write(.., &bytes)).expect("it is written");
        }
        let chunk_index = vec![0; self.array.shape().len()];
        self.array.chunk(&chunk_index).and_then(|chunk| chunk.encoded()).expect("it is there").expect("it is stored")
    }

    fn store(&self, bytes: &[u8]) {
        self.array.data_store().writer().and_then(|w| w.set(&self.key, bytes)).expect("memory");
    }

    /// Reads the chunk and a part of it, and changes a part.
    pub fn run(&self, data: &[u8]) {
        bounded(|| {
            self.store(data);
            if self.fixed { self.fixed_size(data) } else { self.variable() }
        });
    }

    fn fixed_size(&self, data: &[u8]) {
        let (whole, part) = (self.array.read_bytes(..), self.array.read_bytes(self.part()));
        if let (Ok(whole), Ok(part)) = (&whole, &part) {
            let row = whole.len() / self.array.shape()[0] as usize;
            assert!(whole[row..row + part.len()] == part[..], "a part is not the part of the whole");
        }
        assert!(whole.is_err() || part.is_ok(), "the whole is read, and not a part of it");
        let Ok(mut whole) = whole else {
            // A chunk that cannot be read whole may be changed where that does not need the old elements, or the write
            // fails.
            let _either = part.map(|part| self.array.write_bytes(self.part(), &part));
            return;
        };
        let row = whole.len() / self.array.shape()[0] as usize;
        let n = part.map_or(0, |p| p.len());
        whole[row..row + n].fill(1);
        self.array.write_bytes(self.part(), &whole[row..row + n]).expect("what was read is written");
        assert!(self.array.read_bytes(..).expect("it is read again") == whole, "a change of a part is not that");
        // The elements, encoded again, are the same elements.
        self.array.write_bytes(.., &whole).expect("it is written");
        assert!(self.array.read_bytes(..).expect("it is read again") == whole, "a round trip changes elements");
        self.store(data);
    }

    fn variable(&self) {
        let (whole, part) = (self.array.read::<Vec<u8>>(..), self.array.read::<Vec<u8>>(self.part()));
        let strings = self.array.read::<String>(..);
        if let (Ok(whole), Ok(part)) = (&whole, &part) {
            let row = whole.len() / self.array.shape()[0] as usize;
            assert!(whole[row..row + part.len()] == part[..], "a part is not the part of the whole");
        }
        if let Ok(whole) = whole {
            self.array.write(.., &whole).expect("what was read is written");
            assert!(
                self.array.read::<Vec<u8>>(..).expect("it is read again") == whole,
                "a round trip changes elements"
            );
        }
        if let Ok(strings) = strings {
            self.array.write(.., &strings).expect("what was read is written");
            assert!(
                self.array.read::<String>(..).expect("it is read again") == strings,
                "a round trip changes elements"
            );
        }
    }
}

fn registry() -> &'static Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    REGISTRY.get_or_init(|| Arc::new(Registry::builtin()))
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(Bench::new)
}

/// Parses a metadata document, expanded by `grammar`. An accepted document is printed and accepted again, and its array
/// is opened and one element written and read, or this fails with an error.
pub fn metadata(data: &[u8]) {
    on_a_usual_stack(document, &expanded(data));
}
fn document(data: &[u8]) {
    let _ready = registry();
    bounded(|| {
        let limits = limits();
        let Ok(node) = NodeMetadata::parse(data, &limits) else { return };
        let text = Json::Object(node.document().clone()).to_pretty();
        let again = NodeMetadata::parse(text.as_bytes(), &limits).expect("what was printed is read");
        assert!(again.document() == node.document(), "a document changes when it is printed");
        let NodeMetadata::Array(metadata) = node else { return };
        let resolved = ResolvedArray::open(&metadata, registry(), &limits, &Default::default());
        assert!(resolved.is_ok() || resolved.is_err_and(|e| !e.to_string().is_empty()));
        let store = Arc::new(MemoryStore::default());
        store.set(&Key::metadata(&NodePath::ROOT), data).expect("memory");
        let Ok(array) = Hierarchy::new(store, context()).array("/") else { return };
        // One element, if there is one.
        let one: Vec<std::ops::Range<u64>> = array.shape().iter().map(|n| n.saturating_sub(1)..*n).collect();
        let _fill_or_error =
            (array.read_bytes(one.clone()), array.read::<String>(one.clone()), array.read::<Vec<u8>>(one.clone()));
        let mut element = vec![0; array.representation().element_size()];
        element.iter_mut().take(1).for_each(|byte| *byte = 1);
        if array.write_bytes(one.clone(), &element).is_ok() {
            assert!(array.read_bytes(one).expect("what was written is read") == element, "another element is read");
        }
    });
}

/// Parses JSON, expanded by `grammar`. Accepted JSON is printed, compact and pretty, and parses to the same value.
pub fn json(data: &[u8]) {
    on_a_usual_stack(value, &expanded(data));
}
fn value(data: &[u8]) {
    bounded(|| {
        let Ok(json) = Json::parse(data, &limits()) else { return };
        for text in [json.to_string(), json.to_pretty()] {
            let again = Json::parse(text.as_bytes(), &limits()).expect("what was printed is read");
            assert!(again == json, "JSON changes when it is printed");
        }
    });
}

/// Parses keys, prefixes and paths: none leaves the store, and the key of a chunk decodes to its chunk index.
pub fn keys(data: &[u8]) {
    static INSIDE: OnceLock<(tempfile::TempDir, FilesystemStore)> = OnceLock::new();
    let (_, store) = INSIDE.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("in")).expect("a directory");
        for name in ["outside", "zarr.json", "c"] {
            std::fs::write(dir.path().join(name), "secret").expect("a file");
        }
        let store = FilesystemStore::open(dir.path().join("in")).expect("a store");
        (dir, store)
    });
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(key) = Key::new(text) {
        assert!(store.get(&key).ok().flatten().is_none(), "{key} leads out of the store");
    }
    if let Ok(prefix) = Prefix::new(text) {
        let listed = store.list_prefix(&prefix).unwrap_or_default();
        assert!(listed.is_empty(), "{prefix} leads out of the store");
    }
    if let Ok(path) = NodePath::new(text) {
        assert!(NodePath::new(&path.to_string()).expect("a path is one") == path);
        assert!(Key::new(Key::metadata(&path).as_str()).is_ok(), "the document of {path} has no key");
    }
    for name in ["default", "v2"] {
        let encoding = bench().chunk_key_encoding(name, &[9, 9]).expect("built in");
        for rank in 0..4 {
            if let Some(chunk_index) = encoding.decode(text, rank) {
                assert!(chunk_index.len() == rank && encoding.encode(&chunk_index).expect("a chunk has a key") == text);
            }
        }
    }
}

/// Parses a plugin's manifest, alone and inside a possible library. Nothing is run.
pub fn manifest(data: &[u8]) {
    bounded(|| {
        let Ok(manifest) = Manifest::parse(data, Path::new("p.zarrplugin.json")) else { return };
        assert!(manifest.extensions.iter().all(|e| e.names().count() > 0));
    });
}

/// Searches a possible library for its manifest. Nothing is run.
pub fn library(data: &[u8]) {
    static FILE: OnceLock<tempfile::NamedTempFile> = OnceLock::new();
    let file = FILE.get_or_init(|| tempfile::NamedTempFile::new().expect("a file")).path();
    std::fs::write(file, data).expect("a file");
    bounded(|| {
        let _found_or_not = Manifest::embedded(file);
    });
}

/// Defines a target, which libFuzzer calls repeatedly.
#[macro_export]
macro_rules! chunk {
    ($target:expr) => {
        #[global_allocator]
        static HEAP: $crate::Heap = $crate::Heap;
        thread_local! {
            static CHUNK: $crate::Chunk = $crate::Chunk::new($target);
        }
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::on_a_usual_stack(|data| CHUNK.with(|chunk| chunk.run(data)), data);
        });
    };
}
pub use heap::Heap;
