//! Where new nodes may be put, and what is left when one is not completed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr};
use ozarr::{Hierarchy, Json, NewArray};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// All files and directories with their contents.
fn all_of(directory: &str) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let (mut all, mut left) = (Vec::new(), vec![PathBuf::from(directory)]);
    while let Some(at) = left.pop() {
        left.extend(fs::read_dir(&at).into_iter().flatten().map(|e| e.unwrap().path()));
        all.push((at.clone(), fs::read(&at).ok()));
    }
    all.sort();
    all
}
fn temporary(directory: &str) -> Vec<PathBuf> {
    all_of(directory).into_iter().map(|f| f.0).filter(|p| p.to_string_lossy().contains("__zarr_")).collect()
}

/// A process that ends with the test, even if that fails.
struct Process(std::process::Child);
impl Drop for Process {
    fn drop(&mut self) {
        let _it_may_have_ended = self.0.kill();
        let _ended = self.0.wait();
    }
}
fn start(args: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
    command.args(args).env("ZARR_PLUGINS", "off").stdout(Stdio::null()).stderr(Stdio::null());
    Process(command.spawn().unwrap())
}

const ELEMENTS: usize = 800;

/// A document, and elements for it.
fn wide(dir: &Dir) -> (String, String) {
    let keys = r#"{"name":"v2","configuration":{"separator":"."}}"#.parse::<Json>().unwrap();
    let new = NewArray::new([ELEMENTS as u64], "uint8").chunks([1]).chunk_key_encoding(keys);
    Hierarchy::create(dir.path("wide")).unwrap().create_array("/", &new).unwrap();
    fs::write(dir.path("elements"), "1\n".repeat(ELEMENTS)).unwrap();
    (dir.path("wide/zarr.json"), dir.path("elements"))
}

/// Killed as soon as anything is to be seen in the place, which was an empty directory.
#[test]
fn a_killed_creation_leaves_all_or_nothing() {
    let dir = Dir::new();
    let (document, elements) = wide(&dir);
    for round in 0..2 {
        let s = dir.path(&format!("s{round}"));
        fs::create_dir(&s).unwrap();
        let entries = || fs::read_dir(&s).unwrap().flatten().map(|e| e.file_name().into_string().unwrap());
        let mut creation = start(&["create", &s, "--metadata", &document, "--elements", &elements]);
        while !entries().any(|name| !name.starts_with("__zarr_")) && creation.0.try_wait().unwrap().is_none() {}
        drop(creation);
        match Hierarchy::open(&s).unwrap().array("/") {
            Ok(array) => assert_eq!(array.read::<u8>(..).unwrap(), [1; ELEMENTS]),
            Err(_) => assert!(!entries().any(|name| !name.starts_with("__zarr_")), "chunks without a document"),
        }
        // What it left can be removed, and hinders nothing.
        let _it_may_have_left_nothing = ozarr(&["repair", "--apply", &s]);
        assert!(temporary(&dir.path("")).is_empty());
        ok(&["create", &s, "--metadata", &document, "--overwrite", "--elements", &elements]);
        ok(&["validate", "--data", &s]);
    }
}

/// A store with an array of this type with 4 chunks of one element without compression.
fn plain(path: &str, data_type: &str, element: u32) -> String {
    let codec = r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap();
    let new = NewArray::new([4], data_type).chunks([1]).codecs([codec]);
    let array = Hierarchy::create(path).unwrap().create_array("/", &new).unwrap();
    array.write_bytes(.., &element.to_le_bytes().repeat(4)).unwrap();
    path.to_owned()
}

/// Where a new array has the fill value it stores nothing: chunks that are there would be seen.
#[test]
fn chunks_without_a_document_are_not_those_of_a_new_array() {
    let dir = Dir::new();
    let stale = plain(&dir.path("stale"), "uint32", 7);
    fs::remove_file(dir.path("stale/zarr.json")).unwrap();
    fs::write(dir.path("zeros"), "0\n".repeat(4)).unwrap();
    for data_type in ["uint32", "float32"] {
        let source = plain(&dir.path(data_type), data_type, 0);
        let (document, before) = (format!("{source}/zarr.json"), all_of(&stale));
        let zeros = dir.path("zeros");
        let (create, elements) = (["create", &stale, "--metadata", &document], ["--elements", &zeros]);
        for args in [&create[..], &[&create[..], &elements].concat(), &["copy", &source, &stale]] {
            for overwrite in [&[][..], &["--overwrite"]] {
                let said = fails(&[args, overwrite].concat(), 3);
                assert!(said.contains("c/") && said.contains("hint: "), "{said}");
                assert!(!said.contains("--overwrite"), "{said}");
                assert!(all_of(&stale) == before, "{args:?}");
            }
        }
    }
    assert!(temporary(&dir.path("")).is_empty());
}

#[test]
fn nodes_below_a_place_are_not_hidden() {
    let dir = Dir::new();
    let source = plain(&dir.path("source"), "uint32", 1);
    plain(&dir.path("k/i/x/inner"), "uint32", 2);
    let (place, document, before) = (dir.path("k/i"), dir.path("source/zarr.json"), all_of(&dir.path("k")));
    for args in [&["copy", &source, &place][..], &["create", &place, "--metadata", &document]] {
        for overwrite in [&[][..], &["--overwrite"]] {
            let said = fails(&[args, overwrite].concat(), 3);
            assert!(said.contains("/x/inner") && said.contains("hint: "), "{said}");
            assert!(all_of(&dir.path("k")) == before);
        }
    }
    // Other files are none of an array's business, but a copy takes only an empty place.
    fs::create_dir(dir.path("notes")).unwrap();
    fs::write(dir.path("notes/x"), "mine").unwrap();
    let said = fails(&["copy", "--overwrite", &source, &dir.path("notes")], 3);
    assert!(said.contains("`x`") && fs::read(dir.path("notes/x")).unwrap() == b"mine", "{said}");
    ok(&["create", &dir.path("notes"), "--metadata", &document]);
}

/// What a creation leaves that was killed, of a store that was not there or has no document.
#[test]
fn orphans_of_a_store_that_was_never_created_can_be_removed() {
    let (dir, apart) = (Dir::new(), Dir::new());
    let (document, _) = wide(&apart);
    let pipe = apart.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(dir.path("empty")).unwrap();
    fs::create_dir(dir.path("above")).unwrap();
    for (place, repaired) in [("none", "none"), ("empty", "empty"), ("above/s", "above"), ("above/s", "above/s")] {
        let before = all_of(&dir.path(""));
        let mut creation = start(&["create", &dir.path(place), "--metadata", &document, "--elements", &pipe]);
        // It is at work for as long as elements may come.
        let elements = fs::File::options().write(true).open(&pipe).unwrap();
        let repaired = dir.path(repaired);
        while temporary(&dir.path("")).is_empty() {
            assert!(creation.0.try_wait().unwrap().is_none());
        }
        assert!(fails(&["repair", "--apply", &repaired], 3).contains("node not found"), "in use");
        drop(creation);
        drop(elements);
        let left = temporary(&dir.path(""));
        assert!(!left.is_empty());
        let name = Path::new(&left[0]).file_name().unwrap().to_str().unwrap();
        let out = ozarr(&["validate", &repaired]);
        assert!(out.status.code() == Some(1) && String::from_utf8_lossy(&out.stdout).contains(name), "{out:?}");
        let out = ozarr(&["repair", &repaired]);
        assert!(out.status.code() == Some(1) && String::from_utf8_lossy(&out.stdout).contains(name), "{out:?}");
        assert!(temporary(&dir.path("")) == left);
        let out = ozarr(&["repair", "--apply", &repaired]);
        assert!(out.status.success() && String::from_utf8_lossy(&out.stderr).contains("node not found"), "{out:?}");
        assert!(all_of(&dir.path("")) == before);
        assert!(fails(&["repair", "--apply", &repaired], 3).contains("node not found"));
    }
}

#[test]
fn a_creation_on_a_full_disk_leaves_no_directory() {
    let dir = Dir::new();
    let (document, _) = wide(&dir);
    fs::create_dir(dir.path("d")).unwrap();
    for place in ["d/s", "d/x/y"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_ozarr")]);
        shell.args(["create", &dir.path(place), "--metadata", &document]).env("ZARR_PLUGINS", "off");
        // Standard output and error are pipes, which have no size.
        let out = shell.output().unwrap();
        assert_eq!(out.status.code(), Some(3), "{out:?}");
        assert_eq!(fs::read_dir(dir.path("d")).unwrap().count(), 0, "{place}");
    }
}
