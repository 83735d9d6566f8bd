//! Transcripts: each `$ command` of a file in `tests/transcripts` prints exactly what follows it, and ends with the status
//! in brackets. The commands of a file run in order in one folder. `SNAPSHOTS=overwrite` writes the files again; read the
//! difference as a whole before it is committed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common;
use snapbox::{Data, data::DataFormat};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Runs a line of a shell in `folder`, and returns the line with all that it printed and its status.
fn run(line: &str, folder: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_ozarr")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(folder).stdin(Stdio::null());
    for name in ["COLUMNS", "NO_COLOR", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "ZARR_PLUGIN_PATH", "ZARR_PLUGINS_LOCK"] {
        command.env_remove(name);
    }
    command.env("ZARR_PLUGINS", "installed").env("XDG_DATA_HOME", folder.join(".data")).env("HOME", folder);
    command.env("XDG_DATA_DIRS", folder.join(".data")).env("PATH", path).env("LC_ALL", "C.UTF-8");
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut text = format!("$ {line}\n{printed}");
    if !text.ends_with('\n') {
        text += "\n";
    }
    match output.status.code() {
        Some(0) => {}
        status => writeln!(text, "[{}]", status.unwrap()).unwrap(),
    }
    // Seconds vary.
    let text = text.split('\n').map(|line| match line.rsplit_once(", ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before}, [..] s"),
        _ => line.to_owned(),
    });
    let text = text.collect::<Vec<_>>().join("\n");
    text.replace(&*folder.canonicalize().unwrap().to_string_lossy(), "$PWD")
}

/// Runs all commands of a transcript, and compares.
fn check(name: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(name);
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(common::weather(), folder.path().join("weather.zarr")).unwrap();
    let mut actual = String::new();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("#"), "a transcript begins with a heading");
    for line in text.lines() {
        if line.starts_with("# ") {
            actual += &format!("{}{line}\n\n", if actual.is_empty() { "" } else { "\n" });
        } else if let Some(command) = line.strip_prefix("$ ") {
            actual += &run(command, folder.path());
        }
    }
    snapbox::assert_data_eq!(actual, Data::read_from(&file, Some(DataFormat::Text)).raw());
}

#[test]
fn help_of_each_command() {
    check("help.txt");
}

#[test]
fn errors_of_the_command_line() {
    check("usage.txt");
}

#[test]
fn errors_of_nodes_and_stores() {
    check("nodes.txt");
}

#[test]
fn errors_of_reading_and_writing() {
    check("elements.txt");
}

#[test]
fn errors_of_copies() {
    check("copy.txt");
}

#[test]
fn errors_of_plugins() {
    check("plugins.txt");
}

/// Each command and subcommand has its help in the transcript.
#[test]
fn no_command_is_missing() {
    let text =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/help.txt")).unwrap();
    let mut left = vec![String::new()];
    while let Some(command) = left.pop() {
        let line = format!("$ ozarr{command} --help\n");
        assert!(text.contains(&line), "{line}");
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = common::ok(&words);
        let listed = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
        let names =
            listed.filter(|l| l.starts_with("  ") && !l.starts_with("   ")).filter_map(|l| l.split_whitespace().next());
        left.extend(names.filter(|name| *name != "help").map(|name| format!("{command} {name}")));
    }
}
