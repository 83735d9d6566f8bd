//! Groups, consolidated metadata, and unknown extensions, in every way of opening a node.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, ErrorKind, Hierarchy, NewArray, Node,
    store::MemoryStore,
    zarr_core::{
        Result,
        json::{Json, Object},
        registration,
        registry::{CreateContext, ExtensionType, Registry},
        source::{ByteRange, Source},
        storage_transformer::StorageTransformer,
        store::{Key, ListableStore, Prefix, ReadableStore, Store, Update, WriteableStore},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

fn object(text: &str) -> Object {
    text.parse::<Json>().unwrap().as_object().unwrap().clone()
}
fn memory() -> (Arc<dyn Store>, Hierarchy) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    (store.clone(), Hierarchy::new(store, Context::new()))
}
fn put(store: &Arc<dyn Store>, key: &str, text: &str) {
    store.writer().unwrap().set(&Key::new(key).unwrap(), text.as_bytes()).unwrap();
}
fn text(store: &Arc<dyn Store>, key: &str) -> String {
    String::from_utf8(store.reader().unwrap().get(&Key::new(key).unwrap()).unwrap().unwrap()).unwrap()
}

const ARRAY: &str = r#"{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}"#;

#[test]
fn parents_become_explicit() {
    let (store, zarr) = memory();
    zarr.create_array("/a/b/c", NewArray::new([2], "int8")).unwrap();
    for key in ["zarr.json", "a/zarr.json", "a/b/zarr.json"] {
        assert!(text(&store, key).contains("\"group\""), "{key}");
    }
    assert!(zarr.create_array("/a/b/c/d", NewArray::new([2], "int8")).is_err(), "below an array");
    let taken = zarr.create_group("/a/b/c", ()).unwrap_err();
    assert!(matches!(taken.kind(), ErrorKind::NodeAlreadyExists));
    zarr.create_group("/ab", ()).unwrap();
    zarr.erase("/a").unwrap();
    assert!(matches!(zarr.node("/a").unwrap_err().kind(), ErrorKind::NodeNotFound));
    assert!(zarr.group("/ab").is_ok(), "a name that begins alike is another");
    assert!(matches!(zarr.erase("/a").unwrap_err().kind(), ErrorKind::NodeNotFound));
}

#[test]
fn a_bad_child_does_not_hide_its_siblings() {
    let (store, zarr) = memory();
    let root = zarr.create_group("/", object(r#"{"title":"x"}"#)).unwrap();
    root.create_array("good", NewArray::new([2], "int8")).unwrap();
    put(&store, "bad/zarr.json", "{");
    put(&store, "empty/c/0", "x");
    put(&store, "__hidden/x", "x");
    put(&store, "codec/zarr.json", &ARRAY.replace("[\"bytes\"]", "[\"zap\"]"));
    let children: Vec<_> = root.children().unwrap().collect();
    let names: Vec<&str> = children.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["bad", "codec", "empty", "good"]);
    assert!(children[3].node.is_ok() && children[..3].iter().all(|c| c.node.is_err()));
    let empty = children[2].node.as_ref().unwrap_err();
    assert!(matches!(empty.kind(), ErrorKind::NodeNotFound) && empty.hint().is_some());
    assert_eq!(root.walk().filter(|child| child.as_ref().unwrap().node.is_ok()).count(), 1);
}

#[test]
fn setting_attributes_preserves_the_rest() {
    let (store, zarr) = memory();
    let extra = r#""later":{"must_understand":false,"x":1.50},"fill_value":7e0"#.replace(",\"fill_value\":7e0", "");
    put(&store, "zarr.json", &ARRAY.replacen('{', &format!("{{{extra},"), 1));
    let mut array = zarr.array("/").unwrap();
    array.set_attributes(object(r#"{"b":12345678901234567890123,"a":1e3}"#)).unwrap();
    let stored = text(&store, "zarr.json");
    assert!(
        stored.contains("1.50") && stored.contains("12345678901234567890123") && stored.contains("1e3"),
        "{stored}"
    );
    assert!(stored.find("later") < stored.find("zarr_format"), "order is kept: {stored}");
    assert_eq!(zarr.array("/").unwrap().attributes().len(), 2);
}

#[test]
fn an_array_with_a_skipped_extension_is_read_only() {
    let (store, zarr) = memory();
    for (name, document) in [
        ("codec", ARRAY.replace("[\"bytes\"]", r#"["bytes",{"name":"zap","must_understand":false}]"#)),
        ("inner", ARRAY.replace("[\"bytes\"]", r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes",{"name":"zap","must_understand":false}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]"#)),
        ("transformer", ARRAY.replacen('{', r#"{"storage_transformers":[{"name":"zap","must_understand":false}],"#, 1)),
    ] {
        put(&store, &format!("{name}/zarr.json"), &document);
        let mut array = zarr.array(&format!("/{name}")).unwrap();
        assert_eq!(array.skipped()[0].1, "zap");
        assert_eq!(array.read::<u8>(..).unwrap(), [0, 0]);
        for refused in [array.write(.., &[1u8, 2]), array.chunk(&[0]).and_then(|chunk| chunk.erase()), array.chunk(&[0]).and_then(|chunk| chunk.write_encoded(&[1, 2]))] {
            assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Skipped(_)), "{name}");
        }
        assert!(array.resize(&[1], Default::default()).is_err());
        array.set_attributes(object(r#"{"x":1}"#)).unwrap();
        assert!(text(&store, &format!("{name}/zarr.json")).contains("zap"), "kept");
    }
    assert!(
        zarr.create_array(
            "/new",
            NewArray::new([2], "uint8").codecs([
                "\"bytes\"".parse::<Json>().unwrap(),
                r#"{"name":"zap","must_understand":false}"#.parse::<Json>().unwrap()
            ])
        )
        .is_err()
    );
}

#[test]
fn must_understand_is_checked_by_every_operation() {
    let flagged = |member: &str, name: &str| {
        let document = object(ARRAY);
        let mut changed = document.clone();
        let mut e: Object = [("name", Json::from(name))].into_iter().collect();
        if let Some(c) = document.get(member).and_then(Json::as_object).and_then(|o| o.get("configuration")) {
            e.set("configuration", c.clone());
        }
        e.set("must_understand", false);
        changed.set(member, e);
        Json::Object(changed).to_string()
    };
    let bad = [
        flagged("data_type", "uint8"),
        flagged("data_type", "zap"),
        flagged("chunk_grid", "regular"),
        flagged("chunk_grid", "zap"),
        flagged("chunk_key_encoding", "default"),
        flagged("chunk_key_encoding", "zap"),
        ARRAY.replace("\"bytes\"", "\"zap\""),
        ARRAY.replacen('{', r#"{"storage_transformers":["zap"],"#, 1),
        ARRAY.replacen('{', r#"{"zap":{"must_understand":true},"#, 1),
        ARRAY.replacen('{', r#"{"zap":1,"#, 1),
        ARRAY.replace("\"bytes\"", r#"{"name":"bytes","must_understand":"no"}"#),
        ARRAY.replace("\"bytes\"", r#"{"name":"bytes","configuration":{"x":1},"must_understand":false}"#),
        ARRAY.replace("\"bytes\"", r#"{"name":"zap","must_understand":false}"#),
    ];
    for document in bad {
        let (store, zarr) = memory();
        put(&store, "a/zarr.json", &document);
        let mut root = Object::new();
        root.set("a", document.parse::<Json>().unwrap());
        let group = format!(
            r#"{{"zarr_format":3,"node_type":"group","consolidated_metadata":{{"kind":"inline","must_understand":false,"metadata":{}}}}}"#,
            Json::Object(root)
        );
        put(&store, "zarr.json", &group);
        assert!(zarr.node("/a").is_err(), "open: {document}");
        assert!(zarr.group("/").unwrap().children().unwrap().next().unwrap().node.is_err(), "list: {document}");
        let consolidated = zarr.with_consolidated_metadata().unwrap();
        store.writer().unwrap().erase(&Key::new("a/zarr.json").unwrap()).unwrap();
        assert!(consolidated.node("/a").is_err(), "consolidated entry: {document}");
        assert!(consolidated.group("/").unwrap().children().unwrap().next().unwrap().node.is_err());
    }
}

/// Returns the nodes whose copy in the root differs from their document.
fn stale_copies(zarr: &Hierarchy) -> Vec<String> {
    let root = text(zarr.store(), "zarr.json").parse::<Json>().unwrap();
    let consolidated = root.as_object().unwrap().get("consolidated_metadata").unwrap().as_object().unwrap();
    let copies: BTreeMap<String, Json> = consolidated
        .get("metadata")
        .unwrap()
        .as_object()
        .unwrap()
        .iter()
        .map(|(p, v)| (p.to_owned(), v.clone()))
        .collect();
    let keys = zarr.store().lister().unwrap().list().unwrap();
    let documents: BTreeMap<String, Json> = keys
        .iter()
        .filter_map(|k| {
            Some((
                k.as_str().strip_suffix("/zarr.json")?.to_owned(),
                text(zarr.store(), k.as_str()).parse::<Json>().unwrap(),
            ))
        })
        .collect();
    let paths: BTreeSet<&String> = copies.keys().chain(documents.keys()).collect();
    paths.into_iter().filter(|p| copies.get(*p) != documents.get(*p)).cloned().collect()
}

/// A writer that changes a node during consolidation either finds no copies yet, or its copy is replaced by an older
/// one.
#[test]
fn consolidation_tolerates_concurrent_changes() {
    for round in 0..40 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        let zarr = Hierarchy::create(path).unwrap();
        for name in (0..24).map(|i| format!("/g/{i}")) {
            zarr.create_array(&name, NewArray::new([1], "bool")).unwrap();
        }
        let left = AtomicU32::new(4);
        std::thread::scope(|s| {
            for thread in 0..4 {
                let left = &left;
                s.spawn(move || {
                    let zarr = Hierarchy::open(path).unwrap();
                    for i in (0..24).filter(|i| i % 4 == thread) {
                        match (i + round) % 8 {
                            0 => zarr.erase(&format!("/g/{i}")).unwrap(),
                            1 => _ = zarr.create_array(&format!("/new{i}"), NewArray::new([1], "bool")).unwrap(),
                            _ => zarr
                                .array(&format!("/g/{i}"))
                                .unwrap()
                                .set_attributes([("round", Json::from(1u64))].into_iter().collect::<Object>())
                                .unwrap(),
                        }
                    }
                    left.fetch_sub(1, Ordering::SeqCst);
                });
            }
            let zarr = Hierarchy::open(path).unwrap();
            // Once, and then as long as a thread makes changes: the last run starts before the last change.
            zarr.consolidate("/").unwrap();
            while left.load(Ordering::SeqCst) > 0 {
                zarr.consolidate("/").unwrap();
            }
        });
        let stale = stale_copies(&zarr);
        assert!(stale.is_empty(), "round {round}: copies of {stale:?} are not what is stored");
    }
}

/// A writer that creates a missing group does not remove the copies of nodes that others create in it at the same time.
#[test]
fn copies_of_new_nodes_are_preserved() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    Hierarchy::create(path).unwrap().create_group("/", ()).unwrap();
    let zarr = Hierarchy::open(path).unwrap();
    zarr.consolidate("/").unwrap();
    for round in 0..40 {
        std::thread::scope(|s| {
            for thread in 0..4 {
                s.spawn(move || {
                    let zarr = Hierarchy::open(path).unwrap();
                    zarr.create_array(&format!("/g{round}/x/{thread}"), NewArray::new([1], "bool")).unwrap();
                });
            }
        });
        let stale = stale_copies(&zarr);
        assert!(stale.is_empty(), "round {round}: copies of {stale:?} are not what is stored");
    }
}

#[test]
fn consolidated_metadata_is_used_on_request_and_updated() {
    let (store, zarr) = memory();
    zarr.create_array("/g/a", NewArray::new([2], "int8")).unwrap();
    zarr.consolidate("/").unwrap();
    zarr.create_array("/g/b", NewArray::new([3], "int8")).unwrap();
    zarr.array("/g/a").unwrap().set_attributes(object(r#"{"x":1}"#)).unwrap();
    zarr.array("/g/a").unwrap().resize(&[5], Default::default()).unwrap();
    let fast = zarr.with_consolidated_metadata().unwrap();
    assert_eq!((fast.array("/g/a").unwrap().shape(), fast.array("/g/b").unwrap().shape()), (&[5][..], &[3][..]));
    assert_eq!(fast.array("/g/a").unwrap().attributes().len(), 1);
    zarr.erase("/g").unwrap();
    assert!(!text(&store, "zarr.json").contains("g/"), "what was below is gone too");
    // A stale copy that another writer left behind: the node's own document counts.
    zarr.create_array("/c", NewArray::new([2], "int8")).unwrap();
    let stale = text(&store, "zarr.json").replace("[2]", "[9]");
    put(&store, "zarr.json", &stale);
    assert_eq!(zarr.array("/c").unwrap().shape(), [2]);
    assert_eq!(zarr.with_consolidated_metadata().unwrap().array("/c").unwrap().shape(), [9]);
}

#[derive(Debug)]
struct NoListing(Arc<dyn Store>);
impl Store for NoListing {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.0.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.0.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        None
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}

#[test]
fn a_store_that_cannot_list_is_listed_by_its_consolidated_metadata() {
    let (store, zarr) = memory();
    zarr.create_array("/g/a", NewArray::new([2], "int8")).unwrap();
    let blind = Hierarchy::new(Arc::new(NoListing(store)), Context::new());
    let e = blind.group("/g").unwrap().children().unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Unsupported(_)) && e.hint().is_some());
    zarr.consolidate("/").unwrap();
    for path in ["/", "/g"] {
        let children: Vec<_> = blind.group(path).unwrap().children().unwrap().collect();
        assert!(children.len() == 1 && matches!(&children[0].node, Ok(Node::Array(_) | Node::Group(_))), "{path}");
    }
}

// ---- storage transformers that do not commute: each adds its mark to keys ----

#[derive(Debug)]
struct Mark(char);
#[derive(Debug)]
struct Marked(Arc<dyn Store>, char);
macro_rules! mark {
    ($type:ident $name:literal $mark:literal) => {
        #[derive(Debug)]
        struct $type(Mark);
        impl ExtensionType for $type {
            const NAME: &'static str = $name;
            type Configuration = ozarr::zarr_core::registry::NoConfiguration;
            fn create(_: Self::Configuration, _: &CreateContext<'_>) -> Result<Self> {
                Ok(Self(Mark($mark)))
            }
            fn configuration(&self) -> Self::Configuration {
                Self::Configuration {}
            }
        }
        impl StorageTransformer for $type {
            fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
                Ok(Arc::new(Marked(below, self.0.0)))
            }
        }
    };
}
mark!(MarkA "test.a" 'a');
mark!(MarkB "test.b" 'b');
impl Marked {
    fn key(&self, key: &Key) -> Key {
        assert_ne!(key.as_str(), "zarr.json");
        Key::new(format!("{}{key}", self.1)).unwrap()
    }
}
impl Store for Marked {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        None
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}
impl ReadableStore for Marked {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.0.reader()?.open(&self.key(key))
    }
}
impl WriteableStore for Marked {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.0.writer()?.set(&self.key(key), value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.0.writer()?.set_if_absent(&self.key(key), value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.0.writer()?.update(&self.key(key), change)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.0.writer()?.erase(&self.key(key))
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.0.writer()?.erase_prefix(prefix)
    }
}

#[test]
fn storage_transformers_stack_in_the_order_of_the_document() {
    let mut registry = Registry::builtin();
    registry.add(registration!(StorageTransformer: MarkA)).unwrap();
    registry.add(registration!(StorageTransformer: MarkB)).unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let zarr = Hierarchy::new(store.clone(), Context::with_registry(registry));
    put(&store, "x/zarr.json", &ARRAY.replacen('{', r#"{"storage_transformers":["test.a",{"name":"test.b"}],"#, 1));
    let array = zarr.array("/x").unwrap();
    array.write(.., &[1u8, 2]).unwrap();
    // The first is nearest to the array: its mark is added first, and that of the last one is outermost.
    let keys: Vec<String> = store.lister().unwrap().list().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["x/bac/0", "x/zarr.json"]);
    assert_eq!(zarr.array("/x").unwrap().read::<u8>(..).unwrap(), [1, 2]);
    let added = zarr.array("/x").unwrap().with_transformer(Arc::new(MarkB(Mark('b')))).unwrap();
    added.write(.., &[3u8, 4]).unwrap();
    assert!(store.reader().unwrap().get(&Key::new("x/babc/0").unwrap()).unwrap().is_some(), "nearest to the array");
    assert!(array.data_store().reader().unwrap().get(&Key::new("c/0").unwrap()).unwrap().is_some());
    let range = [(Key::new("c/0").unwrap(), ByteRange::Suffix(1))];
    assert_eq!(array.data_store().reader().unwrap().get_partial_values(&range).unwrap(), [Some(vec![2])]);
}

/// Only the needed bytes of uncompressed chunks are read, but a wrong length is still noticed.
#[test]
fn a_chunk_of_the_wrong_length_is_an_error_even_if_little_is_read() {
    for shards in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let store = Hierarchy::create(dir.path()).unwrap();
        let new = NewArray::new([4, 5], "uint16").chunks([2, 3]);
        let new = if shards { new.shards([4, 6]) } else { new };
        let array = store.create_array("/", new.codecs([Json::from("bytes")])).unwrap();
        array.write(.., &(0..20).collect::<Vec<u16>>()).unwrap();
        let path = dir.path().join(if shards { "c/0/0" } else { "c/0/1" });
        let mut chunk = std::fs::read(&path).unwrap();
        if shards {
            // The length of the inner chunk at [0, 1], and the checksum of the index.
            let index = chunk.len() - 68;
            chunk[index + 24] += 1;
            let crc = crc32c(&chunk[index..index + 64]).to_le_bytes();
            chunk[index + 64..].copy_from_slice(&crc);
        } else {
            chunk.push(0);
        }
        std::fs::write(path, chunk).unwrap();
        assert_eq!(array.read::<u16>([0..2, 0..3]).unwrap(), [0, 1, 2, 5, 6, 7]);
        for region in [[0..4, 0..5], [0..2, 3..5], [0..1, 3..4]] {
            let e = array.read::<u16>(region).unwrap_err();
            assert!(e.to_string().contains("expected 12 bytes, found 13"), "{e}");
        }
    }
}

fn crc32c(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc)))
}

#[test]
fn a_document_that_is_too_large_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let hierarchy = Hierarchy::create(path).unwrap();
    hierarchy.create_group("/", ()).unwrap();
    // Larger than any memory: only its length is examined.
    std::fs::File::options().write(true).open(dir.path().join("zarr.json")).unwrap().set_len(1 << 43).unwrap();
    let read = hierarchy.node("/").unwrap_err();
    let group = hierarchy.create_group("/x", ()).unwrap_err();
    for e in [read, group] {
        assert!(matches!(e.kind(), ErrorKind::Limit { asked: 0x800_0000_0000, .. }), "{e}");
    }
}
