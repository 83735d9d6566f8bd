//! Plugins with one fault each, and the results of the checks of a library: each fault is detected by the check for
//! which it was built, and by no other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};
use zarr_conformance::{
    check::Settings,
    plugin::Subject,
    report::{Outcome, Record},
    third_party,
};

fn library(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faulty_plugins/faulty.c");
    third_party::c(&source, &["-D_GNU_SOURCE", "-pthread", &format!("-DFAULT={name}")]).unwrap()
}

fn run(file: &Path, samples: Option<&Path>, fuzz: Option<u64>, settings: &Settings) -> Vec<Record> {
    let subject = Subject {
        file: file.to_owned(),
        samples: samples.map(Path::to_owned),
        program: env!("CARGO_BIN_EXE_zarr-conformance").into(),
        patience: Duration::from_secs(2),
        fuzz: fuzz.map(Duration::from_secs),
    };
    let mut records = Vec::new();
    subject.run(settings, &mut |r| records.push(r)).unwrap();
    records
}

fn failed(records: &[Record]) -> BTreeSet<String> {
    let failed = records.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)));
    failed.map(|r| r.id.trim_start_matches("codec/test.faulty/").to_owned()).collect()
}

/// The check for which each plugin was built, and the other checks that must detect it.
const FAULTS: [(&str, &[&str]); 16] = [
    ("NONE", &[]),
    ("CRASHES", &["abi/crash"]),
    ("ENDS_THE_PROCESS", &["abi/crash"]),
    ("HANGS", &["abi/hang"]),
    ("ROUNDS", &["abi/floating-point"]),
    ("ANSWERS", &["abi/answers"]),
    ("TOO_SMALL", &["abi/answers"]),
    ("READS_BEYOND", &["guard"]),
    ("READS_BEFORE", &["guard"]),
    ("WRITES_INPUT", &["guard"]),
    ("WRITES_BEYOND", &["guard"]),
    ("USES_AFTER_CALL", &["guard"]),
    ("LEAKS_DESCRIPTORS", &["abi/descriptors"]),
    ("LEAKS_THREADS", &["abi/threads"]),
    ("TWO_SYMBOLS", &["abi/one-symbol"]),
    ("OTHER_VERSION", &["abi/descriptor"]),
];

#[test]
fn each_fault_is_caught_by_its_check_alone() {
    let mut wrong = Vec::new();
    // Few inputs, because a plugin that hangs does so with each of them.
    for (name, wanted) in FAULTS {
        let filter = (name == "HANGS").then(|| "round-trip".to_owned());
        let settings = Settings { cases: 12, filter, ..Settings::default() };
        let records = run(&library(name), None, None, &settings);
        let found = failed(&records);
        if found != wanted.iter().map(|w| (*w).to_owned()).collect() {
            let failures: Vec<String> = records
                .iter()
                .filter(|r| !matches!(r.outcome, Outcome::Pass))
                .map(|r| format!("  {} {:?}", r.id, r.outcome))
                .collect();
            wrong.push(format!("{name}: wanted {wanted:?}, found {found:?}\n{}", failures.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rare crash is found by a long run, and again with the seed that is reported.
#[test]
fn fuzzing_failures_are_reproducible() {
    let file = library("RARELY_CRASHES");
    let fuzz = |seed: u64, seconds| {
        let settings = Settings { filter: Some("abi/fuzz".into()), seed, ..Settings::default() };
        let records = run(&file, None, Some(seconds), &settings);
        let [Record { id, outcome: Outcome::Fail(text), .. }] = &records[..] else { panic!("{records:?}") };
        assert_eq!(id, "abi/fuzz");
        text.clone()
    };
    let first = fuzz(1, 60);
    let seed = first.split("--seed ").nth(1).and_then(|s| s.split(' ').next()).unwrap().parse().unwrap();
    assert_eq!(fuzz(seed, 0), first);
    let healthy = Settings { filter: Some("abi/fuzz".into()), ..Settings::default() };
    assert_eq!(run(&library("NONE"), None, Some(1), &healthy)[0].outcome, Outcome::Pass);
}

/// The same seed has the same findings, whichever child finds them.
#[test]
fn runs_are_reproducible() {
    let settings = Settings { cases: 6, seed: 7, ..Settings::default() };
    let once = |name| {
        let mut records = run(&library(name), None, None, &settings);
        records.iter_mut().for_each(|r| r.seconds = 0.0);
        records
    };
    for name in ["NONE", "CRASHES"] {
        assert_eq!(once(name), once(name));
    }
}

#[test]
fn a_file_that_is_not_a_plugin_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("no.so");
    std::fs::write(&file, b"no library").unwrap();
    let records = run(&file, None, None, &Settings::default());
    assert_eq!(failed(&records), ["abi/manifest", "abi/one-symbol", "abi/descriptor"].map(str::to_owned).into());
}

/// A manifest next to the library that contradicts the embedded one, or has another SHA-256.
#[test]
fn an_installed_manifest_is_compared_with_that_of_the_library() {
    use ozarr::plugins::{Candidate, LibraryFile, Manifest, target};
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("faulty.so");
    std::fs::copy(library("NONE"), &file).unwrap();
    let settings = Settings { filter: Some("abi/manifest".into()), ..Settings::default() };
    let mut installed = Manifest::embedded(&file).unwrap();
    let mut check = |change: &dyn Fn(&mut Manifest)| {
        let (path, sha256) = ("faulty.so".to_owned(), Candidate::hash(&file).unwrap());
        installed.libraries = vec![LibraryFile { target: target(), path, sha256 }];
        let mut changed = installed.clone();
        change(&mut changed);
        let json = ozarr::zarr_core::json::Json::from_serialize(&changed).unwrap().to_pretty();
        std::fs::write(dir.path().join("faulty.zarrplugin.json"), json).unwrap();
        run(&file, None, None, &settings)[0].outcome.clone()
    };
    assert_eq!(check(&|_| {}), Outcome::Pass);
    assert!(check(&|m| m.license = "none".to_owned()).text().contains("differs from the manifest"));
    assert!(check(&|m| m.libraries[0].sha256.replace_range(..1, "x")).text().contains("hash"));
}

/// A panic is caught in the plugin, which is put in quarantine, and is reported as a panic.
#[test]
fn a_panic_is_reported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/panicking");
    let file = third_party::rust_from("panicking-plugin", &folder).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let samples = dir.path().join("samples.toml");
    let name = "panicking.bytes-to-bytes";
    for at in ["encode", "decode", "encoded_size"] {
        let text = format!(
            "[[sample]]\npoint = \"codec\"\nname = \"{name}\"\nconfiguration = '{{\"at\": \"{at}\"}}'\nopen = true\n"
        );
        std::fs::write(&samples, text).unwrap();
        let settings = Settings { cases: 4, filter: Some(name.to_owned()), ..Settings::default() };
        let records = run(&file, Some(&samples), None, &settings);
        let found = failed(&records);
        assert_eq!(found, ["abi/panic".to_owned()].into(), "{at}: {records:?}");
    }
}
