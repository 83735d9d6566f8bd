//! Checks: what they are, and how they are run.

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

/// What a check found.
pub type Verdict = Result<(), Finding>;

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The subject is wrong.
    Broken(String),
    /// The subject does not do what is checked, and says so.
    Unsupported(String),
}

impl<E: std::error::Error> From<E> for Finding {
    /// An error where there should be none.
    fn from(e: E) -> Self {
        Self::Broken(e.to_string())
    }
}

/// The finding that the subject is wrong.
///
/// # Errors
/// Always.
pub fn broken<T>(what: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Broken(what.into()))
}

/// A finding unless `true`.
///
/// # Errors
/// If it is not.
pub fn ensure(condition: bool, what: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { broken(what()) }
}

/// The finding that the subject does not do this.
///
/// # Errors
/// Always.
pub fn unsupported<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Unsupported(why.into()))
}

/// A property, for subjects of a kind.
pub struct Check<S: ?Sized> {
    /// Its id: what follows the subject's in the ids of cases.
    pub id: &'static str,
    /// The clause of `clauses.toml`.
    pub clause: &'static str,
    /// Looks for a breach of it.
    pub run: fn(&S, &Settings) -> Verdict,
}

/// How checks are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Only cases whose id contains this; `*` stands for anything.
    pub filter: Option<String>,
    /// What random choices begin with.
    pub seed: u64,
    /// How many random inputs a property is tried with.
    pub cases: u32,
    /// Who is told before a case begins.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { filter: None, seed: 0, cases: 32, observer: None }
    }
}

/// Is told before each case.
pub trait Observer: Debug + Send + Sync {
    /// A case begins, unless this is false.
    fn begins(&self, id: &str, clause: &str) -> bool;
}

impl Settings {
    /// True if a case of this id is to run.
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
    /// Runs checks on a subject whose cases begin with `prefix`; a panic is a finding.
    pub fn run<S: ?Sized>(&self, prefix: &str, subject: &S, checks: &[Check<S>], each: &mut dyn FnMut(Record)) {
        for check in checks {
            self.case(&format!("{prefix}/{}", check.id), check.clause, each, || (check.run)(subject, self));
        }
    }
    /// Runs one case, if it is to run; a panic is a finding.
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
    /// Tries a property with random inputs; what breaks it is made as small as can be. `property` is its name: the same
    /// name and seed try the same inputs.
    ///
    /// # Errors
    /// The finding with the smallest input.
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
