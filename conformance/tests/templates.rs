//! The files that `ozarr plugin new` creates for C satisfy all properties, with a seed that once found a fault.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test that is how to fail")]

use std::process::Command;
use zarr_conformance::third_party;

const KINDS: [&str; 7] = [
    "data-type",
    "chunk-grid",
    "chunk-key-encoding",
    "array-to-array",
    "array-to-bytes",
    "bytes-to-bytes",
    "storage-transformer",
];
/// With this seed, a chunk grid returned a chunk without elements.
const SEED: &str = "3444";

fn run(command: &mut Command) -> String {
    let out = command.output().unwrap();
    let stdout = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{command:?}: {stdout}{}", String::from_utf8_lossy(&out.stderr));
    stdout
}

#[test]
fn new_plugins_in_c_have_all_properties() {
    let dir = tempfile::tempdir().unwrap();
    for kind in KINDS {
        let folder = dir.path().join(format!("acme-{kind}"));
        third_party::new_project(&folder, &format!("acme.{kind}"), kind, "c").unwrap();
        let library = third_party::c(&folder.join("plugin.c"), &[]).unwrap();
        let mut suite = Command::new(env!("CARGO_BIN_EXE_zarr-conformance"));
        let stdout = run(suite.arg("plugin").arg(&library).args(["--seed", SEED]));
        assert!(stdout.contains(&format!("acme-{kind}")) && stdout.contains(" 0 failed"), "{stdout}");
    }
}
