//! Metadata that this project writes but no peer does, read by the peers: shards of all kinds, and fill values in all
//! their forms.

use super::*;
use ozarr::{
    Array,
    zarr_core::metadata::{ArrayMetadata, NodeMetadata},
};

fn document(shape: &[u64], chunk: &[u64], data_type: &str, fill: &str, codecs: &str) -> ArrayMetadata {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{data_type}","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{chunk:?}}}}},"chunk_key_encoding":{{"name":"default"}},"fill_value":{fill},"codecs":{codecs},"attributes":{{}}}}"#
    );
    match NodeMetadata::parse(text.as_bytes(), &Default::default()).unwrap() {
        NodeMetadata::Array(m) => m,
        NodeMetadata::Group(_) => panic!("an array"),
    }
}

/// Writes with `write`, lets the peer read, and compares the result with that of this project.
fn compare(peer: &mut Peer, metadata: ArrayMetadata, write: impl Fn(&Array)) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let (ours, file) = (dir.path().join("ours"), dir.path().join("elements"));
    let array = Hierarchy::create(&ours).unwrap().create_array_from("/", metadata, false).unwrap();
    write(&array);
    match read_request(peer, &ours, &file) {
        Reply::Done => {}
        other => return Err(format!("{other:?}")),
    }
    let bytes = std::fs::read(&file).unwrap();
    let got: Vec<Vec<u8>> = if array.representation().layout().is_variable() {
        let list = Json::parse(&bytes, &Default::default()).unwrap();
        let data_type = array.representation().data_type();
        list.as_array().unwrap().iter().map(|e| data_type.fill_from_json(e).unwrap()).collect()
    } else {
        bytes.chunks(array.representation().element_size()).map(<[u8]>::to_vec).collect()
    };
    let want = read_elements(&array).unwrap();
    match got.iter().zip(&want).position(|(a, b)| a != b) {
        _ if got.len() != want.len() => Err(format!("{} elements, not {}", got.len(), want.len())),
        Some(at) => Err(format!("element {at} is {:x?}, not {:x?}", got[at], want[at])),
        None => Ok(()),
    }
}

/// Tries all documents on a peer. Those in `refused` must fail there, so that the list stays correct.
fn all_on<'c>(
    peer: &'static str,
    refused: &[&str],
    cases: impl IntoIterator<Item = (&'c str, ArrayMetadata)>,
    write: impl Fn(&Array),
) {
    let (mut process, mut failures, mut done) = (Peer::start(peer).unwrap(), Vec::new(), 0);
    for (name, metadata) in cases {
        match compare(&mut process, metadata, &write) {
            Ok(()) if !refused.contains(&name) => done += 1,
            Ok(()) => failures.push(format!("{name}: the peer reads it, and should not")),
            Err(_) if refused.contains(&name) => {}
            Err(reason) => failures.push(format!("{name}: {reason}")),
        }
    }
    assert!(failures.is_empty(), "{peer}: {} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(done > 8, "{done}");
}

const LITTLE: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
const BIG: &str = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
const CRC32C: &str = r#"{"name":"crc32c"}"#;
const GZIP: &str = r#"{"name":"gzip","configuration":{"level":1}}"#;
const ZSTD: &str = r#"{"name":"zstd","configuration":{"level":1,"checksum":true}}"#;
const TURN: &str = r#"{"name":"transpose","configuration":{"order":[1,0]}}"#;

fn shard(chunk: &[u64], codecs: &[&str], index: &[&str], location: &str) -> String {
    let (codecs, index) = (codecs.join(","), index.join(","));
    format!(
        r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{chunk:?},"codecs":[{codecs}],"index_codecs":[{index}],"index_location":"{location}"}}}}"#
    )
}

fn shards() -> Vec<(&'static str, ArrayMetadata)> {
    let inner = shard(&[1, 3], &[LITTLE, GZIP], &[BIG, CRC32C], "start");
    let plain = shard(&[2, 3], &[LITTLE], &[LITTLE, CRC32C], "end");
    let cases = [
        ("index at the end", plain.clone()),
        ("index at the start", shard(&[2, 3], &[LITTLE], &[LITTLE, CRC32C], "start")),
        ("index without checksum", shard(&[2, 3], &[BIG, ZSTD], &[LITTLE], "end")),
        ("big-endian index", shard(&[2, 3], &[BIG], &[BIG], "start")),
        ("two checksums", shard(&[2, 3], &[LITTLE, CRC32C], &[LITTLE, CRC32C, CRC32C], "end")),
        (
            "transposed index",
            shard(&[2, 3], &[LITTLE], &[r#"{"name":"transpose","configuration":{"order":[2,0,1]}}"#, LITTLE], "end"),
        ),
        ("nested", shard(&[2, 3], &[&inner], &[LITTLE, CRC32C], "end")),
        (
            "nested, inside transposed",
            shard(&[2, 3], &[TURN, &shard(&[3, 1], &[BIG], &[LITTLE], "end")], &[LITTLE], "end"),
        ),
        ("transpose within", shard(&[2, 3], &[TURN, LITTLE], &[LITTLE, CRC32C], "end")),
        ("transpose before", format!("{TURN},{}", shard(&[3, 4], &[LITTLE], &[LITTLE, CRC32C], "end"))),
        ("transpose before, and square", format!("{TURN},{}", shard(&[2, 2], &[LITTLE], &[LITTLE, CRC32C], "end"))),
        ("checksum after", format!("{plain},{CRC32C}")),
        ("compressor after", format!("{plain},{GZIP}")),
    ];
    let metadata = |codecs: &str| document(&[7, 10], &[4, 6], "float32", "-1.5", &format!("[{codecs}]"));
    let mut all: Vec<_> = cases.iter().map(|(name, codecs)| (*name, metadata(codecs))).collect();
    let rank_0 = format!("[{}]", shard(&[], &[LITTLE], &[LITTLE, CRC32C], "end"));
    all.push(("rank 0", document(&[], &[], "float32", "-1.5", &rank_0)));
    all
}

/// Writes some chunks: some inner chunks and one shard remain missing.
fn write_some(array: &Array) {
    if array.shape().is_empty() {
        return array.write(.., &[2.5f32]).unwrap();
    }
    let values: Vec<f32> = (0..20).map(|i| i as f32).collect();
    array.write([0..2, 0..10], &values).unwrap();
    array.write([3..7, 4..9], &values).unwrap();
}

#[test]
fn shards_are_exchanged_with_zarr_python() {
    // zarr-python compares the shape of an inner chunk with that of the chunk before it is transposed.
    all_on("zarr-python", &["transpose before"], shards(), write_some);
}

#[test]
fn shards_are_exchanged_with_tensorstore() {
    // TensorStore requires sharding to be the last codec.
    all_on("tensorstore", &["checksum after", "compressor after"], shards(), write_some);
}

/// The name of the case, the data type, and the fill value.
const FILLS: [(&str, &str, &str); 30] = [
    ("true", "bool", "true"),
    ("least int8", "int8", "-128"),
    ("least int64", "int64", "-9223372036854775808"),
    ("int64 beyond 2^53", "int64", "9007199254740993"),
    ("largest uint64", "uint64", "18446744073709551615"),
    ("float16 number", "float16", "65504.0"),
    ("float16 NaN", "float16", "\"NaN\""),
    ("float16 payload", "float16", "\"0x7e01\""),
    ("float32 number", "float32", "0.1"),
    ("float32 integer", "float32", "3"),
    ("float32 -0.0", "float32", "-0.0"),
    ("float32 NaN", "float32", "\"NaN\""),
    ("float32 payload", "float32", "\"0xffc00123\""),
    ("float32 bits", "float32", "\"0x3f800001\""),
    ("float32 Infinity", "float32", "\"Infinity\""),
    ("float32 -Infinity", "float32", "\"-Infinity\""),
    ("float64 number", "float64", "5e-324"),
    ("float64 digits", "float64", "0.1000000000000000055511151231257827021181583404541015625"),
    ("float64 NaN", "float64", "\"NaN\""),
    ("float64 payload", "float64", "\"0x7ff8000000000001\""),
    ("float64 Infinity", "float64", "\"Infinity\""),
    ("complex64 numbers", "complex64", "[1.5, -0.0]"),
    ("complex64 NaN", "complex64", "[\"NaN\", \"-Infinity\"]"),
    ("complex64 payload", "complex64", "[\"0x7fc00001\", \"0xff800000\"]"),
    ("complex128 numbers", "complex128", "[1e300, 2]"),
    ("complex128 NaN", "complex128", "[\"Infinity\", \"NaN\"]"),
    ("complex128 payload", "complex128", "[\"0x7ff8000000000001\", 0.5]"),
    ("empty text", "string", "\"\""),
    ("text", "string", "\"é\\u0000\\ud83d\\ude00\""),
    ("bytes", "bytes", "\"AP8=\""),
];

fn fills() -> Vec<(&'static str, ArrayMetadata)> {
    let codec = |data_type: &str| match data_type {
        "string" => r#"[{"name":"vlen-utf8"}]"#.to_owned(),
        "bytes" => r#"[{"name":"vlen-bytes"}]"#.to_owned(),
        "bool" | "int8" => r#"[{"name":"bytes"}]"#.to_owned(),
        _ => format!("[{LITTLE}]"),
    };
    FILLS.iter().map(|(name, t, fill)| (*name, document(&[3], &[2], t, fill, &codec(t)))).collect()
}

#[test]
fn fill_values_are_exchanged_with_zarr_python() {
    // zarr-python converts the bits through a number.
    all_on("zarr-python", &["float16 payload"], fills(), |_| ());
}

#[test]
fn fill_values_are_exchanged_with_tensorstore() {
    all_on("tensorstore", &["empty text", "text", "bytes"], fills(), |_| ());
}
