//! The extensions, plugins and stores of this project pass, and the command reports the result of a run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::zarr_core::{json::Json, registry::Registry};
use std::{
    path::Path,
    process::{Command, Output},
};
use zarr_conformance::{
    check::Settings,
    extension::{Samples, Subject},
    report::{Outcome, Record},
    third_party,
};

/// Each seed tries different inputs.
#[test]
fn built_in_extensions_pass() {
    let samples = Samples::embedded().unwrap();
    let subjects = Subject::find(&Registry::builtin(), None, &samples).unwrap();
    assert!(subjects.len() >= 30, "{}", subjects.len());
    let mut passed = 0;
    for seed in 0..3 {
        let settings = Settings { seed, cases: 24, ..Settings::default() };
        for subject in &subjects {
            subject.run(&settings, &mut |r| {
                assert!(!matches!(r.outcome, Outcome::Fail(_)), "seed {seed}: {r:?}");
                passed += usize::from(r.outcome == Outcome::Pass);
            });
        }
    }
    assert!(passed > 1200, "{passed}");
}

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zarr-conformance")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn plugins_pass() {
    use zarr_conformance::plugin;
    let in_c = third_party::IN_C.map(|name| (name, third_party::c_plugin(name).unwrap()));
    let all = third_party::IN_RUST.map(|name| (name, third_party::rust(name).unwrap())).into_iter().chain(in_c);
    let new = third_party::new_in_rust("acme.bytes", "bytes-to-bytes").unwrap();
    for (name, file) in all.chain([("acme.bytes", new)]) {
        let subject = plugin::Subject {
            file,
            samples: None,
            program: env!("CARGO_BIN_EXE_zarr-conformance").into(),
            patience: std::time::Duration::from_secs(60),
            fuzz: None,
        };
        let (mut passed, settings) = (0, Settings { cases: 12, ..Settings::default() });
        let mut tell = |r: Record| {
            assert!(!matches!(r.outcome, Outcome::Fail(_)), "{name}: {r:?}");
            passed += usize::from(r.outcome == Outcome::Pass);
        };
        subject.run(&settings, &mut tell).unwrap();
        // Little of the manifest plugin can be checked without files of its own.
        assert!(passed >= 10, "{name}: {passed}");
    }
}

#[test]
fn exit_statuses() {
    let status = |arguments: &[&str]| command(arguments).status.code().unwrap();
    assert_eq!(status(&["extension", "crc32c", "--cases", "4"]), 0);
    assert_eq!(status(&["extension", "no-such-codec"]), 2);
    assert_eq!(status(&["extension"]), 2);
    assert_eq!(status(&["store", "/no/such/folder"]), 2);
    assert_eq!(status(&["plugin", "/no/such/plugin.so"]), 2);
    assert_eq!(status(&["implementation", "/no/such/adapter.toml"]), 2);
    assert_eq!(status(&["extension", "crc32c", "--filter", "nothing-has-this-name"]), 3);
    let dir = tempfile::tempdir().unwrap();
    let expectations = dir.path().join("expectations.toml");
    std::fs::write(&expectations, "[fail]\n'store/get/missing' = 'it is said to fail'\n").unwrap();
    let file = expectations.to_str().unwrap();
    // It passes, although it was expected to fail.
    assert_eq!(status(&["store", "memory", "--expectations", file, "--filter", "get/missing"]), 1);
    assert_eq!(status(&["store", "memory", "--expectations", file, "--filter", "get/size"]), 0);
    std::fs::write(&expectations, "fail = 7").unwrap();
    assert_eq!(status(&["store", "memory", "--expectations", file]), 2);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let once = |seed: &str| {
        let output = command(&["extension", "gzip", "--cases", "8", "--seed", seed, "--format", "json"]);
        let text = text(&output);
        let lines = text.lines().filter(|l| !l.contains("milliseconds"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(once("3"), once("3"));
}

#[test]
fn reports_in_all_formats_have_every_case() {
    let run = |format: &str| text(&command(&["store", "memory", "--filter", "store/get", "--format", format]));
    let json = Json::parse(run("json").as_bytes(), &Default::default()).unwrap();
    let report = json.as_array().unwrap()[0].as_object().unwrap().clone();
    let cases = report.get("cases").and_then(Json::as_array).unwrap().len();
    assert!(cases >= 5);
    assert_eq!(report.get("pass"), Some(&Json::from(cases as u64)));
    assert_eq!(run("tap").lines().filter(|l| l.starts_with("ok ")).count(), cases);
    assert!(run("tap").contains(&format!("1..{cases}\n")));
    assert_eq!(run("junit").matches("<testcase ").count(), cases);
    assert!(run("junit").contains(&format!("tests=\"{cases}\" failures=\"0\"")));
    assert_eq!(run("markdown").matches("| `store/get/").count(), cases);
    assert!(run("text").starts_with(&format!("store memory: {cases} passed, 0 failed, 0 unsupported")));
}

#[test]
fn a_report_is_written_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.tap");
    let output = command(&["store", "memory", "--filter", "get/size", "--format", "tap", "-o", file.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(std::fs::read_to_string(file).unwrap().starts_with("TAP version 13\n1..1\nok 1 - store/get/size\n"));
}

/// An exported array is read with the elements that its file lists.
#[test]
fn exported_cases_are_arrays() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("gzip");
    assert!(command(&["export", "gzip", "-o", folder.to_str().unwrap()]).status.success());
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut found = 0;
    for entry in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let array = ozarr::Hierarchy::options().read_only().open(&entry).unwrap().array("/").unwrap();
        let read = zarr_conformance::elements::read_elements(&array).unwrap();
        let elements = Json::parse(&std::fs::read(entry.join("elements.json")).unwrap(), &Default::default()).unwrap();
        let data_type = array.representation().data_type().clone();
        let elements: Vec<Vec<u8>> =
            elements.as_array().unwrap().iter().map(|e| data_type.fill_from_json(e).unwrap()).collect();
        assert_eq!(read, elements, "{}", entry.display());
        assert!(page.contains(&format!("[{}]", Path::new(&entry).file_name().unwrap().to_str().unwrap())));
        found += 1;
    }
    assert!(found >= 10, "{found}");
    assert_eq!(command(&["export", "gzip", "-o", folder.to_str().unwrap()]).status.code(), Some(2), "it is not empty");
}

/// A name that two extensions have is not sufficient. For an unknown name, the error lists every known name once.
#[test]
fn export_needs_exactly_one_extension() {
    let dir = tempfile::tempdir().unwrap();
    let export = |name: &str, folder: &str| command(&["export", name, "-o", dir.path().join(folder).to_str().unwrap()]);
    let refused = |name: &str| {
        let out = export(name, "none");
        assert_eq!(out.status.code(), Some(2), "{name}");
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(refused("bytes").contains("pass one of codec/bytes, data_type/bytes"));
    let stderr = refused("no-such");
    assert_eq!((stderr.matches("codec/bytes").count(), stderr.matches("data_type/bytes").count()), (1, 1), "{stderr}");
    assert!(!dir.path().join("none").exists());
    let page = |name: &str, folder: &str| {
        assert!(export(name, folder).status.success());
        std::fs::read_to_string(dir.path().join(folder).join("README.md")).unwrap()
    };
    let (codec, data_type) = (page("codec/bytes", "codec"), page("data_type/bytes", "data-type"));
    assert!(codec.contains("zarr-python-big-float64") && !codec.contains("zarr-python-values"), "{codec}");
    assert!(data_type.contains("zarr-python-values") && !data_type.contains("big-float64"), "{data_type}");
}
