//! Files that `ozarr read -o` writes: atomically, or in place if the target is not a regular file.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr};
use ozarr::{Hierarchy, NewArray};
use std::{
    fs::{self, File, Permissions},
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink},
    path::Path,
    process::{Command, Stdio},
    thread,
};

const ELEMENTS: &str = "[1,2,3]\n";

fn array(dir: &Dir) -> String {
    let hierarchy = Hierarchy::create(dir.path("s")).unwrap();
    hierarchy.create_array("/a", NewArray::new([3], "uint8").chunks([3])).unwrap().write(.., &[1u8, 2, 3]).unwrap();
    dir.path("s/a")
}
fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}
/// Returns the names in the directory for outputs, which contains nothing else.
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
    // A device like /dev/null, if this user may create one.
    let device = dir.path("out/device");
    if Command::new("mknod").args([&device, "c", "1", "3"]).stderr(Stdio::null()).status().unwrap().success() {
        // File systems may be mounted without devices: then it cannot be opened.
        let _opened = ozarr(&["read", &a, "-o", &device]);
        assert!(fs::symlink_metadata(&device).unwrap().file_type().is_char_device());
        assert_eq!(names(&dir), ["device", "pipe", "to-pipe"]);
    }
    let e = fails(&["read", &a, "-o", &dir.path("out")], 3);
    assert!(e.contains("is a directory"), "{e}");
}

#[test]
fn standard_output_is_written_under_another_name() {
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
fn links_and_permissions_are_preserved() {
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
            // Only root may do this.
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
    fails(&["read", &a, "-o", &dir.path("out/chain")], 3);
    assert_eq!((text(&file).as_str(), names(&dir).len()), ("old", 3), "what fails changes nothing");
    symlink("loop", dir.path("out/loop")).unwrap();
    fails(&["read", &a, "-o", &dir.path("out/loop")], 3);
    assert_eq!(names(&dir).len(), 4);
}

/// The old file has the group's rights in its list, and the new one gets no list from its directory.
#[test]
#[cfg(target_os = "linux")]
fn dropping_an_access_control_list_grants_no_rights() {
    let dir = Dir::new();
    let a = array(&dir);
    let places = [dir.0.path(), Path::new("/dev/shm"), Path::new("/var/tmp"), Path::new("/tmp")];
    let dirs = places.iter().filter_map(|place| tempfile::tempdir_in(place).ok());
    let mut usable = dirs.filter(|dir| python(SET_DEFAULT, dir.path()).is_some());
    let out = usable.next().expect("a file system with access control lists, for instance a tmpfs at /dev/shm");
    let file = out.path().join("file");
    for (list, mode) in [(true, 0o600), (false, 0o660), (false, 0o640), (false, 0o644)] {
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        assert!(!list || python(SET_ACCESS, &file).is_some());
        ok(&["read", &a, "-o", file.to_str().unwrap()]);
        let (found, lists) = (fs::metadata(&file).unwrap().mode() & 0o7777, python("", &file).unwrap());
        assert_eq!((found, lists.trim()), (mode, "[]"), "{found:o} is not {mode:o}");
    }
}

/// User 65534 and the mask have all rights, the group and others none.
const SET_ACCESS: &str = "set('access', 6, 6, 0)";
const SET_DEFAULT: &str = "set('default', 7, 7, 5)";

/// Runs a program that can set the access control lists of a path, and returns the names of its lists afterwards.
fn python(program: &str, path: &Path) -> Option<String> {
    let set = "
import os, struct, sys
def set(kind, owner, user, group):
    entries = (1, owner, 0xffffffff), (2, user, 65534), (4, group, 0xffffffff), (16, 7, 0xffffffff), (32, 0, 0xffffffff)
    value = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
    os.setxattr(sys.argv[1], 'system.posix_acl_' + kind, value)
";
    let program = format!("{set}{program}\nprint([n for n in os.listxattr(sys.argv[1]) if 'acl' in n])");
    let out = Command::new("python3").args(["-c", &program]).arg(path).output().unwrap();
    out.status.success().then(|| String::from_utf8(out.stdout).unwrap())
}
