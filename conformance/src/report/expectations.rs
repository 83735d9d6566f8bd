//! Failures that are known.

use super::{Outcome, Report};
use std::{collections::BTreeMap, path::Path};
use zarr_array::{Error, Result};

/// Cases that are known to fail, each with the reason. As a file in TOML:
///
/// ```
/// let text = r#"
/// [fail]
/// "read/codec/gzip/zarr-python-two-members" = "reads the first member only"
/// "#;
/// let expectations = zarr_conformance::report::Expectations::parse(text)?;
/// # Ok::<(), zarr_array::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectations {
    fail: BTreeMap<String, String>,
}

impl Expectations {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is not of the form above.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| Error::configuration(e.to_string()))
    }
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not of the form above.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at_key(file.display()))?;
        Self::parse(&text).map_err(|e| e.at_key(file.display()))
    }
    /// Failures that were expected are known ones now; a case that passes though it was expected to fail has failed. Of
    /// a run of `all` cases, so has an expectation of a case that there is not.
    pub fn apply(&self, report: &mut Report, all: bool) {
        let mut unmet = self.fail.clone();
        for record in &mut report.records {
            let Some(reason) = unmet.remove(&record.id) else { continue };
            record.outcome = match std::mem::replace(&mut record.outcome, Outcome::Pass) {
                Outcome::Fail(what) => Outcome::Known(format!("{reason}: {what}")),
                other => Outcome::Fail(format!("it was expected to fail ({reason}), and did not: {}", other.word())),
            };
        }
        if all {
            let missing = |(id, reason)| super::Record {
                outcome: Outcome::Fail(format!("there is no such case, though it was expected to fail ({reason})")),
                id,
                clause: String::new(),
                seconds: 0.0,
            };
            report.records.extend(unmet.into_iter().map(missing));
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
    fn what_is_expected_is_known_and_what_is_not_fails() {
        let expected = Expectations::parse("[fail]\na = 'x'\nb = 'y'\nd = 'z'").unwrap();
        let fail = || Outcome::Fail("no".into());
        let mut found = report(&[("a", fail()), ("b", Outcome::Pass), ("c", fail())]);
        expected.apply(&mut found, true);
        let words: Vec<_> = found.records.iter().map(|r| (r.id.as_str(), r.outcome.word())).collect();
        assert_eq!(words, [("a", "known"), ("b", "fail"), ("c", "fail"), ("d", "fail")]);
        let mut part = report(&[("a", fail())]);
        expected.apply(&mut part, false);
        assert_eq!(part.counts().known, 1);
        assert_eq!(part.records.len(), 1);
    }
    #[test]
    fn unknown_tables_are_refused() {
        assert!(Expectations::parse("[pass]\na = 'x'").is_err());
    }
}
