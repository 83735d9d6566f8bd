//! Configurations built in Rust match those of metadata. New arrays may omit members, stored arrays may not.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use serde::{Serialize, de::DeserializeOwned};
use zarr_codecs::{Blosc, Bytes, Crc32c, Gzip, IndexLocation, Sharding, Shuffle, Transpose, VlenBytes, VlenUtf8, Zstd};
use zarr_core::{
    Result,
    codec::Chain,
    extension::Extension,
    json::Json,
    limits::Limits,
    registry::{CreateContext, Intent, Notes, Registry},
    representation::Representation,
};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes(), &Limits::default()).unwrap()
}

/// The form that serde writes and reads is the configuration of the extension.
fn check<T>(configuration: &T, text: &str)
where
    T: Clone + Into<Extension> + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let extension: Extension = configuration.clone().into();
    assert_eq!(extension.to_json().to_string(), text);
    let members = Json::Object(extension.configuration().cloned().unwrap_or_default());
    assert_eq!(Json::from_serialize(configuration).unwrap(), members);
    assert_eq!(&members.deserialize::<T>().unwrap(), configuration);
    assert_eq!(Extension::parse(&json(text)).unwrap(), extension);
}

#[test]
fn types_become_extensions_as_serde_writes_them() {
    check(&Zstd::default(), r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#);
    check(&Zstd::level(-3).checksum(true), r#"{"name":"zstd","configuration":{"level":-3,"checksum":true}}"#);
    check(&Gzip::default(), r#"{"name":"gzip","configuration":{"level":5}}"#);
    check(&Gzip::level(9), r#"{"name":"gzip","configuration":{"level":9}}"#);
    check(&Crc32c, r#"{"name":"crc32c"}"#);
    check(&VlenUtf8, r#"{"name":"vlen-utf8"}"#);
    check(&VlenBytes, r#"{"name":"vlen-bytes"}"#);
    check(&Bytes::default(), r#"{"name":"bytes"}"#);
    check(&Bytes::little(), r#"{"name":"bytes","configuration":{"endian":"little"}}"#);
    check(&Bytes::big(), r#"{"name":"bytes","configuration":{"endian":"big"}}"#);
    check(&Transpose::default(), r#"{"name":"transpose"}"#);
    check(&Transpose::new([1, 0]), r#"{"name":"transpose","configuration":{"order":[1,0]}}"#);
    check(&Blosc::default(), r#"{"name":"blosc"}"#);
    for (blosc, name) in [
        (Blosc::lz4(), "lz4"),
        (Blosc::lz4hc(), "lz4hc"),
        (Blosc::blosclz(), "blosclz"),
        (Blosc::zstd(), "zstd"),
        (Blosc::zlib(), "zlib"),
    ] {
        check(&blosc, &format!(r#"{{"name":"blosc","configuration":{{"cname":"{name}"}}}}"#));
    }
    for (shuffle, name) in [(Shuffle::None, "noshuffle"), (Shuffle::Byte, "shuffle"), (Shuffle::Bit, "bitshuffle")] {
        let all = Blosc::lz4().level(1).shuffle(shuffle).type_size(8).block_size(64);
        let members = r#""typesize":8,"blocksize":64"#;
        check(
            &all,
            &format!(r#"{{"name":"blosc","configuration":{{"cname":"lz4","clevel":1,"shuffle":"{name}",{members}}}}}"#),
        );
    }
    check(
        &Sharding::new([2, 3]),
        r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"index_location":"end"}}"#,
    );
    check(
        &Sharding::new([2]).codecs(["bytes"]).index_codecs([Bytes::little()]).index_location(IndexLocation::Start),
        r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"start"}}"#,
    );
}

/// Returns the codecs, including chosen values, for a chunk of 4 x 6 elements of two bytes.
fn made(codecs: &[Extension], intent: Intent) -> Result<Vec<String>> {
    let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
    let array = Representation::new(registry.data_type(&"uint16".into(), &limits)?.object, &[4, 6], &[0; 2]);
    let chain = Chain::new(codecs, &CreateContext::new(&registry, &limits, &notes, intent).with(&array))?;
    Ok(chain.extensions().iter().map(|codec| codec.to_json().to_string()).collect())
}

#[test]
fn only_new_arrays_may_omit_members() {
    let bytes = || Extension::from(Bytes::little());
    let sharding = |inner: Sharding| inner.index_location(IndexLocation::Start).into();
    for (codecs, missing, chosen) in [
        (vec![bytes(), "zstd".into()], "level", r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#),
        (vec![bytes(), "gzip".into()], "level", r#"{"name":"gzip","configuration":{"level":5}}"#),
        (vec!["transpose".into(), bytes()], "order", r#"{"name":"transpose","configuration":{"order":[1,0]}}"#),
        (vec!["bytes".into()], "endian", r#"{"name":"bytes","configuration":{"endian":"little"}}"#),
        (vec![bytes(), Blosc::lz4().into()], "clevel", r#""clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0"#),
        (
            vec![sharding(Sharding::new([2, 3]).index_codecs([Bytes::little()]))],
            "codecs",
            r#""codecs":[{"name":"bytes","configuration":{"endian":"little"}}]"#,
        ),
        (
            vec![sharding(Sharding::new([2, 3]).codecs([Bytes::little()]))],
            "index_codecs",
            r#""index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]"#,
        ),
    ] {
        let e = made(&codecs, Intent::Open).unwrap_err().to_string();
        assert!(e.contains(&format!("`{missing}`")), "{e}");
        let made = made(&codecs, Intent::Create).unwrap();
        assert!(made.iter().any(|codec| codec.contains(chosen)), "{made:?}");
    }
    for intent in [Intent::Open, Intent::Create] {
        let e = made(&["sharding_indexed".into()], intent).unwrap_err().to_string();
        assert!(e.contains("`chunk_shape`"), "{e}");
    }
}

#[test]
fn null_differs_from_an_omitted_member() {
    for text in [
        r#"{"name":"zstd","configuration":{"level":null}}"#,
        r#"{"name":"gzip","configuration":{"level":null}}"#,
        r#"{"name":"blosc","configuration":{"cname":null}}"#,
    ] {
        assert!(made(&[Bytes::little().into(), json(text).into()], Intent::Create).is_err(), "{text}");
    }
    for text in [
        r#"{"name":"transpose","configuration":{"order":null}}"#,
        r#"{"name":"bytes","configuration":{"endian":null}}"#,
        r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":null}}"#,
        r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":null}}"#,
    ] {
        assert!(made(&[json(text).into(), "bytes".into()], Intent::Create).is_err(), "{text}");
    }
}

#[test]
fn values_out_of_range_are_refused() {
    for codec in [
        Extension::from(Zstd::level(-131_073)),
        Gzip::level(10).into(),
        Blosc::lz4().level(10).into(),
        Blosc::lz4().type_size(0).into(),
        Blosc::lz4().block_size(1 << 31).into(),
    ] {
        assert!(made(&[Bytes::little().into(), codec.clone()], Intent::Create).is_err(), "{codec:?}");
    }
    for codec in [Extension::from(Transpose::new([0, 0])), Transpose::new([0]).into(), Sharding::new([3, 3]).into()] {
        assert!(made(&[codec.clone(), Bytes::little().into()], Intent::Create).is_err(), "{codec:?}");
    }
}
