//! Stores that are wrong, each in one way: the law that this breaks notices it, and no unrelated one does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod beast;
mod listers;
mod readers;
mod writers;

use beast::{Beast, Wild};
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

struct Animal {
    name: &'static str,
    /// The law that it breaks.
    breaks: &'static str,
    /// Laws that cannot help but notice.
    also: &'static [&'static str],
    subject: Subject,
}

fn animal<B: Beast>(breaks: &'static str, also: &'static [&'static str]) -> Animal {
    let name = std::any::type_name::<B>().rsplit("::").next().unwrap_or_default();
    Animal { name, breaks, also, subject: Subject::new(|| Ok(Arc::new(Wild(B::default())))) }
}

/// A store whose contents, opened again, are those of `again`.
fn reopened(name: &'static str, breaks: &'static str, also: &'static [&'static str], again: store::Reopen) -> Animal {
    Animal { name, breaks, also, subject: Subject { reopen: Some(again), ..store::memory() } }
}

fn zoo() -> Vec<Animal> {
    use {listers::*, readers::*, writers::*};
    vec![
        animal::<Directories>("get/missing", &[]),
        animal::<OpensAll>("get/missing", &[]),
        animal::<EmptyRange>("get/ranges", &[]),
        animal::<ShortSuffix>("get/ranges-outside", &[]),
        animal::<Overflows>("get/ranges-outside", &[]),
        animal::<Pads>("get/ranges-outside", &[]),
        animal::<Sorts>("get/many-ranges", &[]),
        animal::<ReadsOnce>("get/many-ranges", &[]),
        animal::<GoesOn>("get/stops", &[]),
        animal::<FromStart>("get/read-into", &[]),
        animal::<Blocks>("get/size", &["get/one-version"]),
        animal::<Follows>("get/one-version", &[]),
        animal::<PartsByKey>("partial-values/any", &["partial-values/missing"]),
        animal::<GivesUp>("partial-values/missing", &[]),
        animal::<CutsParts>("partial-values/outside", &[]),
        animal::<Lines>("set/get", &[]),
        animal::<InPlace>("set/replaces", &["set/any-sequence"]),
        animal::<Nothing>("set/empty", &[]),
        animal::<EmptyIsAbsent>("set/empty", &[]),
        animal::<Short>("set/large", &[]),
        animal::<Trims>("set/odd-keys", &["list/odd-keys"]),
        animal::<Folds>("set/case", &[]),
        animal::<Composes>("set/similar-keys", &[]),
        animal::<MakesRoom>("set/key-and-prefix", &[]),
        animal::<Shares>("set/aliasing", &[]),
        animal::<Revives>("set/any-sequence", &[]),
        reopened("Gone", "set/reopen", &["set/uri"], Box::new(|_| Ok(Arc::new(MemoryStore::default())))),
        animal::<Nameless>("set/uri", &[]),
        animal::<Idempotent>("set-if-absent/one-after-another", &[]),
        animal::<LooksFirst>("set-if-absent/one-winner", &[]),
        animal::<Truncates>("set-partial/overlays", &["set/any-sequence"]),
        animal::<Gaps>("set-partial/extends", &["set/any-sequence"]),
        animal::<FirstPart>("set-partial/creates", &["set/any-sequence"]),
        animal::<LastPart>("set-partial/many", &[]),
        animal::<PartByPart>("set-partial/outside", &[]),
        animal::<Versions>("erase/removes", &["set/any-sequence"]),
        animal::<Recursive>("erase/missing", &[]),
        animal::<NotADirectory>("erase/missing", &[]),
        animal::<EraseGivesUp>("erase/values", &[]),
        animal::<Siblings>("erase-prefix/removes", &["erase-prefix/missing", "list-dir/erased", "set/any-sequence"]),
        animal::<Shallow>("erase-prefix/removes", &["set/any-sequence"]),
        animal::<Timid>("erase-prefix/all", &[]),
        animal::<WithItsName>("erase-prefix/missing", &["set/any-sequence"]),
        animal::<OnePage>("list/all", &["list/odd-keys", "list/erased"]),
        animal::<Hides>("list/odd-keys", &[]),
        animal::<Tombstones>("list/erased", &["list/debris"]),
        animal::<Debris>("list/debris", &[]),
        animal::<BeginsAlike>("list-prefix/any", &[]),
        animal::<ShowsSiblings>("list-dir/any", &["list-dir/erased"]),
        animal::<EmptyDirectories>("list-dir/erased", &[]),
        animal::<Tears>("concurrent/one-key", &[]),
        animal::<Blinks>("concurrent/one-key", &[]),
        animal::<Forgets>("concurrent/many-keys", &[]),
        animal::<NeverEmpty>("update/changes", &["concurrent/erase-and-update"]),
        animal::<Unwilling>("update/fails", &[]),
        animal::<LosesUpdates>("concurrent/updates", &["concurrent/erase-and-update"]),
        animal::<Outlives>("concurrent/erase-and-update", &[]),
        animal::<LosesParts>("concurrent/parts", &[]),
        animal::<Looks>("concurrent/erase-and-list", &[]),
    ]
}

/// What the laws find wrong.
fn caught(animal: &Animal) -> BTreeSet<&'static str> {
    let mut caught = BTreeSet::new();
    let settings = Settings::default();
    for check in CHECKS {
        settings.case(
            check.id,
            check.clause,
            &mut |r| caught.extend(matches!(r.outcome, Outcome::Fail(_)).then_some(check.id)),
            || (check.run)(&animal.subject, &settings),
        );
    }
    caught
}

#[test]
fn each_is_caught_by_its_law() {
    // Panics are caught, and many: nobody wants to read them.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let (zoo, next, wrong) = (zoo(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(animal) = zoo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let expected: BTreeSet<_> = animal.also.iter().chain([&animal.breaks]).copied().collect();
                    let found = caught(animal);
                    if found != expected {
                        wrong.lock().unwrap().push(format!("{}: {found:?}, not {expected:?}", animal.name));
                    }
                }
            });
        }
    });
    panic::set_hook(hook);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A law that no animal breaks could be taken away and nobody would notice.
#[test]
fn each_law_is_broken_by_one() {
    let broken: BTreeSet<_> = zoo().iter().map(|a| a.breaks).collect();
    assert_eq!(broken, CHECKS.iter().map(|c| c.id).collect());
}
