//! Output at a terminal: summaries, questions and colors; and `--quiet` and `--verbose` everywhere.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, all, fails, ok, weather};
use ozarr::{Hierarchy, Json, NewArray};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Runs a program at a terminal of its own, types a line and prints what is seen.
const TERMINAL: &str = r"
import os, pty, sys, termios
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
mode = termios.tcgetattr(terminal)
mode[3] &= ~termios.ECHO
termios.tcsetattr(terminal, termios.TCSANOW, mode)
os.write(terminal, sys.argv[1].encode())
seen = b''
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
sys.stdout.buffer.write(seen.replace(b'\r\n', b'\n'))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

fn at_terminal(args: &[&str], typed: &str, environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL, typed, env!("CARGO_BIN_EXE_ozarr")]).args(args);
    command.env("ZARR_PLUGINS", "off").env("TERM", "xterm").env_remove("NO_COLOR").envs(environment.iter().copied());
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn a_large_array_is_summarized() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let elements: Vec<u16> = (0..10_000).collect();
    zarr.create_array("/a", NewArray::new([100, 100], "uint16")).unwrap().write(.., &elements).unwrap();
    let a = dir.path("s/a");
    let (status, seen) = at_terminal(&["read", &a], "", &[]);
    assert_eq!(status, Some(0));
    let whole = "[[0, 1, 2, ..., 97, 98, 99],\n [100, 101, 102, ..., 197, 198, 199],\n \
                 [200, 201, 202, ..., 297, 298, 299],\n ...,\n [9700, 9701, 9702, ..., 9797, 9798, 9799],\n \
                 [9800, 9801, 9802, ..., 9897, 9898, 9899],\n [9900, 9901, 9902, ..., 9997, 9998, 9999]]\n";
    assert_eq!(seen, format!("{whole}10000 elements; `--all` prints all of them\n"));
    assert_eq!(at_terminal(&["read", "-q", &a], "", &[]).1, whole);
    let json = ok(&["read", &a]);
    assert_eq!(at_terminal(&["read", "--all", &a], "", &[]).1, json);
    assert_eq!(json.parse::<Json>().unwrap().as_array().unwrap().len(), 100);
    assert_eq!(at_terminal(&["read", &a, "--region", "0,:3"], "", &[]).1, "[0,1,2]\n");
}

#[test]
fn removal_asks_for_confirmation_on_a_terminal() {
    let dir = Dir::new();
    let a = dir.path("a");
    ok(&["create", &a, "--shape", "2", "--dtype", "uint8"]);
    for no in ["\n", "n\n", "x\n"] {
        let seen = at_terminal(&["rm", &a], no, &[]);
        assert_eq!(seen, (Some(0), format!("remove {a}? [y/N] nothing was removed\n")));
        assert!(Path::new(&a).exists());
    }
    assert_eq!(at_terminal(&["rm", &a], "y\n", &[]), (Some(0), format!("remove {a}? [y/N] removed {a}\n")));
    assert!(!Path::new(&a).exists());
    ok(&["create", &a, "--shape", "2", "--dtype", "uint8"]);
    assert_eq!(at_terminal(&["rm", "--yes", &a], "", &[]), (Some(0), format!("removed {a}\n")));
}

#[test]
fn errors_are_colored_on_a_terminal() {
    let dir = Dir::new();
    let none = dir.0.path().canonicalize().unwrap().join("none").to_string_lossy().into_owned();
    let plain =
        format!("error: node not found\n  at node {none}\n\nhint: the directory does not exist; check the path\n");
    let colored = plain.replace("error:", "\u{1b}[1;31merror:\u{1b}[0m").replace("hint:", "\u{1b}[1;36mhint:\u{1b}[0m");
    assert_eq!(at_terminal(&["info", &none], "", &[]), (Some(3), colored.clone()));
    assert_eq!(at_terminal(&["info", &none], "", &[("NO_COLOR", "")]).1, colored);
    assert_eq!(at_terminal(&["info", &none], "", &[("NO_COLOR", "1")]).1, plain);
    assert_eq!(at_terminal(&["info", &none], "", &[("TERM", "dumb")]).1, plain);
    assert_eq!(fails(&["info", &none], 3), plain);
    assert!(!at_terminal(&["info", "--help"], "", &[("NO_COLOR", "1")]).1.contains('\u{1b}'));
}

#[test]
fn quiet_commands_print_only_problems() {
    let dir = Dir::new();
    let (t, a) = (dir.path("t"), dir.path("a"));
    let nothing = (Some(0), String::new(), String::new());
    assert_eq!(all(&["-q", "copy", &weather(), &t, "--chunk-shape", "5"]), nothing);
    assert_eq!(all(&["create", "--quiet", &a, "--shape", "2", "--dtype", "uint8"]), nothing);
    assert_eq!(all(&["validate", "-q", &t]), nothing);
    assert_eq!(all(&["repair", "-q", &t]), nothing);
    fs::write(dir.path("a/notes"), "mine").unwrap();
    let (status, out, said) = all(&["validate", "-q", &a]);
    assert_eq!((status, said.as_str()), (Some(1), ""));
    assert_eq!(out, "/: notes: the key does not belong to a chunk [unknown-key]\n");
    assert!(fails(&["-q", "read", &dir.path("none")], 3).starts_with("error: "));
}

#[test]
fn verbose_commands_log_events() {
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
        let out = command.args(args).env("ZARR_PLUGINS", "installed").env("ZARR_PLUGIN_PATH", "here").output().unwrap();
        String::from_utf8(out.stderr).unwrap()
    };
    let event = " WARN ozarr: plugins warning=ignoring `here` in ZARR_PLUGIN_PATH: not an absolute path\n";
    assert!(run(&["extensions", "-v"]).contains(event), "{}", run(&["extensions", "-v"]));
    assert!(!run(&["extensions"]).contains("ozarr: plugins"));
}

#[test]
fn copies_are_counted_in_the_singular_and_the_plural() {
    let dir = Dir::new();
    for (from, to, told) in [
        (format!("{}/time", weather()), "t", "copied 1 array and 0 groups: "),
        (weather(), "all", "copied 9 arrays and 3 groups: "),
    ] {
        let (status, out, said) = all(&["copy", &from, &dir.path(to)]);
        assert!(status == Some(0) && out.is_empty() && said.starts_with(told) && said.lines().count() == 1, "{said}");
    }
    let info = ok(&["info", "--sizes", &format!("{}/time", weather())]);
    assert!(info.contains("\nsize: 192 B\nstored: 192 B in 1 key\n"), "{info}");
}

#[test]
fn regions_leave_out_dimensions() {
    let a = format!("{}/observations/temperature", weather());
    let read = |region: &str| ok(&["read", &a, "--region", region]);
    assert_eq!(read("0"), read("0,:,:"));
    assert_eq!(read("...,0"), read(":,:,0"));
    assert_eq!(read("0,...,3:5"), read("0,:,3:5"));
    let said = fails(&["read", &a, "--region", "0,0,0,0"], 3);
    let wrong = "error: too many ranges or indices for an array with shape [24, 90, 180]: found 4, expected 3\n";
    assert_eq!(said, wrong);
}

#[test]
fn global_options_have_a_heading() {
    for (command, writes) in [
        ("tree", false),
        ("info", false),
        ("read", false),
        ("create", true),
        ("group", true),
        ("write", true),
        ("copy", true),
        ("resize", true),
        ("rm", true),
        ("consolidate", true),
        ("validate", false),
        ("repair", true),
        ("extensions", false),
        ("elements", false),
    ] {
        let help = ok(&[command, "-h"]);
        let (own, global) = help.split_once("\nGlobal options:\n").unwrap_or_else(|| panic!("{help}"));
        for option in ["--plugin <FILE>", "--allow-root <FOLDER>", "--quiet", "--verbose"] {
            assert!(global.contains(option) && !own.contains(option), "{command} {option}: {help}");
        }
        assert_eq!(own.contains("--fsync"), writes, "{command}: {help}");
        assert!(!global.contains("--fsync"), "{command}: {help}");
    }
    let help = ok(&["--help"]);
    assert!(help.ends_with("Exit status: 0 success, 1 problems found, 2 invalid command line, 3 error\n"), "{help}");
    let dir = Dir::new();
    ok(&["create", "--fsync", &dir.path("a"), "--shape", "2", "--dtype", "uint8"]);
    ok(&["attrs", "set", "--fsync", &dir.path("a"), "x=1"]);
}

#[test]
fn completions_and_man_pages_are_written() {
    for (shell, word) in [("bash", "complete -F _ozarr"), ("zsh", "#compdef ozarr"), ("fish", "complete -c ozarr")] {
        let script = ok(&["completions", shell]);
        assert!(script.contains(word) && script.contains("consolidate"), "{shell}: {script}");
    }
    fails(&["completions", "none"], 2);
    let dir = Dir::new();
    let man = dir.path("share/man1");
    assert_eq!(all(&["man", &man]), (Some(0), String::new(), String::new()));
    for page in ["ozarr.1", "ozarr-create.1", "ozarr-plugin-add.1", "ozarr-attrs-set.1"] {
        let text = fs::read_to_string(Path::new(&man).join(page)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains("ozarr"), "{page}: {text}");
    }
    fs::write(dir.path("file"), "").unwrap();
    let said = fails(&["man", &dir.path("file")], 3);
    assert!(said.ends_with(&format!("  at file {}\n", dir.path("file"))), "{said}");
}
