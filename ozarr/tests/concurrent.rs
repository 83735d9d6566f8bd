//! Threads that write different parts of one stored object lose nothing, whatever handles they use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{Hierarchy, NewArray, Result};
use std::sync::Arc;

const SIDE: u64 = 64;
const INNER: u64 = 8;

fn new_array(shard: u64) -> NewArray {
    NewArray::new([SIDE, SIDE], "uint32").chunks([INNER, INNER]).shards([shard, shard])
}

/// Eight threads write each of the 64 inner chunks, five times over, each thread through its own handle.
fn race(rounds: u32, path: &str, open: &(dyn Fn(usize) -> Result<ozarr::Array> + Sync)) {
    for round in 1..=rounds {
        std::thread::scope(|s| {
            for t in 0..8u64 {
                s.spawn(move || {
                    let array = open(t as usize).unwrap();
                    for i in 0..8u64 {
                        let value = round * 1000 + (t * 8 + i) as u32;
                        let (row, column) = (t * INNER, i * INNER);
                        array.write([row..row + INNER, column..column + INNER], &[value; 64]).unwrap();
                    }
                });
            }
        });
        let all: Vec<u32> = Hierarchy::open(path).unwrap().array("/a").unwrap().read(..).unwrap();
        let want = |i: usize| round * 1000 + (i as u64 / SIDE / INNER * 8 + i as u64 % SIDE / INNER) as u32;
        let lost = all.iter().enumerate().filter(|(i, v)| **v != want(*i)).count();
        assert_eq!(lost, 0, "round {round}");
    }
}

#[test]
fn inner_chunks_written_through_one_handle_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_string_lossy().into_owned();
    let array = Arc::new(Hierarchy::create(&path).unwrap().create_array("/a", new_array(SIDE)).unwrap());
    race(5, &path, &|_| Ok((*array).clone()));
}

#[test]
fn inner_chunks_written_through_separate_handles_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.zarr").to_string_lossy().into_owned();
    Hierarchy::create(&path).unwrap().create_array("/a", new_array(SIDE)).unwrap();
    race(5, &path, &|_| Hierarchy::open(&path)?.array("/a"));
}

#[cfg(unix)]
#[test]
fn inner_chunks_written_through_links_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("data.zarr"), dir.path().join("link.zarr"));
    let text = |p: &std::path::Path| p.to_string_lossy().into_owned();
    Hierarchy::create(text(&path)).unwrap().create_array("/a", new_array(SIDE)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    race(5, &text(&path), &|t| match t % 3 {
        0 => Hierarchy::open(text(&path))?.array("/a"),
        1 => Hierarchy::open(text(&link))?.array("/a"),
        _ => Hierarchy::open(text(dir.path()))?.array("/data.zarr/a"),
    });
}

#[test]
fn elements_of_one_compressed_chunk_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_string_lossy().into_owned();
    Hierarchy::create(&path).unwrap().create_array("/a", NewArray::new([SIDE, SIDE], "uint32")).unwrap();
    race(5, &path, &|_| Hierarchy::open(&path)?.array("/a"));
}

#[test]
fn one_of_many_creators_wins() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_string_lossy().into_owned();
    let winners: usize = std::thread::scope(|s| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let path = &path;
                s.spawn(move || {
                    usize::from(Hierarchy::create(path).unwrap().create_array("/x/y", new_array(SIDE)).is_ok())
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(winners, 1);
}
