//! What a run found, and the forms in which it is told.

mod expectations;
mod formats;

pub use expectations::Expectations;
pub use formats::Format;

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All is right.
    Pass,
    /// The subject is wrong.
    Fail(String),
    /// The subject is wrong, as [`Expectations`] say it is.
    Known(String),
    /// The subject does not do this, and says so.
    Unsupported(String),
}

impl Outcome {
    /// `pass`, `fail`, `known` or `unsupported`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Known(_) => "known",
            Self::Unsupported(_) => "unsupported",
        }
    }
    /// What was found, or why it is unsupported; empty for a pass.
    pub fn text(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(text) | Self::Known(text) | Self::Unsupported(text) => text,
        }
    }
}

/// A case that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its id, which does not change from run to run.
    pub id: String,
    /// The clause of `clauses.toml` that it tests; may be empty for what no specification says.
    pub clause: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was checked: `codec zstd`, `store memory`, `zarr-python`.
    pub subject: String,
    /// Its version, as far as it is known.
    pub version: String,
    /// What random choices began with.
    pub seed: u64,
    /// Its cases, in the order in which they were run.
    pub records: Vec<Record>,
}

/// How many cases came out in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All is right.
    pub pass: usize,
    /// The subject is wrong.
    pub fail: usize,
    /// The subject is wrong, as was expected.
    pub known: usize,
    /// The subject does not do this.
    pub unsupported: usize,
}

impl Report {
    /// A report without cases.
    pub fn new(subject: impl Into<String>, version: impl Into<String>, seed: u64) -> Self {
        Self { subject: subject.into(), version: version.into(), seed, records: Vec::new() }
    }
    /// How many cases came out in which way.
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
    /// The cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)))
    }
}
