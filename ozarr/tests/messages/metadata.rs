//! Errors of metadata documents.

use super::{DOCUMENT, Messages, create, json, new, open};
use ozarr::Hierarchy;
use std::fs;

pub(super) fn documents(m: &mut Messages) {
    m.section("Metadata documents");
    let cut = &DOCUMENT[..DOCUMENT.len() - 1];
    m.add("open an empty document", open(""));
    m.add("open a document that ends too early", open(cut));
    m.add("open a document with text after it", open(format!("{DOCUMENT} {{}}")));
    m.add("open a document with a byte order mark", open(format!("\u{feff}{DOCUMENT}")));
    m.add("open a document that is not UTF-8", open(b"{\"a\": \"\xff\"}"));
    m.add("open a document that is a list", open("[]"));
    m.add("open a document in single quotes", open("{'zarr_format': 3}"));
    m.add("open a document of deeply nested lists", open("[".repeat(200)));
    let mut changed = |from: &str, to: &str| {
        assert!(DOCUMENT.contains(from), "{from}");
        m.add(&format!("in a document, replace {from} with {to}"), open(DOCUMENT.replacen(from, to, 1)));
    };
    for (from, to) in [
        (r#""zarr_format": 3"#, r#""zarr_format": 3, "zarr_format": 3"#),
        (r#""zarr_format": 3"#, r#""zarr_format" 3"#),
        ("[4, 6]", "[4 6]"),
        ("[4, 6]", "[4, 06]"),
        ("[4, 6]", "[4, -]"),
        ("[4, 6]", "[4, 6,]"),
        ("\"uint16\"", "\"uint\n16\""),
        ("\"uint16\"", r#""uint\x16""#),
        ("\"uint16\"", r#""\ud800""#),
        ("\"uint16\"", r#""\u12""#),
        (r#""zarr_format": 3"#, r#""zarr_format": 2"#),
        (r#""zarr_format": 3, "#, ""),
        (r#""node_type": "array""#, r#""node_type": "table""#),
        (r#""node_type": "array", "#, ""),
        ("[4, 6]", "4"),
        ("[4, 6]", "[4, -6]"),
        ("[4, 6]", "[4, 6.0]"),
        (r#""shape": [4, 6], "#, ""),
        ("\"uint16\"", "\"float3\""),
        ("\"uint16\"", "\"<f4\""),
        ("\"uint16\"", "16"),
        ("\"uint16\"", "\"\""),
        ("\"uint16\"", "\"r12\""),
        ("\"uint16\"", "{}"),
        ("\"uint16\"", r#"{"name": 1}"#),
        ("\"uint16\"", r#"{"name": "uint16", "configuration": []}"#),
        ("\"uint16\"", r#"{"name": "uint16", "configuration": {"a": 1}}"#),
        ("\"uint16\"", r#"{"name": "uint16", "must_understand": 1}"#),
        ("\"uint16\"", r#"{"name": "uint16", "must_understand": false}"#),
        ("\"uint16\"", r#"{"name": "uint16", "level": 1}"#),
        ("\"regular\"", "\"acme.grid\""),
        ("[2, 6]", "[2]"),
        ("[2, 6]", "[2, 0]"),
        ("[2, 6]", "[2, \"6\"]"),
        ("\"chunk_shape\": [2, 6]", ""),
        ("\"default\"", r#""default", "configuration": {"separator": "-"}"#),
        ("\"default\"", "\"acme.keys\""),
        (r#""fill_value": 0, "#, ""),
        (r#""fill_value": 0"#, r#""fill_value": 0, "dimension_names": ["x"]"#),
        (r#""fill_value": 0"#, r#""fill_value": 0, "dimension_names": ["x", 1]"#),
        (r#""fill_value": 0"#, r#""fill_value": 0, "attributes": []"#),
        (r#""fill_value": 0"#, r#""fill_value": 0, "acme": {}"#),
        (r#""fill_value": 0"#, r#""fill_value": 0, "acme": {"must_understand": 1}"#),
        (r#""fill_value": 0"#, r#""fill_value": 0, "storage_transformers": ["acme.transformer"]"#),
        (r#""name": "bytes""#, r#""name": "byte""#),
        (r#""name": "bytes""#, r#""name": "acme.codec""#),
        (r#"{"endian": "little"}"#, "{}"),
        (r#"{"endian": "little"}"#, r#"{"endian": "middle"}"#),
    ] {
        changed(from, to);
    }
    m.add("open an array whose document is a directory", {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/zarr.json")).unwrap();
        Hierarchy::open(dir.path()).unwrap().array("/a")
    });
}

pub(super) fn codecs(m: &mut Messages) {
    m.section("Codecs");
    let bytes = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
    let with = |data_type: &str, codecs: &str| {
        let at = DOCUMENT.find("\"codecs\"").unwrap();
        let text = DOCUMENT[..at].replacen("uint16", data_type, 1);
        let text =
            if data_type == "string" { text.replacen("\"fill_value\": 0", "\"fill_value\": \"\"", 1) } else { text };
        open(format!("{text}\"codecs\": [{}]}}", codecs.replace("$", bytes)))
    };
    for codecs in [
        "",
        r#""crc32c", $"#,
        r#"$, {"name": "transpose", "configuration": {"order": [1, 0]}}"#,
        "$, $",
        r#""acme.compressor""#,
        r#"{"name": "acme.array", "must_understand": false}"#,
        r#"{"name": "transpose", "configuration": {"order": [1, 1]}}, $"#,
        r#""transpose", $"#,
        r#"$, "gzip""#,
        r#"$, {"name": "gzip", "configuration": {"level": 10}}"#,
        r#"$, {"name": "gzip", "configuration": {"level": "high"}}"#,
        r#"$, {"name": "gzip", "configuration": {"level": 1, "strategy": 2}}"#,
        r#"$, "zstd""#,
        r#"$, {"name": "zstd", "configuration": {"level": 3000000000, "checksum": false}}"#,
        r#"$, {"name": "zstd", "configuration": {"level": -200000, "checksum": false}}"#,
        r#"$, "blosc""#,
        r#"$, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 10, "shuffle": "noshuffle", "blocksize": 0}}"#,
        r#"$, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "shuffle", "blocksize": 0}}"#,
        r#"$, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "shuffle", "typesize": 0, "blocksize": 0}}"#,
        r#"$, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "blocksize": 3000000000}}"#,
        r#"$, {"name": "crc32c", "configuration": {"level": 1}}"#,
        r#""vlen-utf8""#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3]}}"#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 4], "codecs": [$], "index_codecs": [$]}}"#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [$]}}"#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [$], "index_codecs": [$, {"name": "gzip", "configuration": {"level": 1}}]}}"#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [$], "index_codecs": [$], "index_location": "middle"}}"#,
        r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [], "index_codecs": [$]}}"#,
    ] {
        m.add(&format!("open an array with the codecs {}", codecs.replace('$', "BYTES")), with("uint16", codecs));
    }
    m.add("open an array of strings with the codec bytes", with("string", "$"));
    m.add("open an array with 33 codecs", with("uint16", &format!("$, {}", vec!["\"crc32c\""; 32].join(", "))));
    let nested = (0..9).fold("$".to_owned(), |inner, _| {
        let shard = r#"{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 6], "codecs": [@], "index_codecs": [$]}}"#;
        shard.replace('@', &inner)
    });
    m.add("open an array with shards nested nine times", with("uint16", &nested));
}

pub(super) fn fill_values(m: &mut Messages) {
    m.section("Fill values");
    for (data_type, value) in [
        ("bool", "0"),
        ("uint8", "256"),
        ("int16", "-32769"),
        ("int16", "1.5"),
        ("int16", "1e2"),
        ("uint64", "\"0\""),
        ("float32", "\"nan\""),
        ("float64", "\"0x7fc00000\""),
        ("complex64", "[0]"),
        ("r16", "[0, 256]"),
        ("string", "0"),
        ("bytes", "\"?\""),
    ] {
        let outcome = create(new(&[4], data_type).fill_value(json(value)));
        m.add(&format!("create an array of {data_type} with the fill value {value}"), outcome);
    }
}
