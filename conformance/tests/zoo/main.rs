//! The zoo: extensions that are wrong in one way each, and the laws that catch them.
//!
//! Every animal is caught by the laws that its entry names, the one that it was bred for first, and by no other. Every law
//! has an animal that was bred for it: without the law, the animal would get away, and a test here fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod arrays;
mod bytes;
mod data_types;
mod grids;
mod keys;
mod transformers;

use ozarr::zarr_core::registry::{Registration, Registry};
use std::collections::BTreeSet;
use zarr_conformance::{
    check::Settings,
    extension::{Samples, Subject, word},
    report::{Outcome, Record},
};

/// An extension that is wrong.
pub(crate) struct Animal {
    pub(crate) name: &'static str,
    pub(crate) registration: Registration,
    /// Its samples, without point and name.
    pub(crate) samples: &'static [&'static str],
    /// What catches it: first what it was bred for, then what catches it as well. Starred: it may get away at times.
    pub(crate) caught: &'static [&'static str],
}

/// The laws that it breaks, for which it was tried.
fn tried(animal: Animal) -> (Vec<Record>, &'static str) {
    let point = animal.registration.point();
    let head = format!("[[sample]]\npoint = \"{}\"\nname = \"{}\"\n", word(point), animal.name);
    let text: String = animal.samples.iter().map(|s| format!("{head}{s}\n")).collect();
    let samples = Samples::embedded().unwrap().with(Samples::parse(&text).unwrap());
    let mut registry = Registry::builtin();
    registry.add(animal.registration).unwrap();
    let mut records = Vec::new();
    let settings = Settings { cases: 24, ..Settings::default() };
    Subject::new(&registry, point, animal.name, &samples).unwrap().run(&settings, &mut |r| records.push(r));
    (records, word(point))
}

fn all() -> Vec<Animal> {
    let kinds = [
        bytes::animals(),
        arrays::animals(),
        data_types::animals(),
        grids::animals(),
        keys::animals(),
        transformers::animals(),
    ];
    kinds.into_iter().flatten().collect()
}

#[test]
fn each_is_caught_by_its_law_and_by_no_other() {
    let mut wrong = Vec::new();
    let mut bred = BTreeSet::new();
    for animal in all() {
        let (name, wanted) = (animal.name, animal.caught);
        let (records, point) = tried(animal);
        let law = |r: &Record| r.id.split_once(name).map(|(_, l)| l.trim_start_matches('/').to_owned()).unwrap();
        let failed = records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)));
        let found: BTreeSet<String> = failed.clone().map(law).collect();
        let must: BTreeSet<String> = wanted.iter().filter(|w| !w.starts_with('*')).map(|w| (*w).to_owned()).collect();
        // What is wrong may show in arrays.
        let may = wanted.iter().map(|w| w.trim_start_matches('*').to_owned());
        let may: BTreeSet<String> = may.chain(["arrays".to_owned()]).collect();
        if !must.is_subset(&found) || !found.is_subset(&may) {
            let told: Vec<String> = failed.map(|r| format!("  {}: {}", r.id, r.outcome.text())).collect();
            wrong.push(format!("{name}: wanted {wanted:?}, found {found:?}\n{}", told.join("\n")));
        }
        bred.extend(wanted.first().map(|w| format!("{point}/{w}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What all points share needs one animal.
    let shared = |law: &str| law.split_once('/').map(|(_, law)| law.to_owned()).unwrap();
    let common: BTreeSet<String> =
        ["create", "aliases", "configuration", "unknown-configuration", "hostile-configuration", "refusal", "arrays"]
            .map(str::to_owned)
            .into();
    let has = |law: &String| {
        bred.contains(law) || common.contains(&shared(law)) && bred.iter().any(|b| shared(b) == shared(law))
    };
    let free: Vec<String> = Subject::laws().into_iter().filter(|law| !has(law)).collect();
    assert!(free.is_empty(), "no animal was bred for {free:?}");
}

/// Those from which the animals come are right.
#[test]
fn their_parents_are_right() {
    for animal in [
        bytes::parent(),
        arrays::parent(),
        data_types::parent(),
        grids::parent(),
        keys::parent(),
        transformers::parent(),
    ] {
        let name = animal.name;
        let failed: Vec<Record> =
            tried(animal).0.into_iter().filter(|r| matches!(r.outcome, Outcome::Fail(_))).collect();
        assert!(failed.is_empty(), "{name}: {failed:?}");
    }
}
