//! Known failures.

use super::{Outcome, Report};
use ozarr::{Error, Result};
use std::{collections::BTreeMap, path::Path};

/// Cases that are known to fail, each with the reason. Files of them are in TOML:
///
/// ```
/// let text = r#"
/// [fail]
/// "read/codec/gzip/zarr-python-two-members" = "reads the first member only"
/// "#;
/// let expectations = zarr_conformance::report::Expectations::parse(text)?;
/// # Ok::<(), ozarr::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectations {
    fail: BTreeMap<String, String>,
}

impl Expectations {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// If it does not have the form above.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| Error::configuration(e.to_string()))
    }
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or does not have the form above.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at_key(file.display()))?;
        Self::parse(&text).map_err(|e| e.at_key(file.display()))
    }
    /// Changes expected failures to [`Outcome::Known`], and adds failures for expectations that were not met.
    ///
    /// A case that was expected to fail but failed for no subject becomes a failure. If the reports contain a run of
    /// `all` cases, an expectation for a case that does not exist becomes a failure too.
    pub fn apply(&self, reports: &mut [Report], all: bool) {
        for (id, reason) in &self.fail {
            let of = || {
                reports.iter().enumerate().flat_map(|(i, r)| r.records.iter().enumerate().map(move |(j, r)| (i, j, r)))
            };
            let found: Vec<_> =
                of().filter(|(_, _, r)| r.id == *id).map(|(i, j, r)| (i, j, r.outcome.clone())).collect();
            let failed = found.iter().any(|(_, _, outcome)| matches!(outcome, Outcome::Fail(_)));
            for (i, j, outcome) in &found {
                reports[*i].records[*j].outcome = match outcome {
                    Outcome::Fail(what) => Outcome::Known(format!("{reason}: {what}")),
                    other if failed => other.clone(),
                    other => Outcome::Fail(format!("expected to fail ({reason}), but the result is: {}", other.word())),
                };
            }
            if let (true, true, Some(first)) = (all, found.is_empty(), reports.first_mut()) {
                first.records.push(super::Record {
                    id: id.clone(),
                    clause: String::new(),
                    outcome: Outcome::Fail(format!("there is no such case, but it was expected to fail ({reason})")),
                    seconds: 0.0,
                });
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test that is how to fail")]
mod tests {
    use super::*;
    use crate::report::Record;

    fn report(outcomes: &[(&str, Outcome)]) -> Report {
        let mut report = Report::new("s", "", 0);
        let record = |(id, outcome): &(&str, Outcome)| Record {
            id: (*id).to_owned(),
            clause: String::new(),
            outcome: outcome.clone(),
            seconds: 0.0,
        };
        report.records = outcomes.iter().map(record).collect();
        report
    }

    #[test]
    fn expected_failures_are_known_and_others_fail() {
        let expected = Expectations::parse("[fail]\na = 'x'\nb = 'y'\nd = 'z'").unwrap();
        let fail = || Outcome::Fail("no".into());
        // Another subject may pass a case that one subject fails.
        let other = report(&[("a", Outcome::Pass)]);
        let mut found = [report(&[("a", fail()), ("b", Outcome::Pass), ("c", fail())]), other];
        expected.apply(&mut found, true);
        assert_eq!(found[1].counts().pass, 1);
        let words: Vec<_> = found[0].records.iter().map(|r| (r.id.as_str(), r.outcome.word())).collect();
        assert_eq!(words, [("a", "known"), ("b", "fail"), ("c", "fail"), ("d", "fail")]);
        let mut part = [report(&[("a", fail())])];
        expected.apply(&mut part, false);
        assert_eq!((part[0].counts().known, part[0].records.len()), (1, 1));
    }
    #[test]
    fn unknown_tables_are_refused() {
        assert!(Expectations::parse("[pass]\na = 'x'").is_err());
    }
}
