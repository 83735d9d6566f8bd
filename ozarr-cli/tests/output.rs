//! Files that `ozarr read -o` writes: whole or not at all, and in place what is not a regular file.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod common;

use common::{Dir, fails, ok, ozarr};
use ozarr::{Hierarchy, NewArray};
use std::{
    fs::{self, File, Permissions},
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink},
    process::{Command, Stdio},
    thread,
};

const ELEMENTS: &str = "[1,2,3]\n";

fn array(dir: &Dir) -> String {
    let hierarchy = Hierarchy::create(&dir.path("s")).unwrap();
    hierarchy.create_array("/a", NewArray::new([3], "uint8").chunks([3])).unwrap().write(.., &[1u8, 2, 3]).unwrap();
    dir.path("s/a")
}
fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}
/// Names in the directory for outputs, which has nothing else.
fn names(dir: &Dir) -> Vec<String> {
    let entries = fs::read_dir(dir.path("out")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn pipes_and_devices_are_written_in_place() {
    let dir = Dir::new();
    let a = array(&dir);
    fs::create_dir(dir.path("out")).unwrap();
    let (pipe, link) = (dir.path("out/pipe"), dir.path("out/to-pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("pipe", &link).unwrap();
    for path in [&pipe, &link] {
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || text(&pipe)
        });
        ok(&["read", &a, "-o", path]);
        assert_eq!(reader.join().unwrap(), ELEMENTS);
        assert!(
            fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo()
                && fs::symlink_metadata(&link).unwrap().is_symlink()
        );
    }
    assert_eq!(names(&dir), ["pipe", "to-pipe"]);
    // A device of its own like /dev/null, where one may be made.
    let device = dir.path("out/device");
    if Command::new("mknod").args([&device, "c", "1", "3"]).stderr(Stdio::null()).status().unwrap().success() {
        // File systems can be without devices: then it cannot be opened.
        let _opened = ozarr(&["read", &a, "-o", &device]);
        assert!(fs::symlink_metadata(&device).unwrap().file_type().is_char_device());
        assert_eq!(names(&dir), ["device", "pipe", "to-pipe"]);
    }
    let e = fails(&["read", &a, "-o", &dir.path("out")], 1);
    assert!(e.contains("is a directory"), "{e}");
}

#[test]
fn standard_output_by_another_name() {
    let dir = Dir::new();
    let a = array(&dir);
    fs::create_dir(dir.path("out")).unwrap();
    let (file, stdout) = (dir.path("out/file"), dir.path("out/stdout"));
    symlink("/proc/self/fd/1", &stdout).unwrap();
    assert_eq!(ok(&["read", &a, "-o", &stdout]), ELEMENTS);
    let shared = File::create(&file).unwrap();
    for _ in 0..2 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
        command.args(["read", &a, "-o", &stdout]).env("ZARR_PLUGINS", "off").stdout(shared.try_clone().unwrap());
        assert!(command.status().unwrap().success());
    }
    assert_eq!(text(&file), ELEMENTS.repeat(2), "the second after the first");
    assert!(fs::symlink_metadata(&stdout).unwrap().is_symlink());
    assert_eq!(names(&dir), ["file", "stdout"]);
}

#[test]
fn links_stay_and_permissions_are_kept() {
    let dir = Dir::new();
    let a = array(&dir);
    fs::create_dir(dir.path("out")).unwrap();
    let file = dir.path("out/file");
    symlink("file", dir.path("out/link")).unwrap();
    symlink("link", dir.path("out/chain")).unwrap();
    for (path, mode) in
        [("out/chain", None), ("out/link", Some(0o600)), ("out/chain", Some(0o640)), ("out/file", Some(0o604))]
    {
        let mut owner = None;
        if let Some(mode) = mode {
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            // Only root may.
            owner = chown(&file, Some(2000), Some(3000)).ok();
        }
        ok(&["read", &a, "-o", &dir.path(path)]);
        let found = fs::symlink_metadata(&file).unwrap();
        assert!(found.is_file() && text(&file) == ELEMENTS);
        assert!(mode.is_none_or(|mode| found.mode() & 0o7777 == mode), "{:o}", found.mode());
        assert!(owner.is_none() || (found.uid(), found.gid()) == (2000, 3000));
        assert_eq!(names(&dir), ["chain", "file", "link"]);
        assert!(["out/link", "out/chain"].iter().all(|l| fs::symlink_metadata(dir.path(l)).unwrap().is_symlink()));
    }
    fs::write(dir.path("s/a/c/0"), "x").unwrap();
    fs::write(&file, "old").unwrap();
    fails(&["read", &a, "-o", &dir.path("out/chain")], 1);
    assert_eq!((text(&file).as_str(), names(&dir).len()), ("old", 3), "what fails changes nothing");
    symlink("loop", dir.path("out/loop")).unwrap();
    fails(&["read", &a, "-o", &dir.path("out/loop")], 1);
    assert_eq!(names(&dir).len(), 4);
}
