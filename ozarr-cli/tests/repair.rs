//! `ozarr repair`: what it makes right, and what it leaves alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr, weather};
use ozarr::Json;
use ozarr::{Hierarchy, NewArray};
use std::path::{Path, PathBuf};

/// All files and directories, with what is in them.
fn all_of(directory: &str) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let (mut all, mut left) = (Vec::new(), vec![PathBuf::from(directory)]);
    while let Some(at) = left.pop() {
        if at.is_dir() {
            left.extend(std::fs::read_dir(&at).unwrap().map(|e| e.unwrap().path()));
        }
        all.push((at.clone(), std::fs::read(&at).ok()));
    }
    all.sort();
    all
}

#[test]
fn repair_lists_first_and_removes_no_data() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    let s = &dir.path("s");
    Hierarchy::open(s).unwrap().consolidate("/").unwrap();
    assert!(ok(&["repair", s]).is_empty(), "nothing to do");
    let document = std::fs::read_to_string(dir.path("s/time/zarr.json")).unwrap();
    std::fs::write(dir.path("s/time/zarr.json"), document.replacen("24", "23", 1)).unwrap();
    std::fs::write(dir.path("s/latitude/c/__zarr_partial.1.2.3"), "half").unwrap();
    std::fs::create_dir_all(dir.path("s/empty/x")).unwrap();
    std::fs::write(dir.path("s/longitude/foreign"), "mine").unwrap();
    let before = all_of(s);
    let out = ozarr(&["repair", "--json", s]);
    assert_eq!(out.status.code(), Some(1));
    let report = String::from_utf8(out.stdout).unwrap();
    for what in ["latitude/c/__zarr_partial.1.2.3", "the consolidated metadata of `time` differs"] {
        assert!(report.contains(what), "{what}: {report}");
    }
    assert!(all_of(s) == before, "only shown");
    assert_eq!(ok(&["repair", "--apply", s]).lines().count(), 2);
    let after = all_of(s);
    let gone: Vec<_> = before.iter().filter(|f| !after.iter().any(|g| g.0 == f.0)).map(|f| &f.0).collect();
    assert_eq!(gone.len(), 1, "what was shown, and no directory: {gone:?}");
    assert!(ok(&["repair", "--apply", s]).is_empty());
    let out = String::from_utf8(ozarr(&["validate", "--data", s]).stdout).unwrap();
    assert!(out.lines().count() == 1 && out.contains("foreign"), "{out}");
}

/// A shard of 16 inner chunks, the fourth of which is not stored, with a damaged index.
fn damaged(dir: &Dir, location: &str, damage: impl Fn(&mut [u8])) -> (String, Vec<u8>) {
    let path = dir.path(&format!("{location}.zarr"));
    let text = format!(
        r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[4,4],"codecs":[{{"name":"bytes","configuration":
        {{"endian":"little"}}}},{{"name":"gzip","configuration":{{"level":1}}}}],"index_codecs":[{{"name":"bytes",
        "configuration":{{"endian":"big"}}}},{{"name":"crc32c"}}],"index_location":"{location}"}}}}"#
    );
    let new = NewArray::new([16, 20], "uint16").chunks([16, 16]).codecs([text.parse::<Json>().unwrap()]);
    let array = Hierarchy::create(&path).unwrap().create_array("/a", &new).unwrap();
    array.write([0..16, 4..20], &(0..256u16).map(|i| i * i + 1).collect::<Vec<_>>()).unwrap();
    // One inner chunk is not stored.
    array.write([0..4, 12..16], &[0u16; 16]).unwrap();
    let chunk = format!("{path}/a/c/0/0");
    let right = std::fs::read(&chunk).unwrap();
    let mut bytes = right.clone();
    let n = bytes.len();
    damage(if location == "start" { &mut bytes[..260] } else { &mut bytes[n - 260..] });
    std::fs::write(chunk, bytes).unwrap();
    (path, right)
}

#[test]
fn an_index_is_rebuilt_if_inner_chunks_are_intact() {
    // The checksum; an offset; a length; an entry that is all noise; one that lies over another; one that lies over all; what
    // says that there is nothing, and no longer does.
    type Damage = (&'static str, fn(&mut [u8]));
    let damages: [Damage; 9] = [
        ("checksum", |index| index[258] ^= 4),
        ("offset", |index| index[5 * 16 + 6] ^= 3),
        ("length", |index| index[5 * 16 + 15] ^= 1),
        ("entry", |index| index[6 * 16..7 * 16].fill(0x5a)),
        ("overlap", |index| index.copy_within(5 * 16..6 * 16, 9 * 16)),
        ("all", |index| {
            index[5 * 16..5 * 16 + 8].fill(0);
            index[5 * 16 + 14] = 2;
        }),
        ("absent, one bit", |index| index[3 * 16 + 4] ^= 1),
        ("absent, noise", |index| index[3 * 16..4 * 16].fill(0x11)),
        ("absent, another's", |index| index.copy_within(5 * 16..6 * 16, 3 * 16)),
    ];
    for location in ["start", "end"] {
        for (what, damage) in damages {
            let dir = Dir::new();
            let (path, right) = damaged(&dir, location, damage);
            assert!(fails(&["validate", "--data", &path], 1).contains("1 problem;"), "{what}");
            assert!(fails(&["repair", "--data", &path], 1).contains("1 to repair"), "{what}");
            assert_eq!(ok(&["repair", "--data", "--apply", &path]), "/a: rebuild the index of a shard: a/c/0/0\n");
            assert!(std::fs::read(format!("{path}/a/c/0/0")).unwrap() == right, "{what}");
            ok(&["validate", "--data", &path]);
        }
    }
}

#[test]
fn an_index_in_doubt_is_left_alone() {
    // Two entries; an entry that says there is nothing where something is; all; an entry and the checksum, twice.
    let damages: [fn(&mut [u8]); 5] = [
        |index| index[5 * 16..7 * 16].fill(0x5a),
        |index| index[5 * 16..6 * 16].fill(0xff),
        |index| index.fill(0),
        |index| {
            index[5 * 16 + 6] ^= 3;
            index[258] ^= 4;
        },
        |index| {
            index[3 * 16..4 * 16].fill(0x11);
            index[258] ^= 4;
        },
    ];
    for location in ["start", "end"] {
        for damage in damages {
            let dir = Dir::new();
            let (path, _) = damaged(&dir, location, damage);
            let before = std::fs::read(format!("{path}/a/c/0/0")).unwrap();
            assert!(ok(&["repair", "--data", "--apply", &path]).is_empty());
            assert!(std::fs::read(format!("{path}/a/c/0/0")).unwrap() == before);
            fails(&["validate", "--data", &path], 1);
        }
    }
}

/// What a killed writer left there is found by its exact name.
#[test]
fn outside_stores_only_temporary_files_are_removed() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.path("home/x")).unwrap();
    for name in ["__zarr_partial.1.02.3", "__zarr_partial.1.2.3.x", "__zarr_partial", "__zarr_replaced.1.2.3", "notes"]
    {
        std::fs::write(dir.path(&format!("home/x/{name}")), "mine").unwrap();
    }
    let before = all_of(&dir.path("home"));
    assert!(fails(&["repair", "--apply", &dir.path("home")], 3).contains("node not found"));
    std::fs::write(dir.path("home/x/__zarr_partial.1.2.3"), "half").unwrap();
    let repaired = ozarr(&["repair", "--apply", &dir.path("home")]);
    assert!(repaired.status.success() && String::from_utf8_lossy(&repaired.stderr).contains("node not found"));
    assert!(all_of(&dir.path("home")) == before);
    // A node that cannot be read is an error all the same.
    std::fs::write(dir.path("home/x/__zarr_partial.1.2.3"), "half").unwrap();
    std::fs::write(dir.path("home/zarr.json"), "{").unwrap();
    let failed = ozarr(&["repair", "--apply", &dir.path("home")]);
    assert!(failed.status.code() == Some(1) && String::from_utf8_lossy(&failed.stdout).contains("zarr.json"));
    std::fs::remove_file(dir.path("home/zarr.json")).unwrap();
    assert!(all_of(&dir.path("home")) == before);
}

#[test]
fn a_missing_document_is_restored_from_its_copy() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    let s = &dir.path("s");
    Hierarchy::open(s).unwrap().consolidate("/").unwrap();
    let whole = all_of(s);
    for lost in ["time", "observations", "observations/temperature"] {
        std::fs::remove_file(dir.path(&format!("s/{lost}/zarr.json"))).unwrap();
    }
    let said = String::from_utf8(ozarr(&["validate", s]).stdout).unwrap();
    assert!(said.contains("/: time/zarr.json: the metadata document is missing, but keys below it exist"), "{said}");
    let shown = String::from_utf8(ozarr(&["repair", s]).stdout).unwrap();
    assert!(shown.contains("/time: recreate the document from its copy: time/zarr.json\n"), "{shown}");
    assert_eq!(ok(&["repair", "--apply", s]), shown);
    assert!(ok(&["repair", s]).is_empty());
    assert!(all_of(s) == whole, "all is as it was");
}

#[test]
fn the_only_copy_of_a_document_is_kept() {
    let dir = Dir::new();
    let s = &dir.path("s");
    let zarr = Hierarchy::create(s).unwrap();
    let new = NewArray::new([1], "uint8");
    for name in ["/g/a", "/g/b", "/c"] {
        zarr.create_array(name, &new).unwrap().write(.., &[7u8]).unwrap();
    }
    zarr.consolidate("/g").unwrap();
    zarr.consolidate("/").unwrap();
    // Nothing is left of one. Of another two copies differ, and a third has none.
    std::fs::remove_dir_all(dir.path("s/c")).unwrap();
    std::fs::remove_file(dir.path("s/g/a/zarr.json")).unwrap();
    std::fs::remove_file(dir.path("s/g/b/zarr.json")).unwrap();
    let group = std::fs::read_to_string(dir.path("s/g/zarr.json")).unwrap();
    let at = group.find("uint8").unwrap();
    std::fs::write(dir.path("s/g/zarr.json"), format!("{}int16{}", &group[..at], &group[at + 5..])).unwrap();
    let shown = String::from_utf8(ozarr(&["repair", s]).stdout).unwrap();
    assert!(shown.contains("the consolidated metadata contains `c`, which does not exist"), "{shown}");
    let out = ozarr(&["repair", "--apply", "--json", s]);
    assert_eq!(out.status.code(), Some(1));
    let report = String::from_utf8(out.stdout).unwrap().parse::<Json>().unwrap();
    let steps = report.as_object().unwrap().get("repairs").unwrap().as_array().unwrap();
    let error = |node: &str| {
        let step = steps.iter().map(|s| s.as_object().unwrap()).find(|s| s.get("node").unwrap().as_str() == Some(node));
        step.unwrap().get("error").map(|e| e.as_str().unwrap().to_owned())
    };
    assert_eq!(error("/g/b"), None);
    for node in ["/g/a", "/"] {
        let e = error(node).unwrap();
        assert!(e.contains("document is missing") && e.contains("key g/a/zarr.json") && e.contains("node /"), "{e}");
    }
    assert!(Path::new(&dir.path("s/g/b/zarr.json")).is_file(), "one that fails hinders no other");
    for group in ["s/zarr.json", "s/g/zarr.json"] {
        assert!(std::fs::read_to_string(dir.path(group)).unwrap().contains("a\": {"), "{group}");
    }
}

#[test]
fn a_directory_of_other_files_is_not_a_node() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    Hierarchy::open(dir.path("s")).unwrap().consolidate("/").unwrap();
    std::fs::create_dir(dir.path("s/notes")).unwrap();
    std::fs::write(dir.path("s/notes/readme.txt"), "mine").unwrap();
    assert!(ok(&["repair", &dir.path("s")]).is_empty());
    let said = String::from_utf8(ozarr(&["validate", &dir.path("s")]).stdout).unwrap();
    assert!(said.lines().count() == 1 && said.starts_with("/notes:"), "{said}");
}

#[test]
fn unreadable_documents_are_not_copied() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    Hierarchy::open(dir.path("s")).unwrap().consolidate("/").unwrap();
    std::fs::write(dir.path("s/time/zarr.json"), "{").unwrap();
    std::fs::write(dir.path("s/latitude/c/__zarr_partial.1.2.3"), "half").unwrap();
    let out = ozarr(&["repair", "--apply", &dir.path("s")]);
    let said = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("failed:") && said.contains("key time/zarr.json, node /time"), "{said}");
    assert!(said.contains("an orphaned temporary file: latitude/c/__zarr_partial.1.2.3\n"), "{said}");
    assert!(!Path::new(&dir.path("s/latitude/c/__zarr_partial.1.2.3")).exists());
}
