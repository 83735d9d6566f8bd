//! Writers in several processes, each with several threads: nothing is lost or torn, even if some are killed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Array, Hierarchy, NewArray,
    zarr_core::{
        json::{Json, Object},
        store::Prefix,
    },
};
use std::{
    ops::Range,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const SIDE: u64 = 64;
const INNER: u64 = 8;
const PROCESSES: u64 = 4;
const THREADS: u64 = 8;

/// The variable that tells a process what to do. The process is this test, in this program.
const TASK: &str = "ZARR_TEST_TASK";

/// Describes an array with one shard of 64 inner chunks, or one compressed chunk.
fn new_array(sharded: bool) -> NewArray {
    let new = NewArray::new([SIDE, SIDE], "uint32");
    if sharded { new.chunks([INNER, INNER]).shards([SIDE, SIDE]) } else { new.chunks([SIDE, SIDE]) }
}

/// The number of times that each process appends.
const APPENDS: u64 = 20;
/// Returns the value of all elements that a process appends in one call.
fn appended(process: u64, round: u64) -> u32 {
    (1 + process * 1000 + round) as u32
}
/// Appends once for each round. With `opens`, each time through a new handle.
fn append(path: &Path, process: u64, rounds: Range<u64>, length: usize, opens: bool) {
    let mut array = open(path);
    for round in rounds {
        if opens {
            array = open(path);
        }
        let elements = vec![appended(process, round); length];
        let place = array.append(0, &elements).unwrap();
        assert_eq!(array.read::<u32>([place]).unwrap(), elements, "round {round}");
    }
}

fn create(path: &Path, sharded: bool) -> Array {
    Hierarchy::create(path).unwrap().create_array("/a", new_array(sharded)).unwrap()
}

fn open(path: &Path) -> Array {
    Hierarchy::open(path).unwrap().array("/a").unwrap()
}

/// A process that ends with the test, even if that fails.
struct Process(Child);
impl Drop for Process {
    fn drop(&mut self) {
        let _it_may_have_ended = self.0.kill();
        self.0.wait().unwrap();
    }
}

fn start(task: &str, path: &Path, process: u64, rounds: Range<u64>) -> Process {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "processes::child_process"]).stdout(Stdio::null()).stderr(Stdio::inherit());
    command.env(TASK, format!("{task}:{process}:{}:{}:{}", rounds.start, rounds.end, path.display()));
    Process(command.spawn().unwrap())
}

fn rows_and_columns(i: u64) -> [Range<u64>; 2] {
    let (row, column) = (i / (SIDE / INNER) * INNER, i % (SIDE / INNER) * INNER);
    [row..row + INNER, column..column + INNER]
}

/// Each thread writes squares that no other thread writes, and checks that they are as it left them.
fn write_squares(path: &Path, process: u64, rounds: &Range<u64>) {
    thread::scope(|s| {
        for thread in 0..THREADS {
            s.spawn(move || {
                let array = open(path);
                let squares = (0..64).filter(|i| i % (PROCESSES * THREADS) == process * THREADS + thread);
                for round in rounds.clone() {
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

/// The processes that the tests below start. Run on its own, it is a single one.
#[test]
fn child_process() {
    let Ok(task) = std::env::var(TASK) else {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path(), true);
        return write_squares(dir.path(), 0, &(1..2));
    };
    let [task, process, first, end, path] = task.splitn(5, ':').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let [process, first, end] = [process, first, end].map(|n| n.parse::<u64>().unwrap());
    let (rounds, path) = (first..end, Path::new(path));
    match task {
        "squares" => write_squares(path, process, &rounds),
        "append 10" => append(path, process, rounds, 10, false),
        "append 7" => append(path, process, rounds, 7, false),
        "open and append 10" => append(path, process, rounds, 10, true),
        "open and append 7" => append(path, process, rounds, 7, true),
        "create" => {
            let hierarchy = Hierarchy::create(path).unwrap();
            let won = rounds.filter(|i| hierarchy.create_array(&format!("/{i}/x"), new_array(true)).is_ok());
            let won: Vec<u64> = won.collect();
            std::fs::write(path.join(format!("won.{process}")), format!("{won:?}")).unwrap();
        }
        "attributes" => {
            let hierarchy = Hierarchy::open(path).unwrap();
            for i in rounds {
                let mut array = hierarchy.array(&format!("/{process}/{i}")).unwrap();
                array.set_attributes([("by", Json::from(process))].into_iter().collect::<Object>()).unwrap();
            }
        }
        _ => panic!("{task}"),
    }
}

fn all_end_well(processes: impl IntoIterator<Item = Process>) {
    let ended: Vec<_> = processes.into_iter().map(|mut p| p.0.wait().unwrap()).collect();
    assert!(ended.iter().all(std::process::ExitStatus::success), "{ended:?}");
}

#[test]
fn nothing_is_lost() {
    for sharded in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path(), sharded);
        let rounds = 20;
        all_end_well(
            (0..PROCESSES).map(|process| start("squares", dir.path(), process, 1..rounds + 1)).collect::<Vec<_>>(),
        );
        let array = open(dir.path());
        for i in 0..64 {
            let got: Vec<u32> = array.read(rows_and_columns(i)).unwrap();
            assert_eq!(got, [(rounds * 1000 + i) as u32; 64], "square {i}");
        }
    }
}

/// Two stores share one shard or compressed chunk: a link in one leads to another link, and that to the file of the
/// other.
#[test]
fn nothing_is_lost_through_a_link() {
    for sharded in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let stores = ["x", "y"].map(|name| dir.path().join(name));
        let arrays = stores.each_ref().map(|store| create(store, sharded));
        arrays[0].write(.., &[1u32; (SIDE * SIDE) as usize]).unwrap();
        let link = stores[1].join("a/c/0/0");
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("../../../hop", &link).unwrap();
        std::os::unix::fs::symlink("../x/a/c/0/0", stores[1].join("hop")).unwrap();
        let rounds = 20;
        let started = (0..PROCESSES).map(|p| start("squares", &stores[p as usize % 2], p, 1..rounds + 1));
        all_end_well(started.collect::<Vec<_>>());
        for array in arrays {
            for i in 0..64 {
                let got: Vec<u32> = array.read(rows_and_columns(i)).unwrap();
                assert_eq!(got, [(rounds * 1000 + i) as u32; 64], "square {i}");
            }
        }
        assert!(link.is_symlink() && !stores[0].join("a/c/0/0").is_symlink());
    }
}

/// Temporary files of working writers are never taken for orphans, not even between being created and locked.
#[test]
fn writers_at_work_leave_no_orphans() {
    let dir = tempfile::tempdir().unwrap();
    let array = create(dir.path(), true);
    let lister = array.hierarchy().store().clone();
    let mut writers: Vec<_> = (0..PROCESSES).map(|process| start("squares", dir.path(), process, 1..41)).collect();
    let mut looks = 0;
    while writers.iter_mut().any(|writer| writer.0.try_wait().unwrap().is_none()) {
        let found = lister.lister().unwrap().list_orphans(&Prefix::ROOT).unwrap();
        assert!(found.is_empty(), "{found:?} after {looks} looks");
        looks += 1;
    }
    all_end_well(writers);
    assert!(looks > 100, "only {looks} looks");
}

/// The number of pairs of processes that are killed, and the number of rounds that each would write.
const KILLS: u64 = 60;
const ROUNDS: u64 = 10_000;

/// Checks that each square has a single value, and one that its writer wrote after the value seen before.
fn look(array: &Array, seen: &mut [u64; 64], kill: u64) {
    let all: Vec<u32> = array.read(..).unwrap();
    for (i, before) in (0..).zip(seen) {
        let [rows, columns] = rows_and_columns(i).map(|r| r.start as usize..r.end as usize);
        let square: Vec<u32> = rows.flat_map(|r| &all[r * SIDE as usize..][columns.clone()]).copied().collect();
        let value = u64::from(square[0]);
        assert!(square.iter().all(|v| *v == square[0]), "square {i} is torn");
        assert!(value >= *before, "square {i} is {value} after it was {before}");
        let is_written = i % (PROCESSES * THREADS) < 2 * THREADS && value % 1000 == i;
        let round = value / 1000;
        let is_possible = is_written && round % ROUNDS > 0 && round / ROUNDS <= kill;
        assert!(value == 0 || is_possible, "nobody wrote {value} to square {i}");
        *before = value;
    }
}

/// A reader sees each square as one writer left it, both while writers are killed and afterwards.
#[test]
fn kills_tear_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let array = create(dir.path(), true);
    let mut seen = [0; 64];
    for kill in 0..KILLS {
        let rounds = kill * ROUNDS + 1..(kill + 1) * ROUNDS;
        let processes = [0, 1].map(|process| start("squares", dir.path(), process, rounds.clone()));
        let deadline = Instant::now() + Duration::from_secs(60);
        while seen.iter().all(|value| *value < rounds.start * 1000) {
            assert!(Instant::now() < deadline, "nothing was written before kill {kill}");
            look(&array, &mut seen, kill);
        }
        let until = Instant::now() + Duration::from_micros(kill * 1_237 % 20_000);
        while Instant::now() < until {
            look(&array, &mut seen, kill);
        }
        drop(processes);
        look(&array, &mut seen, kill);
    }
    let listed: Vec<_> = array.hierarchy().store().lister().unwrap().list().unwrap().into_iter().collect();
    assert_eq!(listed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a/c/0/0", "a/zarr.json", "zarr.json"]);
    // Orphans do not block writers, and can be distinguished from temporary files in use.
    write_squares(dir.path(), 0, &(ROUNDS * KILLS..ROUNDS * KILLS + 1));
    let left = array.hierarchy().store().writer().unwrap().erase_orphans(&Prefix::ROOT).unwrap();
    let in_directory = std::fs::read_dir(dir.path().join("a/c/0")).unwrap().count();
    assert_eq!(in_directory, 1, "{} were left behind", left.len());
}

#[test]
fn creation_has_one_winner() {
    let dir = tempfile::tempdir().unwrap();
    let arrays = 40;
    all_end_well((0..PROCESSES).map(|process| start("create", dir.path(), process, 0..arrays)).collect::<Vec<_>>());
    let mut won: Vec<u64> = Vec::new();
    for process in 0..PROCESSES {
        let text = std::fs::read_to_string(dir.path().join(format!("won.{process}"))).unwrap();
        let numbers = text.trim_matches(['[', ']']).split(", ").filter(|n| !n.is_empty());
        won.extend(numbers.map(|n| n.parse::<u64>().unwrap()));
    }
    won.sort_unstable();
    assert_eq!(won, (0..arrays).collect::<Vec<_>>());
}

/// Copies of metadata follow the metadata, whichever process changes it. Each process changes another array, and one
/// document has all copies.
#[test]
fn no_consolidated_copy_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let (hierarchy, arrays) = (Hierarchy::create(dir.path()).unwrap(), 30);
    let names: Vec<(u64, String)> =
        (0..PROCESSES).flat_map(|p| (0..arrays).map(move |i| (p, format!("/{p}/{i}")))).collect();
    for (_, name) in &names {
        hierarchy.create_array(name, NewArray::new([1], "bool")).unwrap();
    }
    hierarchy.consolidate("/").unwrap();
    all_end_well((0..PROCESSES).map(|process| start("attributes", dir.path(), process, 0..arrays)).collect::<Vec<_>>());
    let copies = hierarchy.with_consolidated_metadata().unwrap();
    for (process, name) in &names {
        assert_eq!(copies.array(name).unwrap().attributes().get("by"), Some(&Json::from(*process)), "{name}");
    }
}

/// Everything that several processes append is stored, each piece as a whole, whether handles are opened again or
/// become stale, and whether pieces share inner chunks or only shards.
#[test]
fn concurrent_appends_lose_nothing() {
    for length in [10, 7] {
        for task in ["append", "open and append"] {
            let (dir, task) = (tempfile::tempdir().unwrap(), format!("{task} {length}"));
            let new = NewArray::new([0], "uint32").chunks([5]).shards([20]);
            Hierarchy::create(dir.path()).unwrap().create_array("/a", &new).unwrap();
            let starts = (0..PROCESSES).map(|process| start(&task, dir.path(), process, 0..APPENDS));
            all_end_well(starts.collect::<Vec<_>>());
            let all: Vec<u32> = open(dir.path()).read(..).unwrap();
            let (pieces, rest) = (all.chunks_exact(length), all.chunks_exact(length).remainder());
            assert!(rest.is_empty() && pieces.clone().all(|p| p.iter().all(|v| *v == p[0])), "{task}: {all:?}");
            let mut found: Vec<u32> = pieces.map(|p| p[0]).collect();
            found.sort_unstable();
            let each = |process| (0..APPENDS).map(move |round| appended(process, round));
            assert_eq!(found, (0..PROCESSES).flat_map(each).collect::<Vec<_>>(), "{task}");
        }
    }
}
