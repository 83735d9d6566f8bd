//! Tries random damage and random inputs for a given time. The inputs depend only on the seed, so that a finding can be
//! reproduced.

use super::{
    Ended, Subject,
    journal::{Entry, Journal},
    watch,
};
use crate::check::{Settings, Verdict, broken};
use std::time::Duration;

/// The properties that are tried with random inputs.
pub(super) const PROPERTIES: [&str; 14] = [
    "round-trip",
    "damage",
    "integrity",
    "partial-decode",
    "suspension",
    "update",
    "strides",
    "sizes",
    "fill-from-bytes",
    "fill-from-json",
    "wrong-length",
    "beyond",
    "foreign-keys",
    "injective",
];

/// Runs a child that tries one seed after another.
pub(super) fn run(subject: &Subject, settings: &Settings, time: Duration) -> Verdict {
    let journal = Journal::new()?;
    let mut command = subject.command(settings);
    command.arg("--journal").arg(journal.path()).args(["--fuzz", &time.as_secs_f64().to_string()]);
    let ended = watch(command.spawn()?, subject.patience, || Ok(journal.len()))?;
    let entries = journal.entries()?;
    let seed = entries.iter().rev().find_map(|e| match e {
        Entry::Begun { id, .. } => Some(id.clone()),
        _ => None,
    });
    let seed = seed.unwrap_or_default();
    let again = |what: &str| broken(format!("{what}; to reproduce it: --seed {seed} --fuzz 0"));
    match (ended, entries.last()) {
        (Ended::Badly(how), _) => again(&how),
        (_, Some(Entry::Done(record))) => again(&format!("{}: {}", record.id, record.outcome.text())),
        _ => Ok(()),
    }
}
