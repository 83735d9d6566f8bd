//! Shared by the tests of the command: running it, and directories to work in.
#![allow(dead_code, reason = "each test uses what it needs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

pub(crate) fn ozarr(args: &[&str]) -> Output {
    // Plugins that are installed on the machine do not affect these tests.
    Command::new(env!("CARGO_BIN_EXE_ozarr")).args(args).env("ZARR_PLUGINS", "off").output().unwrap()
}
pub(crate) fn ok(args: &[&str]) -> String {
    let out = ozarr(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}
/// Checks that the command fails with this status, and returns its output.
pub(crate) fn fails(args: &[&str], status: i32) -> String {
    let out = ozarr(args);
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8(out.stderr).unwrap()
}
pub(crate) fn weather() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/weather.zarr").to_string_lossy().into_owned()
}
pub(crate) struct Dir(pub(crate) tempfile::TempDir);
impl Dir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
}
pub(crate) fn files(dir: &str) -> Vec<PathBuf> {
    let (mut found, mut left) = (Vec::new(), vec![Path::new(dir).to_path_buf()]);
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    found
}
/// Returns the exit status, standard output and standard error.
pub(crate) fn all(args: &[&str]) -> (Option<i32>, String, String) {
    let out = ozarr(args);
    (out.status.code(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
}
