//! Other implementations as running processes: `peers/peer.py` in its own Python environment.
//!
//! The environment is created once below `target/`, from `peers/requirements.txt`. If something is missing, that is an
//! error, never a reason to skip a test.

use ozarr::{
    Error, Result,
    zarr_core::{
        json::{Json, Object},
        limits::Limits,
    },
};
use std::{
    fs::{self, File},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::OnceLock,
};

/// A running peer.
#[derive(Debug)]
pub struct Peer {
    name: &'static str,
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// The reply of a peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The request succeeded.
    Done,
    /// The peer does not know the data type or a codec.
    Unsupported(String),
    /// The request failed.
    Failed(String),
}

impl Peer {
    /// Starts `zarr-python` or `tensorstore`.
    ///
    /// # Errors
    /// If the Python environment cannot be created, or the peer cannot be started.
    pub fn start(name: &'static str) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/peer.py");
        let mut process =
            Command::new(python()?).arg(script).arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, replies) = pipes.ok_or_else(|| Error::argument("a peer has no pipes"))?;
        Ok(Self { name, process, requests, replies: BufReader::new(replies) })
    }
    /// Returns the name with which the peer was started.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Sends a request and waits for the reply.
    ///
    /// # Errors
    /// If the peer has ended, or its reply is malformed.
    pub fn ask(&mut self, request: &Object) -> Result<Reply> {
        writeln!(self.requests, "{}", Json::Object(request.clone()))?;
        self.requests.flush()?;
        let mut line = String::new();
        self.replies.read_line(&mut line)?;
        let reply = Json::parse(line.trim().as_bytes(), &Limits::default()).map_err(|e| {
            Error::argument(format!("{} did not reply to {}: {e}", self.name, Json::Object(request.clone())))
        })?;
        let text = |member: &str| {
            let found = reply.as_object().and_then(|o| o.get(member)).and_then(Json::as_str);
            found.unwrap_or_default().to_owned()
        };
        Ok(match text("status").as_str() {
            "done" => Reply::Done,
            "unsupported" => Reply::Unsupported(text("reason")),
            _ => Reply::Failed(text("reason")),
        })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ended_already = self.process.kill();
        let _ended_already = self.process.wait();
    }
}

/// Returns the folder for build results.
pub(crate) fn target() -> PathBuf {
    // A program that was built from the package has no workspace around it.
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let here = if workspace.join("ozarr-cli").is_dir() { workspace } else { PathBuf::new() };
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("target"), PathBuf::from)
}

/// Runs a Python script in the peers' environment, and returns its standard output.
///
/// # Errors
/// If the environment cannot be created, or the script fails.
pub fn script(script: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(python()?).arg(script).args(arguments).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(Error::argument(format!("{} {arguments:?} failed: {}", script.display(), stderr.trim())))
}

/// Returns the Python interpreter of an environment with all packages that the peers need. Creates the environment if
/// it does not exist.
pub(crate) fn python() -> Result<PathBuf> {
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/requirements.txt");
    let text = fs::read_to_string(&requirements)?;
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&text);
    let target = target();
    let dir = target.join(format!("peers-{hash:016x}"));
    let interpreter = dir.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    fs::create_dir_all(&target)?;
    // Several test programs may reach this at the same time.
    let lock = File::create(target.join("peers.lock"))?;
    lock.lock()?;
    let complete = dir.join("complete");
    if !complete.exists() {
        let _none_before = fs::remove_dir_all(&dir);
        run(Command::new("python3").args(["-m", "venv"]).arg(&dir))?;
        run(Command::new(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&requirements))?;
        fs::write(complete, text)?;
    }
    Ok(interpreter)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| {
        Error::from(e).with_hint("the peers need Python 3.11 with venv and pip, and a package index to install from")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let e = Error::argument(format!("{command:?} failed: {}", stderr.trim()));
    Err(e.with_hint("the peers need Python 3.11 with venv and pip, and a package index to install from"))
}

/// Returns the path of the `ozarr` command of this project: the one in the variable OZARR, or one that is built from
/// this tree.
///
/// # Errors
/// If it cannot be built.
pub fn ozarr() -> Result<PathBuf> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(program) = std::env::var_os("OZARR") {
        return Ok(program.into());
    }
    if let Some(program) = BUILT.get() {
        return Ok(program.clone());
    }
    // The profile and the features of tests: cargo has built it already, unless only this package is tested.
    let (profile, folder) = if cfg!(debug_assertions) { ("test", "debug") } else { ("release", "release") };
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "ozarr", "--profile", profile]);
    build.arg("--manifest-path").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    let output = build.arg("--target-dir").arg(target()).output()?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let e = Error::argument(format!("ozarr could not be built: {}", stderr.trim()));
        return Err(e.with_hint("set OZARR to an `ozarr` command that is built"));
    }
    let program = target().join(folder).join(format!("ozarr{}", std::env::consts::EXE_SUFFIX));
    Ok(BUILT.get_or_init(|| program).clone())
}
