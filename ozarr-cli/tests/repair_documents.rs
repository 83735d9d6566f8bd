//! `ozarr repair`: documents are recreated from their copies only if the stored chunks agree; and concurrent repairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, files, ok, ozarr};
use ozarr::Json;
use ozarr::{Hierarchy, NewArray};
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Creates a store with consolidated metadata of `/a`, whose document is lost. `change` changes the array after the
/// copy was written, like an implementation that does not update copies.
fn lost(dir: &Dir, new: &NewArray, elements: &[i32], change: impl FnOnce(&Hierarchy)) -> String {
    let s = dir.path("s");
    let hierarchy = Hierarchy::create(&s).unwrap();
    hierarchy.create_array("/a", new).unwrap().write(.., elements).unwrap();
    hierarchy.consolidate("/").unwrap();
    let copies = std::fs::read(dir.path("s/zarr.json")).unwrap();
    change(&hierarchy);
    std::fs::write(dir.path("s/zarr.json"), copies).unwrap();
    std::fs::remove_file(dir.path("s/a/zarr.json")).unwrap();
    s
}

fn document_is_there(dir: &Dir) -> bool {
    Path::new(&dir.path("s/a/zarr.json")).exists()
}

/// Checks that a repair is neither offered nor made, and that the report states why.
fn is_refused(dir: &Dir, s: &str, why: &[&str]) {
    let before = files(s).len();
    for apply in [&["repair", s][..], &["repair", "--apply", s]] {
        let out = ozarr(apply);
        let said = String::from_utf8(out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(why.iter().all(|why| said.contains(why)), "{why:?}: {said}");
        assert!(!document_is_there(dir), "{said}");
        assert_eq!(files(s).len(), before, "{said}");
    }
    let out = ozarr(&["repair", "--apply", "--json", s]);
    let report = String::from_utf8(out.stdout).unwrap().parse::<Json>().unwrap();
    let steps = report.as_object().unwrap().get("repairs").unwrap().as_array().unwrap();
    let step =
        steps.iter().map(|s| s.as_object().unwrap()).find(|s| s.get("of").unwrap().as_str() == Some("a/zarr.json"));
    assert!(step.unwrap().get("error").is_some(), "{report}");
}

#[test]
fn a_copy_older_than_an_append_is_not_restored() {
    let dir = Dir::new();
    let new = NewArray::new([100], "int32").chunks([10]);
    let s = lost(&dir, &new, &(1..=100).collect::<Vec<_>>(), |hierarchy| {
        hierarchy.array("/a").unwrap().append(0, &(101..=1000).collect::<Vec<_>>()).unwrap();
    });
    is_refused(&dir, &s, &["/a", "a/zarr.json", "chunk [10]", "key a/c/10", "shape [100]"]);
    assert_eq!(files(&dir.path("s/a")).len(), 100);
}

#[test]
fn a_copy_whose_codecs_decode_no_chunk_is_not_restored() {
    let dir = Dir::new();
    let new = |codecs: &str| {
        NewArray::new([4], "int32").chunks([2]).codecs(codecs.parse::<Json>().unwrap().as_array().unwrap().to_vec())
    };
    let gzip = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]"#;
    let s = lost(&dir, &new(gzip), &[1, 2, 3, 4], |hierarchy| {
        hierarchy.erase("/a").unwrap();
        let plain = new(r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#);
        hierarchy.create_array("/a", &plain).unwrap().write(.., &[1, 2, 3, 4]).unwrap();
    });
    is_refused(&dir, &s, &["gzip", "key a/c/0"]);
}

#[test]
fn a_key_outside_the_grid_of_a_copy_contradicts_it() {
    let dir = Dir::new();
    let new = NewArray::new([4], "int32").chunks([2]);
    let s = lost(&dir, &new, &[1, 2, 3, 4], |_| {
        std::fs::rename(dir.path("s/a/c/1"), dir.path("s/a/c.1")).unwrap();
    });
    is_refused(&dir, &s, &["key a/c.1"]);
}

#[test]
fn one_chunk_that_decodes_is_enough() {
    let dir = Dir::new();
    let new = NewArray::new([6], "int32").chunks([2]);
    let s = lost(&dir, &new, &[1, 2, 3, 4, 5, 6], |_| {
        for damaged in ["s/a/c/0", "s/a/c/1"] {
            std::fs::write(dir.path(damaged), "cut").unwrap();
        }
    });
    ok(&["repair", "--apply", &s]);
    assert_eq!(ok(&["read", "--region", "4:6", &dir.path("s/a")]), "[5,6]\n");
}

#[test]
fn nothing_contradicts_a_copy_where_no_chunk_is_stored() {
    let dir = Dir::new();
    let new = NewArray::new([4], "int32").chunks([2]);
    let s = lost(&dir, &new, &[1, 2, 3, 4], |hierarchy| {
        let array = hierarchy.array("/a").unwrap();
        [0, 1].iter().for_each(|i| array.chunk(&[*i]).and_then(|chunk| chunk.erase()).unwrap());
        // Its directory is not empty, otherwise the array would count as erased.
        std::fs::create_dir_all(dir.path("s/a/__private")).unwrap();
        std::fs::write(dir.path("s/a/__private/x"), "mine").unwrap();
    });
    let said = String::from_utf8(ozarr(&["repair", "--apply", &s]).stdout).unwrap();
    assert!(document_is_there(&dir), "{said}");
    assert_eq!(ok(&["read", &dir.path("s/a")]), "[0,0,0,0]\n");
}

/// Several processes repair documents, copies and shards at the same time: each succeeds, whichever process made the
/// repair.
#[test]
fn concurrent_repairs_all_succeed() {
    let (dir, shards) = (Dir::new(), 24);
    let s = dir.path("s");
    let hierarchy = Hierarchy::create(&s).unwrap();
    let new = NewArray::new([shards * 16], "uint16").chunks([4]).shards([16]);
    let elements: Vec<u16> = (1..=shards as u16 * 16).collect();
    let array = hierarchy.create_array("/a", &new).unwrap();
    array.write(.., &elements).unwrap();
    for i in 0..4 {
        hierarchy.create_array(&format!("/lost/{i}"), &new).unwrap().write(.., &elements).unwrap();
    }
    hierarchy.consolidate("/").unwrap();
    let whole = std::fs::read(dir.path("s/a/zarr.json")).unwrap();
    for round in 0..6 {
        for i in 0..shards {
            let chunk = dir.path(&format!("s/a/c/{i}"));
            let mut bytes = std::fs::read(&chunk).unwrap();
            let last = bytes.len() - 1;
            bytes[last] ^= 4;
            std::fs::write(chunk, bytes).unwrap();
        }
        for i in 0..4 {
            std::fs::remove_file(dir.path(&format!("s/lost/{i}/zarr.json"))).unwrap();
        }
        // A document that differs from its copy.
        let text = String::from_utf8(whole.clone()).unwrap();
        let text = text.replacen("\"attributes\": {", &format!("\"attributes\": {{\"round\": {round}"), 1);
        assert!(text.contains("\"round\""), "{text}");
        std::fs::write(dir.path("s/a/zarr.json"), text).unwrap();
        let repairs: Vec<_> = (0..4)
            .map(|_| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
                command.args(["repair", "--data", "--apply", &s]).env("ZARR_PLUGINS", "off");
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for repair in repairs {
            let out = repair.wait_with_output().unwrap();
            let said = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
            assert!(out.status.success(), "round {round}: {said}");
        }
        ok(&["validate", "--data", "--complete", &s]);
        assert_eq!(hierarchy.array("/a").unwrap().read::<u16>(..).unwrap(), elements);
    }
}
