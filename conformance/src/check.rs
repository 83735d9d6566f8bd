//! Checks: their definition, and how they are run.

use crate::report::{Outcome, Record};
use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};
use std::{
    cell::Cell,
    fmt::Debug,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

/// The result of a check.
pub type Verdict = Result<(), Finding>;

/// The reason for which a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The subject is wrong; the text describes how.
    Broken(String),
    /// The subject reports that it does not support the property; the text is the reason.
    Unsupported(String),
}

impl<E: std::error::Error> From<E> for Finding {
    /// Converts an error where none is expected to a finding.
    fn from(e: E) -> Self {
        Self::Broken(e.to_string())
    }
}

/// Fails with the finding that the subject is wrong.
///
/// # Errors
/// Always [`Finding::Broken`].
pub fn broken<T>(what: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Broken(what.into()))
}

/// Fails with a finding unless the condition is true.
///
/// # Errors
/// [`Finding::Broken`] if it is false.
pub fn ensure(condition: bool, what: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { broken(what()) }
}

/// Fails with the finding that the subject does not support the property.
///
/// # Errors
/// Always [`Finding::Unsupported`].
pub fn unsupported<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Unsupported(why.into()))
}

/// A property to check, for one kind of subject.
pub struct Check<S: ?Sized> {
    /// The id of the check. The id of a case is the subject's id, a slash and this.
    pub id: &'static str,
    /// The id of the clause in `clauses.toml`.
    pub clause: &'static str,
    /// Searches for a violation of the property.
    pub run: fn(&S, &Settings) -> Verdict,
}

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Only run cases whose id contains this text; `*` stands for any text.
    pub filter: Option<String>,
    /// The seed of random choices.
    pub seed: u64,
    /// The number of random inputs with which each property is tried.
    pub cases: u32,
    /// Is called before each case.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { filter: None, seed: 0, cases: 32, observer: None }
    }
}

/// An observer that is called before each case.
pub trait Observer: Debug + Send + Sync {
    /// Called before a case runs. If it returns false, the case is skipped.
    fn begins(&self, id: &str, clause: &str) -> bool;
}

impl Settings {
    /// Returns whether the filter includes a case with this id.
    pub fn includes(&self, id: &str) -> bool {
        let Some(filter) = &self.filter else { return true };
        let mut rest = id;
        filter.split('*').all(|part| match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
    }
    /// Runs checks on a subject. Ids of cases begin with `prefix`. A panic is a failure of its case.
    pub fn run<S: ?Sized>(&self, prefix: &str, subject: &S, checks: &[Check<S>], each: &mut dyn FnMut(Record)) {
        for check in checks {
            self.case(&format!("{prefix}/{}", check.id), check.clause, each, || (check.run)(subject, self));
        }
    }
    /// Runs one case, unless the filter or the observer excludes it. A panic is a failure.
    pub fn case(&self, id: &str, clause: &str, each: &mut dyn FnMut(Record), run: impl FnOnce() -> Verdict) {
        if !self.includes(id) || self.observer.as_ref().is_some_and(|o| !o.begins(id, clause)) {
            return;
        }
        let begin = Instant::now();
        let outcome = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => Outcome::Pass,
            Ok(Err(Finding::Broken(what))) => Outcome::Fail(what),
            Ok(Err(Finding::Unsupported(why))) => Outcome::Unsupported(why),
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().copied();
                let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text");
                Outcome::Fail(format!("it panicked: {text}"))
            }
        };
        each(Record { id: id.to_owned(), clause: clause.to_owned(), outcome, seconds: begin.elapsed().as_secs_f64() });
    }
    /// Tries a property with random inputs, and shrinks an input that violates it.
    ///
    /// `property` is the name of the property: the same name and seed result in the same inputs.
    ///
    /// # Errors
    /// The finding for the smallest input.
    pub fn each<T: Strategy>(&self, property: &str, inputs: T, run: impl Fn(T::Value) -> Verdict) -> Verdict
    where
        T::Value: Debug,
    {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((property, self.seed));
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        seed[8..16].copy_from_slice(&hash.to_le_bytes());
        let config =
            Config { cases: self.cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let unsupported = Cell::new(None);
        let done = runner.run(&inputs, |input| match run(input) {
            Ok(()) => Ok(()),
            Err(Finding::Broken(what)) => Err(TestCaseError::fail(what)),
            Err(Finding::Unsupported(why)) => {
                unsupported.set(Some(why));
                Ok(())
            }
        });
        match done {
            Ok(()) => unsupported.take().map_or(Ok(()), |why| Err(Finding::Unsupported(why))),
            Err(TestError::Fail(what, input)) => broken(format!("{what}; with {}", shortened(&format!("{input:?}")))),
            Err(TestError::Abort(why)) => broken(format!("no inputs: {why}")),
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(600) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
