//! The header compiles as C and C++ without a warning, and its structs have the same layout as those in Rust and in the
//! committed table. Major version 1 is frozen: a line of the table never changes, and new lines come at the end of a
//! struct.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{fmt::Write, path::Path, process::Command};
use zarr_plugin_api::abi;

const TABLE: &str = include_str!("abi-1.txt");

/// Returns the name of a member in C.
fn member(name: &str) -> &str {
    if name == "this" { "self" } else { name }
}

fn in_rust() -> String {
    let mut table = String::new();
    for s in abi::structs() {
        writeln!(table, "{} {}", s.name, s.size).unwrap();
        for (name, offset, size) in s.members {
            writeln!(table, "  {} {offset} {size}", member(name)).unwrap();
        }
    }
    table
}

/// Returns a program that prints the table as the compiler sees it.
fn program() -> String {
    let mut c = "#include \"zarr_plugin.h\"\n#include <stdio.h>\nint main(void) {\n".to_owned();
    for s in abi::structs() {
        writeln!(c, "  printf(\"{0} %u\\n\", (unsigned)sizeof(struct {0}));", s.name).unwrap();
        for (name, ..) in s.members {
            let (s, m) = (s.name, member(name));
            let size = format!("(unsigned)sizeof(((struct {s} *)0)->{m})");
            writeln!(c, "  printf(\"  {m} %u %u\\n\", (unsigned)offsetof(struct {s}, {m}), {size});").unwrap();
        }
    }
    c + "  return 0;\n}\n"
}

fn compile(compiler: &str, standard: &str, file: &Path, out: &Path) {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let output = Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-pedantic", "-Wpadded", "-Werror", "-I"])
        .arg(include)
        .arg("-o")
        .args([out, file])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn c_and_rust_and_the_committed_table_agree() {
    let dir = tempfile::tempdir().unwrap();
    for (compiler, standard, name) in [("cc", "-std=c11", "t.c"), ("c++", "-std=c++11", "t.cpp")] {
        let (file, out) = (dir.path().join(name), dir.path().join(format!("{name}.out")));
        std::fs::write(&file, program()).unwrap();
        compile(compiler, standard, &file, &out);
        let printed = Command::new(&out).output().unwrap();
        let in_c = String::from_utf8(printed.stdout).unwrap();
        assert!(printed.status.success());
        assert_eq!(in_c, in_rust(), "{compiler} and Rust");
    }
    assert_eq!(in_rust(), TABLE, "Rust and the committed table");
}

/// Structs and constants of the header must exist in Rust, and structs and members of Rust in the header.
#[test]
fn every_item_of_the_header_exists_in_rust() {
    let header = abi::HEADER;
    let known: Vec<&str> = abi::structs().map(|s| s.name).collect();
    let mut found = Vec::new();
    for line in header.lines() {
        if let Some(name) = line.strip_prefix("typedef struct ").and_then(|l| l.split_once(" {")).map(|(n, _)| n) {
            found.push(name);
        }
    }
    assert_eq!(found.len(), known.len(), "{found:?} {known:?}");
    assert!(found.iter().all(|f| known.contains(f)), "{found:?}");
    // The members in the table add up to the size of the struct, so none is missing.
    for s in abi::structs() {
        let sum: usize = s.members.iter().map(|(_, _, size)| size).sum();
        assert_eq!(sum, s.size, "{} has padding, or a member that Rust lacks", s.name);
    }
    let source = include_str!("../src/abi/mod.rs");
    for line in header.lines().filter_map(|l| l.strip_prefix("#define ZP_")) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
        let number = value.trim_end_matches("u");
        if number.parse::<u64>().is_err() || name.starts_with("ABI_") {
            continue;
        }
        assert!(source.contains(&format!(" {name} = {number} ")), "ZP_{name} {number}");
    }
}
