//! Attacks on the guarantees of reliability and security: concurrent writers, kills, full disks, damage, odd names,
//! hostile metadata and chunks. Each test is one row of a table, and works with real processes on real files.
//!
//! ```text
//! cargo test -p ozarr-cli --test attack
//! ATTACK_SECONDS=1800 ATTACK_SEED=7 cargo test --release -p ozarr-cli --test attack
//! ```
//!
//! By default all rows take less than two minutes on two cores. Rows with repeated rounds share `ATTACK_SECONDS`, and
//! stop after the round in which their share ends; a minimum number of rounds always runs. `ATTACK_SEED` determines the
//! damage and the moments of kills; a row that fails prints its seed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

#[path = "../common/mod.rs"]
mod common;

mod bombs;
mod copies;
mod damage;
mod faults;
mod kills;
mod metadata;
mod nodes;
mod oddities;
mod workers;
mod writers;

use std::{
    io::{Read, Seek},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// The number of rows with repeated rounds.
const ROWS: f64 = 18.0;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |n| n.parse().unwrap_or_else(|_| panic!("{variable}={n}")))
}

/// Returns the numbers of the rounds of a row: at least `least`, and more until its share of the time is over.
fn rounds(least: u64) -> impl Iterator<Item = u64> {
    let end = Instant::now() + Duration::from_secs_f64(number("ATTACK_SECONDS", 45) as f64 / ROWS);
    (0..).take_while(move |round| *round < least || Instant::now() < end)
}

/// Random numbers that depend on the seed and the row.
struct Random(u64);
impl Random {
    fn of(row: &str) -> Self {
        let seed = number("ATTACK_SEED", 1);
        eprintln!("{row}: ATTACK_SEED={seed}");
        let mixed =
            row.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self(mixed | 1)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % n
    }
    /// Waits for at most this many microseconds: the moment of a kill.
    fn wait(&mut self, most: u64) {
        std::thread::sleep(Duration::from_micros(self.below(most)));
    }
}

/// A process that is killed when the row ends, even if it fails.
struct Process(Child);
impl Drop for Process {
    fn drop(&mut self) {
        let _it_may_have_ended = self.0.kill();
        self.0.wait().unwrap();
    }
}
impl Process {
    fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
    fn code(&mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }
}

fn all_end_well(processes: Vec<Process>) {
    let codes: Vec<_> = processes.into_iter().map(|mut p| p.code()).collect();
    assert!(codes.iter().all(|code| *code == Some(0)), "{codes:?}");
}

/// The variable with the task of a child process, which is this program.
const TASK: &str = "ATTACK_TASK";

/// Starts a task of [`workers`] in a child process.
fn worker(directory: &Path, task: &str, arguments: &[&str]) -> Process {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_process", "--nocapture"]).stdout(Stdio::null()).current_dir(directory);
    Process(command.env(TASK, [&[task], arguments].concat().join("\u{1f}")).spawn().unwrap())
}

/// The entry point of child processes; without a task it writes alone.
#[test]
fn child_process() {
    match std::env::var(TASK) {
        Ok(task) => workers::run(&task.split('\u{1f}').collect::<Vec<_>>()),
        Err(_) => workers::alone(),
    }
}

fn zarr_command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
    command.args(args).env("ZARR_PLUGINS", "off");
    command
}

fn start(args: &[&str]) -> Process {
    Process(zarr_command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// The result of a command.
struct Ran {
    code: Option<i32>,
    out: Vec<u8>,
    said: String,
}

/// Runs a command, which must not hang, panic or abort.
fn ran(command: &mut Command) -> Ran {
    let (mut out, mut err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdin(Stdio::null()).stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    let mut process = Process(command.spawn().unwrap());
    let deadline = Instant::now() + Duration::from_secs(90);
    while process.is_running() {
        assert!(Instant::now() < deadline, "{command:?} hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
    let bytes = |file: &mut std::fs::File| {
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    };
    let (out, said) = (bytes(&mut out), String::from_utf8_lossy(&bytes(&mut err)).into_owned());
    let code = process.code();
    assert!(code.is_some() && code != Some(101), "{command:?} ended with {code:?}: {said}");
    Ran { code, out, said }
}

fn ozarr(args: &[&str]) -> Ran {
    ran(&mut zarr_command(args))
}

/// Runs a command that must succeed, and returns its standard output.
fn ok(args: &[&str]) -> String {
    let Ran { code, out, said } = ozarr(args);
    let out = String::from_utf8(out).unwrap();
    assert_eq!(code, Some(0), "{args:?}: {out}{said}");
    out
}

/// Runs a command that must fail or find problems, and returns everything that it printed.
fn refused(args: &[&str]) -> String {
    let Ran { code, out, said } = ozarr(args);
    let all = String::from_utf8_lossy(&out).into_owned() + &said;
    let is_expected = match args[0] {
        "validate" => code == Some(1),
        // Depends on whether the node exists.
        "tree" | "repair" => matches!(code, Some(1 | 3)),
        _ => code == Some(3),
    };
    assert!(is_expected, "{args:?} ended with {code:?}: {all}");
    all
}

/// Checks that a store has no problems, and no entries that are not keys.
fn is_well(store: &str) {
    ok(&["validate", "--data", store]);
    let left: Vec<_> = common::files(store).into_iter().filter(|f| f.to_string_lossy().contains("__zarr")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Removes the leftovers of killed processes, after which the store has no problems.
fn is_well_after_repair(store: &str) {
    ok(&["repair", "--apply", store]);
    is_well(store);
}
