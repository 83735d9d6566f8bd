//! Runs each program and checks its output.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use std::{ffi::OsStr, process::Command};

fn run(program: &str, arguments: &[&OsStr]) -> String {
    let out = Command::new(program).args(arguments).output().unwrap();
    let (said, told) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8_lossy(&out.stderr).into_owned());
    assert!(out.status.success() && told.is_empty(), "{program}: {told}");
    said
}

#[test]
fn create_write_and_walk() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("weather.zarr");
    let tree = "/\n└── temperature [1000, 2000] float32, chunks [100, 100] in shards [500, 500], sharding_indexed\n";
    for _ in 0..2 {
        assert_eq!(run(env!("CARGO_BIN_EXE_create_write"), &[folder.as_ref()]), format!("{tree}\n"));
    }
    let document = std::fs::read_to_string(folder.join("temperature/zarr.json")).unwrap();
    for part in ["\"level\": 3", "\"units\": \"K\"", "\"fill_value\": \"NaN\""] {
        assert!(document.contains(part), "{part}: {document}");
    }
    let walked = run(env!("CARGO_BIN_EXE_walk"), &[folder.as_ref()]);
    assert_eq!(walked, format!("{tree}1 arrays, 8000000 bytes of elements\n"));
}

#[test]
fn walk() {
    let tree = run(env!("CARGO_BIN_EXE_walk"), &[]);
    assert!(
        tree.starts_with("/\n├── land/\n└── ocean/\n    ├── salinity [180, 360] float32, chunks [90, 90]"),
        "{tree}"
    );
    assert!(tree.ends_with("2 arrays, 518400 bytes of elements\n"), "{tree}");
}

#[test]
fn the_others() {
    assert!(run(env!("CARGO_BIN_EXE_read_region"), &[]).starts_with("[4, 6] uint16, chunks [2, 3]"));
    assert_eq!(run(env!("CARGO_BIN_EXE_parallel_mean"), &[]), "the mean is 4.5\n");
    assert_eq!(run(env!("CARGO_BIN_EXE_custom_codec"), &[]), "[4] uint8, chunks [4], bytes acme.invert\n");
}
