//! Copies to occupied places, and to places where another process writes too.

use super::{
    common::{Dir, files, weather},
    is_well, ok, ran, refused, rounds, start, zarr_command,
};
use ozarr::{Hierarchy, NewArray};
use std::{os::unix::fs::symlink, path::Path};

const LENGTH: u64 = 1000;

/// Creates an array in which all elements are equal.
fn array_of(location: &str, element: u16) {
    let new = NewArray::new([LENGTH], "uint16").chunks([50]);
    let array = Hierarchy::create(location).unwrap().create_array("/", &new).unwrap();
    array.write(.., &vec![element; LENGTH as usize]).unwrap();
}

/// Returns the element of an array in which all are equal.
fn element_of(location: &str) -> u16 {
    let elements: Vec<u16> = Hierarchy::open(location).unwrap().array("/").unwrap().read(..).unwrap();
    assert_eq!(elements, vec![elements[0]; LENGTH as usize], "parts of several copies, or of none");
    elements[0]
}

#[test]
fn one_of_several_copies_to_one_place_wins() {
    let dir = Dir::new();
    let (one, two, to) = (dir.path("one"), dir.path("two"), dir.path("to"));
    array_of(&one, 1);
    array_of(&two, 2);
    for _ in rounds(2) {
        let copies: Vec<_> =
            (0..8).map(|i| start(&["copy", "--overwrite", if i % 2 == 0 { &one } else { &two }, &to])).collect();
        let codes: Vec<_> = copies.into_iter().map(|mut p| p.code()).collect();
        assert!(codes.contains(&Some(0)), "{codes:?}");
        assert!([1, 2].contains(&element_of(&to)));
        is_well(&to);
    }
}

#[test]
fn one_of_several_creations_wins() {
    let dir = Dir::new();
    array_of(&dir.path("model"), 1);
    Hierarchy::create(dir.path("s")).unwrap().create_group("/", ()).unwrap();
    let document = dir.path("model/zarr.json");
    for round in rounds(2) {
        let node = dir.path(&format!("s/{round}"));
        let creators: Vec<_> = (0..16).map(|_| start(&["create", "--metadata", &document, &node])).collect();
        let codes: Vec<_> = creators.into_iter().map(|mut p| p.code()).collect();
        assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 3))), "{codes:?}");
    }
    is_well(&dir.path("s"));
}

#[test]
fn a_failed_overwriting_copy_leaves_the_old_node() {
    let dir = Dir::new();
    let (bad, good) = (dir.path("bad"), dir.path("good"));
    array_of(&bad, 1);
    array_of(&good, 2);
    let before: Vec<_> = contents(&good);
    let chunk = dir.path("bad/c/7");
    let bytes = std::fs::read(&chunk).unwrap();
    std::fs::write(&chunk, &bytes[..bytes.len() - 1]).unwrap();
    refused(&["copy", "--overwrite", &bad, &good]);
    assert!(contents(&good) == before, "a damaged source");
    std::fs::write(&chunk, &bytes).unwrap();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    let plain = r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#;
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_ozarr"), "copy", "--overwrite", "--chunk-shape", "1000"]);
    command.args(["--codecs", plain, &bad, &good]).env("ZARR_PLUGINS", "off");
    assert_eq!(ran(&mut command).code, Some(3));
    assert!(contents(&good) == before, "a limit of the size of files");
    refused(&["copy", "--overwrite", "--codecs", r#"["zap"]"#, &bad, &good]);
    refused(&["create", "--overwrite", "--metadata", &dir.path("bad/zarr.json"), "--elements", "/dev/null", &good]);
    assert!(contents(&good) == before, "no elements");
    ok(&["copy", "--overwrite", &bad, &good]);
    assert_eq!(element_of(&good), 1);
}

/// Returns all files with their contents.
fn contents(directory: &str) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = files(directory).into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn a_copy_that_would_overlap_its_source_is_refused() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    array_of(&dir.path("other"), 3);
    symlink("s", dir.path("link")).unwrap();
    symlink(dir.path("other"), dir.path("s/linked")).unwrap();
    let before = contents(&dir.path("s"));
    for (from, to) in [
        ("s", "s"),
        ("s", "s/stations/inside"),
        ("s/stations", "s"),
        ("s/stations", "link/stations"),
        ("link", "s"),
        ("link/stations", "link/../s/stations/name/deep"),
        ("s/./stations", "s/observations/../stations"),
        // The source is reached through a link, and would be removed.
        ("s", "other"),
    ] {
        for overwrite in [&["copy"][..], &["copy", "--overwrite"]] {
            refused(&[overwrite, &[&dir.path(from), &dir.path(to)]].concat());
            assert!(contents(&dir.path("s")) == before, "{from} to {to}");
        }
    }
    assert_eq!(element_of(&dir.path("other")), 3);
    // A place next to it is allowed.
    ok(&["copy", &dir.path("s/stations"), &dir.path("s/nearby")]);
    assert!(Path::new(&dir.path("s/nearby/name/zarr.json")).exists());
    assert_eq!(ran(&mut zarr_command(&["validate", "--data", &dir.path("s")])).code, Some(0));
}
