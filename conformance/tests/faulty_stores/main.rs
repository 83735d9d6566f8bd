//! Stores with one fault each: the property that the fault violates detects it, and no unrelated property does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod faulty;
mod listers;
mod readers;
mod writers;

use faulty::{AsStore, FaultyStore};
use ozarr::store::MemoryStore;
use std::{
    collections::BTreeSet,
    panic,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};
use zarr_conformance::{
    check::Settings,
    report::Outcome,
    store::{self, CHECKS, Subject},
};

struct Fixture {
    name: &'static str,
    /// The property that it violates.
    breaks: &'static str,
    /// Other properties that necessarily detect the fault.
    also: &'static [&'static str],
    subject: Subject,
}

fn faulty<B: FaultyStore>(breaks: &'static str, also: &'static [&'static str]) -> Fixture {
    let name = std::any::type_name::<B>().rsplit("::").next().unwrap_or_default();
    Fixture { name, breaks, also, subject: Subject::new(|| Ok(Arc::new(AsStore(B::default())))) }
}

/// Returns a store whose contents are opened again with `again`.
fn reopened(name: &'static str, breaks: &'static str, also: &'static [&'static str], again: store::Reopen) -> Fixture {
    Fixture { name, breaks, also, subject: Subject { reopen: Some(again), ..store::memory() } }
}

fn fixtures() -> Vec<Fixture> {
    use {listers::*, readers::*, writers::*};
    vec![
        faulty::<Directories>("get/missing", &[]),
        faulty::<OpensAll>("get/missing", &[]),
        faulty::<EmptyRange>("get/ranges", &[]),
        faulty::<ShortSuffix>("get/ranges-outside", &[]),
        faulty::<Overflows>("get/ranges-outside", &[]),
        faulty::<Pads>("get/ranges-outside", &[]),
        faulty::<Sorts>("get/many-ranges", &[]),
        faulty::<ReadsOnce>("get/many-ranges", &[]),
        faulty::<GoesOn>("get/stops", &[]),
        faulty::<FromStart>("get/read-into", &[]),
        faulty::<Blocks>("get/size", &["get/one-version"]),
        faulty::<Follows>("get/one-version", &[]),
        faulty::<PartsByKey>("partial-values/any", &["partial-values/missing"]),
        faulty::<GivesUp>("partial-values/missing", &[]),
        faulty::<CutsParts>("partial-values/outside", &[]),
        faulty::<Lines>("set/get", &[]),
        faulty::<InPlace>("set/replaces", &["set/any-sequence"]),
        faulty::<Nothing>("set/empty", &[]),
        faulty::<EmptyIsAbsent>("set/empty", &[]),
        faulty::<Short>("set/large", &[]),
        faulty::<Trims>("set/odd-keys", &["list/odd-keys"]),
        faulty::<Folds>("set/case", &[]),
        faulty::<Composes>("set/similar-keys", &[]),
        faulty::<MakesRoom>("set/key-and-prefix", &[]),
        faulty::<Shares>("set/aliasing", &[]),
        faulty::<Revives>("set/any-sequence", &[]),
        reopened("Gone", "set/reopen", &["set/uri"], Box::new(|_| Ok(Arc::new(MemoryStore::default())))),
        faulty::<Nameless>("set/uri", &[]),
        faulty::<Idempotent>("set-if-absent/one-after-another", &[]),
        faulty::<LooksFirst>("set-if-absent/one-winner", &[]),
        faulty::<Truncates>("set-partial/overlays", &["set/any-sequence"]),
        faulty::<Gaps>("set-partial/extends", &["set/any-sequence"]),
        faulty::<FirstPart>("set-partial/creates", &["set/any-sequence"]),
        faulty::<LastPart>("set-partial/many", &[]),
        faulty::<PartByPart>("set-partial/outside", &[]),
        faulty::<Versions>("erase/removes", &["set/any-sequence"]),
        faulty::<Recursive>("erase/missing", &[]),
        faulty::<NotADirectory>("erase/missing", &[]),
        faulty::<EraseGivesUp>("erase/values", &[]),
        faulty::<Siblings>("erase-prefix/removes", &["erase-prefix/missing", "list-dir/erased", "set/any-sequence"]),
        faulty::<Shallow>("erase-prefix/removes", &["set/any-sequence"]),
        faulty::<Timid>("erase-prefix/all", &[]),
        faulty::<WithItsName>("erase-prefix/missing", &["set/any-sequence"]),
        faulty::<OnePage>("list/all", &["list/odd-keys", "list/erased"]),
        faulty::<Hides>("list/odd-keys", &[]),
        faulty::<Tombstones>("list/erased", &["list/orphans"]),
        faulty::<Orphans>("list/orphans", &[]),
        faulty::<BeginsAlike>("list-prefix/any", &[]),
        faulty::<ShowsSiblings>("list-dir/any", &["list-dir/erased"]),
        faulty::<EmptyDirectories>("list-dir/erased", &[]),
        faulty::<Tears>("concurrent/one-key", &[]),
        faulty::<Blinks>("concurrent/one-key", &[]),
        faulty::<Forgets>("concurrent/many-keys", &[]),
        faulty::<NeverEmpty>("update/changes", &["concurrent/erase-and-update"]),
        faulty::<Unwilling>("update/fails", &[]),
        faulty::<LosesUpdates>("concurrent/updates", &["concurrent/erase-and-update"]),
        faulty::<Outlives>("concurrent/erase-and-update", &[]),
        faulty::<LosesParts>("concurrent/parts", &[]),
        faulty::<Looks>("concurrent/erase-and-list", &[]),
    ]
}

/// Returns the properties that fail.
fn caught(fixture: &Fixture) -> BTreeSet<&'static str> {
    let mut caught = BTreeSet::new();
    let settings = Settings::default();
    for check in CHECKS {
        settings.case(
            check.id,
            check.clause,
            &mut |r| caught.extend(matches!(r.outcome, Outcome::Fail(_)).then_some(check.id)),
            || (check.run)(&fixture.subject, &settings),
        );
    }
    caught
}

#[test]
fn each_fault_is_caught_by_its_property() {
    // There are many panics, all of them caught: their messages are not printed.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let (fixtures, next, wrong) = (fixtures(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(fixture) = fixtures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let expected: BTreeSet<_> = fixture.also.iter().chain([&fixture.breaks]).copied().collect();
                    let found = caught(fixture);
                    if found != expected {
                        wrong.lock().unwrap().push(format!("{}: {found:?}, not {expected:?}", fixture.name));
                    }
                }
            });
        }
    });
    panic::set_hook(hook);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Without a faulty store that violates it, a property could be removed unnoticed.
#[test]
fn each_property_has_a_faulty_store() {
    let broken: BTreeSet<_> = fixtures().iter().map(|a| a.breaks).collect();
    assert_eq!(broken, CHECKS.iter().map(|c| c.id).collect());
}
