//! Nodes that are created, removed and changed by several processes at the same time.

use super::{
    all_end_well, is_well, ok, rounds,
    workers::{PROCESSES, SIDE, SQUARES, open, place, squares},
    writers::Place,
};
use ozarr::{Hierarchy, zarr_core::json::Json};

#[test]
fn nodes_are_erased_and_created_while_others_write() {
    for _ in rounds(1) {
        let (place_of, _) = Place::with_array(&squares(true));
        let mut processes: Vec<_> = (0..2).map(|p| place_of.worker("erase and create", p, 0..40)).collect();
        processes.extend((2..4).map(|p| place_of.worker("write what is there", p, 1..200)));
        all_end_well(processes);
        let created = |p| std::fs::read_to_string(place_of.0.path(&format!("created.{p}"))).unwrap().parse::<u32>();
        assert!(created(0).unwrap() + created(1).unwrap() > 0);
        let array = open(&place_of.store()).array("/a").unwrap();
        for square in 0..SQUARES {
            let got: Vec<u32> = array.read(place(square)).unwrap();
            assert_eq!(got, [got[0]; 64], "square {square} is torn");
        }
        is_well(&place_of.store());
    }
}

#[test]
fn each_creation_has_one_winner() {
    for _ in rounds(1) {
        let (place, nodes) = (Place::new(), 30);
        Hierarchy::create(place.store()).unwrap().create_group("/", ()).unwrap();
        all_end_well((0..PROCESSES).map(|p| place.worker("create", p, 0..nodes)).collect());
        let won = (0..PROCESSES).map(|p| std::fs::read_to_string(place.0.path(&format!("won.{p}"))).unwrap());
        let mut won: Vec<u64> =
            won.flat_map(|text| text.lines().map(|n| n.parse().unwrap()).collect::<Vec<_>>()).collect();
        won.sort_unstable();
        assert_eq!(won, (0..nodes).collect::<Vec<_>>());
        is_well(&place.store());
    }
}

#[test]
fn copies_of_metadata_equal_the_documents() {
    for _ in rounds(1) {
        let (place, array) = Place::with_array(&squares(true));
        array.hierarchy().create_group("/g", ()).unwrap();
        array.hierarchy().consolidate("/").unwrap();
        let mut processes: Vec<_> = (0..PROCESSES).map(|p| place.worker("own node", p, 0..15)).collect();
        processes.push(place.worker("attributes", 1, 0..40));
        processes.push(place.worker("resize", 2, 1..21));
        all_end_well(processes);
        // This and `ozarr validate` compare the copies with the documents.
        let (stored, copied) = (open(&place.store()), open(&place.store()).with_consolidated_metadata().unwrap());
        for p in 0..PROCESSES {
            let path = format!("/g/{p}");
            let (own, copy) = (stored.array(&path).unwrap(), copied.array(&path).unwrap());
            assert_eq!(own.shape(), [SIDE + 14, SIDE]);
            assert_eq!(own.attributes().get("round"), Some(&Json::from(14u64)));
            assert_eq!((copy.shape(), copy.attributes()), (own.shape(), own.attributes()));
        }
        assert!(ok(&["repair", &place.store()]).is_empty());
        is_well(&place.store());
    }
}
