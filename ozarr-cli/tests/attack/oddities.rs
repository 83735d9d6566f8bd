//! Entries other than files in place of documents and chunks, and names that are long or contain special characters.

use super::{common::Dir, ok, ozarr, ran, refused};
use ozarr::{Hierarchy, NewArray};
use std::{os::unix::fs::symlink, process::Command};

/// Creates something in place of a file.
type Put = fn(&str);

fn fifo(path: &str) {
    assert_eq!(ran(Command::new("mkfifo").arg(path)).code, Some(0));
}

/// Creates a store with the arrays `/a` and `/b`, each with two chunks.
fn store(dir: &Dir) -> String {
    let s = dir.path("s");
    let hierarchy = Hierarchy::create(&s).unwrap();
    for path in ["/a", "/b"] {
        let new = NewArray::new([4], "uint8").chunks([2]);
        hierarchy.create_array(path, &new).unwrap().write(.., &[1u8, 2, 3, 4]).unwrap();
    }
    s
}

#[test]
fn odd_documents_are_errors() {
    let odd: [(&str, Put); 9] = [
        ("short", |at| std::fs::write(at, "{\"zarr_format\":3,").unwrap()),
        ("empty", |at| std::fs::write(at, "").unwrap()),
        ("zeros", |at| std::fs::write(at, [0; 4096]).unwrap()),
        ("a link to nothing", |at| symlink("nothing", at).unwrap()),
        ("a link to itself", |at| symlink("zarr.json", at).unwrap()),
        ("a link to another file", |at| symlink("/etc/passwd", at).unwrap()),
        ("a directory", |at| std::fs::create_dir(at).unwrap()),
        ("a fifo", fifo),
        ("a socket", |at| drop(std::os::unix::net::UnixListener::bind(at).unwrap())),
    ];
    for (what, put) in odd {
        let dir = Dir::new();
        let (s, a) = (store(&dir), dir.path("s/a"));
        std::fs::remove_file(dir.path("s/a/zarr.json")).unwrap();
        put(&dir.path("s/a/zarr.json"));
        eprintln!("{what}");
        refused(&["tree", &s]);
        refused(&["validate", "--data", &s]);
        for verb in ["info", "read", "validate", "tree"] {
            refused(&[verb, &a]);
        }
        refused(&["copy", &s, &dir.path("to")]);
        refused(&["copy", &a, &dir.path("to.a")]);
        assert_ne!(ozarr(&["read", &dir.path("to/a")]).code, Some(0));
        assert_eq!(ok(&["read", &dir.path("s/b")]), "[1,2,3,4]\n");
    }
}

#[test]
fn a_chunk_that_is_not_a_file_is_an_error() {
    let odd: [(&str, Put); 6] = [
        ("a link to nothing", |at| symlink("nothing", at).unwrap()),
        ("a link to itself", |at| symlink("1", at).unwrap()),
        ("a fifo", fifo),
        ("a socket", |at| drop(std::os::unix::net::UnixListener::bind(at).unwrap())),
        ("an empty directory", |at| std::fs::create_dir(at).unwrap()),
        ("a link to a device", |at| symlink("/dev/zero", at).unwrap()),
    ];
    for (what, put) in odd {
        let dir = Dir::new();
        let (s, a) = (store(&dir), dir.path("s/a"));
        std::fs::remove_file(dir.path("s/a/c/1")).unwrap();
        put(&dir.path("s/a/c/1"));
        eprintln!("{what}");
        refused(&["read", &a]);
        refused(&["elements", "--array_path", &a]);
        refused(&["validate", "--data", &s]);
        refused(&["copy", &s, &dir.path("to")]);
        assert_ne!(ozarr(&["read", &dir.path("to/a")]).code, Some(0), "a copy with fill values");
        assert_eq!(ok(&["read", "--region", "0:2", &a]), "[1,2]\n");
    }
}

#[test]
fn unusual_names_work_or_are_refused() {
    let dir = Dir::new();
    let s = store(&dir);
    let document = dir.path("s/a/zarr.json");
    let long = |n: usize| "n".repeat(n);
    let works = [
        "a space",
        " ",
        "line\nbreak",
        "tab\t",
        "ünïcödé",
        "日本語",
        "😀",
        "what?#fragment%20",
        "%2e%2e",
        "-dash",
        "--help",
        "\u{1b}[31m",
        "\u{7}",
        "\u{202e}",
        "'\"`$()&;|<>*",
        "back\\slash",
        "c",
        "a.b",
        "zarr.jso",
        &long(255),
    ];
    for name in works {
        let node = dir.path(&format!("s/{name}"));
        ok(&["create", "--metadata", &document, &node]);
        std::fs::write(dir.path("elements"), "5\n6\n7\n8\n").unwrap();
        ok(&["write", "--elements", &dir.path("elements"), &node]);
        assert_eq!(ok(&["read", &node]), "[5,6,7,8]\n", "{name:?}");
        assert!(ok(&["info", &node]).starts_with("array /"), "{name:?}");
    }
    ok(&["validate", "--data", &s]);
    ok(&["copy", &s, &dir.path("to")]);
    for name in works {
        assert_eq!(ok(&["read", &dir.path(&format!("to/{name}"))]), "[5,6,7,8]\n", "{name:?}");
    }
    for name in ["...", "....", &long(256), &long(300), &format!("{}/{}", long(300), "x")] {
        refused(&["create", "--metadata", &document, &dir.path(&format!("s/{name}"))]);
    }
    ok(&["validate", "--data", &s]);
}
