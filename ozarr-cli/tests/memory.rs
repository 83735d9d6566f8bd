//! The memory of the command, measured in child processes, with hostile data.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod common;

use common::Dir;
use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    process::{Command, Stdio},
};

const MIB: u64 = 1 << 20;

/// The result of a process.
struct Ran {
    status: i32,
    said: String,
    /// Its peak memory in bytes.
    peak: u64,
}

/// Runs the command. Its output goes to a file and is ignored.
#[expect(clippy::zombie_processes, reason = "`wait4` waits for it, and tells its peak memory")]
fn run(args: &[&str]) -> Ran {
    let dir = Dir::new();
    let [out, err] = ["out", "err"].map(|name| File::create(dir.path(name)).unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
    command.args(args).env("ZARR_PLUGINS", "off").stdin(Stdio::null()).stdout(out).stderr(err);
    let child = command.spawn().unwrap();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::uninit());
    // SAFETY: both places are valid for writes, and nothing else waits for this child.
    let waited = unsafe { libc::wait4(child.id() as i32, &raw mut status, 0, usage.as_mut_ptr()) };
    assert_eq!(waited, child.id() as i32);
    // SAFETY: `wait4` has filled it.
    let usage = unsafe { usage.assume_init() };
    assert!(libc::WIFEXITED(status), "{args:?} died: {status}");
    let said = fs::read_to_string(dir.path("err")).unwrap();
    Ran { status: libc::WEXITSTATUS(status), said, peak: usage.ru_maxrss as u64 * 1024 }
}

/// Fills an array of one chunk with zeros, from a sparse file.
fn write_zeros(array: &str, length: u64) {
    let file = format!("{array}.npy");
    let mut header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({length},), }}");
    header.extend(std::iter::repeat_n(' ', 117 - header.len()));
    let mut out = File::create(&file).unwrap();
    out.write_all(b"\x93NUMPY\x01\x00\x76\x00").unwrap();
    writeln!(out, "{header}").unwrap();
    out.set_len(128 + length).unwrap();
    let ran = run(&["write", array, "--input", &file]);
    assert_eq!(ran.status, 0, "{}", ran.said);
}

/// Creates an array of bytes with the fill value 1.
fn array(dir: &Dir, name: &str, shape: u64, chunk: u64, codecs: &str) -> String {
    let document = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[{shape}],"data_type":"uint8","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[{chunk}]}}}},"chunk_key_encoding":"default","fill_value":1,"codecs":[{codecs}]}}"#
    );
    let path = dir.path(name);
    fs::create_dir_all(format!("{path}/c")).unwrap();
    fs::write(format!("{path}/zarr.json"), document).unwrap();
    path
}

/// Four bytes after two compressors, the outer of which was given 256 MiB of zeros.
#[test]
fn data_between_two_codecs_is_bounded() {
    const GZIP: &str = r#"{"name":"gzip","configuration":{"level":5}}"#;
    const ZSTD: &str = r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#;
    let dir = Dir::new();
    for codec in [GZIP, ZSTD] {
        let zeros = array(&dir, "zeros", 256 * MIB, 256 * MIB, &format!("\"bytes\",{codec}"));
        write_zeros(&zeros, 256 * MIB);
        let bomb = array(&dir, "bomb", 8, 4, &format!("\"bytes\",{GZIP},{codec}"));
        for chunk in ["0", "1"] {
            fs::copy(format!("{zeros}/c/0"), format!("{bomb}/c/{chunk}")).unwrap();
        }
        for command in [&["read", &bomb, "--format", "raw"][..], &["validate", &bomb, "--data"]] {
            let ran = run(command);
            assert_ne!(ran.status, 0);
            assert!(command[0] == "validate" || ran.said.contains("more than the limit of 1048576"), "{}", ran.said);
            assert!(ran.peak < 64 * MIB, "{command:?}: {} MiB", ran.peak / MIB);
        }
    }
}

const SHARD: &str = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[INNER],"codecs":["bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}}"#;

/// A small shard in which all inner chunks have the same range, and one whose index is zeros in a sparse file.
#[test]
fn shards_with_shared_or_sparse_bytes_use_bounded_memory() {
    let dir = Dir::new();
    let one = array(&dir, "one", MIB, MIB, r#""bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}}"#);
    write_zeros(&one, MIB);
    let inner = fs::read(format!("{one}/c/0")).unwrap();
    let aliased = array(&dir, "aliased", 4095 * MIB, 4095 * MIB, &SHARD.replace("INNER", "1048576"));
    let index = (0..4095).flat_map(|_| [0, inner.len() as u64]).flat_map(u64::to_le_bytes);
    fs::write(format!("{aliased}/c/0"), inner.iter().copied().chain(index).collect::<Vec<u8>>()).unwrap();
    let ran = run(&["validate", &aliased, "--data"]);
    assert!(ran.status != 0 && ran.peak < 128 * MIB, "{} MiB: {}", ran.peak / MIB, ran.said);

    let count = 1u64 << 26;
    let sparse = array(&dir, "sparse", count, count, &SHARD.replace("INNER", "1"));
    File::create(format!("{sparse}/c/0")).unwrap().set_len(count * 16).unwrap();
    for command in [&["validate", &sparse, "--data"][..], &["elements", &sparse, "--region", "5"]] {
        let ran = run(command);
        assert!(ran.status != 0 && ran.peak < 256 * MIB, "{command:?}: {} MiB: {}", ran.peak / MIB, ran.said);
    }
}

/// Writes a group with a large attribute: a list of items, or an object with as many members.
fn document(path: &str, length: u64, item: &dyn Fn(u64) -> String, members: bool) -> u64 {
    fs::create_dir_all(path).unwrap();
    let file = format!("{path}/zarr.json");
    let mut out = BufWriter::new(File::create(&file).unwrap());
    let (open, close) = if members { ("{", "}") } else { (r#"{"a":["#, "]}") };
    write!(out, r#"{{"zarr_format":3,"node_type":"group","attributes":{open}"#).unwrap();
    let (mut written, mut i) = (0, 0);
    while written < length {
        let item = item(i);
        write!(out, "{}{item}", if i > 0 { "," } else { "" }).unwrap();
        (written, i) = (written + item.len() as u64 + 1, i + 1);
    }
    write!(out, "{close}}}").unwrap();
    out.flush().unwrap();
    fs::metadata(file).unwrap().len()
}

#[test]
fn a_document_uses_a_multiple_of_its_length() {
    type Item = (&'static str, bool, u64, Option<bool>, fn(u64) -> String);
    let items: [Item; 11] = [
        ("empty lists", false, 60, Some(false), |_| "[]".into()),
        ("empty objects", false, 60, Some(false), |_| "{}".into()),
        ("empty strings", false, 60, Some(false), |_| "\"\"".into()),
        ("zeros", false, 60, Some(false), |_| "0".into()),
        ("lists in lists", false, 60, None, |_| "[[1.5, 2.5]]".into()),
        ("keys", true, 60, None, |i| format!("\"{i:07}\":0")),
        ("long strings", false, 60, Some(true), |i| format!("\"station {i}\"")),
        ("numbers", false, 20, Some(true), |i| i.to_string()),
        ("floats", false, 20, Some(true), |i| format!("{:?}", i as f64 / 7.0)),
        ("objects", false, 20, Some(true), |i| {
            format!("{{\"id\": {i}, \"name\": \"station {i}\", \"at\": [{}.5, 2.25]}}", i % 90)
        }),
        ("members", true, 20, Some(true), |i| format!("\"name {i}\": \"value {i}\"")),
    ];
    let dir = Dir::new();
    document(&dir.path("small"), 10, &|_| "0".into(), false);
    let own = run(&["info", &dir.path("small")]).peak;
    for (what, members, mib, accepted, item) in items {
        let path = dir.path("large");
        let length = document(&path, mib * 1_000_000, &item, members);
        // `info --json` prints the whole document, so it is only run on documents that are accepted.
        let json = ["info", "--json", &path];
        let commands = [&["info", &path][..], &["validate", &path], &json];
        for command in &commands[..if accepted == Some(true) { 3 } else { 2 }] {
            let ran = run(command);
            assert!(
                command[0] == "validate"
                    || ran.status == 0
                    || ran.said.contains("the memory for the JSON document in bytes"),
                "{what}: {}",
                ran.said
            );
            assert!(accepted.is_none_or(|accepted| accepted == (ran.status == 0)), "{what}: {}", ran.said);
            let most = 8 * length + 16 * MIB + own;
            assert!(ran.peak <= most, "{what}: {command:?} took {} of {} MiB", ran.peak / MIB, most / MIB);
        }
    }
}
