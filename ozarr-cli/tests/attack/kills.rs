//! Processes that are killed at any moment: everything is old or new, and leftovers can be removed.

use super::{
    Random,
    common::{Dir, files},
    is_well_after_repair, ok, rounds, start,
    workers::{PROCESSES, SQUARES, THREADS, create_where_others_write, lonely_chunks, open, place, squares},
    writers::{Place, look},
};
use ozarr::{Hierarchy, NewArray};

/// More rounds than a process finishes before it is killed.
const ENDLESS: u64 = 1 << 20;

#[test]
fn shards_are_whole_after_kills() {
    let (mut random, (place, array)) = (Random::of("shards"), Place::with_array(&squares(true)));
    let mut seen = vec![0; SQUARES as usize];
    for kill in rounds(15) {
        let first = kill * 1000 + 1;
        let processes = [0, 1].map(|p| place.worker("squares", p, first..ENDLESS));
        // Wait until both are working: otherwise one of them would never be killed in the middle.
        while (0..2u64)
            .any(|p| (0..SQUARES).filter(|i| i % 16 / THREADS == p).all(|i| u64::from(seen[i as usize]) < first * 1000))
        {
            look(&array, &mut seen);
        }
        random.wait(20_000);
        drop(processes);
        look(&array, &mut seen);
    }
    is_well_after_repair(&place.store());
    super::all_end_well((0..PROCESSES).map(|p| place.worker("squares", p, ENDLESS..ENDLESS + 1)).collect());
    super::is_well(&place.store());
}

/// Starts two tasks, kills them at a random moment and runs `check`, in rounds.
fn killed(row: &str, tasks: [&str; 2], least: u64, place: &Place, check: impl Fn()) {
    let mut random = Random::of(row);
    for _ in rounds(least) {
        let processes = [0, 1].map(|i| place.worker(tasks[i as usize], i, 1..ENDLESS));
        random.wait(60_000);
        drop(processes);
        check();
    }
    is_well_after_repair(&place.store());
}

#[test]
fn documents_are_whole_after_kills() {
    let (place, array) = Place::with_array(&squares(true));
    array.hierarchy().consolidate("/").unwrap();
    killed("documents", ["attributes", "attributes"], 15, &place, || {
        open(&place.store()).array("/a").unwrap();
        ok(&["tree", &place.store()]);
    });
}

#[test]
fn chunks_are_whole_after_kills_while_directories_come_and_go() {
    let (place, _) = Place::with_array(&lonely_chunks());
    killed("directories", ["come and go", "come and go"], 15, &place, || {
        let array = open(&place.store()).array("/a").unwrap();
        for row in array.read::<u8>(..).unwrap().as_chunks::<4>().0 {
            assert_eq!(*row, [row[0]; 4]);
        }
    });
}

#[test]
fn nodes_are_complete_or_absent_after_kills() {
    let (place_of, _) = Place::with_array(&squares(true));
    killed("nodes", ["erase and create", "write what is there"], 15, &place_of, || {
        let hierarchy = open(&place_of.store());
        if let Ok(array) = hierarchy.array("/a") {
            for square in 0..SQUARES {
                let got: Vec<u32> = array.read(place(square)).unwrap();
                assert_eq!(got, [got[0]; 64], "square {square} is torn");
            }
        }
        // Leftovers do not get in the way.
        let _it_may_be_there = create_where_others_write(&hierarchy);
        hierarchy.array("/a").unwrap();
    });
}

#[test]
fn a_killed_copy_leaves_old_or_new() {
    let (mut random, dir) = (Random::of("copies"), Dir::new());
    let length = 4000;
    let new = NewArray::new([length], "uint16").chunks([50]);
    for (name, element) in [("old", 1u16), ("one", 2), ("to", 1)] {
        let array = Hierarchy::create(dir.path(name)).unwrap().create_array("/a", &new).unwrap();
        array.write(.., &vec![element; length as usize]).unwrap();
    }
    for kill in rounds(15) {
        let from = dir.path(if kill % 2 == 0 { "one" } else { "old" });
        let copy = start(&["copy", "--overwrite", &from, &dir.path("to")]);
        random.wait(120_000);
        drop(copy);
        let elements: Vec<u16> = open(&dir.path("to")).array("/a").unwrap().read(..).unwrap();
        assert!(elements[0] > 0 && elements == vec![elements[0]; length as usize], "neither the old nor the new");
    }
    is_well_after_repair(&dir.path("to"));
}

/// Shards with a damaged index, and a repair that is killed: each shard is unchanged or repaired.
#[test]
fn a_killed_repair_leaves_old_or_new() {
    let (mut random, dir, shards) = (Random::of("repairs"), Dir::new(), 30);
    let s = dir.path("s");
    let new = NewArray::new([shards * 16], "uint16").chunks([4]).shards([16]);
    let array = Hierarchy::create(&s).unwrap().create_array("/a", &new).unwrap();
    array.write(.., &(1..=shards as u16 * 16).collect::<Vec<_>>()).unwrap();
    let chunks: Vec<_> = (0..shards).map(|i| dir.path(&format!("s/a/c/{i}"))).collect();
    let right: Vec<_> = chunks.iter().map(|c| std::fs::read(c).unwrap()).collect();
    for _ in rounds(10) {
        let mut damaged = right.clone();
        for (bytes, chunk) in damaged.iter_mut().zip(&chunks) {
            let last = bytes.len() - 1;
            bytes[last] ^= 8;
            std::fs::write(chunk, bytes).unwrap();
        }
        let repair = start(&["repair", "--data", "--apply", &s]);
        random.wait(60_000);
        drop(repair);
        for (i, chunk) in chunks.iter().enumerate() {
            let now = std::fs::read(chunk).unwrap();
            assert!(now == right[i] || now == damaged[i], "shard {i} is neither as it was nor as it should be");
        }
        ok(&["repair", "--data", "--apply", &s]);
        assert!(chunks.iter().zip(&right).all(|(chunk, right)| std::fs::read(chunk).unwrap() == *right));
    }
    is_well_after_repair(&s);
    assert_eq!(files(&s).len(), 2 + shards as usize);
}
