//! The checks that clauses name exist: a property that names the clause is run and holds, or the named test exists.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::zarr_core::{
    Result, registration,
    registry::{CreateContext, ExtensionType, NoConfiguration, Registry},
    storage_transformer::StorageTransformer,
    store::Store,
};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex},
};
use zarr_conformance::{
    check::Settings,
    clauses::{CheckedBy, Clauses},
    extension::{Samples, Subject},
    report::{Outcome, Record},
    store,
};

/// Stands in for built-in storage transformers, of which there are none.
#[derive(Debug)]
struct Nothing;

impl ExtensionType for Nothing {
    const NAME: &'static str = "test.nothing";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl StorageTransformer for Nothing {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        Ok(below)
    }
}

/// Returns the records of every kind of subject, with few inputs. The tests with faulty subjects show that the
/// properties detect faults.
fn records() -> Vec<Record> {
    let settings = Settings { cases: 2, ..Settings::default() };
    let records = Mutex::new(Vec::new());
    let mut registry = Registry::builtin();
    registry.add(registration!(StorageTransformer: Nothing)).unwrap();
    let subjects = Subject::find(&registry, None, &Samples::embedded().unwrap()).unwrap();
    std::thread::scope(|scope| {
        for half in subjects.chunks(subjects.len().div_ceil(2)) {
            scope.spawn(|| half.iter().for_each(|s| s.run(&settings, &mut |r| records.lock().unwrap().push(r))));
        }
    });
    let dir = tempfile::tempdir().unwrap();
    for subject in [store::memory(), store::filesystem(dir.path())] {
        store::run(&subject, "store", &settings, &mut |r| records.lock().unwrap().push(r));
    }
    #[cfg(target_os = "linux")]
    plugin(&settings, &mut |r| records.lock().unwrap().push(r));
    records.into_inner().unwrap()
}

#[cfg(target_os = "linux")]
fn plugin(settings: &Settings, each: &mut dyn FnMut(Record)) {
    use std::time::Duration;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faulty_plugins/faulty.c");
    let subject = zarr_conformance::plugin::Subject {
        file: zarr_conformance::third_party::c(&source, &["-D_GNU_SOURCE", "-pthread", "-DFAULT=NONE"]).unwrap(),
        samples: None,
        program: env!("CARGO_BIN_EXE_zarr-conformance").into(),
        patience: Duration::from_secs(10),
        fuzz: Some(Duration::ZERO),
    };
    subject.run(settings, each).unwrap();
}

#[test]
fn properties_and_clauses_match() {
    let (clauses, records) = (Clauses::embedded().unwrap(), records());
    let unknown: BTreeSet<_> = records.iter().filter(|r| clauses.get(&r.clause).is_none()).map(|r| &r.clause).collect();
    assert!(unknown.is_empty(), "properties are about what is not a clause: {unknown:?}");
    let failed: Vec<_> = records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_))).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let hold: BTreeSet<_> = records.iter().filter(|r| r.outcome == Outcome::Pass).map(|r| &r.clause).collect();
    let by_property = clauses.iter().filter(|c| c.checked_by == Some(CheckedBy::Property));
    // The libraries that these clauses need are only built on Linux.
    let by_property = by_property.filter(|c| cfg!(target_os = "linux") || c.page != "abi");
    let free: Vec<_> = by_property.map(|c| &c.id).filter(|id| !hold.contains(id)).collect();
    assert!(free.is_empty(), "no property checks {free:?}");
}

#[test]
fn tests_named_by_clauses_exist() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for clause in Clauses::embedded().unwrap().iter() {
        let Some(test) = &clause.test else { continue };
        let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("{}: {test}", clause.id));
        let source = fs::read_to_string(project.join(file)).unwrap_or_else(|e| panic!("{}: {file}: {e}", clause.id));
        // Including its test attribute, possibly after other attributes.
        let at = source.find(&format!("fn {name}(")).unwrap_or_else(|| panic!("{}: there is no {test}", clause.id));
        let above = source[..at].trim_end().rsplit('\n').take_while(|line| line.trim_start().starts_with("#["));
        assert!(above.collect::<String>().contains("#[test]"), "{}: {test} is not a test", clause.id);
    }
}
