//! The ids of what `ozarr validate` finds, which programs rely on.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, all, ok};
use ozarr::{Hierarchy, Json, NewArray};
use std::fs;

/// A store with an array of two chunks.
fn store(dir: &Dir) -> String {
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    zarr.create_array("/a", NewArray::new([4], "uint8").chunks([2])).unwrap().write(.., &[7u8; 4]).unwrap();
    dir.path("s")
}

fn group(path: &str) {
    fs::create_dir_all(path).unwrap();
    fs::write(format!("{path}/zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#).unwrap();
}

#[test]
fn each_problem_has_an_id_and_names_its_place_once() {
    type Damage = fn(&str);
    let damages: [(Damage, &str, &str); 12] = [
        (
            |s| fs::write(format!("{s}/a/notes"), "").unwrap(),
            "unknown-key",
            "/a: a/notes: the key does not belong to a chunk",
        ),
        (
            |s| fs::write(format!("{s}/notes"), "").unwrap(),
            "unknown-key",
            "/: notes: the key does not belong to a node",
        ),
        (
            |s| fs::write(format!("{s}/a/c/2"), "").unwrap(),
            "chunk-out-of-grid",
            "/a: a/c/2: chunk index [2] is outside the grid",
        ),
        (|s| fs::write(format!("{s}/a/c/0"), "").unwrap(), "corrupt-chunk", "/a: a/c/0: "),
        (
            |s| fs::remove_file(format!("{s}/a/c/0")).unwrap(),
            "missing-chunk",
            "/a: 1 of 2 chunks are not stored: a/c/0",
        ),
        (
            |s| {
                fs::remove_file(format!("{s}/a/c/1")).unwrap();
                fs::create_dir(format!("{s}/a/c/1")).unwrap();
            },
            "unreadable-key",
            "/a: a/c/1: ",
        ),
        (|s| fs::write(format!("{s}/a/zarr.json"), "{").unwrap(), "unreadable-node", "/a: a/zarr.json: invalid JSON"),
        (
            |s| {
                let document = fs::read_to_string(format!("{s}/a/zarr.json")).unwrap();
                fs::write(format!("{s}/a/zarr.json"), document.replace("zstd", "zstq")).unwrap();
            },
            "unknown-extension",
            "/a: unknown codec `zstq` (at codecs[1]); hint: did you mean `zstd`?",
        ),
        (
            |s| {
                ok(&["consolidate", s]);
                group(&format!("{s}/new"));
            },
            "stale-consolidated",
            "/: zarr.json: `new` is missing from the consolidated metadata",
        ),
        (
            |s| {
                ok(&["consolidate", s]);
                fs::remove_file(format!("{s}/a/zarr.json")).unwrap();
            },
            "missing-document",
            "/: a/zarr.json: the metadata document is missing, but keys below it exist: `ozarr repair` can recreate it from its copy",
        ),
        (
            |s| fs::write(format!("{s}/a/c/__zarr_partial.1.2.3"), "half").unwrap(),
            "orphaned-temporary",
            "/: a/c/__zarr_partial.1.2.3: orphaned temporary file of a killed writer; `ozarr repair` removes it",
        ),
        (
            |s| std::os::unix::fs::symlink(".", format!("{s}/loop")).unwrap(),
            "unreadable-node",
            "/loop: loop: link loop: the link leads back to `/`, which contains it; hint: remove the link",
        ),
    ];
    for (damage, id, line) in damages {
        let dir = Dir::new();
        let s = store(&dir);
        damage(&s);
        let args = ["validate", "--data", "--complete", &s];
        let (status, out, _) = all(&args);
        assert_eq!(status, Some(1), "{id}");
        let found = out.lines().find(|l| l.ends_with(&format!(" [{id}]"))).unwrap_or_else(|| panic!("{id}: {out}"));
        assert!(found.starts_with(line), "{id}: {found}");
        let key = line.split(": ").nth(1).unwrap_or_default();
        assert!(!key.contains('/') || found.matches(key).count() == 1, "{id}: {found}");
        let json = all(&[&args[..], &["--json"]].concat()).1.parse::<Json>().unwrap();
        let problems = json.as_object().unwrap().get("problems").unwrap().as_array().unwrap().to_vec();
        let ids = problems.iter().map(|p| p.as_object().unwrap().get("id").unwrap().as_str().unwrap());
        assert_eq!(ids.filter(|found| *found == id).count(), 1, "{id}: {json}");
    }
}

#[test]
fn a_place_without_a_node_is_named_once() {
    let dir = Dir::new();
    let s = store(&dir);
    let (status, out, said) = all(&["validate", &format!("{s}/a/c")]);
    assert_eq!((status, said.as_str()), (Some(1), "0 nodes, 1 problem\n"));
    assert_eq!(
        out,
        "/: zarr.json: node not found; hint: the store contains no `zarr.json`; check the path [unreadable-node]\n"
    );
}
