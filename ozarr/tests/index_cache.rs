//! Shard indexes that are cached between reads.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use ozarr::{Hierarchy, NewArray};
use std::{fs, time::Duration};

/// The index of a shard is cached once the file is old enough. Every change of the shard is noticed, by any writer.
#[test]
fn a_cached_index_is_never_that_of_another_version() {
    let dir = tempfile::tempdir().unwrap();
    let location = dir.path().to_string_lossy();
    let new = NewArray::new([8, 8], "uint8").chunks([2, 2]).shards([8, 8]);
    let array = Hierarchy::create(&location).unwrap().create_array("/", &new).unwrap();
    array.write([0..4, 0..8], &[1u8; 32]).unwrap();
    let file = dir.path().join("c/0/0");
    let old = fs::read(&file).unwrap();
    // At once, and when the file is old enough for its index to be cached.
    let expect = |one: u8, all: u8| {
        for pause in [0, 200, 0] {
            std::thread::sleep(Duration::from_millis(pause));
            assert_eq!(array.read::<u8>([0..1, 0..1]).unwrap(), [one]);
            assert_eq!(array.read::<u8>([6..7, 6..7]).unwrap(), [all]);
        }
    };
    expect(1, 0);
    // Renamed over it, with more inner chunks; then changed in place, as other programs may do.
    let other = Hierarchy::open(&location).unwrap().array("/").unwrap();
    other.write([0..8, 0..8], &[2u8; 64]).unwrap();
    expect(2, 2);
    fs::write(&file, &old).unwrap();
    expect(1, 0);
    fs::remove_file(&file).unwrap();
    expect(0, 0);
}
