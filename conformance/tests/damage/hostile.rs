//! Malicious chunks and documents, which are small but request large amounts of memory.

use super::*;
use ozarr::{ErrorKind, NewArray};

const BYTES: &str = r#"{"name":"bytes"}"#;
const GZIP: &str = r#"{"name":"gzip","configuration":{"level":9}}"#;
const ZSTD: &str = r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#;
const LZ4: &str =
    r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":9,"shuffle":"noshuffle","typesize":1,"blocksize":0}}"#;
const BLOSC_ZSTD: &str =
    r#"{"name":"blosc","configuration":{"cname":"zstd","clevel":9,"shuffle":"noshuffle","typesize":1,"blocksize":0}}"#;
const SNAPPY: &str = r#"{"name":"blosc","configuration":{"cname":"snappy","clevel":9,"shuffle":"noshuffle","typesize":1,"blocksize":0}}"#;
const TEXT: &str = r#"{"name":"vlen-utf8"}"#;

/// Returns an array with one chunk and these codecs.
fn new(data_type: &str, n: u64, codecs: &[&str]) -> NewArray {
    NewArray::new([n], data_type).chunks([n]).codecs(codecs.iter().map(|c| c.parse::<Json>().unwrap()))
}

/// Returns the chunk to which 64 MiB of one repeated byte are encoded.
fn bomb(data_type: &str, codecs: &[&str]) -> Vec<u8> {
    let (n, hierarchy) = (64usize << 20, memory(1 << 30));
    let text = data_type == "string";
    let array = hierarchy.create_array("/", new(data_type, if text { 1 } else { n as u64 }, codecs)).unwrap();
    let written = if text { array.write(.., &["a".repeat(n)]) } else { array.write(.., &vec![1u8; n]) };
    written.unwrap();
    array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap()
}

/// Reads a chunk that another program stored.
fn read(array: &NewArray, chunk: &[u8]) -> (ozarr::Result<Vec<Vec<u8>>>, usize) {
    read_within(CHUNK_BYTES, array, chunk)
}

fn read_within(chunk_bytes: u64, array: &NewArray, chunk: &[u8]) -> (ozarr::Result<Vec<Vec<u8>>>, usize) {
    largest_allocation(|begin| {
        let array = memory(chunk_bytes).create_array("/", array).unwrap();
        array.data_store().writer().unwrap().set(&Key::new("c/0").unwrap(), chunk).unwrap();
        begin();
        read_elements(&array)
    })
}

#[track_caller]
fn refused(what: &str, (outcome, largest): (ozarr::Result<Vec<Vec<u8>>>, usize)) {
    match outcome {
        Err(e) if matches!(e.kind(), ErrorKind::Data(_) | ErrorKind::Limit { .. }) => {}
        Err(e) => panic!("{what}: refused for another reason: {e}"),
        Ok(elements) => panic!("{what}: {} elements are read", elements.len()),
    }
    assert!(largest <= ALLOCATION, "{what}: {largest} bytes were allocated at once");
}

#[test]
fn decompression_bombs_are_refused() {
    for codec in [GZIP, ZSTD, LZ4, BLOSC_ZSTD, SNAPPY] {
        let bytes = bomb("uint8", &[BYTES, codec]);
        assert!(bytes.len() < 8 << 20);
        refused(codec, read(&new("uint8", 16, &[BYTES, codec]), &bytes));
        // An inner codec does not know the expected size.
        refused(codec, read(&new("uint8", 16, &[BYTES, GZIP, codec]), &bytes));
        refused(codec, read(&new("uint8", 16, &[BYTES, "\"crc32c\"", codec]), &bytes));
        let text = bomb("string", &[TEXT, codec]);
        refused(codec, read(&new("string", 1, &[TEXT, codec]), &text));
    }
}

/// The size of the bytes between two codecs is limited by what the chunk needs, not by the limit of a chunk.
#[test]
fn data_between_two_codecs_is_bounded() {
    for codec in [GZIP, ZSTD, LZ4] {
        let bomb = bomb("uint8", &[BYTES, codec]);
        for outer in [&[GZIP][..], &[ZSTD], &[ZSTD, GZIP]] {
            let codecs = [&[BYTES], outer, &[codec]].concat();
            let (outcome, largest) = read_within(4 << 30, &new("uint8", 4, &codecs), &bomb);
            let e = outcome.unwrap_err();
            let limit = |e: &ozarr::Error| matches!(e.kind(), ErrorKind::Limit { limit: 0x10_0000, asked, .. } if *asked > 0x10_0000);
            assert!(limit(&e) || codec == LZ4 && matches!(e.kind(), ErrorKind::Data(_)), "{codecs:?}: {e}");
            let most = if codec == ZSTD { WINDOW } else { ALLOCATION };
            assert!(largest <= most, "{codecs:?}: {largest} bytes were allocated at once");
        }
    }
}

/// Threads share a budget. A chunk that needs more than the rest of the budget does not wait, and is only refused if it
/// needs more than one chunk may use.
#[test]
fn threads_share_one_memory_budget() {
    const CHUNK: u64 = 2 << 20;
    let mut context = Context::new();
    context.limits.memory = 8 << 20;
    let hierarchy = Hierarchy::new(MemoryStore::default(), context);
    let codecs = [BYTES, GZIP].map(|text| text.parse::<Json>().unwrap());
    let small = NewArray::new([8 * CHUNK], "uint8").chunks([CHUNK]).codecs(codecs.clone());
    let array = hierarchy.create_array("/small", &small).unwrap();
    let elements: Vec<u8> = (0..8 * CHUNK).map(|i| (i / CHUNK + 1) as u8).collect();
    array.write(.., &elements).unwrap();
    thread::scope(|s| {
        for i in 0..8 {
            let array = &array;
            s.spawn(move || {
                for round in 0..8 {
                    let at = Region::new(&[(i + round) % 8 * CHUNK + 5], &[1]).unwrap();
                    assert_eq!(read_region(array, &at).unwrap().concat(), [((i + round) % 8 + 1) as u8]);
                }
            });
        }
    });
    let large = NewArray::new([4 * CHUNK], "uint8").chunks([4 * CHUNK]).codecs(codecs);
    let array = hierarchy.create_array("/large", &large).unwrap();
    array.write(.., &elements[..4 * CHUNK as usize]).unwrap_err();
    let bytes = bomb("uint8", &[BYTES, GZIP]);
    array.data_store().writer().unwrap().set(&Key::new("c/0").unwrap(), &bytes).unwrap();
    let e = read_region(&array, &Region::new(&[5], &[1]).unwrap()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Budget { asked: 0x80_0000, taken: 0, limit: 0x60_0000 }), "{e}");
}

/// A frame may request a window of 128 MiB or more before its first byte. Every reader should allow 8 MiB.
#[test]
fn zstd_windows_are_bounded() {
    let (raw_block, mut granted) = ([0x21, 0, 0, 1, 2, 3, 4], 0);
    let frame = |exponent: u8| [&[0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3], &raw_block[..]].concat();
    for exponent in 0..32u8 {
        let frame = frame(exponent);
        for (data_type, codecs) in
            [("string", &[TEXT, ZSTD][..]), ("uint8", &[BYTES, ZSTD]), ("uint8", &[BYTES, GZIP, ZSTD])]
        {
            let what = format!("window 2^{} for {data_type}", 10 + u32::from(exponent));
            let (outcome, largest) = read(&new(data_type, 1, codecs), &frame);
            assert!(outcome.is_err(), "{what}");
            let most = if exponent <= 13 { 16 << 20 } else { ALLOCATION };
            assert!(largest <= most, "{what}: {largest} bytes were allocated at once");
        }
        // Four bytes of data, in a valid frame.
        granted += usize::from(read(&new("uint8", 4, &[BYTES, ZSTD]), &frame).0.is_ok());
    }
    assert!(granted >= 14, "{granted}");
    // Between both limits it is the largest power of two within the limit of a chunk.
    let limits = [(1 << 12, 23), (8 << 20, 23), ((32 << 20) - 1, 24), (32 << 20, 25), (1 << 27, 27), (4 << 30, 27)];
    for (limit, most) in limits {
        for log in most - 1..most + 3 {
            let e = read_within(limit, &new("string", 1, &[TEXT, ZSTD]), &frame(log - 10)).0.unwrap_err().to_string();
            assert_eq!(e.contains("too much memory"), log > most, "2^{log} within {limit}: {e}");
        }
    }
}

#[test]
fn false_string_lengths_are_refused() {
    let number = |n: u32| n.to_le_bytes();
    for (what, chunk) in [
        ("many elements", number(u32::MAX).to_vec()),
        ("more elements than the chunk has", [number(3), number(0), number(0), number(0)].concat()),
        ("fewer elements than the chunk has", [number(1), number(0)].concat()),
        ("a long element", [number(2), number(u32::MAX), number(0)].concat()),
        ("an element that ends outside", [number(2), number(0), number(1)].concat()),
        ("bytes after the last", [number(2), number(0), number(0), number(0)].concat()),
        ("not UTF-8", [&number(2)[..], &number(1), &[0xff], &number(0)].concat()),
    ] {
        refused(what, read(&new("string", 2, &[TEXT]), &chunk));
    }
}

#[test]
fn hostile_shard_index_entries_are_refused() {
    let shard = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"AT"}}"#;
    let (none, huge) = (u64::MAX, 1u64 << 40);
    for (what, first) in [
        ("a long chunk", (0, huge)),
        ("a chunk of 2^60 bytes", (0, 1 << 60)),
        ("a far chunk", (huge, 2)),
        ("an end beyond 2^64", (none - 1, 2)),
        ("a length without offset", (none, 2)),
        ("an offset without length", (0, none)),
        ("a long length at the end", (33, none - 32)),
        ("too short", (0, 1)),
        ("too long", (0, 3)),
        ("outside by one", (35, 2)),
        ("empty", (0, 0)),
    ] {
        for location in ["start", "end"] {
            let index = [first.0, first.1, none, none].map(u64::to_le_bytes).concat();
            let chunk = if location == "end" { [&[7; 4], &index[..]].concat() } else { [&index[..], &[7; 4]].concat() };
            assert_eq!(chunk.len(), 36);
            refused(what, read(&new("uint8", 4, &[&shard.replace("AT", location)]), &chunk));
        }
    }
}

/// Stores an array in files. The file of its chunk begins with `bytes` and has 6 GiB, but takes no space on the disk.
#[cfg(unix)]
fn sparse(new: &NewArray, bytes: &[u8]) -> (tempfile::TempDir, Array) {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::new().with_executor(Arc::new(Sequential));
    let mode = ozarr::store::OpenMode::Create;
    let hierarchy = Hierarchy::options().mode(mode).context(context).open(dir.path()).unwrap();
    let array = hierarchy.create_array("/", new).unwrap();
    std::fs::create_dir(dir.path().join("c")).unwrap();
    std::fs::write(dir.path().join("c/0"), bytes).unwrap();
    std::fs::File::options().write(true).open(dir.path().join("c/0")).unwrap().set_len(SPARSE).unwrap();
    (dir, array)
}
#[cfg(unix)]
const SPARSE: u64 = 6 << 30;

/// A stored value may be larger than the limit of a decoded chunk: 6 GiB for eight elements are refused by their
/// length.
#[test]
#[cfg(unix)]
fn a_chunk_that_is_too_large_is_not_read() {
    let shard = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"start"}}"#;
    let zipped = shard.replace(BYTES, &format!("{BYTES},{GZIP}"));
    let (crc32c, part) = ("\"crc32c\"", Region::new(&[2], &[1]).unwrap());
    let element = |data_type: &str| if data_type == "string" { b"a".to_vec() } else { vec![1] };
    let limit = |what: &str, (outcome, largest): (ozarr::Result<()>, usize)| match outcome {
        Err(e)
            if matches!(e.kind(), ErrorKind::Limit { what: "the encoded chunk size in bytes", asked: SPARSE, .. }) =>
        {
            assert!(largest <= ALLOCATION, "{what}: {largest} bytes were allocated at once");
        }
        other => panic!("{what}: {other:?}"),
    };
    for (data_type, codecs) in [
        ("uint8", &[BYTES, GZIP][..]),
        ("uint8", &[BYTES, ZSTD]),
        ("uint8", &[BYTES, LZ4]),
        ("uint8", &[BYTES, GZIP, crc32c]),
        ("uint8", &[shard, GZIP]),
        ("string", &[TEXT]),
        ("string", &[TEXT, GZIP]),
    ] {
        let (_dir, array) = sparse(&new(data_type, 8, codecs), &[]);
        let what = format!("{data_type} {codecs:?}");
        let watch = |f: &dyn Fn() -> ozarr::Result<()>| {
            largest_allocation(|begin| {
                begin();
                f()
            })
        };
        limit(&what, watch(&|| read_elements(&array).map(|_| ())));
        limit(&what, watch(&|| read_region(&array, &part).map(|_| ())));
        limit(&what, watch(&|| write_region(&array, &part, &[element(data_type)])));
    }
    // An inner chunk is also read whole, and an update preserves the inner chunks next to it.
    let (none, from) = (u64::MAX, 64u64);
    let index = |first: [u64; 2]| [first[0], first[1], from, 2, none, none, none, none].map(u64::to_le_bytes).concat();
    let all_of_it = [index([from, SPARSE - from]), vec![5, 6]].concat();
    let (_dir, array) = sparse(&new("uint8", 8, &[&zipped]), &all_of_it);
    for write in [false, true] {
        let (outcome, largest) = largest_allocation(|begin| {
            begin();
            match write {
                true => write_region(&array, &Region::new(&[4], &[2]).unwrap(), &[vec![1], vec![1]]),
                false => read_region(&array, &Region::new(&[0], &[1]).unwrap()).map(|_| ()),
            }
        });
        let refused = outcome.unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Data(_) | ErrorKind::Limit { .. }), "{refused}");
        assert!(largest <= ALLOCATION, "{largest} bytes were allocated at once");
    }
    // A large shard of small chunks is read like any other.
    let (_dir, array) = sparse(&new("uint8", 8, &[shard]), &[index([from, 2]), vec![5, 6]].concat());
    let (elements, largest) = largest_allocation(|begin| {
        begin();
        read_elements(&array).unwrap()
    });
    assert_eq!(elements.concat(), [5, 6, 5, 6, 0, 0, 0, 0]);
    assert!(largest <= ALLOCATION, "{largest} bytes were allocated at once");
}

#[test]
fn false_blosc_headers_are_refused() {
    let good = {
        let array = memory(CHUNK_BYTES).create_array("/", new("uint8", 4096, &[BYTES, LZ4])).unwrap();
        array.write(.., &vec![5u8; 4096]).unwrap();
        array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap()
    };
    let array = new("uint8", 4096, &[BYTES, LZ4]);
    assert!(read(&array, &good).0.is_ok());
    for (field, at) in [("nbytes", 4), ("blocksize", 8), ("cbytes", 12)] {
        for n in [0u32, 1, 4095, 4097, 1 << 30, i32::MAX as u32, 1 << 31, u32::MAX] {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&n.to_le_bytes());
            let (outcome, largest) = read(&array, &bad);
            assert!(outcome.is_err() || field == "blocksize", "{field} {n}");
            assert!(outcome.is_err() || outcome.is_ok_and(|e| e.concat() == [5; 4096]), "{field} {n}");
            assert!(largest <= ALLOCATION, "{field} {n}: {largest} bytes were allocated at once");
        }
    }
}

#[test]
fn hostile_documents_are_refused() {
    let shard = |inner: &str| {
        format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[1],"codecs":[{inner}],"index_codecs":["bytes"]}}}}"#
        )
    };
    let document = |shape: &str, chunk: &str, data_type: &str, fill: &str, codec: &str| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{shape},"data_type":"{data_type}","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{chunk}}}}},"chunk_key_encoding":"default","fill_value":{fill},"codecs":[{codec}]}}"#
        )
    };
    let nested = (0..200).fold(BYTES.to_owned(), |inner, _| shard(&inner));
    let (many, deep) =
        (format!("[{}1]", "1,".repeat(1000)), format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
    let cases = [
        ("a large chunk", document("[4]", "[1099511627776]", "uint8", "0", BYTES)),
        ("a chunk beyond 2^64", document("[4,4]", "[18446744073709551615,18446744073709551615]", "uint8", "0", BYTES)),
        ("an array beyond 2^64", document("[18446744073709551615,2]", "[1,1]", "uint8", "0", BYTES)),
        ("a large element", document("[4]", "[4]", "r34359738368", "[]", BYTES)),
        ("an element beyond 2^64", document("[4]", "[4]", "r147573952589676412928", "[]", BYTES)),
        ("many dimensions", document(&many, &many, "uint8", "0", BYTES)),
        ("a shard index that is too large", document("[4]", "[1048576]", "uint8", "0", &shard(BYTES))),
        ("codecs nested deep", document("[1]", "[1]", "uint8", "0", &nested)),
        ("JSON nested deep", document("[4]", "[4]", "uint8", &deep, BYTES)),
        ("JSON nested deep, and cut", "[".repeat(1 << 20)),
    ];
    for (what, text) in cases {
        let (outcome, largest) = largest_allocation(|begin| {
            let hierarchy = memory(CHUNK_BYTES);
            hierarchy.store().writer().unwrap().set(&Key::new("zarr.json").unwrap(), text.as_bytes()).unwrap();
            begin();
            hierarchy.node("/").map(|_| ())
        });
        assert!(outcome.is_err(), "{what}");
        assert!(largest <= ALLOCATION, "{what}: {largest} bytes were allocated at once");
    }
}

/// The limits of documents.
#[test]
fn documents_beyond_the_limit_are_refused() {
    let hierarchy = {
        let mut context = Context::new();
        context.limits.metadata_bytes = 1000;
        Hierarchy::new(MemoryStore::default(), context)
    };
    let text = format!(r#"{{"zarr_format":3,"node_type":"group","attributes":{{"a":"{}"}}}}"#, "x".repeat(1000));
    hierarchy.store().writer().unwrap().set(&Key::new("zarr.json").unwrap(), text.as_bytes()).unwrap();
    let e = hierarchy.node("/").unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Limit { limit: 1000, .. }), "{e}");
}
