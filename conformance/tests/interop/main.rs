//! Written by a running peer and read by this project, and the other way round: the same bytes, for every data type,
//! codec, sharding and key encoding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod documents;

use ozarr::{
    Hierarchy, NewArray,
    zarr_core::json::{Json, Object},
};
use std::path::Path;
use zarr_conformance::{
    elements::{read_elements, write_elements},
    peers::{Peer, Reply},
};

/// A data type, the width of one scalar in bytes, a fill value, and elements with all values that are easily lost.
struct Type {
    name: &'static str,
    width: usize,
    fill: &'static str,
    special: Vec<Vec<u8>>,
}

fn types() -> Vec<Type> {
    let bits = |width: usize, all: &[u64]| all.iter().map(|b| b.to_le_bytes()[..width].to_vec()).collect::<Vec<_>>();
    let float = |width: usize| match width {
        2 => bits(2, &[0x7e00, 0x7e01, 0xfe00, 0x7c00, 0xfc00, 0x8000, 1, 0x3c00]),
        4 => bits(4, &[0x7fc0_0000, 0x7fc0_0001, 0xffc1_2345, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 1, 0x3f80_0000]),
        _ => bits(
            8,
            &[0x7ff8 << 48, 0x7ff8 << 48 | 1, 0xfff8 << 48 | 77, 0x7ff0 << 48, 0xfff0 << 48, 1 << 63, 1, 0x3ff0 << 48],
        ),
    };
    let pairs = |parts: Vec<Vec<u8>>| {
        let turned: Vec<Vec<u8>> = parts.iter().rev().cloned().collect();
        parts.iter().zip(turned).map(|(a, b)| [&a[..], &b].concat()).collect::<Vec<_>>()
    };
    let mut all = vec![Type { name: "bool", width: 1, fill: "true", special: bits(1, &[0, 1]) }];
    for (name, width) in [
        ("int8", 1),
        ("uint8", 1),
        ("int16", 2),
        ("uint16", 2),
        ("int32", 4),
        ("uint32", 4),
        ("int64", 8),
        ("uint64", 8),
    ] {
        let special =
            bits(width, &[0, 1, u64::MAX, 1 << (8 * width - 1), (1 << (8 * width - 1)) - 1, 0x0102_0304_0506_0708]);
        all.push(Type { name, width, fill: "42", special });
    }
    for (name, width) in [("float16", 2), ("float32", 4), ("float64", 8)] {
        all.push(Type { name, width, fill: "\"NaN\"", special: float(width) });
    }
    for (name, width) in [("complex64", 4), ("complex128", 8)] {
        all.push(Type { name, width, fill: "[0.0, \"Infinity\"]", special: pairs(float(width)) });
    }
    let text = |all: &[&str]| all.iter().map(|s| s.as_bytes().to_vec()).collect::<Vec<_>>();
    all.push(Type {
        name: "string",
        width: 0,
        fill: "\"none\"",
        special: text(&["", "none", "é", "a longer text", "\u{1f600}"]),
    });
    all.push(Type { name: "bytes", width: 0, fill: "\"\"", special: vec![vec![], vec![0, 255], vec![1; 9]] });
    all
}

fn chains(t: &Type, rank: usize) -> Vec<(&'static str, Vec<Json>)> {
    let bytes = |endian| match t.width {
        0 => format!(r#"{{"name":"vlen-{}","configuration":{{}}}}"#, if t.name == "string" { "utf8" } else { "bytes" })
            .parse::<Json>()
            .unwrap(),
        1 => r#"{"name":"bytes"}"#.parse::<Json>().unwrap(),
        _ => format!(r#"{{"name":"bytes","configuration":{{"endian":"{endian}"}}}}"#).parse::<Json>().unwrap(),
    };
    let with = |codec: &str| vec![bytes("little"), codec.parse::<Json>().unwrap()];
    let blosc = |cname: &str, shuffle: &str| {
        let size = t.width.max(1);
        with(&format!(
            r#"{{"name":"blosc","configuration":{{"cname":"{cname}","clevel":5,"shuffle":"{shuffle}","typesize":{size},"blocksize":0}}}}"#
        ))
    };
    let mut all = vec![
        ("little", vec![bytes("little")]),
        ("gzip", with(r#"{"name":"gzip","configuration":{"level":5}}"#)),
        ("zstd", with(r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#)),
        ("zstd checksum", with(r#"{"name":"zstd","configuration":{"level":0,"checksum":true}}"#)),
        ("crc32c", with(r#"{"name":"crc32c"}"#)),
        ("blosc lz4", blosc("lz4", "shuffle")),
        ("blosc zstd", blosc("zstd", "bitshuffle")),
        ("blosc zlib", blosc("zlib", "noshuffle")),
        ("blosc blosclz", blosc("blosclz", "shuffle")),
        ("blosc lz4hc", blosc("lz4hc", "bitshuffle")),
        ("blosc snappy", blosc("snappy", "noshuffle")),
        (
            "gzip and crc32c",
            [
                with(r#"{"name":"gzip","configuration":{"level":0}}"#),
                vec![r#"{"name":"crc32c"}"#.parse::<Json>().unwrap()],
            ]
            .concat(),
        ),
    ];
    // zarr-python writes a transpose before strings in the wrong order.
    if t.width > 0 {
        all.push(("big", vec![bytes("big")]));
        let order: Vec<usize> = (0..rank).map(|d| (d + 1) % rank.max(1)).collect();
        all.push((
            "transpose",
            vec![
                format!(r#"{{"name":"transpose","configuration":{{"order":{order:?}}}}}"#).parse::<Json>().unwrap(),
                bytes("big"),
            ],
        ));
    }
    all
}

const ENCODINGS: [&str; 4] = [
    r#"{"name":"default","configuration":{"separator":"/"}}"#,
    r#"{"name":"v2","configuration":{"separator":"."}}"#,
    r#"{"name":"default","configuration":{"separator":"."}}"#,
    r#"{"name":"v2","configuration":{"separator":"/"}}"#,
];

/// Asks a peer to read an array into a file.
fn read_request(peer: &mut Peer, array: &Path, out: &Path) -> Reply {
    let mut request = Object::new();
    request.set("op", "read");
    request.set("path", array.to_string_lossy().as_ref());
    request.set("out", out.to_string_lossy().as_ref());
    peer.ask(&request).unwrap()
}

struct Case<'t> {
    label: String,
    t: &'t Type,
    shape: Vec<u64>,
    chunk: Vec<u64>,
    shard: Option<Vec<u64>>,
    codecs: Vec<Json>,
    encoding: &'static str,
}

impl Case<'_> {
    fn elements(&self) -> Vec<Vec<u8>> {
        let count = self.shape.iter().product::<u64>() as usize;
        (0..count).map(|i| self.t.special[(i * i + i / 7) % self.t.special.len()].clone()).collect()
    }
    /// Writes elements in the form in which peers exchange them.
    fn to_file(&self, elements: &[Vec<u8>], path: &Path) {
        let bytes = if self.t.width > 0 {
            elements.concat()
        } else {
            let data_type = self.data_type();
            let list: Json = elements.iter().map(|e| data_type.fill_to_json(e).unwrap()).collect();
            list.to_string().into_bytes()
        };
        std::fs::write(path, bytes).unwrap();
    }
    fn of_file(&self, path: &Path) -> Vec<Vec<u8>> {
        let bytes = std::fs::read(path).unwrap();
        if self.t.width > 0 {
            return bytes.chunks(self.t.special[0].len()).map(<[u8]>::to_vec).collect();
        }
        let data_type = self.data_type();
        let list = Json::parse(&bytes, &Default::default()).unwrap();
        list.as_array().unwrap().iter().map(|e| data_type.fill_from_json(e).unwrap()).collect()
    }
    fn data_type(&self) -> std::sync::Arc<dyn ozarr::zarr_core::data_type::DataType> {
        let registry = ozarr::zarr_core::registry::Registry::builtin();
        let named = ozarr::zarr_core::extension::Extension::short_hand(self.t.name);
        registry.data_type(&named, &Default::default()).unwrap().object
    }
    fn new_array(&self) -> NewArray {
        let new = NewArray::new(self.shape.clone(), self.t.name)
            .chunks(self.chunk.clone())
            .codecs(self.codecs.clone())
            .fill_value(self.t.fill.parse::<Json>().unwrap())
            .chunk_key_encoding(self.encoding.parse::<Json>().unwrap());
        match &self.shard {
            Some(shard) => new.shards(shard.clone()),
            None => new,
        }
    }
    fn check(&self, peer: &mut Peer) -> Result<bool, String> {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs, file) = (dir.path().join("ours"), dir.path().join("theirs"), dir.path().join("elements"));
        let elements = self.elements();
        let array = Hierarchy::create(&ours).unwrap().create_array("/", self.new_array()).unwrap();
        write_elements(&array, &elements).map_err(|e| format!("we cannot write: {e}"))?;
        match read_request(peer, &ours, &file) {
            Reply::Done if self.of_file(&file) == elements => {}
            Reply::Done => return Err("the peer reads other data".into()),
            Reply::Unsupported(_) => return Ok(false),
            Reply::Failed(reason) => return Err(format!("the peer cannot read: {reason}")),
        }
        self.to_file(&elements, &file);
        let mut request = Object::new();
        request.set("op", "write");
        request.set("path", theirs.to_string_lossy().as_ref());
        request.set("shape", &self.shape[..]);
        request.set("chunk_shape", &self.chunk[..]);
        request.set("shard_shape", self.shard.as_deref().map_or(Json::Null, Json::from));
        request.set("data_type", self.t.name);
        request.set("fill_value", self.t.fill.parse::<Json>().unwrap());
        request.set("codecs", Json::Array(self.codecs.clone()));
        request.set("key_encoding", self.encoding.parse::<Json>().unwrap());
        request.set("store_fill", true);
        request.set("data", file.to_string_lossy().as_ref());
        match peer.ask(&request).map_err(|e| e.to_string())? {
            Reply::Done => {}
            other => return Err(format!("the peer cannot write: {other:?}")),
        }
        let array = Hierarchy::open(&theirs).and_then(|h| h.array("/")).map_err(|e| format!("we cannot open: {e}"))?;
        let got = read_elements(&array).map_err(|e| format!("we cannot read: {e}"))?;
        if got == elements { Ok(true) } else { Err("we read other data".into()) }
    }
}

fn matrix(types: &[Type]) -> Vec<Case<'_>> {
    let (mut all, mut n) = (Vec::new(), 0);
    for t in types {
        for (name, codecs) in chains(t, 3) {
            for sharded in [false, true] {
                n += 1;
                all.push(Case {
                    label: format!("{} {name}{}", t.name, if sharded { " sharded" } else { "" }),
                    t,
                    shape: vec![5, 7, 3],
                    chunk: vec![2, 3, 3],
                    shard: sharded.then(|| vec![4, 6, 3]),
                    codecs: codecs.clone(),
                    encoding: ENCODINGS[n % 4],
                });
            }
        }
        for (i, encoding) in ENCODINGS.into_iter().enumerate() {
            let (shape, chunk) =
                [(vec![], vec![]), (vec![6], vec![4]), (vec![0, 3], vec![2, 2]), (vec![2, 2, 2, 2], vec![1, 2, 1, 2])]
                    [i]
                    .clone();
            // zarr-python drops zeros at the end of a string in an array without dimensions.
            if shape.is_empty() && t.width == 0 {
                continue;
            }
            let codecs = chains(t, 0)[0].1.clone();
            all.push(Case { label: format!("{} {shape:?}", t.name), t, shape, chunk, shard: None, codecs, encoding });
        }
    }
    all
}

/// Checks all cases that a peer knows, and the number of cases that it does not know.
fn check(name: &'static str, is_unknown: impl Fn(&Case<'_>) -> bool, unknown: usize) {
    let (types, mut peer, mut failures, mut done, mut left_out) =
        (types(), Peer::start(name).unwrap(), Vec::new(), 0, 0);
    let all = matrix(&types);
    for case in &all {
        match case.check(&mut peer) {
            Ok(true) if !is_unknown(case) => done += 1,
            Ok(true) => failures.push(format!("{}: the peer knows it, and should not", case.label)),
            Ok(false) if is_unknown(case) => left_out += 1,
            Ok(false) => failures.push(format!("{}: the peer does not know it", case.label)),
            Err(reason) => failures.push(format!("{}: {reason}", case.label)),
        }
    }
    assert!(failures.is_empty(), "{name}: {} failures:\n{}", failures.len(), failures.join("\n"));
    assert_eq!((done, left_out), (all.len() - unknown, unknown));
    assert!(done > 400, "{done}");
}

#[test]
fn arrays_are_exchanged_with_zarr_python() {
    // One for each data type, with sharding and without.
    check("zarr-python", |case| case.label.contains("snappy"), 2 * 16);
}

#[test]
fn arrays_are_exchanged_with_tensorstore() {
    check("tensorstore", |case| case.t.width == 0, 2 * (2 * 12 + 3));
}
