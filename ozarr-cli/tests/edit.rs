//! `ozarr attrs`, `rm`, `resize` and `consolidate`: changes of nodes that are there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, all, fails, files, ok};
use ozarr::{Hierarchy, Json, NewArray};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

fn done(said: &str) -> (Option<i32>, String, String) {
    (Some(0), String::new(), format!("{said}\n"))
}

/// A store with a group and an array of four chunks in it.
fn store(dir: &Dir) -> String {
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    zarr.create_array("/g/a", NewArray::new([4, 4], "uint8").chunks([2, 2])).unwrap().write(.., &[7u8; 16]).unwrap();
    dir.path("s")
}

#[test]
fn attributes_are_shown_set_and_removed() {
    let dir = Dir::new();
    let s = store(&dir);
    for node in [&s, &format!("{s}/g"), &format!("{s}/g/a")] {
        assert_eq!(ok(&["attrs", "get", node]), "{}\n");
        let set = all(&["attrs", "set", node, "units=degC", "valid=[0, 9]", "scale=0.5", "text=\"1\""]);
        assert_eq!(set, done(&format!("set 4 attributes of {node}")));
        assert_eq!(ok(&["attrs", "get", node, "units"]), "\"degC\"\n");
        assert_eq!(ok(&["attrs", "get", node, "valid"]), "[0, 9]\n");
        fs::write(dir.path("new.json"), r#"{"scale": 1, "offset": 2}"#).unwrap();
        let set = all(&["attrs", "set", node, "--file", &dir.path("new.json"), "offset=3"]);
        assert_eq!(set, done(&format!("set 2 attributes of {node}")));
        let unset = all(&["attrs", "unset", node, "valid", "text", "none"]);
        assert_eq!(unset, done(&format!("removed 2 attributes from {node}; not found: `none`")));
        let left = ok(&["attrs", "get", node]).parse::<Json>().unwrap();
        assert_eq!(left.to_string(), r#"{"units":"degC","scale":1,"offset":3}"#);
    }
    let (status, out, said) = all(&["attrs", "get", &s, "none"]);
    assert_eq!((status, out.as_str()), (Some(3), ""));
    let wrong = "error: attribute `none` not found\n  at node /\n";
    assert_eq!(said, format!("{wrong}\nhint: use one of: units, scale, offset\n"));
    for wrong in ["a", "=1", "a=[1", "a={"] {
        fails(&["attrs", "set", &s, wrong], 2);
    }
    fails(&["attrs", "set", &s], 2);
    fails(&["attrs", "unset", &s], 2);
    fs::write(dir.path("new.json"), "[1]").unwrap();
    let said = fails(&["attrs", "set", &s, "--file", &dir.path("new.json")], 3);
    let wrong = "error: expected attributes as a JSON object, found an array";
    assert_eq!(said, format!("{wrong}\n  at file {}\n", dir.path("new.json")));
}

#[test]
fn attributes_set_concurrently_are_all_stored() {
    let dir = Dir::new();
    let a = format!("{}/g/a", store(&dir));
    let set = |i: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
        command.args(["-q", "attrs", "set", &a, &format!("key{i}={i}")]).env("ZARR_PLUGINS", "off");
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let writers: Vec<_> = (0..8).map(set).collect();
    assert!(writers.into_iter().all(|mut writer| writer.wait().unwrap().success()));
    let attributes = ok(&["attrs", "get", &a]).parse::<Json>().unwrap();
    let mut numbers: Vec<_> = attributes.as_object().unwrap().iter().map(|(_, v)| v.as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn only_the_named_node_is_removed() {
    let dir = Dir::new();
    let s = store(&dir);
    let (g, a) = (format!("{s}/g"), format!("{s}/g/a"));
    let refused = |node: &str, path: &str, what: &str| {
        let said = fails(&["rm", node], 3);
        let place = format!("  at node {path}\n\nhint: pass `--recursive` to remove everything below it as well\n");
        assert_eq!(said, format!("error: cannot remove {node}: {what}\n{place}"));
    };
    let before = files(&s);
    refused(&s, "/", "`g/` is below it");
    refused(&g, "/g", "`g/a/` is below it");
    fs::write(format!("{a}/notes"), "mine").unwrap();
    refused(&a, "/g/a", "`notes` is below it and belongs to no chunk");
    fs::remove_file(format!("{a}/notes")).unwrap();
    assert_eq!(files(&s), before);
    assert_eq!(all(&["rm", &a]), done(&format!("removed {a}")));
    assert!(!Path::new(&a).exists());
    assert_eq!(all(&["rm", &g]), done(&format!("removed {g}")));
    store(&dir);
    // What cannot be opened may have anything below it.
    fs::write(format!("{a}/zarr.json"), "{").unwrap();
    let said = fails(&["rm", &a], 3);
    assert!(said.contains("it cannot be opened: ") && Path::new(&a).exists(), "{said}");
    assert_eq!(all(&["rm", "-r", &s]), done(&format!("removed {s}")));
    assert!(!Path::new(&s).exists());
    let said = fails(&["rm", "-r", &s], 3);
    assert!(said.starts_with("error: node not found\n"), "{said}");
    let home = dir.path("home");
    ok(&["create", &home, "--shape", "2", "--dtype", "uint8"]);
    fs::write(dir.path("home/notes"), "mine").unwrap();
    refused(&home, "/", "`notes` is below it and belongs to no chunk");
    assert_eq!(files(&home).len(), 2);
    assert_eq!(all(&["rm", "--recursive", &home]), done(&format!("removed {home}")));
    assert!(!Path::new(&home).exists());
}

/// Without its metadata document, a store that is half removed cannot be mistaken for an array with fill values.
#[test]
fn a_killed_removal_leaves_all_chunks_or_no_array() {
    const CHUNKS: usize = 2000;
    for delay in [0, 2, 10, 40] {
        let dir = Dir::new();
        let s = dir.path("s");
        let new = NewArray::new([CHUNKS as u64], "uint8").chunks([1]).chunk_key_encoding("v2");
        let array = Hierarchy::create(&s).unwrap().create_array("/", new).unwrap();
        array.write(.., &[7u8; CHUNKS]).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
        let mut removal =
            command.args(["-q", "rm", &s]).env("ZARR_PLUGINS", "off").stdin(Stdio::null()).spawn().unwrap();
        // The removal begins once the first entry is gone.
        while removal.try_wait().unwrap().is_none() && fs::read_dir(&s).is_ok_and(|d| d.count() > CHUNKS) {}
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _it_may_have_ended = removal.kill();
        removal.wait().unwrap();
        let left = fs::read_dir(&s).map_or(0, Iterator::count);
        let is_array = Path::new(&s).join("zarr.json").exists();
        assert!(!is_array || left == CHUNKS + 1, "{left} entries of {}", CHUNKS + 1);
    }
}

#[test]
fn resizing_stores_the_shape_and_reports_chunks() {
    let dir = Dir::new();
    let a = format!("{}/g/a", store(&dir));
    assert_eq!(all(&["resize", &a, "--shape", "3,2"]), done(&format!("resized {a} to [3, 2], 2 chunks removed")));
    let grown = all(&["resize", &a, "--shape", "4,2"]);
    assert_eq!(
        grown,
        done(&format!("resized {a} to [4, 2], old data of 1 chunk visible again; `--clear-reappearing` clears it"))
    );
    assert_eq!(ok(&["read", &a]), "[[7,7],[7,7],[7,7],[7,7]]\n");
    ok(&["resize", &a, "--shape", "3,2"]);
    let grown = ok(&["resize", &a, "--shape", "4,2", "--clear-reappearing", "--json"]);
    let grown = grown.parse::<Json>().unwrap().to_string();
    assert_eq!(grown, r#"{"shape":[4,2],"removed_chunks":0,"reappeared_chunks":1}"#);
    assert_eq!(ok(&["read", &a]), "[[7,7],[7,7],[7,7],[0,0]]\n");
    fails(&["resize", &a, "--shape", "4"], 3);
    fails(&["resize", &a], 2);
}

#[test]
fn groups_are_consolidated() {
    let dir = Dir::new();
    let s = store(&dir);
    let document = || fs::read_to_string(dir.path("s/zarr.json")).unwrap();
    assert_eq!(all(&["consolidate", &s]), done(&format!("consolidated the metadata below {s}")));
    assert!(document().contains("\"g/a\""), "{}", document());
    // Another program adds a group, and does not renew the copies.
    fs::create_dir(dir.path("s/new")).unwrap();
    fs::write(dir.path("s/new/zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#).unwrap();
    let printed = ok(&["consolidate", "--json", &s]).parse::<Json>().unwrap().to_string();
    assert_eq!(printed, r#"{"group":"/","stale":["`new` is missing from the consolidated metadata"]}"#);
    fs::remove_dir_all(dir.path("s/new")).unwrap();
    let renewed = done(&format!("consolidated the metadata below {s}: 1 stale copy renewed"));
    assert_eq!(all(&["consolidate", &s]), renewed);
    ok(&["validate", &s]);
    fails(&["consolidate", &format!("{s}/g/a")], 3);
}
