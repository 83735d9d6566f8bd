//! Malicious metadata documents: refused with an error or read, and never a panic or an abort.

use super::{common::Dir, ozarr};

/// Returns an array document with a part replaced.
fn document(old: &str, new: &str) -> Vec<u8> {
    let whole = r#"{"zarr_format":3,"node_type":"array","shape":[64],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":["bytes"],"attributes":{}}"#;
    assert!(old.is_empty() || whole.contains(old), "{old}");
    whole.replacen(old, new, usize::from(!old.is_empty())).into_bytes()
}

fn attributes(value: &str) -> Vec<u8> {
    document(r#""attributes":{}"#, &format!(r#""attributes":{{"x":{value}}}"#))
}

fn utf16(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|b| [*b, 0]).collect()
}

#[test]
fn hostile_documents_are_refused_or_read() {
    let index = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes"],"index_codecs":[INNER],"index_location":"end"}}"#;
    let nested = (0..12).fold(r#""bytes""#.to_owned(), |inner, _| index.replace("INNER", &inner));
    let deep = |open: &str, close: &str| attributes(&(open.repeat(1_000_000) + &close.repeat(1_000_000)));
    let transposes = r#"{"name":"transpose","configuration":{"order":[0]}},"#;
    let codecs = |codecs: &str| document(r#"["bytes"]"#, &format!("[{codecs}]"));
    let shape = |n: &str| document(r#""shape":[64]"#, &format!(r#""shape":[{n}]"#));
    let chunk = |n: &str| document(r#""chunk_shape":[1]"#, &format!(r#""chunk_shape":[{n}]"#));
    // Description, document, and whether it must be refused.
    let documents: Vec<(&str, Vec<u8>, bool)> = vec![
        ("as it should be", document("", ""), false),
        ("a duplicate key", document(r#""attributes":{}"#, r#""shape":[64]"#), true),
        ("an escaped duplicate key", document(r#""attributes":{}"#, r#""\u0073hape":[64]"#), true),
        ("deep lists", deep("[", "]"), true),
        ("deep objects", deep(r#"{"x":"#, "}"), true),
        ("deep and open", attributes(&"[".repeat(1_000_000)), true),
        ("a lone surrogate", attributes(r#""\ud800""#), false),
        ("a NaN", attributes("NaN"), true),
        ("an infinity", attributes("-Infinity"), true),
        ("a byte order mark", [b"\xef\xbb\xbf", &document("", "")[..]].concat(), false),
        ("UTF-16", utf16(&document("", "")), true),
        ("not UTF-8", [&document("", "")[..50], b"\xff\xfe"].concat(), true),
        ("a number of a megabyte", attributes(&"9".repeat(1_000_000)), false),
        ("a fraction of a megabyte", attributes(&format!("0.{}", "9".repeat(1_000_000))), false),
        ("a huge exponent", attributes("1e999999999999"), false),
        ("a huge exponent as a shape", shape("1e999999999999"), true),
        ("a shape of 2^63", shape("9223372036854775808"), false),
        ("a shape of 2^64", shape("18446744073709551616"), true),
        ("a negative shape", shape("-1"), true),
        ("a shape with a fraction", shape("1.5"), true),
        ("a chunk of 2^63", chunk("9223372036854775808"), false),
        ("a chunk of nothing", chunk("0"), true),
        ("a thousand dimensions", shape(&["1"; 1000].join(",")), true),
        ("a separator that leads out", document(r#""separator":"/""#, r#""separator":"/../""#), true),
        ("a separator of two points", document(r#""separator":"/""#, r#""separator":"..""#), true),
        ("a codec with a URL as its name", codecs(r#""bytes",{"name":"https://example.com/codec"}"#), true),
        ("a data type with a path as its name", document(r#""uint8""#, r#""../../etc/passwd""#), true),
        ("a name that is empty", codecs(r#""bytes","""#), true),
        ("nested indexes of shards", codecs(&nested), true),
        ("no codecs", codecs(""), true),
        ("a list", b"[]".to_vec(), true),
        ("a zero after the end", [&document("", "")[..], b"\0"].concat(), true),
        ("a chain of 20,000 checksums", codecs(&format!(r#""bytes"{}"#, r#","crc32c""#.repeat(20_000))), true),
        ("a chain of 2,375 transposes", codecs(&(transposes.repeat(2_375) + r#""bytes""#)), true),
        ("a chain of 20,000 transposes", codecs(&(transposes.repeat(20_000) + r#""bytes""#)), true),
    ];
    let mut accepted = Vec::new();
    for (what, document, must_be_refused) in documents {
        let dir = Dir::new();
        std::fs::create_dir_all(dir.path("a/c")).unwrap();
        std::fs::write(dir.path("a/zarr.json"), document).unwrap();
        for i in 0..64 {
            std::fs::write(dir.path(&format!("a/c/{i}")), [7]).unwrap();
        }
        let a = &dir.path("a");
        eprintln!("{what}");
        for args in [
            &["info", a][..],
            &["info", "--json", a],
            &["info", "--needs", a],
            &["tree", a],
            &["validate", "--data", a],
            &["read", "--region", "0:64", "--format", "raw", a],
            &["repair", "--data", a],
        ] {
            let ran = ozarr(args);
            assert!(matches!(ran.code, Some(0 | 1 | 3)), "{what}: {args:?}: {:?} {}", ran.code, ran.said);
            assert!(ran.said.len() < 20_000, "{what}: {args:?} says {} bytes", ran.said.len());
            // The extensions that an array needs can be listed without opening it.
            if must_be_refused && !args.contains(&"--needs") && ran.code == Some(0) {
                accepted.push(format!("{what}: {}", args[0]));
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn a_document_beyond_the_limit_is_not_read() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path("a")).unwrap();
    let file = std::fs::File::create(dir.path("a/zarr.json")).unwrap();
    file.set_len(1 << 40).unwrap();
    for verb in ["info", "tree", "read", "validate"] {
        let said = super::refused(&[verb, &dir.path("a")]);
        assert!(said.contains("limit"), "{said}");
    }
}
