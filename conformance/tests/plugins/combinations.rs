//! Extensions of plugins together with built-in ones, in every combination: a plugin that mirrors the built-in
//! extensions must store and read the same bytes, whichever extensions of an array come from it.

use super::call;
use ozarr::{
    Array, Context, Hierarchy, ResizeOptions, Result,
    plugins::Plugin,
    store::MemoryStore,
    zarr_core::{
        codec::ArrayToBytes,
        json::{Json, Object},
        limits::Limits,
        metadata::ArrayMetadata,
        registry::Registry,
        representation::{Representation, Size},
        source::Replay,
        store::{Prefix, Store},
        view::{Region, View, ViewMut},
    },
};
use proptest::prelude::*;
use std::{cell::Cell, path::Path, sync::Arc};
use zarr_conformance::{
    elements::{read_elements, read_region, write_elements, write_region},
    third_party,
};
use zarr_plugin_api::testing::{Bench, CodecKind};

fn registry() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/mirror");
    let mut registry = Registry::builtin();
    Plugin::open(&third_party::rust_from("mirror", &folder).unwrap()).unwrap().add_to(&mut registry).unwrap();
    registry
}

/// Data type, size of an element in bytes (0: variable), fill value.
const TYPES: [(&str, usize, &str); 10] = [
    ("bool", 1, "true"),
    ("int8", 1, "-3"),
    ("int32", 4, "7"),
    ("uint16", 2, "65535"),
    ("uint64", 8, "18446744073709551615"),
    ("float16", 2, "\"-Infinity\""),
    ("float64", 8, "\"NaN\""),
    ("complex64", 8, "[1.5, \"NaN\"]"),
    ("string", 0, "\"none\""),
    ("bytes", 0, "\"AAEC\""),
];

fn elements(name: &str, size: usize, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut state = seed | 1;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let mut one = || match (name, size) {
        ("bool", _) => vec![random() & 1],
        ("string", _) => "añb".repeat(usize::from(random() % 9)).into_bytes(),
        (_, 0) => (0..random() % 20).map(|_| random()).collect(),
        // Few distinct values, so that compressors and fill values have an effect.
        (_, n) => vec![random() % 3; n],
    };
    (0..count).map(|_| one()).collect()
}

/// Returns the metadata of an array. If bit `i` of `mirrored` is set, its `i`-th extension comes from the plugin.
fn metadata(t: usize, chain: usize, sharded: bool, mirrored: u32) -> ArrayMetadata {
    let (name, size, fill) = TYPES[t];
    let n = Cell::new(0);
    let extension = |name: &str, configuration: &str| {
        let prefix = if mirrored >> n.get() & 1 == 1 { "mirror." } else { "" };
        n.set(n.get() + 1);
        format!(r#"{{"name":"{prefix}{name}","configuration":{configuration}}}"#)
    };
    let data_type = extension(name, "{}");
    let chunk = if sharded { "[6,8]" } else { "[3,4]" };
    let grid = extension("regular", &format!(r#"{{"chunk_shape":{chunk}}}"#));
    let keys = extension(["default", "v2"][chain % 2], "{}");
    let endian = if size > 1 { r#"{"endian":"big"}"# } else { "{}" };
    let serializer = match name {
        "string" => extension("vlen-utf8", "{}"),
        "bytes" => extension("vlen-bytes", "{}"),
        _ => extension("bytes", endian),
    };
    let mut codecs = vec![serializer];
    match chain {
        0 => {}
        1 => codecs.push(extension("crc32c", "{}")),
        2 => codecs.insert(0, extension("transpose", r#"{"order":[1,0]}"#)),
        3 => codecs.push(extension("zstd", r#"{"level":1,"checksum":true}"#)),
        4 => {
            codecs.insert(0, extension("transpose", r#"{"order":[1,0]}"#));
            codecs.push(extension("gzip", r#"{"level":2}"#));
            codecs.push(extension("crc32c", "{}"));
        }
        _ => codecs.push(extension(
            "blosc",
            &format!(r#"{{"cname":"lz4","clevel":3,"shuffle":"shuffle","typesize":{},"blocksize":0}}"#, size.max(1)),
        )),
    }
    let mut codecs = codecs.join(",");
    if sharded {
        // Codecs within a shard of the plugin come from the registry of the plugin, so they are not mirrored again.
        let inner = if mirrored >> n.get() & 1 == 1 { codecs.replace("mirror.", "") } else { codecs };
        codecs = extension(
            "sharding_indexed",
            &format!(
                r#"{{"chunk_shape":[3,4],"codecs":[{inner}],"index_location":"{}","index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}]}}"#,
                ["end", "start"][chain % 2]
            ),
        );
    }
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[13,17],"data_type":{data_type},"chunk_grid":{grid},
        "chunk_key_encoding":{keys},"fill_value":{fill},"codecs":[{codecs}]}}"#
    );
    let document: Object = text.parse::<Json>().unwrap().as_object().unwrap().clone();
    ArrayMetadata::from_object(document, &Limits::default()).unwrap()
}

struct Made {
    array: Array,
    store: Arc<dyn Store>,
}

impl Made {
    fn new(registry: &Registry, metadata: ArrayMetadata) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let hierarchy = Hierarchy::new(store.clone(), Context::with_registry(registry.clone()));
        Self { array: hierarchy.create_array_from("/", metadata, false).unwrap(), store }
    }
    /// Returns the keys and values of all chunks.
    fn stored(&self) -> Vec<(String, Vec<u8>)> {
        let keys = self.store.lister().unwrap().list_prefix(&Prefix::ROOT).unwrap();
        let values = keys.iter().filter(|k| k.as_str() != "zarr.json");
        values.map(|k| (k.to_string(), self.store.reader().unwrap().get(k).unwrap().unwrap())).collect()
    }
}

fn region(corners: [u64; 4]) -> Region {
    let (rows, columns) = ([corners[0] % 13, corners[1] % 13], [corners[2] % 17, corners[3] % 17]);
    let (top, left) = (rows[0].min(rows[1]), columns[0].min(columns[1]));
    let len = [rows[0].max(rows[1]) - top + 1, columns[0].max(columns[1]) - left + 1];
    Region::new(&[top, left], &len).unwrap()
}

fn check(registry: &Registry, (t, chain, sharded): (usize, usize, bool), mirrored: u32, corners: [u64; 4]) {
    let (name, size, _) = TYPES[t];
    let made = [0, mirrored].map(|m| Made::new(registry, metadata(t, chain, sharded, m)));
    let all = elements(name, size, 13 * 17, u64::from(mirrored));
    let part = region(corners);
    let some = elements(name, size, (part.len[0] * part.len[1]) as usize, 99);
    for m in &made {
        write_elements(&m.array, &all).unwrap();
        write_region(&m.array, &part, &some).unwrap();
    }
    let [original, mirror] = &made;
    assert_eq!(mirror.stored(), original.stored());
    assert_eq!(read_elements(&mirror.array).unwrap(), read_elements(&original.array).unwrap());
    assert_eq!(read_region(&mirror.array, &part).unwrap(), some);
    let resized = made.map(|mut m| {
        m.array.resize(&[9, 30], ResizeOptions::default()).unwrap();
        let elements = read_elements(&m.array).unwrap();
        (m.stored(), elements)
    });
    assert_eq!(resized[0], resized[1]);
}

#[test]
fn every_extension_can_come_from_the_plugin() {
    let registry = registry();
    for t in 0..TYPES.len() {
        for chain in 0..6 {
            for sharded in [false, true] {
                check(&registry, (t, chain, sharded), u32::MAX, [2, 9, 3, 14]);
            }
        }
    }
}

#[test]
fn plugin_and_built_in_extensions_combine() {
    let registry = registry();
    let case = (0..TYPES.len(), 0usize..6, any::<bool>());
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(case in case, mirrored in 0u32..512, corners in any::<[u64; 4]>())| {
        check(&registry, case, mirrored, corners);
    });
}

/// A case that is easily overlooked: a data type and a compressor of plugins within a built-in shard.
#[test]
fn a_plugin_type_in_a_built_in_shard_with_a_plugin_compressor() {
    let registry = registry();
    let metadata = metadata(6, 3, true, 0b1_0001);
    let text = Json::Object(metadata.document().clone()).to_string();
    assert!(text.contains(r#""mirror.float64""#) && text.contains(r#""mirror.zstd""#), "{text}");
    assert!(text.contains(r#""sharding_indexed""#) && text.contains(r#""bytes""#), "{text}");
    check(&registry, (6, 3, true), 0b1_0001, [1, 8, 2, 11]);
}

fn sharding(registry: &Registry, name: &str, f: impl FnOnce(&dyn ArrayToBytes)) {
    let text = format!(
        r#"{{"name":"{name}","configuration":{{"chunk_shape":[3,5],"index_location":"end",
        "codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"zstd","configuration":{{"level":1,"checksum":false}}}}],
        "index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}]}}}}"#
    );
    f(Bench::of(registry.clone()).codec(&text, "uint16", &[12, 10]).unwrap().array_to_bytes());
}

/// Returns the abilities of a codec apart from encoding and decoding, and the properties that it states.
fn abilities(registry: &Registry, prefix: &str) -> Vec<String> {
    let bench = Bench::of(registry.clone());
    let array = Representation::new(bench.data_type("uint16").unwrap().object, &[12, 10], &[0, 7]);
    let shard = r#"{"chunk_shape":[3,5],"codecs":["crc32c"],"index_codecs":["crc32c"]}"#;
    let bytes = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    let shard = shard.replace(r#"["crc32c"]"#, &format!("[{bytes},\"crc32c\"]"));
    let all = [
        ("bytes", r#"{"endian":"little"}"#),
        ("bytes", r#"{"endian":"big"}"#),
        ("sharding_indexed", &shard),
        ("transpose", r#"{"order":[1,0]}"#),
        ("crc32c", "{}"),
        ("gzip", r#"{"level":3}"#),
        ("zstd", r#"{"level":3,"checksum":false}"#),
    ];
    let one = |(name, configuration): (&str, &str)| {
        let text = format!(r#"{{"name":"{prefix}{name}","configuration":{configuration}}}"#);
        match bench.codec_for(&text, &array).unwrap().kind {
            CodecKind::ArrayToBytes(c) => {
                let (partial, update) = (c.partial_decode().is_some(), c.partial_encode().is_some());
                format!("{partial} {update} {:?} {:?} {:?}", c.encoded_size(), c.raw(), c.inner_chunk_shape())
            }
            CodecKind::ArrayToArray(c) => {
                let (region, of) = (Region::new(&[1, 2], &[3, 4]).unwrap(), c.encoded_representation());
                format!("{:?} {:?} {:?} {:?}", c.decode_strategy(), c.encoded_region(&region), of.shape(), of.fill())
            }
            CodecKind::BytesToBytes(c) => {
                let (source, sizes) = (&b"1234567890"[..], [Size::Unknown, Size::AtMost(99), Size::Exact(99)]);
                format!("{} {:?}", c.decoded_source(&source).is_some(), sizes.map(|s| c.encoded_size(s)))
            }
        }
    };
    all.into_iter().map(one).collect()
}

#[test]
fn all_abilities_work_across_the_abi() {
    let registry = registry();
    let originals = abilities(&registry, "");
    assert_eq!(abilities(&registry, "mirror."), originals);
    // Ensures that the comparison is not between empty results.
    let some = ["true true", "Some(1)", "Some([3, 5])", "Permute([1, 0])", "true [", "Exact(103)"];
    some.iter().for_each(|s| assert!(originals.iter().any(|o| o.contains(s)), "{s}: {originals:?}"));
}

/// An asynchronous host answers reads with "suspended": a codec in a plugin returns and is called again, with the same
/// number of calls and the same ranges as a built-in one.
#[test]
fn partial_decoding_is_suspended_and_resumed() {
    let registry = registry();
    let elements: Vec<u8> = (0..240).map(|i| (i * 7 % 251) as u8).collect();
    let region = Region::new(&[2, 4], &[5, 3]).unwrap();
    let mut seen = Vec::new();
    for name in ["sharding_indexed", "mirror.sharding_indexed"] {
        sharding(&registry, name, |codec| {
            let view = View::new(&elements, &[12, 10], 2).unwrap();
            let shard =
                call(|call| ozarr::zarr_core::call::OutputBuffer::collect(|out| codec.encode(call, &view, out)))
                    .unwrap()
                    .1;
            let (mut replay, mut passes, mut decoded) = (Replay::default(), Vec::new(), vec![0; 30]);
            while let Some(ranges) = replay
                .pass(|source| {
                    let out = ViewMut::new(&mut decoded, &[5, 3], 2)?;
                    call(|call| codec.partial_decode().unwrap().decode_region(call, source, &region, out))
                })
                .unwrap()
            {
                let bytes = ranges.iter().map(|r| r.of(&shard).unwrap().to_vec()).collect();
                passes.push(ranges.clone());
                replay.supply(ranges, bytes);
            }
            let wanted = View::new(&elements, &[12, 10], 2).unwrap().region(&region).unwrap();
            let mut copy = vec![0; 30];
            ViewMut::new(&mut copy, &[5, 3], 2).unwrap().copy_from(&wanted, 1).unwrap();
            assert_eq!(decoded, copy, "{name}");
            assert!(passes.len() >= 2, "the index, then chunks");
            seen.push((shard, passes));
        });
    }
    assert_eq!(seen[0], seen[1]);
}

/// Nesting in a plugin counts together with the nesting around it, and chains in it have a limited number of codecs.
#[test]
fn nesting_in_a_plugin_is_limited() {
    let (registry, little) = (registry(), r#"{"name":"bytes","configuration":{"endian":"little"}}"#);
    let open = |codecs: &str| {
        let text = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","chunk_grid":{{"name":"regular",
            "configuration":{{"chunk_shape":[1]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":[{codecs}]}}"#
        );
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let key = ozarr::zarr_core::store::Key::new("zarr.json").unwrap();
        store.writer().unwrap().set(&key, text.as_bytes()).unwrap();
        Hierarchy::new(store, Context::with_registry(registry.clone())).array("/")
    };
    let shard = |name: &str, inner: &str| {
        format!(
            r#"{{"name":"{name}","configuration":{{"chunk_shape":[1],"codecs":[{inner}],"index_codecs":[{little}]}}}}"#
        )
    };
    let nested = |around: usize, inside: usize| {
        let inside = (0..inside).fold(little.to_owned(), |inner, _| shard("sharding_indexed", &inner));
        let plugin = shard("mirror.sharding_indexed", &inside);
        (0..around).fold(plugin, |inner, _| shard("sharding_indexed", &inner))
    };
    let limits = Limits::default();
    let most = limits.codec_depth as usize;
    for around in 0..most {
        let array = open(&nested(around, most - 1 - around)).unwrap();
        array.write(.., &[5u8]).unwrap();
        assert_eq!(array.read::<u8>(..).unwrap(), [5]);
        let e = open(&nested(around, most - around)).unwrap_err().to_string();
        let message = format!("the nesting depth of codecs is {}, more than the limit of {most}", most + 1);
        assert!(e.contains(&message), "{around}: {e}");
    }
    let transposes = |n: usize| r#"{"name":"transpose","configuration":{"order":[0]}},"#.repeat(n) + little;
    let most = limits.codec_count as usize;
    assert!(open(&shard("mirror.sharding_indexed", &transposes(most - 1))).is_ok());
    let e = open(&shard("mirror.sharding_indexed", &transposes(most))).unwrap_err().to_string();
    assert!(e.contains(&format!("is {}, more than the limit of {most}", most + 1)), "{e}");
}

/// An error in a plugin is the same as in the original.
#[test]
fn errors_preserve_their_kind() {
    let registry = registry();
    let fail = |name: &str| -> Vec<(std::mem::Discriminant<ozarr::ErrorKind>, String)> {
        let mut errors = Vec::new();
        sharding(&registry, name, |codec| {
            let mut out = vec![0; 240];
            let mut decode = |bytes: &[u8]| -> Result<()> {
                call(|call| codec.decode(call, bytes, ViewMut::new(&mut out, &[12, 10], 2)?))
            };
            for damaged in [&[][..], &[1; 3], &[255; 200]] {
                let e = decode(damaged).unwrap_err();
                errors.push((std::mem::discriminant(e.kind()), e.kind().to_string()));
            }
        });
        errors
    };
    assert_eq!(fail("sharding_indexed"), fail("mirror.sharding_indexed"));
    for (name, configuration) in [("gzip", r#"{"level":99}"#), ("transpose", r#"{"order":[1,1]}"#), ("bytes", "{}")] {
        let e = ["", "mirror."].map(|prefix| {
            let mut document = metadata(2, 0, false, 0).document().clone();
            let codec = format!(r#"{{"name":"{prefix}{name}","configuration":{configuration}}}"#);
            let codecs = match name {
                "bytes" => format!("[{codec}]"),
                "gzip" => format!(r#"[{{"name":"bytes","configuration":{{"endian":"big"}}}},{codec}]"#),
                _ => format!(r#"[{codec},{{"name":"bytes","configuration":{{"endian":"big"}}}}]"#),
            };
            document.set("codecs", codecs.parse::<Json>().unwrap());
            let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
            let key = ozarr::zarr_core::store::Key::new("zarr.json").unwrap();
            store.writer().unwrap().set(&key, Json::Object(document).to_string().as_bytes()).unwrap();
            let hierarchy = Hierarchy::new(store, Context::with_registry(registry.clone()));
            let e = hierarchy.array("/").unwrap_err();
            let place = e.json_path().map(str::to_owned);
            (std::mem::discriminant(e.kind()), e.hint().map(str::to_owned), place)
        });
        assert_eq!(e[0], e[1], "{name}");
    }
}
