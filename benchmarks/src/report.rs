//! The results: a table, JSON, and the figures in both.

use crate::worker::Subject;
use serde::Serialize;

/// One subject in one row.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Cell {
    pub subject: &'static str,
    pub seconds: Vec<f64>,
    /// The median.
    pub median: f64,
    /// The difference between the slowest and the fastest time, as a fraction of the median.
    pub spread: f64,
    /// GB of decoded data per second.
    pub rate: f64,
    /// The number of system calls that read.
    pub reads: u64,
    /// Resident memory beyond that before the work, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// One workload on one layout.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub workload: &'static str,
    pub layout: String,
    pub bytes: u64,
    pub cells: Vec<Cell>,
}

impl Cell {
    pub fn finish(&mut self, bytes: u64) {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        if let (Some(first), Some(last)) = (sorted.first(), sorted.last()) {
            let n = sorted.len();
            self.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
            self.spread = (last - first) / self.median;
            self.rate = bytes as f64 / self.median / 1e9;
        }
    }
}

impl Row {
    pub fn of(&self, subject: Subject) -> Option<&Cell> {
        self.cells.iter().find(|c| c.subject == subject.name() && !c.seconds.is_empty())
    }
    /// Returns the fastest peer.
    pub fn fastest_peer(&self) -> Option<&Cell> {
        let peers = Subject::ALL.into_iter().filter(|s| s.is_peer()).filter_map(|s| self.of(s));
        peers.min_by(|a, b| a.median.total_cmp(&b.median))
    }
    /// Returns our time relative to the limit.
    pub fn of_limit(&self) -> Option<f64> {
        Some(self.of(Subject::Ours)?.median / self.of(Subject::Limit)?.median)
    }
    /// Returns the time of the fastest peer relative to ours.
    pub fn of_peer(&self) -> Option<f64> {
        Some(self.fastest_peer()?.median / self.of(Subject::Ours)?.median)
    }
}

fn seconds(cell: Option<&Cell>) -> String {
    cell.map_or_else(
        || "-".into(),
        |c| if c.median < 0.01 { format!("{:.4}", c.median) } else { format!("{:.3}", c.median) },
    )
}

fn ratio(r: Option<f64>) -> String {
    r.map_or_else(|| "-".into(), |r| format!("{r:.2}"))
}

/// Explains the tables, and describes the machine.
pub fn legend(side: u64, repeats: usize, slow: f64) -> Result<String, common::Failure> {
    let machine = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = machine
        .lines()
        .find_map(|l| l.strip_prefix("model name"))
        .map_or("?", |l| l.trim_start_matches([' ', '\t', ':']));
    let threads = std::thread::available_parallelism()?;
    Ok(format!(
        "{side} x {side} x {side} 16-bit integers, {threads} threads of {name}, files in the page cache. Seconds: the median of \
         {repeats} interleaved runs, or of 2 for a program that takes more than {slow} s. Spread: the difference between our slowest and \
         fastest run, relative to the median. GB/s: our rate of decoded data. In `read-into`, a program that cannot read into memory of \
         the caller has its time of `read-all`. Versions: `requirements.txt` and `Cargo.lock`.\n"
    ))
}

pub fn memory_header(subjects: &[Subject]) -> String {
    let names: String = subjects.iter().map(|s| format!(" {} |", s.name())).collect();
    format!("| workload | layout |{names}\n|---|---|{}", "---|".repeat(subjects.len()))
}

pub fn header(subjects: &[Subject]) -> String {
    let mut line = String::from("| workload | layout |");
    let mut under = String::from("|---|---|");
    for s in subjects {
        line += &format!(" {} |", s.name());
        under += "---|";
    }
    format!("{line} ours / limit | fastest peer / ours | spread | GB/s |\n{under}---|---|---|---|")
}

pub fn line(row: &Row, subjects: &[Subject]) -> String {
    let mut line = format!("| {} | {}", row.workload, row.layout);
    if row.workload == "read-plane" {
        let reads = |s: &Subject| row.of(*s).map_or_else(|| "-".into(), |c| c.reads.to_string());
        line += &format!(" ({} reads)", subjects.iter().map(reads).collect::<Vec<_>>().join(" / "));
    }
    line += " |";
    for s in subjects {
        line += &format!(" {} |", seconds(row.of(*s)));
    }
    let (ours, limit, peer) = (row.of(Subject::Ours), ratio(row.of_limit()), ratio(row.of_peer()));
    let spread = ours.map_or_else(String::new, |c| format!("{:.0} %", c.spread * 100.0));
    let rate = ours.filter(|_| row.bytes > 0).map_or_else(String::new, |c| format!("{:.2}", c.rate));
    line + &format!(" {limit} | {peer} | {spread} | {rate} |")
}

/// Formats a row of memory: MiB beyond those before the work.
pub fn memory_line(row: &Row, subjects: &[Subject]) -> String {
    let mut line = format!("| {} | {} |", row.workload, row.layout);
    for s in subjects {
        let peak = row.cells.iter().find(|c| c.subject == s.name() && c.failed.is_none()).and_then(|c| c.peak);
        line += &peak.map_or_else(|| " - |".into(), |p| format!(" {} |", p >> 20));
    }
    line
}
