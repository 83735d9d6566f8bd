//! The results of a run, and the formats of reports.

mod expectations;
mod formats;

pub use expectations::Expectations;
pub use formats::Format;

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The subject has the property.
    Pass,
    /// The subject is wrong; the text describes how.
    Fail(String),
    /// The subject is wrong, as [`Expectations`] expect.
    Known(String),
    /// The subject reports that it does not support this; the text is the reason.
    Unsupported(String),
}

impl Outcome {
    /// Returns `pass`, `fail`, `known` or `unsupported`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Known(_) => "known",
            Self::Unsupported(_) => "unsupported",
        }
    }
    /// Returns the finding, or the reason why the case is unsupported; empty for a pass.
    pub fn text(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(text) | Self::Known(text) | Self::Unsupported(text) => text,
        }
    }
}

/// The record of a case that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The id of the case, which does not change from run to run.
    pub id: String,
    /// The id of the clause in `clauses.toml` that the case tests. Empty if no specification requires it.
    pub clause: String,
    /// The outcome of the case.
    pub outcome: Outcome,
    /// The duration of the case in seconds.
    pub seconds: f64,
}

/// The result of a run on one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The name of the subject, such as `codec zstd`, `store memory` or `zarr-python`.
    pub subject: String,
    /// The version of the subject; empty if it is unknown.
    pub version: String,
    /// The seed of random choices.
    pub seed: u64,
    /// The cases, in the order in which they ran.
    pub records: Vec<Record>,
}

/// The number of cases with each outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// The number of passes.
    pub pass: usize,
    /// The number of failures that were not expected.
    pub fail: usize,
    /// The number of failures that were expected.
    pub known: usize,
    /// The number of unsupported cases.
    pub unsupported: usize,
}

impl Report {
    /// Creates a report without cases.
    pub fn new(subject: impl Into<String>, version: impl Into<String>, seed: u64) -> Self {
        Self { subject: subject.into(), version: version.into(), seed, records: Vec::new() }
    }
    /// Counts the cases with each outcome.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for record in &self.records {
            match record.outcome {
                Outcome::Pass => counts.pass += 1,
                Outcome::Fail(_) => counts.fail += 1,
                Outcome::Known(_) => counts.known += 1,
                Outcome::Unsupported(_) => counts.unsupported += 1,
            }
        }
        counts
    }
    /// Returns the cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)))
    }
}
