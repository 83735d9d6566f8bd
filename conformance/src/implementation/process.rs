//! Runs commands of an implementation: starts them, monitors them, and ends them after their time limit.

use crate::wait::wait;
use ozarr::{
    Error, Result,
    zarr_core::{
        json::{Json, Object},
        limits::Limits,
    },
};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The command succeeded; the text is its standard output.
    Done(String),
    /// The command does not support this; the text is the reason.
    Unsupported(String),
    /// The command refused; the text is the reason.
    Refused(String),
    /// The command crashed, exceeded its time limit, or did not keep the contract.
    Broken(String),
}

/// The approximate maximum number of characters of standard error in a result.
const STDERR_LIMIT: usize = 2000;

/// Runs a command in its own folder, and returns its result.
pub(super) fn once(command: &[String], limit: Duration, scratch: &Path) -> Result<Answer> {
    let (out, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
    let mut child = match start(command, Stdio::null(), File::create(&out)?.into(), &stderr) {
        Ok(child) => child,
        Err(e) => return Ok(Answer::Broken(e.to_string())),
    };
    let Some(status) = wait(&mut child, limit, || Ok(0))? else {
        end(&mut child);
        return Ok(Answer::Broken(format!("it was not done after {} s", limit.as_secs_f64())));
    };
    let stderr = read_stderr(&stderr);
    Ok(match status.code() {
        Some(0) => match String::from_utf8(fs::read(&out)?) {
            Ok(text) => Answer::Done(text),
            Err(_) => Answer::Broken("its output is not UTF-8".into()),
        },
        Some(2) => Answer::Unsupported(stderr),
        // Rust exits with 101 after a panic; shells and wrappers exit with 128 or more after a signal.
        Some(101 | 128..) => Answer::Broken(format!("it crashed ({status}): {stderr}")),
        Some(_) => Answer::Refused(stderr),
        None => Answer::Broken(format!("it crashed ({status}): {stderr}")),
    })
}

fn start(command: &[String], input: Stdio, output: Stdio, stderr: &Path) -> Result<Child> {
    let (program, arguments) = command.split_first().ok_or_else(|| Error::argument("a command without a program"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(input).stdout(output).stderr(File::create(stderr)?);
    // The command gets its own process group, so that all processes that it starts can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|e| Error::argument(format!("`{program}` cannot be started: {e}")))
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    let _none_left =
        Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    let _ended_already = child.kill();
    let _ended_already = child.wait();
}

/// Returns the end of standard error, which usually contains the reason.
fn read_stderr(file: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).trim().to_owned();
    match text.char_indices().rev().nth(STDERR_LIMIT) {
        Some((at, _)) => format!("...{}", &text[at..]),
        None => text,
    }
}

/// A process that runs one command after the other.
#[derive(Debug)]
pub(super) struct Session {
    process: Child,
    requests: ChildStdin,
    replies: Receiver<std::io::Result<String>>,
    stderr: PathBuf,
}

impl Session {
    /// Starts the process. Its standard error goes to a file in this folder.
    pub(super) fn start(command: &[String], scratch: &Path) -> Result<Self> {
        let stderr = scratch.join("session-stderr");
        let mut process = start(command, Stdio::piped(), Stdio::piped(), &stderr)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, out) = pipes.ok_or_else(|| Error::argument("a session has no pipes"))?;
        let (sender, replies) = channel();
        // Only a thread can wait for a line with a time limit. It ends with the process.
        thread::spawn(move || BufReader::new(out).lines().try_for_each(|line| sender.send(line)));
        Ok(Self { process, requests, replies, stderr })
    }
    /// Sends a command and waits for its result. The session is returned only if it can be used again.
    pub(super) fn ask(mut self, arguments: &[&str], limit: Duration) -> (Answer, Option<Self>) {
        let request: Json = arguments.iter().map(|a| Json::from(*a)).collect();
        if let Err(e) = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush()) {
            return (self.gone(&e.to_string()), None);
        }
        match self.replies.recv_timeout(limit) {
            Ok(Ok(line)) => match answer(&line) {
                Some(answer) => (answer, Some(self)),
                None => (Answer::Broken(format!("its session replied {line:?}, not {REPLY}")), None),
            },
            Err(RecvTimeoutError::Timeout) => {
                (Answer::Broken(format!("it was not done after {} s", limit.as_secs_f64())), None)
            }
            Ok(Err(e)) => (self.gone(&e.to_string()), None),
            Err(RecvTimeoutError::Disconnected) => (self.gone("no reply"), None),
        }
    }
    fn gone(&mut self, why: &str) -> Answer {
        // A process that closed its output is about to end. Its exit status belongs in the message.
        let begin = Instant::now();
        let mut status: Option<ExitStatus> = None;
        while status.is_none() && begin.elapsed() < Duration::from_secs(2) {
            status = self.process.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(2));
        }
        let how = status.map_or_else(|| why.to_owned(), |s| s.to_string());
        Answer::Broken(format!("it crashed ({how}): {}", read_stderr(&self.stderr)))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

const REPLY: &str = r#"{"status": 0, 1 or 2, "text": ".."}"#;

fn answer(line: &str) -> Option<Answer> {
    let reply = Json::parse(line.as_bytes(), &Limits::default()).ok()?;
    let reply: &Object = reply.as_object()?;
    let text = reply.get("text").map_or(Some(""), Json::as_str)?.trim().to_owned();
    match reply.get("status")?.as_u64()? {
        0 => Some(Answer::Done(String::new())),
        1 => Some(Answer::Refused(text)),
        2 => Some(Answer::Unsupported(text)),
        _ => None,
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "in a test that is how to fail")]
mod tests {
    use super::*;

    fn sh(script: &str) -> Answer {
        let dir = tempfile::tempdir().unwrap();
        let command = ["sh", "-c", script].map(str::to_owned);
        once(&command, Duration::from_secs(1), dir.path()).unwrap()
    }

    #[test]
    fn exit_statuses_determine_answers() {
        assert_eq!(sh("echo 7"), Answer::Done("7\n".into()));
        assert_eq!(sh("echo why >&2; exit 2"), Answer::Unsupported("why".into()));
        assert_eq!(sh("echo why >&2; exit 7"), Answer::Refused("why".into()));
        let Answer::Broken(why) = sh("kill -SEGV $$") else { unreachable!() };
        assert!(why.contains("crashed") && why.contains("signal"), "{why}");
    }
    #[test]
    fn a_hanging_command_is_killed_with_its_children() {
        let begin = Instant::now();
        assert_eq!(sh("sleep 60 & sleep 60"), Answer::Broken("it was not done after 1 s".into()));
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}
