//! Processes with threads that write one array at the same time, under any name.

use super::{
    all_end_well,
    common::Dir,
    is_well, is_well_after_repair, ok, rounds, start, worker,
    workers::{PROCESSES, SIDE, SQUARES, THREADS, lonely_chunks, open, place as place_of, squares, value},
};
use ozarr::{Array, Hierarchy, NewArray, zarr_core::json::Json};

/// A directory with a store at `data/s`, and a link `link` to `data`.
pub(crate) struct Place(pub(crate) Dir);
impl Place {
    pub(crate) fn new() -> Self {
        let dir = Dir::new();
        std::fs::create_dir(dir.path("data")).unwrap();
        std::os::unix::fs::symlink("data", dir.path("link")).unwrap();
        Self(dir)
    }
    pub(crate) fn with_array(new: &NewArray) -> (Self, Array) {
        let place = Self::new();
        let array = Hierarchy::create(place.store()).unwrap().create_array("/a", new).unwrap();
        (place, array)
    }
    pub(crate) fn store(&self) -> String {
        self.0.path("data/s")
    }
    /// Returns one of four names of the store: relative, absolute, and two through a link.
    pub(crate) fn spelling(&self, i: u64) -> String {
        match i % 4 {
            0 => "data/s".to_owned(),
            1 => self.store(),
            2 => self.0.path("link/s"),
            _ => self.0.path("link/../data/s"),
        }
    }
    pub(crate) fn worker(&self, task: &str, process: u64, rounds: std::ops::Range<u64>) -> super::Process {
        let [process_text, first, end] = [process, rounds.start, rounds.end].map(|n| n.to_string());
        worker(self.0.0.path(), task, &[&self.spelling(process), &process_text, &first, &end])
    }
}

/// Reads all squares. Each has the value of one writer, and is not older than before.
pub(crate) fn look(array: &Array, seen: &mut [u32]) {
    let all: Vec<u32> = array.read([0..SIDE, 0..SIDE]).unwrap();
    for (i, before) in (0..).zip(seen) {
        let [rows, columns] = place_of(i).map(|r| r.start as usize..r.end as usize);
        let square: Vec<u32> = rows.flat_map(|r| &all[r * SIDE as usize..][columns.clone()]).copied().collect();
        assert!(square.iter().all(|v| *v == square[0]), "square {i} is torn: {square:?}");
        assert!(square[0] >= *before, "square {i} is {} after it was {before}", square[0]);
        assert!(square[0] == 0 || u64::from(square[0]) % 1000 == i, "no process wrote {} to square {i}", square[0]);
        *before = square[0];
    }
}

#[test]
fn writers_of_one_shard_lose_nothing() {
    for round in rounds(1) {
        let (place, array) = Place::with_array(&squares(round % 2 == 0));
        let mut seen = vec![0; SQUARES as usize];
        let mut processes: Vec<_> = (0..PROCESSES).map(|p| place.worker("squares", p, 1..11)).collect();
        processes.push(place.worker("attributes", 1, 0..100));
        processes.push(place.worker("attributes", 2, 0..100));
        // The last of them restores the shape of the array.
        processes.push(place.worker("resize", 3, 1..41));
        while processes.iter_mut().any(super::Process::is_running) {
            look(&array, &mut seen);
        }
        all_end_well(processes);
        look(&array, &mut seen);
        let expected: Vec<u32> = (0..SQUARES).map(|square| value(10, square)).collect();
        assert_eq!(seen, expected);
        let now = open(&place.store()).array("/a").unwrap();
        assert_eq!(now.shape(), [SIDE, SIDE]);
        assert!(now.attributes().get("round").and_then(Json::as_u64) == Some(99), "{:?}", now.attributes());
        is_well(&place.store());
    }
}

#[test]
fn concurrent_writes_of_regions_lose_nothing() {
    let (place, array) = Place::with_array(&squares(true));
    for round in rounds(2) {
        let first = round * 16 % SQUARES;
        let processes = (first..first + 16).map(|square| {
            let lines = place.0.path(&format!("elements.{square}"));
            std::fs::write(&lines, format!("{}\n", value(round + 1, square)).repeat(64)).unwrap();
            let [rows, columns] = place_of(square).map(|r| format!("{}:{}", r.start, r.end));
            let node = match square % 4 {
                0 => format!("file://{}/a", place.store()),
                i => format!("{}/a", place.spelling(i)),
            };
            start(&["write", "--elements", &lines, "--region", &format!("{rows},{columns}"), &node])
        });
        all_end_well(processes.collect());
        for square in first..first + 16 {
            let got: Vec<u32> = array.read(place_of(square)).unwrap();
            assert_eq!(got, [value(round + 1, square); 64], "square {square} of round {round}");
        }
    }
    is_well(&place.store());
}

#[test]
fn nothing_is_lost_while_directories_come_and_go() {
    let (place, array) = Place::with_array(&lonely_chunks());
    for round in rounds(1) {
        let rounds = round * 40..(round + 1) * 40;
        all_end_well((0..PROCESSES).map(|p| place.worker("come and go", p, rounds.clone())).collect());
        let last = 1 + ((rounds.end - 1) % 250) as u8;
        assert_eq!(array.read::<u8>(..).unwrap(), vec![last; (PROCESSES * THREADS * 4) as usize]);
    }
    is_well(&place.store());
}

#[test]
fn concurrent_appends_lose_nothing() {
    for _ in rounds(1) {
        let (place, _) = Place::with_array(&NewArray::new([0], "uint32").chunks([5]).shards([20]));
        all_end_well((0..PROCESSES).map(|p| place.worker("append", p, 1..11)).collect());
        let array = open(&place.store()).array("/a").unwrap();
        let mut slabs: Vec<u32> = Vec::new();
        for slab in array.read::<u32>(..).unwrap().as_chunks::<10>().0 {
            assert_eq!(*slab, [slab[0]; 10], "an append is torn");
            slabs.push(slab[0]);
        }
        slabs.sort_unstable();
        let expected: Vec<u32> = (0..PROCESSES).flat_map(|p| (1..11).map(move |i| (p * 1000 + i) as u32)).collect();
        assert_eq!(slabs, expected);
        is_well(&place.store());
    }
}

#[test]
fn repair_and_validate_do_no_harm_while_others_write() {
    for _ in rounds(1) {
        let (place, array) = Place::with_array(&squares(true));
        array.hierarchy().consolidate("/").unwrap();
        let mut processes: Vec<_> = (0..PROCESSES).map(|p| place.worker("squares", p, 1..31)).collect();
        let mut repairs = 0;
        while repairs < 4 || processes.iter_mut().any(super::Process::is_running) {
            let said = ok(&["repair", "--apply", "--data", &place.store()]);
            assert!(!said.contains("orphaned"), "a live writer's file: {said}");
            ok(&["validate", "--data", &place.store()]);
            repairs += 1;
        }
        all_end_well(processes);
        let mut seen = vec![0; SQUARES as usize];
        look(&array, &mut seen);
        assert_eq!(seen, (0..SQUARES).map(|square| value(30, square)).collect::<Vec<_>>());
        is_well_after_repair(&place.store());
    }
}
