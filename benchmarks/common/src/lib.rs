//! Shared by the programs under measurement: jobs arrive as lines of JSON on standard input, and answers are written to
//! standard output.

use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
    time::Instant,
};

pub type Failure = Box<dyn std::error::Error>;

/// The kind of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Creates the array at `path` without chunks; `codecs` are those of the (inner) chunks.
    Create,
    /// Reads each region into newly allocated memory.
    Read,
    /// Reads each region into existing memory that was touched before.
    ReadInto,
    /// Writes `data` as the whole array.
    Write,
    /// Writes increasing numbers to each region.
    Update,
    /// Copies `from` to `path`.
    Copy,
    /// Lists the hierarchy at `path`, opens every array and reads its attributes.
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    pub start: [u64; 3],
    pub shape: [u64; 3],
}

impl Region {
    pub fn len(&self) -> usize {
        self.shape.iter().product::<u64>() as usize
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    pub task: Task,
    pub path: PathBuf,
    #[serde(default)]
    pub from: PathBuf,
    #[serde(default)]
    pub data: PathBuf,
    #[serde(default)]
    pub regions: Vec<Region>,
    /// Use one thread instead of all.
    #[serde(default)]
    pub one_thread: bool,
    #[serde(default)]
    pub shape: [u64; 3],
    #[serde(default)]
    pub chunk: [u64; 3],
    #[serde(default)]
    pub shard: Option<[u64; 3]>,
    #[serde(default)]
    pub codecs: String,
}

/// The result of a job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub seconds: f64,
    /// A checksum of everything that was read, in order.
    #[serde(default)]
    pub check: u32,
    /// The peak of resident memory beyond that before the job, in bytes.
    #[serde(default)]
    pub peak: u64,
    /// The number of system calls that read.
    #[serde(default)]
    pub reads: u64,
    #[serde(default)]
    pub error: Option<String>,
}

/// Measures the parts of a job that count.
pub struct Meter {
    answer: Answer,
    check: crc32fast::Hasher,
    before: u64,
}

impl Meter {
    pub fn time<T>(&mut self, f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let start = Instant::now();
        let out = f()?;
        self.answer.seconds += start.elapsed().as_secs_f64();
        Ok(out)
    }
    pub fn check(&mut self, bytes: &[u8]) {
        self.check.update(bytes);
    }
}

/// Returns a number of `/proc/self/status` in bytes, or 0 if it is missing.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(name));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn system_reads() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap_or_default();
    text.lines().find_map(|l| l.strip_prefix("syscr: ")?.parse().ok()).unwrap_or(0)
}

/// Runs jobs until there are no more.
pub fn serve(mut run: impl FnMut(&Job, &mut Meter) -> Result<(), Failure>) -> Result<(), Failure> {
    for line in io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        // Resets the peak.
        let _only_on_linux = fs::write("/proc/self/clear_refs", "5");
        let mut meter = Meter { answer: Answer::default(), check: Default::default(), before: status("VmRSS:") };
        let reads = system_reads();
        let done = run(&job, &mut meter);
        let mut answer = Answer { check: meter.check.finalize(), ..meter.answer };
        answer.reads = system_reads() - reads;
        answer.peak = status("VmHWM:").saturating_sub(meter.before);
        answer.error = done.err().map(|e| e.to_string());
        let mut out = io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        out.flush()?;
    }
    Ok(())
}

/// The elements of a file, cached for the next job.
#[derive(Default)]
pub struct Data {
    path: PathBuf,
    elements: Vec<u16>,
}

impl Data {
    pub fn load(&mut self, path: &Path) -> Result<&[u16], Failure> {
        if self.path != path {
            let bytes = fs::read(path)?;
            self.elements = bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect();
            self.path = path.to_owned();
        }
        Ok(&self.elements)
    }
}

/// Returns the elements that an update writes to the `i`-th region.
pub fn counting(i: usize, len: usize) -> Vec<u16> {
    (0..len).map(|k| (k + i) as u16).collect()
}
