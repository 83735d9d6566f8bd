//! The properties of stores hold for the stores of this project.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    store::{MemoryStore, OpenMode, Schemes},
    zarr_core::store::{Prefix, ReadOnly, Store, SubStore},
};
use std::{collections::BTreeSet, fs, sync::Arc};
use zarr_conformance::{
    check::Settings,
    report::{Outcome, Record},
    store::{self, CHECKS, Contents, MakeWith, Subject},
};

/// Returns the records of all properties.
fn run(subject: &Subject, settings: &Settings) -> Vec<Record> {
    let mut records = Vec::new();
    store::run(subject, "store", settings, &mut |r| records.push(r));
    assert_eq!(records.len(), CHECKS.len());
    records
}

/// Returns the ids of the properties that do not apply. The others must hold.
fn unsupported(subject: &Subject, seeds: u64) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for record in (0..seeds).flat_map(|seed| run(subject, &Settings { seed, ..Settings::default() })) {
        match record.outcome {
            Outcome::Pass => {}
            Outcome::Unsupported(_) => _ = ids.insert(record.id),
            other => panic!("{}: {}", record.id, other.text()),
        }
    }
    ids
}

fn ids<const N: usize>(ids: [&str; N]) -> BTreeSet<String> {
    ids.map(|id| format!("store/{id}")).into()
}

#[test]
fn the_in_memory_store_has_all_properties() {
    assert_eq!(unsupported(&store::memory(), 4), ids(["set/reopen"]));
}

/// The file system stores either a key or the keys below it. Systems that ignore case, or do not allow every name, are
/// not tested.
#[test]
#[cfg(target_os = "linux")]
fn the_file_system_store_has_all_properties() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(unsupported(&store::filesystem(dir.path()), 2), ids(["set/key-and-prefix"]));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "each store was removed");
}

#[test]
#[cfg(target_os = "linux")]
fn a_store_opened_by_uri_has_all_properties() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, made) = (dir.path().to_owned(), std::sync::atomic::AtomicUsize::new(0));
    let open = |uri: &str| Schemes::default().open(uri, OpenMode::Create);
    let make = move || {
        let number = made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        open(&format!("file://{}/s%20{number}", folder.display()))
    };
    let subject = Subject {
        reopen: Some(Box::new(move |s| Schemes::default().open(s.uri(&Prefix::ROOT), OpenMode::ReadWrite))),
        ..Subject::new(make)
    };
    assert_eq!(unsupported(&subject, 1), ids(["set/key-and-prefix"]));
    let memory = Subject::new(|| Schemes::default().open("memory://", OpenMode::Create));
    assert_eq!(unsupported(&memory, 1), ids(["set/reopen"]));
}

#[test]
fn part_of_a_store_has_all_properties() {
    let subject = Subject::new(|| {
        let whole: Arc<dyn Store> = Arc::new(MemoryStore::default());
        whole.writer()?.set(&Prefix::new("some/")?.key("zarr.json")?, b"{}")?;
        Ok(Arc::new(SubStore::new(whole, Prefix::new("some/")?)))
    });
    assert_eq!(unsupported(&subject, 2), ids(["set/reopen"]));
}

/// Stores that cannot be written are only checked by the properties of reading and listing.
#[test]
fn read_only_stores_are_checked_by_reading() {
    let empty = || Ok(Arc::new(ReadOnly(Arc::new(MemoryStore::default()))) as Arc<dyn Store>);
    let cannot = unsupported(&Subject::new(empty), 1);
    let need_nothing =
        ids(["get/missing", "partial-values/missing", "list/all", "list-prefix/any", "list-dir/any", "set/uri"]);
    assert!(cannot.len() > CHECKS.len() - need_nothing.len(), "{cannot:?}");

    let make_with: MakeWith = Box::new(|contents: &Contents| {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        contents.iter().try_for_each(|(k, v)| store.writer()?.set(k, v))?;
        Ok(Arc::new(ReadOnly(store)))
    });
    let cannot = unsupported(&Subject { make_with: Some(make_with), ..Subject::new(empty) }, 1);
    let can: Vec<&str> = CHECKS.iter().map(|c| c.id).filter(|id| !cannot.contains(&format!("store/{id}"))).collect();
    let expected = [
        "get/missing",
        "get/ranges",
        "get/ranges-outside",
        "get/many-ranges",
        "get/stops",
        "get/read-into",
        "get/size",
        "partial-values/any",
        "partial-values/missing",
        "partial-values/outside",
        "set/get",
        "set/empty",
        "set/large",
        "set/odd-keys",
        "set/case",
        "set/similar-keys",
        "set/uri",
        "list/all",
        "list/odd-keys",
        "list-prefix/any",
        "list-dir/any",
    ];
    assert_eq!(can, expected);
}

/// The same seed tries the same inputs.
#[test]
fn runs_are_reproducible() {
    let of = |seed| {
        let settings = Settings { seed, filter: Some("list-dir".to_owned()), cases: 8, ..Settings::default() };
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let keep = seen.clone();
        let make_with: MakeWith = Box::new(move |contents: &Contents| {
            keep.lock().unwrap().push(contents.clone());
            let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
            contents.iter().try_for_each(|(k, v)| store.writer()?.set(k, v))?;
            Ok(store)
        });
        store::run(&Subject { make_with: Some(make_with), ..store::memory() }, "store", &settings, &mut |_| {});
        let seen = seen.lock().unwrap().clone();
        assert!(!seen.is_empty());
        seen
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
