//! Faulty extensions, each with one fault, and the properties that detect them.
//!
//! Every faulty extension is detected by exactly the properties that its entry names, of which the first is the one for
//! which it was written. Every property has an extension that was written for it: without the property its fault would
//! not be detected, and a test here fails.
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

/// A faulty extension, or its valid counterpart.
pub(crate) struct Fixture {
    pub(crate) name: &'static str,
    pub(crate) registration: Registration,
    /// The samples, without extension point and name.
    pub(crate) samples: &'static [&'static str],
    /// The properties that detect it, beginning with the one for which it was written. A property with a star may not
    /// detect it in every run.
    pub(crate) caught: &'static [&'static str],
}

/// Returns the records of all properties, and the word for the extension point.
fn checked(fixture: Fixture) -> (Vec<Record>, &'static str) {
    let point = fixture.registration.point();
    let head = format!("[[sample]]\npoint = \"{}\"\nname = \"{}\"\n", word(point), fixture.name);
    let text: String = fixture.samples.iter().map(|s| format!("{head}{s}\n")).collect();
    let samples = Samples::embedded().unwrap().with(Samples::parse(&text).unwrap());
    let mut registry = Registry::builtin();
    registry.add(fixture.registration).unwrap();
    let mut records = Vec::new();
    let settings = Settings { cases: 24, ..Settings::default() };
    Subject::new(&registry, point, fixture.name, &samples).unwrap().run(&settings, &mut |r| records.push(r));
    (records, word(point))
}

fn all() -> Vec<Fixture> {
    let kinds = [
        bytes::fixtures(),
        arrays::fixtures(),
        data_types::fixtures(),
        grids::fixtures(),
        keys::fixtures(),
        transformers::fixtures(),
    ];
    kinds.into_iter().flatten().collect()
}

#[test]
fn each_fault_is_caught_by_its_property_alone() {
    let mut wrong = Vec::new();
    let mut covered = BTreeSet::new();
    for fixture in all() {
        let (name, wanted) = (fixture.name, fixture.caught);
        let (records, point) = checked(fixture);
        let property = |r: &Record| r.id.split_once(name).map(|(_, l)| l.trim_start_matches('/').to_owned()).unwrap();
        let failed = records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)));
        let found: BTreeSet<String> = failed.clone().map(property).collect();
        let must: BTreeSet<String> = wanted.iter().filter(|w| !w.starts_with('*')).map(|w| (*w).to_owned()).collect();
        // A fault may also be detected by the checks of arrays.
        let may = wanted.iter().map(|w| w.trim_start_matches('*').to_owned());
        let may: BTreeSet<String> = may.chain(["arrays".to_owned()]).collect();
        if !must.is_subset(&found) || !found.is_subset(&may) {
            let failures: Vec<String> = failed.map(|r| format!("  {}: {}", r.id, r.outcome.text())).collect();
            wrong.push(format!("{name}: wanted {wanted:?}, found {found:?}\n{}", failures.join("\n")));
        }
        covered.extend(wanted.first().map(|w| format!("{point}/{w}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A property that all extension points share needs only one faulty extension.
    let shared = |property: &str| property.split_once('/').map(|(_, property)| property.to_owned()).unwrap();
    let common: BTreeSet<String> =
        ["create", "aliases", "configuration", "unknown-configuration", "hostile-configuration", "refusal", "arrays"]
            .map(str::to_owned)
            .into();
    let has = |property: &String| {
        covered.contains(property)
            || common.contains(&shared(property)) && covered.iter().any(|b| shared(b) == shared(property))
    };
    let free: Vec<String> = Subject::properties().into_iter().filter(|property| !has(property)).collect();
    assert!(free.is_empty(), "no faulty extension was written for {free:?}");
}

/// The extensions without a fault.
#[test]
fn correct_extensions_have_all_properties() {
    for fixture in [
        bytes::counterpart(),
        arrays::counterpart(),
        data_types::counterpart(),
        grids::counterpart(),
        keys::counterpart(),
        transformers::counterpart(),
    ] {
        let name = fixture.name;
        let failed: Vec<Record> =
            checked(fixture).0.into_iter().filter(|r| matches!(r.outcome, Outcome::Fail(_))).collect();
        assert!(failed.is_empty(), "{name}: {failed:?}");
    }
}
