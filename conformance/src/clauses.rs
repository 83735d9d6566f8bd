//! The clauses of `clauses.toml`: each requirement, the page that states it, and the number of its cases.
//!
//! ```
//! use zarr_conformance::{cases::Cases, clauses::{Clauses, Tallies}};
//! let (clauses, tallies) = (Clauses::embedded()?, Tallies::of(&Cases::embedded())?);
//! assert_eq!(clauses.get("json/utf-8").map(|c| c.page.as_str()), Some("rfc8259"));
//! assert!(clauses.gaps(&tallies).is_empty() && tallies.counted_negatives() > 100);
//! # Ok::<(), ozarr::Error>(())
//! ```

use crate::cases::Cases;
use ozarr::{Error, Result, zarr_core::json::Json};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of negatives of one clause that are counted: many spellings of one mistake do not test more.
pub const COUNTED_NEGATIVES: usize = 5;

/// One requirement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The id, such as `array/shape`.
    pub id: String,
    /// The page that states the requirement: `core`, `codec/gzip`, `registered/zstd`, `rfc8259`; `contract` and `abi`
    /// are pages of this project.
    pub page: String,
    /// The section of the page.
    pub section: String,
    /// The requirement.
    pub requires: String,
    /// The reason for which there cannot be a positive case.
    pub no_positive: Option<String>,
    /// The reason for which there cannot be a negative case.
    pub no_negative: Option<String>,
    /// How the clause is checked, if not by cases of its own.
    pub checked_by: Option<CheckedBy>,
    /// The test that checks the clause, such as `zarr-core/src/name.rs::node_paths`.
    pub test: Option<String>,
}

/// The kinds of checks, other than cases, that a clause may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckedBy {
    /// A property of this suite. A subject that violates it fails a case that names the clause.
    Property,
    /// A test of this project.
    Test,
}

/// All clauses, in the order of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clauses {
    clause: Vec<Clause>,
}

impl Clauses {
    /// Returns the clauses that are built into this program.
    ///
    /// # Errors
    /// If the file is malformed.
    pub fn embedded() -> Result<Self> {
        Self::parse(include_str!("../clauses.toml"))
    }
    fn parse(text: &str) -> Result<Self> {
        let clauses: Self = toml::from_str(text).map_err(|e| Error::metadata(e.to_string()).at_key("clauses.toml"))?;
        let mut seen = BTreeSet::new();
        if let Some(twice) = clauses.clause.iter().find(|c| !seen.insert(&c.id)) {
            return Err(Error::metadata(format!("the clause {} is there twice", twice.id)).at_key("clauses.toml"));
        }
        Ok(clauses)
    }
    /// Returns an iterator over the clauses.
    pub fn iter(&self) -> impl Iterator<Item = &Clause> {
        self.clause.iter()
    }
    /// Returns the clause with this id.
    pub fn get(&self, id: &str) -> Option<&Clause> {
        self.iter().find(|c| c.id == id)
    }
    /// Returns messages for everything that is missing or superfluous: cases of clauses that do not exist, clauses
    /// without positive or negative cases and without a reason for that, and reasons where there are cases.
    pub fn gaps(&self, tallies: &Tallies) -> Vec<String> {
        let unknown = tallies.0.keys().filter(|id| self.get(id).is_none());
        let unknown = unknown.map(|id| format!("{id}: cases name it, and it is not a clause"));
        unknown.chain(self.iter().flat_map(|clause| clause.gaps(tallies.get(&clause.id)))).collect()
    }
}

impl Clause {
    fn gaps(&self, tally: Tally) -> impl Iterator<Item = String> {
        let of = |kind, count, reason: &Option<String>| match (count, reason, self.checked_by) {
            (0, None, None) => Some(format!("{}: no {kind} case, and no reason why", self.id)),
            (0, Some(why), None) if why.is_empty() => Some(format!("{}: an empty reason", self.id)),
            (_, Some(_), Some(_)) => Some(format!("{}: it is checked, which needs no reason", self.id)),
            (1.., Some(_), None) => Some(format!("{}: a reason for no {kind} case, and there is one", self.id)),
            _ => None,
        };
        let negative = of("negative", tally.negatives, &self.no_negative);
        let test = match (self.checked_by, &self.test) {
            (Some(CheckedBy::Test), None) => Some(format!("{}: a test checks it, and none is named", self.id)),
            (None | Some(CheckedBy::Property), Some(_)) => Some(format!("{}: a test that does not check it", self.id)),
            _ => None,
        };
        of("positive", tally.positives, &self.no_positive).into_iter().chain(negative).chain(test)
    }
}

/// The number of cases of a clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of golden arrays, and of valid counterparts of refusals.
    pub positives: usize,
    /// The number of refusals and damaged arrays.
    pub negatives: usize,
}

/// The number of cases of each clause that has any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tallies(BTreeMap<String, Tally>);

impl Tallies {
    /// Counts the cases.
    ///
    /// # Errors
    /// If a case is incomplete or names no clause.
    pub fn of(cases: &Cases) -> Result<Self> {
        let mut tallies = Self::default();
        for golden in cases.goldens()? {
            let clause = golden.about.get("clause").and_then(Json::as_str);
            let clause = clause.ok_or_else(|| Error::metadata("it names no clause").at_key(&golden.id))?;
            tallies.at(clause).positives += 1;
        }
        for refusal in cases.refusals()? {
            let tally = tallies.at(&refusal.clause);
            tally.positives += 1;
            tally.negatives += 1;
        }
        for damage in cases.damages()? {
            tallies.at(&damage.clause).negatives += 1;
        }
        Ok(tallies)
    }
    fn at(&mut self, clause: &str) -> &mut Tally {
        self.0.entry(clause.to_owned()).or_default()
    }
    /// Returns the number of cases of a clause.
    pub fn get(&self, clause: &str) -> Tally {
        self.0.get(clause).copied().unwrap_or_default()
    }
    /// Returns the number of all positives.
    pub fn positives(&self) -> usize {
        self.0.values().map(|t| t.positives).sum()
    }
    /// Returns the number of all negatives, of each clause at most [`COUNTED_NEGATIVES`].
    pub fn counted_negatives(&self) -> usize {
        self.0.values().map(|t| t.negatives.min(COUNTED_NEGATIVES)).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test that is how to fail")]
mod tests {
    use super::*;

    fn gaps(more: &str, positives: usize, negatives: usize) -> Vec<String> {
        let text = format!("[[clause]]\nid = \"a\"\npage = \"core\"\nsection = \"A\"\nrequires = \"b\"\n{more}");
        let tallies = Tallies([("a".to_owned(), Tally { positives, negatives })].into());
        Clauses::parse(&text).unwrap().gaps(&tallies)
    }

    #[test]
    fn gaps_are_reported() {
        assert!(gaps("", 1, 1).is_empty());
        assert_eq!(gaps("", 0, 1), ["a: no positive case, and no reason why"]);
        assert_eq!(gaps("", 1, 0), ["a: no negative case, and no reason why"]);
        assert_eq!(gaps("", 0, 0).len(), 2);
        assert!(gaps("no_negative = \"so\"", 1, 0).is_empty() && gaps("no_positive = \"so\"", 0, 1).is_empty());
        assert_eq!(gaps("no_negative = \"\"", 1, 0), ["a: an empty reason"]);
        assert_eq!(gaps("no_negative = \"so\"", 1, 1), ["a: a reason for no negative case, and there is one"]);
        assert_eq!(gaps("no_positive = \"so\"", 1, 1), ["a: a reason for no positive case, and there is one"]);
        assert!(
            gaps("checked_by = \"property\"", 0, 0).is_empty() && gaps("checked_by = \"property\"", 3, 4).is_empty()
        );
        assert_eq!(
            gaps("checked_by = \"property\"\nno_positive = \"so\"", 0, 0),
            ["a: it is checked, which needs no reason"]
        );
        assert!(gaps("checked_by = \"test\"\ntest = \"a.rs::b\"", 0, 0).is_empty());
        assert_eq!(gaps("checked_by = \"test\"", 0, 0), ["a: a test checks it, and none is named"]);
        for more in ["", "checked_by = \"property\"\n"] {
            assert_eq!(gaps(&format!("{more}test = \"a.rs::b\""), 1, 1), ["a: a test that does not check it"]);
        }
    }
    #[test]
    fn cases_of_unknown_clauses_are_reported() {
        let tallies = Tallies([("b".to_owned(), Tally::default())].into());
        assert_eq!(Clauses { clause: Vec::new() }.gaps(&tallies), ["b: cases name it, and it is not a clause"]);
    }
    #[test]
    fn negatives_beyond_the_fifth_do_not_count() {
        let tally = |negatives| Tally { positives: 1, negatives };
        let tallies = Tallies([("a".to_owned(), tally(7)), ("b".to_owned(), tally(2))].into());
        assert_eq!((tallies.counted_negatives(), tallies.positives()), (7, 2));
    }
    #[test]
    fn clauses_are_unique_and_complete() {
        let one = "[[clause]]\nid = \"a\"\npage = \"core\"\nsection = \"A\"\nrequires = \"b\"\n";
        assert!(Clauses::parse(one).is_ok());
        assert!(Clauses::parse(&one.repeat(2)).unwrap_err().to_string().contains("the clause a is there twice"));
        for wrong in ["[[clause]]\nid = \"a\"", &format!("{one}why = \"c\""), &format!("{one}checked_by = \"me\"")] {
            assert!(Clauses::parse(wrong).is_err(), "{wrong}");
        }
    }
}
