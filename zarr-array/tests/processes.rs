//! Writers of several processes, each with several threads: nothing is lost, also when some are killed, and nothing is torn.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use zarr_array::{
    Array, Hierarchy, NewArray,
    core::{
        json::{Json, Object},
        store::Prefix,
    },
};

const SIDE: u64 = 64;
const INNER: u64 = 8;
const PROCESSES: u64 = 4;
const THREADS: u64 = 8;

/// How a process of its own is told what to do: this very test, in this program.
const TASK: &str = "ZARR_TEST_TASK";

/// One shard of 64 inner chunks, or one compressed chunk.
fn new_array(sharded: bool) -> NewArray {
    let new = NewArray::new([SIDE, SIDE], "uint32");
    if sharded { new.chunk_shape([INNER, INNER]).shard_shape([SIDE, SIDE]) } else { new.chunk_shape([SIDE, SIDE]) }
}

fn create(path: &Path, sharded: bool) -> Array {
    Hierarchy::create(path.to_str().unwrap()).unwrap().create_array("/a", &new_array(sharded)).unwrap()
}

fn open(path: &Path) -> Array {
    Hierarchy::open(path.to_str().unwrap()).unwrap().array("/a").unwrap()
}

fn start(task: &str, path: &Path, process: u64, rounds: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process"])
        .env(TASK, format!("{task}:{process}:{rounds}:{}", path.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn rows_and_columns(i: u64) -> [std::ops::Range<u64>; 2] {
    let (row, column) = (i / (SIDE / INNER) * INNER, i % (SIDE / INNER) * INNER);
    [row..row + INNER, column..column + INNER]
}

/// Each thread writes squares that nobody else writes, and finds them as it left them.
fn write_squares(path: &Path, process: u64, rounds: u64) {
    thread::scope(|s| {
        for thread in 0..THREADS {
            s.spawn(move || {
                let array = open(path);
                let squares = (0..64).filter(|i| i % (PROCESSES * THREADS) == process * THREADS + thread);
                for round in 1..=rounds {
                    for i in squares.clone() {
                        let value = (round * 1000 + i) as u32;
                        array.write(rows_and_columns(i), &[value; 64]).unwrap();
                        let back: Vec<u32> = array.read(rows_and_columns(i)).unwrap();
                        assert_eq!(back, [value; 64], "square {i} of round {round} is lost");
                    }
                }
            });
        }
    });
}

/// What the tests below start as processes of their own; alone it is a single one.
#[test]
fn a_process() {
    let Ok(task) = std::env::var(TASK) else {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path(), true);
        return write_squares(dir.path(), 0, 1);
    };
    let [task, process, rounds, path] = task.splitn(4, ':').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let (process, rounds, path): (u64, u64, &Path) = (process.parse().unwrap(), rounds.parse().unwrap(), path.as_ref());
    match task {
        "squares" => write_squares(path, process, rounds),
        "create" => {
            let hierarchy = Hierarchy::create(path.to_str().unwrap()).unwrap();
            let won = (0..rounds).filter(|i| hierarchy.create_array(&format!("/{i}/x"), &new_array(true)).is_ok());
            let won: Vec<u64> = won.collect();
            std::fs::write(path.join(format!("won.{process}")), format!("{won:?}")).unwrap();
        }
        "attributes" => {
            let hierarchy = Hierarchy::open(path.to_str().unwrap()).unwrap();
            for i in 0..rounds {
                let mut array = hierarchy.array(&format!("/{process}/{i}")).unwrap();
                array.set_attributes([("by", Json::from(process))].into_iter().collect::<Object>()).unwrap();
            }
        }
        _ => panic!("{task}"),
    }
}

fn all_end_well(processes: impl IntoIterator<Item = Child>) {
    let ended: Vec<_> = processes.into_iter().map(|mut p| p.wait().unwrap()).collect();
    assert!(ended.iter().all(std::process::ExitStatus::success), "{ended:?}");
}

#[test]
fn nothing_is_lost() {
    for sharded in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path(), sharded);
        let rounds = 20;
        all_end_well((0..PROCESSES).map(|process| start("squares", dir.path(), process, rounds)).collect::<Vec<_>>());
        let array = open(dir.path());
        for i in 0..64 {
            let got: Vec<u32> = array.read(rows_and_columns(i)).unwrap();
            assert_eq!(got, [(rounds * 1000 + i) as u32; 64], "square {i}");
        }
    }
}

/// Whoever reads while writers are killed sees each square as one writer left it, and so does whoever comes later.
#[test]
fn nothing_is_torn_by_kills() {
    let dir = tempfile::tempdir().unwrap();
    let array = create(dir.path(), true);
    let whole = || {
        let all: Vec<u32> = array.read(..).unwrap();
        for i in 0..64 {
            let [rows, columns] = rows_and_columns(i).map(|r| r.start as usize..r.end as usize);
            let square: Vec<u32> = rows.flat_map(|r| &all[r * SIDE as usize..][columns.clone()]).copied().collect();
            let value = u64::from(square[0]);
            assert!(square.iter().all(|v| *v == square[0]), "square {i} is torn");
            assert!(value == 0 || value % 1000 == i, "square {i} has the value of another");
        }
    };
    for kill in 0..60 {
        let mut processes: Vec<_> = (0..2).map(|process| start("squares", dir.path(), process, 1_000_000)).collect();
        let until = Duration::from_micros(15_000 + kill * 1_237 % 20_000);
        let begin = std::time::Instant::now();
        while begin.elapsed() < until {
            whole();
        }
        processes.iter_mut().for_each(|p| p.kill().unwrap());
        processes.iter_mut().for_each(|p| _ = p.wait().unwrap());
        whole();
    }
    let listed: Vec<_> = array.hierarchy().store().lister().unwrap().list().unwrap().into_iter().collect();
    assert_eq!(listed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a/c/0/0", "a/zarr.json", "zarr.json"]);
    // Nobody trips over what was left behind, and it can be told from what is being written.
    write_squares(dir.path(), 0, 1);
    let left = array.hierarchy().store().writer().unwrap().erase_debris(&Prefix::ROOT).unwrap();
    let in_directory = std::fs::read_dir(dir.path().join("a/c/0")).unwrap().count();
    assert_eq!(in_directory, 1, "{} were left behind", left.len());
}

#[test]
fn creation_has_one_winner() {
    let dir = tempfile::tempdir().unwrap();
    let arrays = 40;
    all_end_well((0..PROCESSES).map(|process| start("create", dir.path(), process, arrays)).collect::<Vec<_>>());
    let mut won: Vec<u64> = Vec::new();
    for process in 0..PROCESSES {
        let text = std::fs::read_to_string(dir.path().join(format!("won.{process}"))).unwrap();
        let numbers = text.trim_matches(['[', ']']).split(", ").filter(|n| !n.is_empty());
        won.extend(numbers.map(|n| n.parse::<u64>().unwrap()));
    }
    won.sort_unstable();
    assert_eq!(won, (0..arrays).collect::<Vec<_>>());
}

/// Copies of metadata follow the metadata, whoever changes it: each change of another array is in the one document that has
/// all copies.
#[test]
fn no_copy_of_metadata_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let (hierarchy, arrays) = (Hierarchy::create(dir.path().to_str().unwrap()).unwrap(), 30);
    let names: Vec<(u64, String)> =
        (0..PROCESSES).flat_map(|p| (0..arrays).map(move |i| (p, format!("/{p}/{i}")))).collect();
    for (_, name) in &names {
        hierarchy.create_array(name, &NewArray::new([1], "bool")).unwrap();
    }
    hierarchy.consolidate("/").unwrap();
    all_end_well((0..PROCESSES).map(|process| start("attributes", dir.path(), process, arrays)).collect::<Vec<_>>());
    let copies = hierarchy.with_consolidated_metadata().unwrap();
    for (process, name) in &names {
        assert_eq!(copies.array(name).unwrap().attributes().get("by"), Some(&Json::from(*process)), "{name}");
    }
}
