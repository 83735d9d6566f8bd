//! Hierarchies deeper than a stack, and links to a containing directory: each command ends, and reports where it
//! stopped.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, files, ok};
use std::{
    fs,
    os::unix::{fs::symlink, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Output},
};

const GROUP: &str = r#"{"zarr_format":3,"node_type":"group"}"#;

/// Creates a chain of `depth` nested groups, and returns the innermost one.
fn chain(at: &Path, depth: usize) -> PathBuf {
    let mut at = at.to_owned();
    fs::create_dir(&at).unwrap();
    fs::write(at.join("zarr.json"), GROUP).unwrap();
    for _ in 0..depth {
        at.push("a");
        fs::create_dir(&at).unwrap();
        fs::write(at.join("zarr.json"), GROUP).unwrap();
    }
    at
}

/// Chains of 1,000 groups, one below the other: deeper than any path that the system opens.
struct Deep {
    dir: Dir,
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Deep {
    fn new() -> Self {
        let (dir, mut moved) = (Dir::new(), Vec::new());
        let path = |name: &str| PathBuf::from(dir.path(name));
        let ends = ["0", "1", "2"].map(|name| chain(&path(name), 999));
        for (inner, outer) in [(2, 1), (1, 0)] {
            let (from, to) = (path(&inner.to_string()), ends[outer].join("a"));
            fs::rename(&from, &to).unwrap();
            moved.push((from, to));
        }
        Self { dir, moved }
    }
    fn path(&self) -> String {
        self.dir.path("0")
    }
}

impl Drop for Deep {
    /// Moves the chains apart again, because removing a directory recurses into each level.
    fn drop(&mut self) {
        for (from, to) in self.moved.iter().rev() {
            fs::rename(to, from).unwrap();
        }
    }
}

/// Runs the command with a stack of 512 KiB.
fn with_little_stack(args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -s 512 && exec "$@""#, "sh", env!("CARGO_BIN_EXE_ozarr")]).args(args);
    let out = command.env("ZARR_PLUGINS", "off").output().unwrap();
    assert_eq!(out.status.signal(), None, "{args:?}: {}", end_of(&out.stderr));
    out
}
fn end_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(2000)..]).into_owned()
}

/// Returns the output of a command that failed only because of the node whose path is too long.
#[track_caller]
fn told(args: &[&str]) -> String {
    let out = with_little_stack(args);
    let status = if args[0] == "copy" { 3 } else { 1 };
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", end_of(&out.stderr));
    let all = [out.stdout, out.stderr].concat();
    let text = String::from_utf8(all).unwrap();
    assert!(text.contains("File name too long"), "{args:?}: {}", end_of(text.as_bytes()));
    text
}

#[test]
fn commands_stop_at_a_node_whose_path_is_too_long() {
    let deep = Deep::new();
    let s = &deep.path();
    // The groups that the system opens, and the one below them.
    let lines = told(&["tree", s]).lines().filter(|l| l.contains("── a")).count();
    assert!((1900..2048).contains(&lines), "{lines}");
    let json = told(&["tree", "--json", s]);
    assert_eq!(json.matches("\"node_type\": \"group\"").count(), lines);
    for (open, close) in [('{', '}'), ('[', ']')] {
        assert_eq!(json.matches(open).count(), json.matches(close).count());
    }
    let validated = told(&["validate", s]);
    assert!(validated.contains(&format!("{lines} nodes")) && validated.contains("[unreadable-node]"));
    told(&["repair", s]);
    told(&["copy", s, &deep.dir.path("copy")]);
    assert!(!Path::new(&deep.dir.path("copy")).exists(), "nothing is copied of what cannot be read whole");
}

#[test]
fn hundreds_of_nested_groups_are_copied_validated_and_repaired() {
    let dir = Dir::new();
    chain(Path::new(&dir.path("s")), 500);
    let (from, to) = (dir.path("s"), dir.path("t"));
    for args in [
        &["copy", &from, &to][..],
        &["copy", "--overwrite", &from, &to],
        &["validate", &to],
        &["repair", "--apply", "--data", &to],
        &["info", "--needs", &to],
    ] {
        let out = with_little_stack(args);
        assert!(out.status.success(), "{args:?}: {}", end_of(&out.stderr));
    }
    assert_eq!(files(&to).len(), 501);
}

#[test]
fn links_to_a_containing_directory_do_not_loop() {
    let dir = Dir::new();
    let s = dir.path("s");
    let inner = chain(Path::new(&s), 2);
    for link in ["x", "y"] {
        symlink(".", inner.join(link)).unwrap();
        symlink("..", inner.join(format!("up{link}"))).unwrap();
    }
    let run = |args: &[&str], status: i32| {
        let out = with_little_stack(args);
        assert_eq!(out.status.code(), Some(status), "{args:?}: {}", end_of(&out.stderr));
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap()
    };
    for args in [&["tree", &s][..], &["tree", "--json", &s], &["validate", &s]] {
        let text = run(args, 1);
        assert_eq!(text.matches("the link leads back to `/a/a`").count(), 2, "{args:?}: {text}");
        assert_eq!(text.matches("the link leads back to `/a`").count(), 2, "{args:?}: {text}");
    }
    let refused = run(&["copy", &s, &dir.path("t")], 3);
    assert!(refused.contains("the link leads back") && !Path::new(&dir.path("t")).exists(), "{refused}");
    assert!(run(&["info", "--needs", &s], 1).contains("the link leads back"));
    // There is nothing to repair, with and without consolidated metadata.
    assert!(ok(&["repair", "--data", &s]).is_empty());
    ozarr::Hierarchy::open(&s).unwrap().consolidate("/").unwrap();
    assert!(ok(&["repair", &s]).is_empty());
}

#[test]
fn trees_are_printed_like_other_json() {
    let dir = Dir::new();
    let zarr = ozarr::Hierarchy::create(dir.path("s")).unwrap();
    for path in ["/a/b/c", "/a/d", "/e"] {
        zarr.create_group(path, ()).unwrap();
    }
    zarr.create_array("/a/b/x", ozarr::NewArray::new([2, 3], "uint8")).unwrap();
    let text = ok(&["tree", "--json", &dir.path("s")]);
    assert_eq!(text.parse::<ozarr::Json>().unwrap().to_pretty() + "\n", text);
    let text = ok(&["tree", "--json", &dir.path("s/a/b/x")]);
    assert_eq!(text.parse::<ozarr::Json>().unwrap().to_pretty() + "\n", text);
    let text = ok(&["tree", &dir.path("s/a")]);
    let names: Vec<&str> = text.lines().skip(1).map(|l| l.split(" [").next().unwrap()).collect();
    assert_eq!(names, ["├── b/", "│   ├── c/", "│   └── x", "└── d/"]);
}
