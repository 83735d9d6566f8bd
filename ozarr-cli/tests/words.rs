//! Where the library names options, the command names flags and the text that the user typed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common;
use crate::common::{Dir, fails};
use ozarr::{Hierarchy, NewArray};

#[test]
fn errors_name_flags_and_places_as_they_were_typed() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    zarr.create_array("/a", NewArray::new([2], "int16")).unwrap().write(.., &[1i16, 300]).unwrap();
    zarr.create_array("/text", NewArray::new([2], "string")).unwrap();
    let (a, text, to, file) = (dir.path("s/a"), dir.path("s/text"), dir.path("s/b"), dir.path("a.npy"));
    common::ok(&["read", "--format", "npy", "-o", &file, &a]);
    zarr.create_array("/c", NewArray::new([2], "int32")).unwrap();
    let c = dir.path("s/c");
    for (args, hint) in [
        (vec!["copy", "--data-type", "uint8", &a, &to], "use --lossy to convert to the nearest value"),
        (vec!["read", "--format", "npy", &text], "use --format json"),
        (vec!["write", "--input", &file, &text], "use --elements"),
        (vec!["write", "--input", &file, &c], "convert the file, or copy the array with another --dtype"),
    ] {
        let said = fails(&args, 3);
        assert!(said.ends_with(&format!("\n\nhint: {hint}\n")), "{args:?}: {said}");
    }
    let inside = dir.path("s/a/inside");
    let said = fails(&["copy", &a, &inside], 3);
    assert_eq!(said, format!("error: {a} and {inside} overlap\n  at node /a\n"));
    for option in ["--chunks", "--shards"] {
        let said = fails(&["copy", option, "1,1", &a, &to], 3);
        let what = format!("{option} has 2 lengths for an array with 1 dimension");
        let hint = "pass one length for each dimension of shape [2]";
        assert_eq!(said, format!("error: {what}\n\nhint: {hint}\n"));
    }
}
