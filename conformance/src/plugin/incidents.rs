//! What no correct plugin does, whatever it was asked: each kind is a case of its own, so that a plugin that dies is not
//! told to break every property in which it died.

use super::journal::Entry;
use crate::{
    check::{Settings, broken},
    report::{Outcome, Record},
};

/// A kind of incident: the end of the case's id, and the words by which a reason for quarantine is known.
const KINDS: [(&str, &[&str]); 5] = [
    ("crash", &["the process"]),
    ("hang", &["did not come back"]),
    ("panic", &["panicked"]),
    ("floating-point", &["floating-point"]),
    ("answers", &[]),
];

/// What the id of the property of guards ends with, and how it ends while guards are around the memory that is passed:
/// who dies then breaks the property.
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
    /// Notes what a child tells.
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
    /// A child ended in a case; gives its id, and what that means for it.
    pub(super) fn fell(&mut self, id: &str, how: &str) -> (String, Outcome) {
        if let Some(of) = id.strip_suffix(GUARDED) {
            let what = format!("with guards around the memory that it was passed, {how}");
            return (format!("{of}{GUARD}"), Outcome::Fail(what));
        }
        self.add(format!("in {id}, {how}"));
        (id.to_owned(), Outcome::Unsupported(format!("{how}: see abi/{}", kind(how))))
    }
    /// A child ended in no case.
    pub(super) fn outside(&mut self, how: &str) {
        self.add(format!("between cases, {how}"));
    }
    /// Tells of each kind; of what was found also if nobody asked.
    pub(super) fn end(&self, settings: &Settings, each: &mut dyn FnMut(Record)) {
        for (kind, _) in KINDS {
            let found: Vec<&str> = self.found.iter().filter(|(k, _)| *k == kind).map(|(_, w)| w.as_str()).collect();
            let id = format!("abi/{kind}");
            let settings =
                if found.is_empty() { settings.clone() } else { Settings { filter: None, ..settings.clone() } };
            settings.case(&id, &id, each, || if found.is_empty() { Ok(()) } else { broken(found.join("; ")) });
        }
    }
    /// What a case means in which the plugin was taken out of use.
    pub(super) fn instead(why: &str) -> Outcome {
        Outcome::Unsupported(format!("the plugin was taken out of use, {why}: see abi/{}", kind(why)))
    }
}
