//! The properties of stores hold for the stores of plugins, where everything crosses the interface twice.

use super::load;
use ozarr::{
    Context, Hierarchy, Result,
    plugins::Plugin,
    slice,
    store::MemoryStore,
    zarr_core::{
        call::Options,
        json::{Json, Object},
        limits::Limits,
        metadata::ArrayMetadata,
        registry::Registry,
        store::Store,
    },
};
use std::{
    fs,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};
use zarr_conformance::{
    check::Settings,
    report::Outcome,
    store::{self, CHECKS, Contents, Subject},
    third_party,
};
use zarr_plugin_api::testing::Bench;

/// Wraps a store in memory in a storage transformer of a plugin.
fn wrapped(plugin: &Arc<Plugin>, transformer: &Json, options: &Options, below: MemoryStore) -> Result<Arc<dyn Store>> {
    let mut registry = Registry::builtin();
    plugin.add_to(&mut registry)?;
    let bench = Bench::of(registry).with_options(options.clone());
    bench.storage_transformer(&transformer.to_string(), &[4])?.wrap(Arc::new(below))
}

/// Returns the ids of the properties that do not apply. The others must hold.
fn unsupported(subject: &Subject) -> Vec<String> {
    let mut ids = Vec::new();
    let settings = Settings { cases: 16, ..Settings::default() };
    store::run(subject, "store", &settings, &mut |record| match record.outcome {
        Outcome::Pass => {}
        Outcome::Unsupported(_) => ids.push(record.id),
        other => panic!("{}: {}", record.id, other.text()),
    });
    ids
}

/// The transformer that `ozarr plugin new` creates. It changes nothing, so values must cross it unchanged.
fn nothing() -> Arc<Plugin> {
    static PLUGIN: OnceLock<Arc<Plugin>> = OnceLock::new();
    let open = || Plugin::open(&third_party::new_in_rust("acme.nothing", "storage-transformer").unwrap()).unwrap();
    PLUGIN.get_or_init(open).clone()
}

#[test]
fn a_pass_through_plugin_has_all_properties_of_stores() {
    let plugin = nothing();
    let subject = Subject::new(move || {
        wrapped(&plugin, &Json::from("acme.nothing"), &Options::default(), MemoryStore::default())
    });
    assert_eq!(unsupported(&subject), ["store/set/reopen"]);
}

/// An update of a shard is read and stored through the plugin's `update`: its index, and its preserved chunks.
#[test]
fn shards_work_behind_a_pass_through_plugin() {
    let mut registry = Registry::builtin();
    nothing().add_to(&mut registry).unwrap();
    let array = |transformers: &str| {
        let text = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[32],"data_type":"uint16","fill_value":0,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[16]}}}},"chunk_key_encoding":"default",
            "codecs":[{{"name":"sharding_indexed","configuration":{{"chunk_shape":[4],"index_location":"end",
            "codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"gzip","configuration":{{"level":1}}}}],
            "index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}]}}}}],
            "storage_transformers":{transformers}}}"#
        );
        let metadata =
            ArrayMetadata::from_object(text.parse::<Json>().unwrap().as_object().unwrap().clone(), &Limits::default())
                .unwrap();
        let hierarchy = Hierarchy::new(MemoryStore::default(), Context::with_registry(registry.clone()));
        hierarchy.create_array_from("/", metadata, false).unwrap()
    };
    let arrays = [array("[]"), array(r#"["acme.nothing"]"#)];
    let selections = [
        ("stepped, where nothing is", slice(..).step_by(3)),
        ("whole", slice(..)),
        ("dense", slice(2..21)),
        ("stepped", slice(1..30).step_by(2)),
        ("dense, of whole chunks", slice(4..12)),
        ("stepped in one shard", slice(0..8).step_by(2)),
        ("whole again", slice(..)),
    ];
    for (round, (what, selected)) in selections.into_iter().enumerate() {
        let elements: Vec<u16> = (0..ozarr::Selection::from(selected).shape(&[32]).unwrap()[0])
            .map(|i| (100 * (round as u64 + 1) + i) as u16)
            .collect();
        let [plain, wrapped] = arrays.each_ref().map(|array| {
            array.write(selected, &elements).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(array.read::<u16>(selected).unwrap(), elements, "{what}");
            let stored =
                [0, 1].map(|chunk_index| array.chunk(&[chunk_index]).and_then(|chunk| chunk.encoded()).unwrap());
            (array.read::<u16>(..).unwrap(), stored)
        });
        assert_eq!(wrapped, plain, "{what}");
    }
}

/// Every other key is in a file that the manifest names, and the rest are in the store below.
#[test]
fn a_chunk_manifest_has_all_properties_of_reading() {
    let (dir, made) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
    let options = Options::default().with_roots(vec![dir.path().to_string_lossy().into_owned()]);
    let plugin = load("chunk-manifest");
    let make_with = move |contents: &Contents| {
        let file = format!("{}.bin", made.fetch_add(1, Ordering::Relaxed));
        let (below, mut bytes, mut entries) = (MemoryStore::default(), Vec::new(), Object::default());
        for (i, (key, value)) in contents.iter().enumerate() {
            if i % 2 == 1 {
                (&below as &dyn Store).writer()?.set(key, value)?;
                continue;
            }
            let mut entry = Object::default();
            entry.set("path", file.as_str());
            entry.set("offset", bytes.len() as u64);
            entry.set("length", value.len() as u64);
            entries.set(key.as_str(), entry);
            bytes.extend(value);
        }
        fs::write(dir.path().join(&file), bytes)?;
        let mut configuration = Object::default();
        configuration.set("entries", entries);
        let mut transformer = Object::default();
        transformer.set("name", "zarr.chunk-manifest");
        transformer.set("configuration", configuration);
        wrapped(&plugin, &transformer.into(), &options, below)
    };
    let make_with = Arc::new(make_with);
    let empty = make_with.clone();
    let subject = Subject {
        make_with: Some(Box::new(move |contents| make_with(contents))),
        ..Subject::new(move || empty(&Contents::new()))
    };
    let cannot = unsupported(&subject);
    assert!(cannot.iter().all(|id| !id.starts_with("store/get/") || id == "store/get/one-version"), "{cannot:?}");
    assert_eq!(CHECKS.len() - cannot.len(), 21, "what is read and listed: {cannot:?}");
}
