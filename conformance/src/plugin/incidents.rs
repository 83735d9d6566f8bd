//! Incidents: results that no correct plugin causes, whatever it was asked to do.
//!
//! Each kind is a case of its own, so that a plugin that crashes is not reported to violate every property during which
//! it crashed.

use super::journal::Entry;
use crate::{
    check::{Settings, broken},
    report::{Outcome, Record},
};

/// The kinds of incidents: the end of the case's id, and the words by which the reason for a quarantine is recognized.
const KINDS: [(&str, &[&str]); 5] = [
    ("crash", &["the process"]),
    ("hang", &["did not come back"]),
    ("panic", &["panicked"]),
    ("floating-point", &["floating-point"]),
    ("answers", &[]),
];

/// The end of the id of the guard property, and of the id that is reported while memory with guards is passed: a crash
/// in that time violates the property.
pub(super) const GUARD: &str = "/guard";
pub(super) const GUARDED: &str = "/guarded";

#[derive(Debug, Default)]
pub(super) struct Incidents {
    found: Vec<(&'static str, String)>,
}

fn kind(what: &str) -> &'static str {
    let known = |(_, words): &&(&str, &[&str])| words.is_empty() || words.iter().any(|w| what.contains(w));
    KINDS.iter().find(known).map_or("answers", |(kind, _)| kind)
}

impl Incidents {
    /// Records an incident that a child reported.
    pub(super) fn note(&mut self, entry: &Entry) {
        if let Entry::Quarantine(why) = entry {
            self.add(why.clone());
        }
    }
    fn add(&mut self, what: String) {
        let new = (kind(&what), what);
        if !self.found.contains(&new) {
            self.found.push(new);
        }
    }
    /// Records that a child ended during a case. Returns the id and the outcome of the case.
    pub(super) fn fell(&mut self, id: &str, how: &str) -> (String, Outcome) {
        if let Some(of) = id.strip_suffix(GUARDED) {
            let what = format!("with guards around the memory that it was passed, {how}");
            return (format!("{of}{GUARD}"), Outcome::Fail(what));
        }
        self.add(format!("in {id}, {how}"));
        (id.to_owned(), Outcome::Unsupported(format!("{how}: see abi/{}", kind(how))))
    }
    /// Records that a child ended between cases.
    pub(super) fn outside(&mut self, how: &str) {
        self.add(format!("between cases, {how}"));
    }
    /// Reports every kind of incident. Incidents that occurred are reported even if the filter excludes them.
    pub(super) fn end(&self, settings: &Settings, each: &mut dyn FnMut(Record)) {
        for (kind, _) in KINDS {
            let found: Vec<&str> = self.found.iter().filter(|(k, _)| *k == kind).map(|(_, w)| w.as_str()).collect();
            let id = format!("abi/{kind}");
            let settings =
                if found.is_empty() { settings.clone() } else { Settings { filter: None, ..settings.clone() } };
            settings.case(&id, &id, each, || if found.is_empty() { Ok(()) } else { broken(found.join("; ")) });
        }
    }
    /// Returns the outcome of a case during which the plugin was put in quarantine.
    pub(super) fn instead(why: &str) -> Outcome {
        Outcome::Unsupported(format!("the plugin was taken out of use, {why}: see abi/{}", kind(why)))
    }
}
