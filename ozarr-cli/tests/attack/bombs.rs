//! Chunks of four bytes that claim to be large: an error, within the memory that the program needs anyway.

use super::{common::Dir, worker};
use ozarr::{Hierarchy, NewArray, zarr_core::json::Json};

/// The size that a bomb claims, much more than its reader may use.
const BYTES: u64 = 128 << 20;
const MOST_MIB: &str = "64";

fn blosc(compressor: &str) -> String {
    format!(
        r#"{{"name":"blosc","configuration":{{"cname":"{compressor}","clevel":9,"shuffle":"noshuffle","typesize":1,"blocksize":0}}}}"#
    )
}

const GZIP: &str = r#"{"name":"gzip","configuration":{"level":9}}"#;
const ZSTD: &str = r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#;

/// Encodes zeros.
fn encoded(dir: &Dir, bytes: u64, by: &str) -> Vec<u8> {
    let hierarchy = Hierarchy::create(dir.path("model")).unwrap();
    let new = NewArray::new([bytes], "uint8").chunks([bytes]).fill_value(1u64).overwrite();
    let array = hierarchy
        .create_array("/", new.codecs(["\"bytes\"".parse::<Json>().unwrap(), by.parse::<Json>().unwrap()]))
        .unwrap();
    array.write(.., &vec![0u8; bytes as usize]).unwrap();
    array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap()
}

/// A store with an array of four bytes, whose chunk comes from elsewhere.
fn is_refused_within_limits(what: &str, codecs: &[&str], chunk: &[u8]) {
    let dir = Dir::new();
    let s = dir.path("s");
    let codecs = [&["\"bytes\""], codecs].concat();
    let new = NewArray::new([4], "uint8").chunks([4]).codecs(codecs.iter().map(|c| c.parse::<Json>().unwrap()));
    Hierarchy::create(&s).unwrap().create_array("/a", &new).unwrap();
    std::fs::create_dir_all(dir.path("s/a/c")).unwrap();
    std::fs::write(dir.path("s/a/c/0"), chunk).unwrap();
    let mut reader = worker(dir.0.path(), "peak of reading", &[&s, MOST_MIB, "0", "0"]);
    assert_eq!(reader.code(), Some(0), "{what}: {} bytes", chunk.len());
    super::refused(&["validate", "--data", &s]);
}

#[test]
fn bombs_are_refused_within_limits() {
    let dir = Dir::new();
    let compressors = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"].map(blosc);
    for by in [GZIP, ZSTD].into_iter().chain(compressors.iter().map(String::as_str)) {
        let bomb = encoded(&dir, BYTES, by);
        assert!((bomb.len() as u64) < BYTES / 50, "{by}: {}", bomb.len());
        is_refused_within_limits(by, &[by], &bomb);
        // The size of the data between two codecs is not exact, but is limited to about four bytes.
        is_refused_within_limits(by, &[GZIP, by], &bomb);
        is_refused_within_limits(by, &[ZSTD, by], &bomb);
        is_refused_within_limits(by, &["\"crc32c\"", by], &bomb);
    }
}

#[test]
fn false_headers_are_refused_within_limits() {
    let dir = Dir::new();
    let lz4 = blosc("lz4");
    let [gzip, zstd, right] = [GZIP, ZSTD, &lz4].map(|by| encoded(&dir, 4, by));
    let mut chunks: Vec<(&str, String, Vec<u8>)> = Vec::new();
    for (at, what) in [(4, "decoded"), (12, "encoded")] {
        for size in [0u32, 5, 1 << 30, i32::MAX as u32, u32::MAX] {
            let mut chunk = right.clone();
            chunk[at..at + 4].copy_from_slice(&size.to_le_bytes());
            chunks.push((&lz4, format!("blosc: {what} size {size}"), chunk));
        }
    }
    let [frame, skippable] = [&zstd[..], &[0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff]];
    chunks.push((ZSTD, "zstd: a skippable frame without its end".to_owned(), [frame, skippable].concat()));
    chunks.push((
        ZSTD,
        "zstd: a window of 2^41".to_owned(),
        vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 0x21, 0, 0, 1, 2, 3, 4],
    ));
    chunks.push((
        ZSTD,
        "zstd: an unknown dictionary".to_owned(),
        vec![0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 4, 0x21, 0, 0, 1, 2, 3, 4],
    ));
    chunks.push((
        ZSTD,
        "zstd: a size of 2^63".to_owned(),
        [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x80][..], &[0x21, 0, 0, 1, 2, 3, 4]].concat(),
    ));
    chunks.push((ZSTD, "zstd: a thousand frames".to_owned(), zstd.repeat(1000)));
    chunks.push((GZIP, "gzip: a thousand members".to_owned(), gzip.repeat(1000)));
    let mut size = gzip.clone();
    let end = size.len();
    size[end - 4..].copy_from_slice(&u32::MAX.to_le_bytes());
    chunks.push((GZIP, "gzip: a size of 2^32".to_owned(), size));
    for (by, what, chunk) in chunks {
        is_refused_within_limits(&what, &[by], &chunk);
    }
}
