//! The programs under measurement, each a process that runs jobs.

use common::{Answer, Failure, Job};
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The programs under measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Limit,
    Ours,
    Zarrs,
    TensorStore,
    ZarrPythonZarrs,
    ZarrPython,
}

impl Subject {
    pub const ALL: [Subject; 6] =
        [Self::Limit, Self::Ours, Self::Zarrs, Self::TensorStore, Self::ZarrPythonZarrs, Self::ZarrPython];

    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Ours => "ours",
            Self::Zarrs => "zarrs",
            Self::TensorStore => "tensorstore",
            Self::ZarrPythonZarrs => "zarr-python+zarrs",
            Self::ZarrPython => "zarr-python",
        }
    }
    pub fn is_peer(self) -> bool {
        !matches!(self, Self::Limit | Self::Ours)
    }
    fn in_python(self) -> bool {
        matches!(self, Self::TensorStore | Self::ZarrPythonZarrs | Self::ZarrPython)
    }
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(command: &mut Command) -> Result<(), Failure> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed").into()),
    }
}

/// Builds each program separately, so that none gets features that another requested.
pub fn build(subjects: &[Subject]) -> Result<(), Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let package = |name: &str| {
        let mut command = Command::new(&cargo);
        command.current_dir(here()).args(["build", "--release", "--locked", "--quiet", "-p", name]);
        command
    };
    for subject in subjects {
        eprintln!("building {}", subject.name());
        match subject {
            // For this processor: the best that the libraries can do.
            Subject::Limit => {
                run(package("limit").args(["--target-dir", "target/native"]).env("RUSTFLAGS", "-Ctarget-cpu=native"))?;
            }
            Subject::Ours => run(&mut package("ours"))?,
            Subject::Zarrs => run(&mut package("zarrs-worker"))?,
            _ => {
                python()?;
            }
        }
    }
    Ok(())
}

/// Returns the interpreter of an environment with the Python peers.
fn python() -> Result<PathBuf, Failure> {
    let (folder, requirements) = (here().join("target/python"), here().join("requirements.txt"));
    let (python, done) = (folder.join("bin/python"), folder.join("requirements.txt"));
    if std::fs::read(&done).ok() != Some(std::fs::read(&requirements)?) {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&requirements))?;
        std::fs::copy(&requirements, &done)?;
    }
    Ok(python)
}

pub struct Worker {
    pub subject: Subject,
    pub one_thread: bool,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    pub fn start(subject: Subject, one_thread: bool) -> Result<Self, Failure> {
        let mut command = match subject {
            Subject::Limit => Command::new(here().join("target/native/release/limit")),
            Subject::Ours => Command::new(here().join("target/release/ours")),
            Subject::Zarrs => Command::new(here().join("target/release/zarrs-worker")),
            _ => Command::new(python()?),
        };
        if subject.in_python() {
            command.arg(here().join("peers.py")).arg(subject.name());
        }
        if one_thread {
            command.env("RAYON_NUM_THREADS", "1");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a process without pipes".into());
        };
        Ok(Self { subject, one_thread, child, input, output: BufReader::new(output) })
    }
    pub fn ask(&mut self, job: &Job) -> Result<Answer, Failure> {
        writeln!(self.input, "{}", serde_json::to_string(job)?)?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(format!("{} died at {job:?}", self.subject.name()).into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _may_be_gone = self.child.kill();
        let _is_dead = self.child.wait();
    }
}
