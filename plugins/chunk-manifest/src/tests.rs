mod properties;
mod refused;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;
use zarr_plugin_api::{
    ByteRange, ErrorKind, Json, Key, ListableStore, Listing, Prefix, ReadableStore, Result, Source, StorageTransformer,
    Store, Update, WriteableStore,
    testing::{Bench, Made},
    zarr_core::{call::Options, limits::Limits},
};

/// A folder of files that may be read.
struct Folder {
    dir: TempDir,
    options: Options,
}

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = Options::default().with_roots(vec![text(dir.path())]);
        let folder = Self { dir, options };
        files.iter().for_each(|(name, bytes)| folder.write(name, bytes));
        folder
    }
    fn write(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
    fn make(&self, configuration: &str) -> Result<Made<dyn StorageTransformer>> {
        make(configuration, &self.options, &Limits::default())
    }
    /// Returns the store of an array with this manifest and nothing else stored.
    fn store(&self, configuration: &str) -> Result<Arc<dyn Store>> {
        self.make(configuration)?.object.wrap(Below::with(&[]))
    }
    /// Returns a store with the single key `k`.
    fn entry(&self, entry: &str) -> Result<Arc<dyn Store>> {
        self.store(&format!(r#"{{"entries":{{"k":{entry}}}}}"#))
    }
    /// Returns the value of the key `k`.
    fn value(&self, entry: &str) -> Result<Vec<u8>> {
        self.entry(entry)?.reader()?.get(&key("k")).map(Option::unwrap)
    }
}

fn make(configuration: &str, options: &Options, limits: &Limits) -> Result<Made<dyn StorageTransformer>> {
    let bench = Bench::new().with_options(options.clone()).with_limits(limits.clone());
    let json = format!(r#"{{"name":"zarr.chunk-manifest","configuration":{configuration}}}"#);
    bench.storage_transformer(&json, &[9, 99])
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
fn quoted(path: &Path) -> String {
    Json::from(text(path)).to_string()
}
fn key(k: &str) -> Key {
    Key::new(k).unwrap()
}
fn prefix(p: &str) -> Prefix {
    Prefix::new(p).unwrap()
}

/// A store in memory.
#[derive(Debug)]
struct Below {
    values: BTreeMap<Key, Vec<u8>>,
    lists: bool,
    reads: bool,
}

impl Below {
    fn with(values: &[(&str, &[u8])]) -> Arc<dyn Store> {
        let values = values.iter().map(|(k, v)| (key(k), v.to_vec())).collect();
        Arc::new(Self { values, lists: true, reads: true })
    }
}
impl Store for Below {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.reads.then_some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.lists.then_some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        format!("below://x/{prefix}")
    }
}
impl ReadableStore for Below {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        Ok(self.values.get(key).map(|v| Box::new(&v[..]) as _))
    }
}
impl WriteableStore for Below {
    fn set(&self, _: &Key, _: &[u8]) -> Result<()> {
        panic!("nothing is written")
    }
    fn set_if_absent(&self, _: &Key, _: &[u8]) -> Result<bool> {
        panic!("nothing is written")
    }
    fn update(&self, _: &Key, _: &mut dyn Update) -> Result<()> {
        panic!("nothing is written")
    }
    fn erase(&self, _: &Key) -> Result<()> {
        panic!("nothing is erased")
    }
    fn erase_prefix(&self, _: &Prefix) -> Result<()> {
        panic!("nothing is erased")
    }
}
impl ListableStore for Below {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let mut listing = Listing::default();
        for k in self.values.keys() {
            match k.strip(prefix).map(|rest| rest.as_str().split_once('/').map(|(dir, _)| format!("{prefix}{dir}/"))) {
                None => {}
                Some(None) => _ = listing.keys.insert(k.clone()),
                Some(Some(dir)) => _ = listing.prefixes.insert(Prefix::new(dir)?),
            }
        }
        Ok(listing)
    }
}

const MANIFEST: &str = r#"{
    "c/0/0": {"path": "raw.bin", "offset": 2, "length": 3},
    "c/0/1": {"path": "deep/raw.bin", "offset": 0, "length": 0},
    "c/1/0": {"length": 6, "offset": 0, "path": "deep/../raw.bin"}
}"#;

fn folder() -> Folder {
    Folder::new(&[("raw.bin", b"abcdef"), ("deep/raw.bin", b""), ("manifest.json", MANIFEST.as_bytes())])
}

#[test]
fn a_manifest_comes_from_a_file_or_the_configuration() {
    let folder = folder();
    let url = format!("file://{}{}", if cfg!(windows) { "/" } else { "" }, text(&folder.path("manifest.json")));
    for configuration in [
        r#"{"manifest":"manifest.json"}"#.to_owned(),
        r#"{"manifest":"deep/../manifest.json"}"#.to_owned(),
        format!(r#"{{"manifest":{}}}"#, quoted(&folder.path("manifest.json"))),
        format!(r#"{{"manifest":{}}}"#, Json::from(url)),
        format!(r#"{{"entries":{MANIFEST}}}"#),
    ] {
        let store = folder.store(&configuration).unwrap();
        let reader = store.reader().unwrap();
        for (k, v) in [("c/0/0", &b"cde"[..]), ("c/0/1", b""), ("c/1/0", b"abcdef")] {
            assert_eq!(reader.get(&key(k)).unwrap().as_deref(), Some(v), "{configuration}");
        }
        for absent in ["c", "c/0", "c/0/0/0", "c/1/1", "zarr.json", "raw.bin"] {
            assert!(reader.get(&key(absent)).unwrap().is_none() && reader.open(&key(absent)).unwrap().is_none());
        }
    }
}

#[test]
fn paths_in_a_file_are_relative_to_its_folder() {
    let folder = Folder::new(&[("x", b"root"), ("m/x", b"nested"), ("m/deep/x", b"below")]);
    let entry = |path: &str| format!(r#"{{"path":{},"offset":0,"length":4}}"#, Json::from(path));
    let paths = ["x", "deep/x", "../x"].map(entry);
    folder.write("m/m.json", format!(r#"{{"0":{},"1":{},"2":{}}}"#, paths[0], paths[1], paths[2]).as_bytes());
    let store = folder.store(r#"{"manifest":"m/m.json"}"#).unwrap();
    let got = ["0", "1", "2"].map(|k| store.reader().unwrap().get(&key(k)).unwrap().unwrap());
    assert_eq!(got, [b"nest", b"belo", b"root"]);
}

#[test]
fn paths_in_the_configuration_are_relative_to_each_root_in_turn() {
    let (first, second) = (Folder::new(&[("a", b"a1"), ("f", b"")]), Folder::new(&[("a", b"a2"), ("b", b"b2")]));
    second.write("f/x", b"x2");
    let mut both = folder();
    both.options.roots = vec![text(first.dir.path()), text(second.dir.path())];
    for (path, value) in [("a", b"a1"), ("b", b"b2"), ("f/x", b"x2")] {
        assert_eq!(both.value(&format!(r#"{{"path":"{path}","offset":0,"length":2}}"#)).unwrap(), value);
    }
    let entry = format!(r#"{{"path":{},"offset":0,"length":2}}"#, quoted(&second.path("a")));
    assert_eq!(both.value(&entry).unwrap(), b"a2");
}

#[test]
fn the_manifest_takes_precedence_over_the_store_below() {
    let folder = folder();
    let below = Below::with(&[("c/0/0", b"hidden"), ("c/0/7", b"seen"), ("c/9/0", b"seen"), ("x", b"seen")]);
    let store = folder.make(r#"{"manifest":"manifest.json"}"#).unwrap().object.wrap(below).unwrap();
    let reader = store.reader().unwrap();
    for (k, v) in [("c/0/0", &b"cde"[..]), ("c/0/7", b"seen"), ("x", b"seen")] {
        assert_eq!(reader.get(&key(k)).unwrap().as_deref(), Some(v));
        assert_eq!(reader.open(&key(k)).unwrap().unwrap().size().unwrap(), Some(v.len() as u64));
    }
    let parts = [("c/0/0", 1), ("c/0/0", 2), ("c/5/5", 1), ("x", 1)];
    let parts = parts.map(|(k, start)| (key(k), ByteRange::Slice { start, len: 1 }));
    let got = reader.get_partial_values(&parts).unwrap();
    assert_eq!(got, [Some(b"d".to_vec()), Some(b"e".to_vec()), None, Some(b"e".to_vec())]);

    let lister = store.lister().unwrap();
    let dir = |p: &str| {
        let Listing { keys, prefixes, .. } = lister.list_dir(&prefix(p)).unwrap();
        let all = keys.iter().map(Key::as_str).chain(prefixes.iter().map(Prefix::as_str));
        all.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(dir(""), ["x", "c/"]);
    assert_eq!(dir("c/"), ["c/0/", "c/1/", "c/9/"]);
    assert_eq!(dir("c/0/"), ["c/0/0", "c/0/1", "c/0/7"]);
    assert_eq!(dir("c/1/"), ["c/1/0"]);
    assert!(dir("c/0/0/").is_empty() && dir("d/").is_empty());
    let keys = |all: BTreeSet<Key>| all.iter().map(Key::to_string).collect::<Vec<_>>();
    assert_eq!(keys(lister.list().unwrap()), ["c/0/0", "c/0/1", "c/0/7", "c/1/0", "c/9/0", "x"]);
    assert_eq!(keys(lister.list_prefix(&prefix("c/0/")).unwrap()), ["c/0/0", "c/0/1", "c/0/7"]);
    assert!(lister.list_prefix(&prefix("c/0/1/")).unwrap().is_empty());
}

#[test]
fn a_transformed_store_reads_and_lists_only() {
    let folder = folder();
    let store = folder.store(r#"{"manifest":"manifest.json"}"#).unwrap();
    assert!(store.writeable().is_none());
    assert!(matches!(store.writer().err().unwrap().kind(), ErrorKind::Unsupported("writing")));
    assert_eq!(store.uri(&Prefix::ROOT), "below://x/|zarr.chunk-manifest:");
    assert_eq!(store.uri(&prefix("c/0/")), "below://x/|zarr.chunk-manifest:c/0/");

    let blind: Arc<dyn Store> = Arc::new(Below { values: BTreeMap::new(), lists: false, reads: false });
    let store = folder.make(r#"{"manifest":"manifest.json"}"#).unwrap().object.wrap(blind).unwrap();
    assert!(store.listable().is_none());
    let reader = store.reader().unwrap();
    assert_eq!(reader.get(&key("c/0/0")).unwrap().unwrap(), b"cde");
    assert!(matches!(reader.get(&key("x")).unwrap_err().kind(), ErrorKind::Unsupported("reading")));
}

#[test]
fn an_open_value_does_not_change() {
    let folder = folder();
    let store = folder.store(r#"{"manifest":"manifest.json"}"#).unwrap();
    let reader = store.reader().unwrap();
    let source = reader.open(&key("c/0/0")).unwrap().unwrap();
    folder.write("new", b"ABCDEF");
    fs::rename(folder.path("new"), folder.path("raw.bin")).unwrap();
    let mut out = [0; 3];
    source.read_into(ByteRange::All, &mut out).unwrap();
    assert_eq!((&out, &reader.get(&key("c/0/0")).unwrap().unwrap()[..]), (b"cde", &b"CDE"[..]));
    // A file that is truncated while it is open causes an error, never a shorter value.
    let source = reader.open(&key("c/1/0")).unwrap().unwrap();
    fs::OpenOptions::new().write(true).open(folder.path("raw.bin")).unwrap().set_len(4).unwrap();
    assert!(source.read(&[ByteRange::All], &mut |_, _| Ok(())).is_err());
    assert!(reader.get(&key("c/1/0")).is_err());
}

#[test]
fn the_configuration_is_written_as_it_was_read() {
    let folder = folder();
    for configuration in [
        r#"{"manifest":"deep/../manifest.json"}"#,
        r#"{"entries":{"b":{"path":"raw.bin","offset":0,"length":1},"a":{"length":1,"path":"raw.bin","offset":1}}}"#,
        r#"{"entries":{}}"#,
    ] {
        let json = format!(r#"{{"name":"zarr.chunk-manifest","configuration":{configuration}}}"#);
        let made = folder.make(configuration).unwrap();
        assert_eq!(made.written.to_json().to_string(), json);
        assert_eq!(Json::from(made.configuration).to_string(), configuration);
    }
}
