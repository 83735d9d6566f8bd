//! Names of extensions, chains of codecs, and shards of other writers.

use super::{ARRAY, memory, put};
use ozarr::Json;
use ozarr::{
    Error, NewArray,
    zarr_core::registry::{Constructor, Registration, Registry},
};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn registered_names_follow_the_grammar_or_are_uris() {
    let add = |name: &str| {
        let make = Constructor::StorageTransformer(Arc::new(|_, _| Err(Error::configuration("never made"))));
        Registry::builtin().add(Registration::new(name, "a test", make))
    };
    for good in ["x1", "test.it", "a-b_c.d", "https://codec.example/x", "urn:example:x"] {
        assert!(add(good).is_ok(), "{good}");
    }
    for bad in ["", "X1", "1x", "-x", "a b", "a/b", "\u{e9}1", ":x", "a: b"] {
        assert!(add(bad).is_err(), "{bad:?}");
    }
}

/// At every extension point.
#[test]
fn a_bare_name_is_an_object_with_that_name_alone() {
    let gzip = |json: &str| ARRAY.replace("[\"bytes\"]", &format!("[\"bytes\",{json}]"));
    for (bare, object) in [
        (ARRAY.to_owned(), ARRAY.replace("\"uint8\"", r#"{"name":"uint8"}"#)),
        (ARRAY.to_owned(), ARRAY.replace("\"default\"", r#"{"name":"default"}"#)),
        (ARRAY.to_owned(), ARRAY.replace("\"bytes\"", r#"{"name":"bytes"}"#)),
        (gzip("\"crc32c\""), gzip(r#"{"name":"crc32c"}"#)),
    ] {
        assert_ne!(bare, object);
        let (store, zarr) = memory();
        put(&store, "zarr.json", &bare);
        zarr.array("/").unwrap().write(.., &[1u8, 2]).unwrap();
        put(&store, "zarr.json", &object);
        assert_eq!(zarr.array("/").unwrap().read::<u8>(..).unwrap(), [1, 2], "{object}");
    }
    // An extension that needs a configuration needs it in both forms.
    for name in [r#""regular""#, r#"{"name":"regular"}"#] {
        let (store, zarr) = memory();
        let grid = r#"{"name":"regular","configuration":{"chunk_shape":[2]}}"#;
        put(&store, "zarr.json", &ARRAY.replace(grid, name));
        assert!(zarr.array("/").is_err(), "{name}");
    }
}

#[test]
fn unsupported_input_of_codecs_is_refused_when_an_array_is_opened() {
    const LITTLE: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    let shard = |inner: &str| {
        format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[{inner}],"codecs":[{LITTLE}],"index_codecs":[{LITTLE}]}}}}"#
        )
    };
    let transpose = |order: &str| format!(r#"{{"name":"transpose","configuration":{{"order":{order}}}}},{LITTLE}"#);
    let with = |data_type: &str, fill: &str, codecs: &str| {
        let document =
            ARRAY.replace("\"uint8\"", &format!("\"{data_type}\"")).replace("[\"bytes\"]", &format!("[{codecs}]"));
        let (store, zarr) = memory();
        put(&store, "zarr.json", &document.replace("\"fill_value\":0", &format!("\"fill_value\":{fill}")));
        zarr.array("/").map(|_| ())
    };
    for (data_type, fill, good, bad) in [
        ("string", "\"\"", "\"vlen-utf8\"".to_owned(), LITTLE.to_owned()),
        ("bytes", "\"\"", "\"vlen-bytes\"".to_owned(), "\"vlen-utf8\"".to_owned()),
        ("uint8", "0", LITTLE.to_owned(), "\"vlen-bytes\"".to_owned()),
        ("uint16", "0", LITTLE.to_owned(), "\"bytes\"".to_owned()),
        ("uint8", "0", transpose("[0]"), transpose("[1,0]")),
        ("uint8", "0", shard("1"), shard("1,1")),
        ("uint8", "0", shard("2"), shard("3")),
    ] {
        with(data_type, fill, &good).unwrap();
        assert!(with(data_type, fill, &bad).is_err(), "{bad} for {data_type}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Inner chunks as other writers may store them: in any order, with anything between them, and some missing.
    #[test]
    fn inner_chunks_may_be_in_any_order_with_gaps(
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
        gaps in prop::collection::vec(0..5usize, 7),
        stored in prop::collection::vec(any::<bool>(), 6),
        at_start in any::<bool>(),
    ) {
        let location = if at_start { "start" } else { "end" };
        let little = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
        let codec = format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[2],"codecs":[{little}],"index_codecs":[{little}],"index_location":"{location}"}}}}"#
        );
        let mut wanted = [9u16; 12];
        let (mut data, mut index) = (Vec::new(), [[u64::MAX; 2]; 6]);
        let before = if at_start { 6 * 16 } else { 0 };
        for (i, gap) in order.iter().zip(&gaps) {
            data.resize(data.len() + gap, 0xEE);
            if stored[*i] {
                index[*i] = [before + data.len() as u64, 4];
                let elements = [*i as u16 * 2, *i as u16 * 2 + 1];
                wanted[i * 2..i * 2 + 2].copy_from_slice(&elements);
                data.extend(elements.iter().flat_map(|e| e.to_le_bytes()));
            }
        }
        data.resize(data.len() + gaps[6], 0xEE);
        let index: Vec<u8> = index.as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
        let shard = if at_start { [index, data] } else { [data, index] }.concat();
        let new = NewArray::new([12], "uint16").chunks([12]).fill_value(9u64).codecs([codec.parse::<Json>().unwrap()]);
        let array = memory().1.create_array("/", &new).unwrap();
        array.chunk(&[0]).and_then(|chunk| chunk.write_encoded(&shard)).unwrap();
        prop_assert_eq!(array.read::<u16>(..).unwrap(), wanted);
        for i in 0..12u64 {
            prop_assert_eq!(array.read::<u16>([i..i + 1]).unwrap(), [wanted[i as usize]]);
        }
    }
}
