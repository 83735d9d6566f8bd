//! Entries where a chunk or a node is expected, which are neither: `read`, `validate`, `copy` and `tree` agree about
//! them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common;
use crate::common::{Dir, fails, ok};
use ozarr::Json;
use ozarr::{Array, Hierarchy, NewArray};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path};

/// Creates an array with one chunk of four stored, below a group.
fn array(dir: &Dir) -> (String, Array) {
    let hierarchy = Hierarchy::create(dir.path("s")).unwrap();
    let array = hierarchy.create_array("/a", NewArray::new([4, 4], "uint8").chunks([2, 2])).unwrap();
    array.write([2..4, 2..4], &[7u8; 4]).unwrap();
    (dir.path("s/a"), array)
}

fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Returns the keys of all problems.
fn problems(location: &str, data: bool) -> Vec<String> {
    let args: &[&str] =
        if data { &["validate", location, "--json", "--data"] } else { &["validate", location, "--json"] };
    let out = common::ozarr(args);
    let found = std::str::from_utf8(&out.stdout).unwrap().parse::<Json>().unwrap();
    let found = found.as_object().unwrap().get("problems").unwrap().as_array().unwrap().to_vec();
    assert_eq!(out.status.code(), Some(i32::from(!found.is_empty())));
    found.iter().map(|p| p.as_object().unwrap().get("key").unwrap().as_str().unwrap().to_owned()).collect()
}

/// Returns the number of entries that `ozarr info` reports, and its text about them.
fn not_values(location: &str) -> (u64, String) {
    let info: Json = ok(&["info", "--sizes", "--json", location]).parse().unwrap();
    let said = common::ozarr(&["info", "--sizes", location]);
    assert!(said.status.success() && String::from_utf8(said.stdout).unwrap().contains("stored: "));
    let said = String::from_utf8(said.stderr).unwrap();
    let said = said.split(';').next().unwrap().to_owned();
    (info.as_object().unwrap().get("not_values").unwrap().as_u64().unwrap(), said)
}

#[test]
fn a_directory_pipe_or_link_is_never_a_missing_chunk() {
    type Make = fn(&Path);
    let kinds: [(&str, Make, &str); 7] = [
        ("empty directory", |p| fs::create_dir(p).unwrap(), "is a directory"),
        ("directory of empty directories", |p| fs::create_dir_all(p.join("x/y")).unwrap(), "is a directory"),
        (
            "directory",
            |p| {
                fs::create_dir(p).unwrap();
                fs::write(p.join("0"), "").unwrap();
            },
            "is a directory",
        ),
        ("pipe", fifo, "not a regular file"),
        ("link to nothing", |p| std::os::unix::fs::symlink("nowhere", p).unwrap(), "not a regular file"),
        ("socket", |p| drop(std::os::unix::net::UnixListener::bind(p).unwrap()), "not a regular file"),
        (
            "link to a pipe",
            |p| {
                fifo(&p.with_file_name("../../../../pipe"));
                std::os::unix::fs::symlink("../../../../pipe", p).unwrap();
            },
            "not a regular file",
        ),
    ];
    for (kind, make, says) in kinds {
        let dir = Dir::new();
        let (a, open) = array(&dir);
        fs::create_dir_all(Path::new(&a).join("c/0")).unwrap();
        make(&Path::new(&a).join("c/0/0"));
        for args in [
            &["read", &a][..],
            &["elements", "--array_path", &a],
            &["copy", &a, &dir.path("b")],
            &["copy", &dir.path("s"), &dir.path("t")],
        ] {
            let e = fails(args, 3);
            assert!(e.contains(says) && e.contains("c/0/0"), "{kind}: {args:?}: {e}");
        }
        for data in [false, true] {
            let found = problems(&dir.path("s"), data);
            assert!(found.contains(&"a/c/0/0".to_owned()), "{kind}: {found:?}");
        }
        assert_eq!(not_values(&a), (1, "warning: 1 key is not a value".to_owned()), "{kind}");
        for value in [0u8, 1] {
            let e = open.write([0..1, 0..1], &[value]).unwrap_err().to_string();
            assert!(e.contains(says) && e.contains("c/0/0"), "{kind}: {e}");
        }
        let e = open.write([0..2, 0..2], &[1u8; 4]).unwrap_err().to_string();
        assert!(e.contains(says) && e.contains("c/0/0"), "{kind}: {e}");
        assert_eq!(ok(&["read", &a, "--region", "2:3,2:4"]).trim(), "[[7,7]]", "{kind}: other chunks are read");
    }
}

#[test]
fn names_that_are_not_utf_8_are_reported() {
    for (below, is_dir) in [("s/a/c/1", false), ("s/a/c", true), ("s/a", true), ("s", true), ("s", false)] {
        let dir = Dir::new();
        let _ = array(&dir);
        let path = dir.0.path().join(below).join(OsStr::from_bytes(b"n\xffame"));
        if is_dir {
            fs::create_dir(&path).unwrap();
        } else {
            fs::write(&path, "").unwrap();
        }
        let escaped = format!("{}n\\xffame", below.strip_prefix('s').unwrap().trim_start_matches('/').to_owned() + "/");
        let escaped = escaped.trim_start_matches('/');
        for data in [false, true] {
            assert_eq!(problems(&dir.path("s"), data), [escaped], "{below}");
        }
        let e = fails(&["copy", &dir.path("s"), &dir.path("t")], 3);
        assert!(e.contains("not valid UTF-8") && e.contains(escaped), "{below}: {e}");
        if below == "s" {
            let tree = common::ozarr(&["tree", &dir.path("s")]);
            let text = String::from_utf8(tree.stdout).unwrap();
            assert!(text.contains("n\\xffame (cannot be opened: ") && tree.status.code() == Some(1), "{text}");
        }
    }
}

#[test]
fn a_pipe_instead_of_a_node_is_reported() {
    let dir = Dir::new();
    let _ = array(&dir);
    fifo(Path::new(&dir.path("s/pipe")));
    assert_eq!(problems(&dir.path("s"), false), ["pipe"]);
    let e = fails(&["copy", &dir.path("s"), &dir.path("t")], 3);
    assert!(e.contains("not a regular file") && e.contains("pipe"), "{e}");
    let tree = common::ozarr(&["tree", &dir.path("s")]);
    assert!(String::from_utf8(tree.stdout).unwrap().contains("pipe (cannot be opened: "));
}

/// A single link, so that a walk that followed it would still end at the longest path.
#[test]
fn a_link_to_a_containing_directory_is_reported_by_each_command() {
    for (target, leads_to) in [(".", "/a/c"), ("..", "/a"), ("../..", "/")] {
        let dir = Dir::new();
        let (a, _) = array(&dir);
        let before = ok(&["info", "--sizes", "--json", &a]);
        std::os::unix::fs::symlink(target, Path::new(&a).join("c/up")).unwrap();
        assert_eq!(problems(&dir.path("s"), true), ["a/c/up"]);
        let said = String::from_utf8(common::ozarr(&["validate", &dir.path("s")]).stdout).unwrap();
        let says = format!("the link leads back to `{leads_to}`");
        assert!(said.contains(&says), "{said}");
        assert_eq!(not_values(&a), (1, "warning: 1 key is not a value".to_owned()));
        assert_eq!(ok(&["info", "--sizes", "--json", &a]).replace("\"not_values\": 1", "\"not_values\": 0"), before);
        let e = fails(&["copy", &a, &dir.path("b")], 3);
        assert!(e.contains(&says) && e.contains("a/c/up"), "{e}");
        ok(&["read", &a]);
    }
}

/// Writers leave empty directories for a moment. They are an error only where a chunk is expected.
#[test]
fn empty_directories_elsewhere_are_not_an_error() {
    let dir = Dir::new();
    let (a, open) = array(&dir);
    for empty in ["s/a/c/0", "s/a/x/y", "s/g/h"] {
        fs::create_dir_all(dir.path(empty)).unwrap();
    }
    assert_eq!(ok(&["read", &a, "--region", "0:1,0:4"]).trim(), "[[0,0,0,0]]");
    assert!(problems(&dir.path("s"), true).is_empty());
    ok(&["copy", &dir.path("s"), &dir.path("t")]);
    assert_eq!(ok(&["read", &dir.path("t/a")]), ok(&["read", &a]));
    open.write([0..1, 0..1], &[1u8]).unwrap();
}
