//! The tasks of child processes, by name, with the location of a store and numbers as arguments.

use ozarr::{
    Array, ErrorKind, Hierarchy, NewArray, ResizeOptions,
    zarr_core::{
        json::{Json, Object},
        store::Prefix,
    },
};
use std::{ops::Range, thread};

pub(crate) const SIDE: u64 = 64;
pub(crate) const INNER: u64 = 8;
/// The number of squares in an array of [`SIDE`] x [`SIDE`] elements: the inner chunks of its only shard.
pub(crate) const SQUARES: u64 = (SIDE / INNER) * (SIDE / INNER);
pub(crate) const PROCESSES: u64 = 4;
pub(crate) const THREADS: u64 = 4;

/// Returns an array of one shard, or of one compressed chunk.
pub(crate) fn squares(sharded: bool) -> NewArray {
    let new = NewArray::new([SIDE, SIDE], "uint32");
    if sharded { new.chunks([INNER, INNER]).shards([SIDE, SIDE]) } else { new.chunks([SIDE, SIDE]) }
}

pub(crate) fn place(square: u64) -> [Range<u64>; 2] {
    let (row, column) = (square / (SIDE / INNER) * INNER, square % (SIDE / INNER) * INNER);
    [row..row + INNER, column..column + INNER]
}

/// Returns the value of a square after a round.
pub(crate) fn value(round: u64, square: u64) -> u32 {
    (round * 1000 + square) as u32
}

/// Returns an array in which each chunk has a directory of its own.
pub(crate) fn lonely_chunks() -> NewArray {
    NewArray::new([PROCESSES * THREADS, 4], "uint8").chunks([1, 4])
}

pub(crate) fn open(store: &str) -> Hierarchy {
    Hierarchy::open(store).unwrap()
}

pub(crate) fn alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().to_str().unwrap();
    let array = Hierarchy::create(store).unwrap().create_array("/a", squares(true)).unwrap();
    run(&["squares", store, "0", "1", "2"]);
    assert_eq!(array.read::<u32>(place(0)).unwrap(), [value(1, 0); 64]);
}

/// `task store process first end`: runs rounds `first..end`.
pub(crate) fn run(task: &[&str]) {
    let [task, store, process, first, end] = task[..] else { panic!("{task:?}") };
    let [process, first, end] = [process, first, end].map(|n| n.parse::<u64>().unwrap());
    let rounds = first..end;
    match task {
        "squares" => write_squares(store, process, &rounds),
        "come and go" => come_and_go(store, process, &rounds),
        "append" => rounds.for_each(|i| {
            let mut array = open(store).array("/a").unwrap();
            array.append(0, &[(process * 1000 + i) as u32; 10]).unwrap();
        }),
        "attributes" => rounds.for_each(|i| {
            let mut array = open(store).array("/a").unwrap();
            array.set_attributes(attributes(process, i)).unwrap();
        }),
        "resize" => rounds.for_each(|i| {
            let mut array = open(store).array("/a").unwrap();
            array.resize(&[SIDE * (1 + i % 2), SIDE], ResizeOptions::default()).unwrap();
        }),
        "create" => {
            let (hierarchy, mut won) = (open(store), Vec::new());
            for i in rounds {
                match hierarchy.create_array(&format!("/{i}/x"), squares(true)) {
                    Ok(_) => won.push(i.to_string()),
                    Err(e) => assert!(matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}"),
                }
            }
            std::fs::write(format!("won.{process}"), won.join("\n")).unwrap();
        }
        "erase and create" => erase_and_create(store, process, rounds),
        "write what is there" => write_what_is_there(store, rounds),
        "own node" => own_node(store, process, rounds),
        "peak of reading" => peak_of_reading(store, process),
        _ => panic!("{task}"),
    }
}

pub(crate) fn attributes(process: u64, round: u64) -> Object {
    [("process", Json::from(process)), ("round", Json::from(round))].into_iter().collect()
}

/// Each thread writes squares that no other thread writes, and finds them unchanged. In odd processes the threads share
/// a handle.
fn write_squares(store: &str, process: u64, rounds: &Range<u64>) {
    let shared = (process % 2 == 1).then(|| open(store).array("/a").unwrap());
    thread::scope(|s| {
        for thread in 0..THREADS {
            let shared = shared.clone();
            s.spawn(move || {
                let array: Array = shared.unwrap_or_else(|| open(store).array("/a").unwrap());
                let own = (0..SQUARES).filter(|i| i % (PROCESSES * THREADS) == process * THREADS + thread);
                for round in rounds.clone() {
                    for square in own.clone() {
                        let value = value(round, square);
                        array.write(place(square), &[value; 64]).unwrap();
                        let back: Vec<u32> = array.read(place(square)).unwrap();
                        assert_eq!(back, [value; 64], "square {square} of round {round} is lost");
                    }
                }
            });
        }
    });
}

/// Each thread writes its own chunk, and then the fill value, which removes the chunk and its directory.
fn come_and_go(store: &str, process: u64, rounds: &Range<u64>) {
    let array = open(store).array("/a").unwrap();
    thread::scope(|s| {
        for thread in 0..THREADS {
            let (array, row) = (&array, process * THREADS + thread);
            s.spawn(move || {
                for round in rounds.clone() {
                    let value = 1 + (round % 250) as u8;
                    for value in [0, value] {
                        array.write([row..row + 1, 0..4], &[value; 4]).unwrap();
                        assert_eq!(array.read::<u8>([row..row + 1, 0..4]).unwrap(), [value; 4]);
                    }
                }
            });
        }
    });
}

/// Removes and creates a node that other processes remove, create and write too.
fn erase_and_create(store: &str, process: u64, rounds: Range<u64>) {
    let (hierarchy, mut created) = (open(store), 0);
    for _ in rounds {
        if let Err(e) = hierarchy.erase("/a") {
            assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}");
        }
        created += usize::from(create_where_others_write(&hierarchy));
    }
    std::fs::write(format!("created.{process}"), created.to_string()).unwrap();
}

/// Creates a node unless it exists. Values that others wrote to a removed node must be removed too: they would be
/// visible in the new one.
pub(crate) fn create_where_others_write(hierarchy: &Hierarchy) -> bool {
    loop {
        match hierarchy.create_array("/a", squares(true)) {
            Ok(_) => return true,
            Err(e) if matches!(e.kind(), ErrorKind::NodeAlreadyExists) => return false,
            Err(e) => assert!(matches!(e.kind(), ErrorKind::Occupied(_)), "{e}"),
        }
        hierarchy.store().writer().unwrap().erase_prefix(&Prefix::new("a/c/").unwrap()).unwrap();
    }
}

/// Writes to a node as long as it exists.
fn write_what_is_there(store: &str, rounds: Range<u64>) {
    let hierarchy = open(store);
    for round in rounds {
        match hierarchy.array("/a") {
            Ok(array) => array.write(place(round % SQUARES), &[value(round, 0); 64]).unwrap(),
            Err(e) => assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}"),
        }
    }
}

/// Creates, changes, resizes and removes a node that belongs to this process alone, and that exists at the end.
fn own_node(store: &str, process: u64, rounds: Range<u64>) {
    let (hierarchy, path) = (open(store), format!("/g/{process}"));
    for round in rounds {
        if round > 0 && round % 3 == 0 {
            hierarchy.erase(&path).unwrap();
        }
        if round % 3 == 0 {
            hierarchy.create_array(&path, squares(true)).unwrap();
        }
        let mut array = hierarchy.array(&path).unwrap();
        array.set_attributes(attributes(process, round)).unwrap();
        array.resize(&[SIDE + round, SIDE], ResizeOptions::default()).unwrap();
    }
}

/// Reads an array whose data must be refused, within a number of MiB.
fn peak_of_reading(store: &str, most: u64) {
    let outcome = open(store).array("/a").unwrap().read::<u8>(..);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(outcome.is_err(), "it was read");
    assert!(peak <= most << 10, "the peak is {peak} KiB: {}", outcome.unwrap_err());
}
