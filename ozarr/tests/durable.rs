//! With `fsync`, every change is on the disk when the operation returns, and changes reach it in an order in which a
//! power failure leaves the old or the new state. This is checked with a record of all file system calls of a process.
//! Without `fsync`, nothing waits for the disk.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    store::FilesystemStore,
    zarr_core::store::{Key, Prefix, WriteableStore},
};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

const TASK: &str = "ZARR_TEST_DURABLE";

/// Runs some of every operation. After each one, it marks in the record that the operation is done, by removing a file
/// that does not exist.
fn work(store: &FilesystemStore) {
    let key = |key| Key::new(key).unwrap();
    let done = |what: &str| assert!(std::fs::remove_file(format!("/done/{what}")).is_err());
    done("open");
    store.set(&key("a/b/c"), b"new").unwrap();
    done("set what was not there");
    store.set(&key("a/b/c"), b"newer").unwrap();
    done("set what was there");
    assert!(store.set_if_absent(&key("a/d/e"), b"first").unwrap());
    done("set if absent");
    store.erase(&key("a/b/c")).unwrap();
    done("erase");
    for name in ["a/d/f", "a/d/g/h", "i", "j/k"] {
        store.set(&key(name), b"value").unwrap();
    }
    done("set more");
    store.erase_prefix(&Prefix::new("a/").unwrap()).unwrap();
    done("erase a prefix");
    store.erase_prefix(&Prefix::ROOT).unwrap();
    done("erase all");
    store.set(&key("alone"), b"value").unwrap();
    store.erase_prefix(&Prefix::ROOT).unwrap();
    done("erase all that are values");
}

/// The process that the tests below start. Run on its own, the work simply succeeds.
#[test]
fn child_process() {
    let Ok(task) = std::env::var(TASK) else {
        let dir = tempfile::tempdir().unwrap();
        return work(&FilesystemStore::open(dir.path()).unwrap().with_fsync().unwrap());
    };
    let (how, path) = task.split_once(':').unwrap();
    let store = FilesystemStore::create(path).unwrap();
    work(&if how == "fsync" { store.with_fsync().unwrap() } else { store });
}

/// Returns the file system calls of a process: each operation and its paths, without paths outside the folder.
fn witnessed(how: &str) -> Vec<[String; 3]> {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    let (library, log) = (folder.join("witness.so"), folder.join("log"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durable/witness.c");
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(built.unwrap().success());
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "durable::child_process"]).env("LD_PRELOAD", &library).env("WITNESS", &log);
    process.env(TASK, format!("{how}:{}", folder.join("new/store").display())).stdout(Stdio::null());
    assert!(process.status().unwrap().success());
    let folder = folder.to_str().unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    let lines =
        text.lines().map(|l| <[String; 3]>::try_from(l.split('\t').map(Into::into).collect::<Vec<_>>()).unwrap());
    lines.filter(|[_, path, _]| path.starts_with(folder) || path.starts_with("/done/")).collect()
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').unwrap().0.to_owned()
}

/// Returns true for temporary files and directories, which no reader sees.
fn is_temporary(path: &str) -> bool {
    path.contains("/__zarr_partial.")
}

#[test]
fn finished_operations_are_on_the_disk() {
    let (mut contents, mut names, mut done, mut renames) = (BTreeSet::new(), BTreeSet::new(), 0, 0);
    for [what, path, to] in witnessed("fsync") {
        match what.as_str() {
            "write" => _ = contents.insert(path.clone()),
            "fsync" => {
                contents.remove(&path);
                names.remove(&path);
            }
            "rename" => {
                assert!(!contents.contains(&path), "{to} gets its name before its contents are on the disk");
                names.insert(parent(&to));
            }
            "mkdir" => _ = names.insert(parent(&path)),
            "unlink" if path.starts_with("/done/") => {
                assert!(names.is_empty(), "{path}, but names are not on the disk: {names:?}");
                done += 1;
            }
            "unlink" if !is_temporary(&path) => _ = names.insert(parent(&path)),
            // Until the disk has this removal, entries that were removed from the directory may come back with it.
            "rmdir" if names.remove(&path) && !is_temporary(&path) => _ = names.insert(parent(&path)),
            "unlink" | "rmdir" => {}
            other => panic!("{other}"),
        }
        renames += usize::from(what == "rename");
        let open = names.iter().find(|n| what == "unlink" && is_temporary(&path) && !is_temporary(n));
        assert!(open.is_none(), "{path} is removed before the disk has it that {open:?} is");
    }
    // Seven keys, one of them twice, and two directories.
    assert_eq!((done, renames), (9, 10));
}

#[test]
fn without_fsync_nothing_waits_for_the_disk() {
    let all = witnessed("none");
    assert!(all.len() > 20 && all.iter().all(|[what, ..]| what != "fsync"), "{all:?}");
}

/// A listing sees everything that a prefix had, or nothing.
#[test]
fn a_prefix_disappears_at_once() {
    let all = witnessed("none");
    let is_mark = |l: &&[String; 3], mark| l[1] == format!("/done/{mark}");
    let [from, to] = ["set more", "erase a prefix"].map(|mark| all.iter().position(|l| is_mark(&l, mark)).unwrap());
    let erasing: Vec<_> = all[from + 1..to].iter().collect();
    assert!(erasing[0][0] == "rename" && erasing[0][1].ends_with("/a") && is_temporary(&erasing[0][2]), "{erasing:?}");
    assert!(erasing[1..].len() >= 3 && erasing[1..].iter().all(|l| is_temporary(&l[1])), "{erasing:?}");
}
