//! Runs each program and compares its output.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use std::{ffi::OsStr, path::Path, process::Command};
use zarr_conformance::{peers, third_party};

/// Runs a program that must succeed without a word on standard error, and returns its output.
fn output(command: &mut Command) -> String {
    let out = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8_lossy(&out.stderr).into_owned());
    assert!(out.status.success() && stderr.is_empty(), "{command:?}: {stderr}");
    stdout
}

fn run(program: &str, arguments: &[&OsStr]) -> String {
    output(Command::new(program).args(arguments))
}

/// A command of a user whose plugins are in `home`.
fn of_user(program: impl AsRef<OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    for name in ["XDG_DATA_HOME", "XDG_DATA_DIRS", "VIRTUAL_ENV", "CONDA_PREFIX", "ZARR_PLUGINS", "ZARR_PLUGIN_PATH"] {
        command.env_remove(name);
    }
    command.env("HOME", home);
    command
}

#[test]
fn written_arrays_are_listed_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("weather.zarr");
    let tree = "/\n└── temperature [1000, 2000] float32, chunks [100, 100] in shards [500, 500], sharding_indexed(bytes zstd)\n";
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
fn walk_prints_a_tree_and_totals() {
    let expected = "\
/
├── land/
└── ocean/
    ├── salinity [180, 360] float32, chunks [90, 90], bytes zstd
    └── temperature [180, 360] float32, chunks [180, 360], bytes zstd
2 arrays, 518400 bytes of elements
";
    assert_eq!(run(env!("CARGO_BIN_EXE_walk"), &[]), expected);
}

#[test]
fn attributes_are_read_back() {
    let expected = "\
title: \"Weather\"
version: 2
station: {\"name\":\"Zürich\",\"height\":556}
temperature: {\"units\":\"K\",\"valid_range\":[180.0,330.0]}
";
    assert_eq!(run(env!("CARGO_BIN_EXE_attributes"), &[]), expected);
}

#[test]
fn ndarray_views_are_read_and_written() {
    let expected = "\
[[100, 101, 102, 103, 104, 0, 0, 200, 201, 202, 203, 204],
 [110, 111, 112, 113, 114, 0, 0, 210, 211, 212, 213, 214],
 [120, 121, 122, 123, 124, 0, 0, 220, 221, 222, 223, 224],
 [130, 131, 132, 133, 134, 0, 0, 230, 231, 232, 233, 234]]
";
    assert_eq!(run(env!("CARGO_BIN_EXE_ndarray"), &[]), expected);
}

#[test]
fn rechunked_arrays_have_the_same_elements() {
    let expected = "\
/maps: [24, 90, 180] int16, chunks [1, 90, 180], bytes zstd: stored values: 24
/series: [24, 90, 180] int16, chunks [24, 10, 10] in shards [24, 90, 180], sharding_indexed(bytes zstd): stored values: 1
";
    assert_eq!(run(env!("CARGO_BIN_EXE_rechunk"), &[]), expected);
}

#[test]
#[cfg(target_os = "linux")]
fn plugins_are_opened_and_installed() {
    let (home, library) = (tempfile::tempdir().unwrap(), third_party::rust("numcodecs-lz4").unwrap());
    let example = || of_user(env!("CARGO_BIN_EXE_load_plugin"), home.path());
    let array = "[1000] uint16, chunks [1000], bytes numcodecs.lz4\nwithout plugins: unknown codec numcodecs.lz4\n";
    let opened = "installed plugins: 0\nopened dev.zarr.numcodecs-lz4 0.1.0\n";
    assert_eq!(output(example().arg(&library)), format!("{opened}{array}"));

    output(of_user(peers::ozarr().unwrap(), home.path()).args(["plugin", "add"]).arg(&library));
    assert_eq!(output(&mut example()), format!("installed plugins: 1\n{array}"));
}

#[test]
fn other_examples_run() {
    assert_eq!(run(env!("CARGO_BIN_EXE_read_region"), &[]), "[4, 6] uint16, chunks [2, 3], bytes zstd\n");
    assert_eq!(run(env!("CARGO_BIN_EXE_parallel_mean"), &[]), "the mean is 4.5\n");
    assert_eq!(run(env!("CARGO_BIN_EXE_custom_codec"), &[]), "[4] uint8, chunks [4], bytes acme.invert\n");
}
