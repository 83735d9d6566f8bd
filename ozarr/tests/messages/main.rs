//! The texts of errors and hints, as users read them. `SNAPSHOTS=overwrite` writes `messages.txt` again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod metadata;

use metadata::{codecs, documents, fill_values};
use ozarr::{
    Array, Context, Element, Error, ErrorKind, Hierarchy, Json, NewArray, ResizeOptions, Result, Selection,
    codecs::Zstd,
    slice,
    store::{FilesystemStore, MemoryStore, OpenMode, Schemes},
    zarr_core::{
        extension::ExtensionPoint,
        layout::Layout,
        limits::Limits,
        name::NodePath,
        registry::Registry,
        store::{Key, Prefix, Store},
        view::{Region, View, ViewMut},
    },
};
use snapbox::{assert_data_eq, file};
use std::{fmt::Write, fs, path::Path, sync::Arc};

/// Collects the messages of one section.
#[derive(Default)]
struct Messages(String);

impl Messages {
    fn section(&mut self, title: &str) {
        writeln!(self.0, "== {title}\n").unwrap();
    }
    fn add<T>(&mut self, done: &str, outcome: Result<T>) {
        let Err(e) = outcome else { return writeln!(self.0, "# {done}\nno error\n").unwrap() };
        let hint = e.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
        let (text, hint) = (e.to_string(), hint.as_str());
        writeln!(self.0, "# {done}\n{}", text.strip_suffix(hint).unwrap()).unwrap();
        if let Some(hint) = e.hint() {
            writeln!(self.0, "hint: {hint}").unwrap();
        }
        self.0.push('\n');
    }
}

const DOCUMENT: &str = r#"{"zarr_format": 3, "node_type": "array", "shape": [4, 6], "data_type": "uint16", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 6]}}, "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}"#;

fn put(hierarchy: &Hierarchy, key: &str, value: impl AsRef<[u8]>) {
    hierarchy.store().writer().unwrap().set(&Key::new(key).unwrap(), value.as_ref()).unwrap();
}
/// Opens an array with a metadata document.
fn open(document: impl AsRef<[u8]>) -> Result<Array> {
    let hierarchy = Hierarchy::in_memory();
    put(&hierarchy, "a/zarr.json", document);
    hierarchy.array("/a")
}
fn json(text: &str) -> Json {
    text.parse().unwrap()
}
fn new(shape: &[u64], data_type: &str) -> NewArray {
    NewArray::new(shape.to_vec(), data_type).no_compressor()
}
fn create(new: NewArray) -> Result<Array> {
    Hierarchy::in_memory().create_array("/a", new)
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Wrong(f32);
impl Element for Wrong {
    const LAYOUT: Layout = f64::LAYOUT;
}

fn elements(m: &mut Messages) {
    m.section("Selections and elements");
    let array = create(new(&[4, 6, 8], "float32").chunks([2, 6, 8])).unwrap();
    m.add("read(0..5)", array.read::<f32>(0..5));
    m.add("read((.., .., 8))", array.read::<f32>((.., .., 8)));
    m.add("read((.., .., .., ..))", array.read::<f32>((.., .., .., ..)));
    m.add("read of a region with a step of 0", array.read::<f32>(slice(..).step_by(0)));
    m.add("read of an index with a step", array.read::<f32>(slice(1).step_by(2)));
    for text in ["1:x", "..., ...", "3:2"] {
        m.add(&format!("read({text:?})"), text.parse::<Selection>().and_then(|s| array.read::<f32>(s)));
    }
    m.add("read::<f64> of float32", array.read::<f64>(..));
    m.add("write(&[i32]) to float32", array.write(.., &[0i32; 192]));
    for data_type in ["bool", "string", "bytes", "r24", "uint16", "float16", "complex128", "int64"] {
        m.add(&format!("read::<i8> of {data_type}"), create(new(&[2], data_type)).unwrap().read::<i8>(..));
    }
    m.add("read of a type whose size is not that of its layout", array.read::<Wrong>(..));
    m.add("write of too few elements", array.write(.., &[0f32; 5]));
    m.add("write_bytes of 7 bytes", array.write_bytes(.., &[0; 7]));
    m.add("read_into of too few elements", array.read_into(.., &mut [0f32; 5]));
    let mut memory = [0; 4 * 12];
    let view = |memory: &mut [u8]| array.read_view(.., ViewMut::new(memory, &[2, 6], 4)?);
    m.add("read_view into another shape", view(&mut memory));
    m.add(
        "write_view with elements of another size",
        array.write_view((0, 0, 0..8), &View::new(&[0; 16], &[8], 2).unwrap()),
    );
    m.add("a view of too few bytes", View::new(&[0; 3], &[2], 4));
    m.add("a region beyond 2^64", Region::new(&[u64::MAX], &[2]));
    let text = create(new(&[2], "string")).unwrap();
    m.add("read_bytes of strings", text.read_bytes(..));
    m.add("write_bytes of strings", text.write_bytes(.., b"ab"));
    m.add("read_ndarray with another number of dimensions", array.read_ndarray::<f32, ndarray::Ix1>((.., 0, ..)));
    m.add("chunk(&[2, 0, 0])", array.chunk(&[2, 0, 0]));
    m.add("chunk(&[0])", array.chunk(&[0]));
    m.add("chunk_key(&[9, 0, 0])", array.chunk_key(&[9, 0, 0]).and_then(|_| array.chunk_region(&[9, 0, 0])));
}

fn new_arrays(m: &mut Messages) {
    m.section("New nodes");
    let plain = || new(&[4], "uint8");
    m.add("a negative length", create(NewArray::new([-4], "uint8")));
    m.add("chunks of another rank", create(plain().chunks([2, 2])));
    m.add("shards that chunks do not divide", create(plain().chunks([3]).shards([4])));
    m.add("codecs twice", create(NewArray::new([4], "uint8").codecs(["bytes"]).filters(["transpose"])));
    m.add("a codec that is a number", create(NewArray::new([4], "uint8").codecs([Json::from(1u64)])));
    m.add("attributes that are a list", create(plain().attributes([1])));
    m.add(
        "an array of more than 2^64 elements",
        create(new(&[1 << 40, 1 << 40], "uint8")).and_then(|a| a.read_bytes(..)),
    );
    m.add("a name that begins with __", Hierarchy::in_memory().create_array("/__a", plain()));
    m.add("a name of periods", Hierarchy::in_memory().create_array("/..", plain()));
    m.add("an empty name", Hierarchy::in_memory().create_array("/a//b", plain()));
    m.add("a name zarr.json", Hierarchy::in_memory().create_array("/zarr.json", plain()));
    let hierarchy = Hierarchy::in_memory();
    hierarchy.create_array("/g/a", plain()).unwrap();
    m.add("create_array where an array is", hierarchy.create_array("/g/a", plain()));
    m.add("create_group where an array is", hierarchy.create_group("/g/a", ()));
    m.add("build where a group is", hierarchy.build("/g", false, |_| Ok(())));
    m.add("build of nothing", hierarchy.build("/h", true, |_| Ok(())));
    m.add("create_array below an array", hierarchy.create_array("/g/a/b", plain()));
    m.add("array() of a group", hierarchy.array("/g"));
    m.add("group() of an array", hierarchy.group("/g/a"));
    m.add("array() of nothing", hierarchy.array("/b"));
    m.add("erase of nothing", hierarchy.erase("/b"));
    m.add("set_attributes to a list", hierarchy.group("/g").unwrap().set_attributes([1]));
    m.add("attributes_as of another type", hierarchy.group("/g").unwrap().attributes_as::<Vec<u8>>());
    m.add("consolidate of an array", hierarchy.consolidate("/g/a"));
    m.add("with_consolidated_metadata of a group without", hierarchy.with_consolidated_metadata().map(|_| ()));
    put(&hierarchy, "n/b/zarr.json", DOCUMENT);
    put(&hierarchy, "v/c/0", "x");
    put(&hierarchy, "w/note", "x");
    m.add("create_array above a node", hierarchy.create_array("/n", plain()));
    m.add("create_array above keys of chunks", hierarchy.create_array("/v", plain()));
    m.add("create_array above other keys", hierarchy.build("/w", true, |_| Ok(())));
    m.add("write to a hierarchy that is read only", hierarchy.read_only().create_array("/b", plain()));
    let mut array = hierarchy.create_array("/r", new(&[4, 6], "uint8")).unwrap();
    m.add("resize to another rank", array.resize(&[4], ResizeOptions::default()));
    m.add("append along axis 2", array.append(2, &[0u8]));
    m.add("append of a part of a row", array.append(0, &[0u8; 5]));
    m.add("append of another type", array.append(0, &[0u16; 6]));
    let mut old = hierarchy.array("/r").unwrap();
    hierarchy.create_array("/r", new(&[4, 6], "uint16").overwrite()).unwrap();
    m.add("append to an array that was overwritten", array.append(0, &[0u8; 6]));
    hierarchy.erase("/r").unwrap();
    hierarchy.create_group("/r", ()).unwrap();
    m.add("resize an array that became a group", old.resize(&[8, 6], ResizeOptions::default()));
    let skipped = DOCUMENT.replace(r#""codecs": ["#, r#""codecs": [{"name": "acme.x", "must_understand": false}, "#);
    m.add("write to an array with a codec that is skipped", open(skipped).and_then(|a| a.write_bytes(.., &[0; 48])));
    let stale = hierarchy.create_array("/e", new(&[10], "uint8").chunks([4])).unwrap();
    let now = hierarchy.create_array("/e", new(&[10], "uint8").chunks([1]).overwrite()).unwrap();
    now.write(.., &[2u8; 10]).unwrap();
    m.add("write to an array that was overwritten", stale.write([8..10], &[1u8; 2]));
}

/// Stores bytes as the first chunk of an array, and reads it.
fn stored(codecs: &[&str], data_type: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let array = create(NewArray::new([4], data_type).chunks([4]).codecs(codecs.iter().map(|c| json(c))))?;
    let chunk = array.chunk(&[0])?;
    chunk.write_encoded(bytes)?;
    chunk.check()?;
    array.read_bytes(..)
}

fn damage(m: &mut Messages) {
    m.section("Stored chunks");
    const BYTES: &str = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
    const SHARD: &str = r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["bytes"], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}"#;
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let blosc = |at: usize, value: u8| {
        let mut header = [2, 1, 2, 1, 4, 0, 0, 0, 4, 0, 0, 0, 20, 0, 0, 0, 1, 2, 3, 4];
        header[at] = value;
        header
    };
    let index = |entries: [u64; 4]| entries.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let text = |numbers: &[u32], end: &[u8]| {
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        [&numbers[..], end].concat()
    };
    let plain = (&[BYTES][..], "uint8");
    let with = |codec: &'static str| vec![BYTES, codec];
    let gzipped = with(r#"{"name": "gzip", "configuration": {"level": 1}}"#);
    let zstd = with(r#"{"name": "zstd", "configuration": {"level": 1, "checksum": false}}"#);
    let blosced = with(
        r#"{"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}}"#,
    );
    let crc = with("\"crc32c\"");
    let strings = vec!["\"vlen-utf8\""];
    let shards = vec![SHARD];
    m.add("3 bytes of uint8[4]", stored(plain.0, plain.1, &[0; 3]));
    m.add("a bool of 2", stored(plain.0, "bool", &[0, 1, 2, 0]));
    m.add("an empty gzip chunk", stored(&gzipped, "uint8", &[]));
    m.add("a gzip header", stored(&gzipped, "uint8", &gzip));
    m.add("no gzip header", stored(&gzipped, "uint8", b"something else, longer than a header"));
    m.add("an empty zstd chunk", stored(&zstd, "uint8", &[]));
    m.add("no zstd frame", stored(&zstd, "uint8", b"something else"));
    m.add("a zstd frame without its end", stored(&zstd, "uint8", &[0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x21, 0, 0, 1, 2]));
    m.add("a short blosc header", stored(&blosced, "uint8", &[2, 1]));
    for (at, value, what) in [
        (0, 9, "another version"),
        (2, 0x0a, "an unknown flag"),
        (3, 0, "elements of no bytes"),
        (4, 5, "another size"),
        (12, 30, "another length"),
    ] {
        m.add(&format!("a blosc header with {what}"), stored(&blosced, "uint8", &blosc(at, value)));
    }
    m.add("a checksum without its end", stored(&crc, "uint8", &[0; 2]));
    m.add("a wrong checksum", stored(&crc, "uint8", &[0; 8]));
    m.add("no count of strings", stored(&strings, "string", &[1]));
    m.add("too few strings", stored(&strings, "string", &text(&[3], b"")));
    m.add("a string that is too long", stored(&strings, "string", &text(&[4, 9], b"abc")));
    m.add("a string that is not UTF-8", stored(&strings, "string", &text(&[4, 1], b"\xff")));
    m.add("bytes after the strings", stored(&strings, "string", &text(&[4, 0, 0, 0, 0], b"abc")));
    m.add("a shard without its index", stored(&shards, "uint8", &[0; 9]));
    m.add("a shard index that points outside", stored(&shards, "uint8", &index([0, 99, u64::MAX, u64::MAX])));
    m.add("a shard index with half an entry", stored(&shards, "uint8", &index([u64::MAX, 2, u64::MAX, u64::MAX])));
    m.add(
        "an inner chunk of another size",
        stored(&shards, "uint8", &[&[1, 2, 3][..], &index([0, 3, u64::MAX, u64::MAX])].concat()),
    );
    m.add("inner chunks that overlap", stored(&shards, "uint8", &[&[1, 2, 3][..], &index([0, 2, 1, 2])].concat()));
    m.add("key() of an inner chunk", {
        let array = create(new(&[4], "uint8").chunks([2]).shards([4])).unwrap();
        array.chunks().inner().next().unwrap().key()
    });
    m.add("a missing chunk that is an error", {
        let mut context = Context::default();
        context.missing_chunk_is_error = true;
        Hierarchy::new(MemoryStore::default(), context).create_array("/a", new(&[4], "uint8")).unwrap().read_bytes(..)
    });
}

/// Returns the first error below the root.
fn first_broken(hierarchy: &Hierarchy) -> Result<()> {
    let mut all = hierarchy.group("/")?.walk();
    all.try_for_each(|child| child?.node.map(|_| ()))
}

fn stores(m: &mut Messages, dir: &Path) {
    m.section("Stores and locations");
    m.add("open a directory that does not exist", Hierarchy::open(dir.join("none")));
    fs::write(dir.join("file"), "x").unwrap();
    m.add("open a file", Hierarchy::open(dir.join("file")));
    m.add("create below a file", Hierarchy::create(dir.join("file/store")));
    m.add(
        "a read-only hierarchy that does not exist",
        Hierarchy::options().mode(OpenMode::ReadOnly).open(dir.join("none")),
    );
    for url in [
        "s3://bucket/store",
        "file:/x",
        "file://",
        "file://host/x",
        "file:///a%2",
        "file:///a?b",
        "file:///a%00",
        "file:///%ff",
    ] {
        m.add(&format!("open {url}"), Hierarchy::open(url));
    }
    let mut schemes = Schemes::default();
    let opener: ozarr::store::Opener = Arc::new(|_, _| Ok(Arc::new(MemoryStore::default())));
    m.add("add the scheme file", schemes.add("file", opener.clone()));
    m.add("add the scheme x", schemes.add("x", opener));
    m.add("a key with ..", Key::new("a/../b"));
    m.add("a prefix without /", Prefix::new("a"));
    m.add("a path without /", NodePath::new("/a\0"));
    let hierarchy = Hierarchy::create(dir.join("store")).unwrap();
    let array = hierarchy.create_array("/a", new(&[4], "uint8")).unwrap();
    array.write(.., &[1u8; 4]).unwrap();
    fs::remove_file(dir.join("store/a/c/0")).unwrap();
    fs::create_dir(dir.join("store/a/c/0")).unwrap();
    m.add("read a chunk that is a directory", array.read_bytes(..));
    hierarchy.create_array("/g/a", new(&[4], "uint8")).unwrap();
    ["/g", "/"].iter().for_each(|group| hierarchy.consolidate(group).unwrap());
    fs::remove_file(dir.join("store/g/zarr.json")).unwrap();
    fs::create_dir(dir.join("store/g/zarr.json")).unwrap();
    let changed = hierarchy.array("/g/a").unwrap().set_attributes(json("{\"a\": 1}"));
    m.add("change an array below a group that cannot be read", changed);
    fs::remove_dir_all(dir.join("store/g")).unwrap();
    let store = FilesystemStore::open(dir.join("store")).unwrap();
    let reserved = Key::new("__zarr_partial.1.1.1.x").unwrap();
    m.add("a key of a temporary file", store.writeable().unwrap().set(&reserved, b"x"));
    #[cfg(unix)]
    {
        use std::os::unix::{ffi::OsStrExt, fs::symlink};
        fs::remove_dir(dir.join("store/a/c/0")).unwrap();
        symlink("nothing", dir.join("store/a/c/0")).unwrap();
        m.add("read a chunk that is a dangling link", array.read_bytes(..));
        symlink(".", dir.join("store/loop")).unwrap();
        m.add("list a group with a link to itself", first_broken(&hierarchy));
        fs::remove_file(dir.join("store/loop")).unwrap();
        fs::create_dir(dir.join("store").join(std::ffi::OsStr::from_bytes(b"\xff"))).unwrap();
        m.add("list a group with a name that is not UTF-8", first_broken(&hierarchy));
    }
}

fn limits(m: &mut Messages) {
    m.section("Limits");
    let within = |limits: Limits, new: NewArray| {
        let mut context = Context::default();
        context.limits = limits;
        Hierarchy::new(MemoryStore::default(), context).create_array("/a", new)
    };
    m.add("a chunk that is too large", within(Limits::default().with_chunk_bytes(3), new(&[4], "uint8")));
    m.add("too many dimensions", within(Limits::default().with_rank(1), new(&[4, 4], "uint8")));
    let document = || {
        let mut context = Context::default();
        context.limits.metadata_bytes = 9;
        let hierarchy = Hierarchy::new(MemoryStore::default(), context);
        put(&hierarchy, "a/zarr.json", DOCUMENT);
        hierarchy.array("/a")
    };
    m.add("a document that is too large", document());
    m.add("a document of many lists", Json::parse(b"[[],[],[]]", &Limits::default().with_json_depth(1)));
    m.add(
        "memory for a chunk",
        within(
            Limits::default().with_memory(8),
            NewArray::new([64], "uint8").chunks([64]).compressors([Zstd::level(1)]),
        )
        .and_then(|a| {
            a.write(.., &(0..64u8).collect::<Vec<_>>())?;
            a.read_bytes(..)
        }),
    );
    m.add("a number that f64 does not have", serde_json::Value::try_from(&json("1e999")));
}

fn extensions(m: &mut Messages, dir: &Path) {
    m.section("Extensions and plugins");
    let registry = Registry::builtin();
    let unknown = |registry: &Registry, point, name: &str| Err::<(), _>(registry.unknown(point, name));
    m.add("a codec that a plugin may provide", unknown(&registry, ExtensionPoint::Codec, "acme.codec"));
    m.add("a data type with a typing error", unknown(&registry, ExtensionPoint::DataType, "unit8"));
    m.add("a data type of NumPy", unknown(&registry, ExtensionPoint::DataType, "<f8"));
    let search = |places: &[&Path]| ozarr::plugins::Search {
        places: ozarr::plugins::Places {
            folders: places.iter().map(|p| p.to_path_buf()).collect(),
            warnings: Vec::new(),
        },
        policy: ozarr::plugins::Policy::default(),
    };
    let (context, _) = Context::default().with_plugins(&search(&[Path::new("/plugins")])).unwrap();
    let array =
        Hierarchy::new(MemoryStore::default(), context).create_array("/a", new(&[4], "uint8").compressor("acme.codec"));
    m.add("a codec that no plugin in a folder provides", array);
    fs::write(dir.join("acme.so"), "text").unwrap();
    m.add("open a plugin that is text", ozarr::plugins::Plugin::open(&dir.join("acme.so")).map_err(Error::from));
}

/// Errors that cannot be provoked, or only by a broken program.
fn kinds(m: &mut Messages) {
    m.section("Other kinds");
    for (what, kind) in [
        ("a key that is absent", ErrorKind::KeyNotFound),
        ("an allocation that fails", ErrorKind::Memory(1 << 60)),
        ("a source that waits", ErrorKind::Suspended),
        ("a store without a listing", ErrorKind::Unsupported("listing")),
        ("a broken contract", ErrorKind::Contract("the executor did not run its tasks")),
        ("an error of the system", ErrorKind::Io(std::io::ErrorKind::PermissionDenied.into())),
    ] {
        m.add::<()>(what, Err(kind.into()));
    }
}

#[test]
fn messages() {
    let (mut m, dir) = (Messages::default(), tempfile::tempdir().unwrap());
    documents(&mut m);
    codecs(&mut m);
    fill_values(&mut m);
    elements(&mut m);
    new_arrays(&mut m);
    damage(&mut m);
    stores(&mut m, dir.path());
    limits(&mut m);
    extensions(&mut m, dir.path());
    kinds(&mut m);
    let root = dir.path().canonicalize().unwrap();
    let text = m.0.replace(&*root.to_string_lossy(), "[DIR]").replace(&*dir.path().to_string_lossy(), "[DIR]");
    assert!(!text.contains("\nno error\n"), "{text}");
    assert_data_eq!(text, file!["messages.txt"].raw());
}
