//! Extensions that need a configuration: without one nothing can be checked, and the report states that.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use ozarr::zarr_core::{
    extension::ExtensionPoint::{self, ChunkGrid, Codec},
    registry::Registry,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use zarr_conformance::{
    check::Settings,
    extension::{Samples, Subject},
    report::{Outcome, Record},
    third_party,
};

fn records(point: ExtensionPoint, name: &str, samples: &Samples) -> Vec<Record> {
    let subject = Subject::new(&Registry::builtin(), point, name, samples).unwrap();
    let mut records = Vec::new();
    subject.run(&Settings { cases: 2, ..Settings::default() }, &mut |r| records.push(r));
    records
}

/// Creates the codec of the tutorial, whose `mask` is required.
fn invert(folder: &Path) -> PathBuf {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/adding-an-extension.md");
    let page = fs::read_to_string(page).unwrap();
    let source = page.split("```c\n").skip(1).find(|block| block.contains("acme.invert")).unwrap();
    // A library is built once for each folder and text.
    let file = folder.join("invert/invert.c");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, source.split("```").next().unwrap()).unwrap();
    third_party::c(&file, &[]).unwrap()
}

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zarr-conformance")).args(arguments).output().unwrap()
}

#[test]
fn without_a_configuration_creation_fails_and_nothing_else_passes() {
    let none = Samples::parse("").unwrap();
    for (point, name) in [(Codec, "gzip"), (Codec, "transpose"), (Codec, "sharding_indexed"), (ChunkGrid, "regular")] {
        let records = records(point, name, &none);
        let passed: Vec<&str> =
            records.iter().filter(|r| r.outcome == Outcome::Pass).map(|r| r.id.rsplit('/').next().unwrap()).collect();
        assert_eq!(passed, ["refusal"], "{name}");
        let (failed, rest): (Vec<&Record>, _) = records.iter().partition(|r| matches!(r.outcome, Outcome::Fail(_)));
        assert!(failed.len() == 1 && failed[0].id.ends_with(&format!("{name}/create")), "{failed:?}");
        let text = failed[0].outcome.text();
        assert!(text.starts_with(&format!("cannot create `{name}` without a configuration: ")), "{text}");
        for r in rest.into_iter().filter(|r| r.outcome != Outcome::Pass) {
            assert!(r.outcome.text().starts_with("not tried: see "), "{r:?}");
        }
        assert!(records.len() > 10, "{name}: {}", records.len());
    }
}

#[test]
fn a_sample_that_is_refused_fails_creation_and_the_others_are_tried() {
    let samples = "point = 'codec'\nname = 'gzip'\nconfiguration";
    let samples = format!("[[sample]]\n{samples} = '{{\"level\": 5}}'\n[[sample]]\n{samples} = '{{\"level\": 10}}'\n");
    let records = records(Codec, "gzip", &Samples::parse(&samples).unwrap());
    let of = |property: &str| &records.iter().find(|r| r.id == format!("codec/gzip/{property}")).unwrap().outcome;
    assert!(of("create").text().contains(r#"cannot create {"name":"gzip","configuration":{"level":10}}"#));
    assert_eq!((of("round-trip"), of("aliases")), (&Outcome::Pass, &Outcome::Pass));
}

#[test]
fn a_plugin_without_a_configuration_fails_with_a_usable_hint() {
    let dir = tempfile::tempdir().unwrap();
    let library = invert(dir.path());
    let library = library.to_str().unwrap();
    let out = command(&["plugin", library, "--cases", "4"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(1), "{text}");
    let failed: Vec<&str> = text.lines().filter(|line| line.starts_with("fail ")).collect();
    assert!(failed.len() == 1 && failed[0].contains("codec/acme.invert/create"), "{text}");
    assert!(failed[0].contains("cannot create `acme.invert` without a configuration: "), "{text}");
    assert!(failed[0].contains("expected only the member `mask`"), "{text}");
    assert!(text.contains(" 1 failed, ") && !text.contains("without dimensions"), "{text}");

    let samples = dir.path().join("samples.toml");
    let line = &failed[0][failed[0].find("sample = ").unwrap()..];
    let line = line.split(" [extension").next().unwrap();
    fs::write(&samples, line.replace("\"MEMBER\": VALUE", "\"mask\": 60")).unwrap();
    let out = command(&["plugin", library, "--cases", "4", "--samples", samples.to_str().unwrap()]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(0), "{text}");
    let passed: usize = text.lines().last().unwrap().split(' ').find_map(|word| word.parse().ok()).unwrap();
    assert!(passed > 20, "{text}");
}

#[test]
fn a_sample_of_an_unknown_extension_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (library, samples) = (invert(dir.path()), dir.path().join("samples.toml"));
    let (library, file) = (library.to_str().unwrap(), samples.to_str().unwrap());
    let sample =
        |name: &str| format!("[[sample]]\npoint = 'codec'\nname = '{name}'\nconfiguration = '{{\"mask\": 60}}'");
    let known = sample("acme.invert");
    for (wrong, near) in [("acme.invret", "acme.invert"), ("gzpi", "gzip"), ("numcodecs.lz5", "numcodecs.lz4")] {
        fs::write(&samples, format!("{known}\n{}", sample(wrong))).unwrap();
        for subject in [&["plugin", library][..], &["extension", "acme.invert", "--plugin", library]] {
            let out = command(&[subject, &["--samples", file, "--cases", "1"]].concat());
            let stderr = String::from_utf8(out.stderr).unwrap();
            assert_eq!(out.status.code(), Some(2), "{subject:?}: {stderr}");
            assert!(
                stderr.contains(&format!("`{wrong}`")) && stderr.contains(&format!("did you mean `{near}`?")),
                "{stderr}"
            );
        }
    }
    // Samples of plugins that are not loaded, and of families, are known.
    fs::write(&samples, format!("{known}\n{}", sample("numcodecs.lz4"))).unwrap();
    assert!(command(&["plugin", library, "--samples", file, "--cases", "1"]).status.success());
    assert!(
        Samples::parse("[[sample]]\npoint = 'data_type'\nname = 'r40'")
            .unwrap()
            .check(&Registry::builtin(), &[])
            .is_ok()
    );
}
