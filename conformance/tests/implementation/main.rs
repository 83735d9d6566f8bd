//! The suite detects the faults of an implementation, and finds none in this project.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use zarr_conformance::{
    cases::Cases,
    check::Settings,
    implementation::{Adapter, compare, results_page, run, version},
    report::{Outcome, Record, Report},
};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn adapter(file: &str) -> Adapter {
    Adapter::read(&here().join("adapters").join(file)).unwrap()
}

fn report(adapter: &Adapter, filter: &str) -> Report {
    let settings = Settings { filter: Some(filter.into()), ..Settings::default() };
    compare(std::slice::from_ref(adapter), &Cases::embedded(), &settings, &mut |_, _| {}).unwrap().remove(0)
}

fn failures(report: &Report) -> Vec<&str> {
    report.failures().map(|r| r.id.as_str()).collect()
}

#[test]
fn ozarr_passes_every_case() {
    let report = report(&adapter("ozarr.toml"), "");
    assert_eq!(failures(&report), [""; 0]);
    let unknown = report.records.iter().filter(|r| matches!(r.outcome, Outcome::Unsupported(_)));
    for record in unknown {
        let text = record.outcome.text();
        assert!(text.contains("unknown data type") || text.contains("unknown codec"), "{}: {text}", record.id);
    }
    assert!(report.counts().pass >= 1500, "{:?}", report.counts());
}

#[test]
fn an_adapter_that_only_reads_is_enough() {
    let report = report(&adapter("example/community.toml"), "/codec/gzip/");
    assert_eq!(failures(&report), [""; 0]);
    let (read, rest): (Vec<&Record>, Vec<&Record>) = report.records.iter().partition(|r| r.id.starts_with("read/"));
    assert!(read.len() >= 9 && read.iter().all(|r| r.outcome == Outcome::Pass));
    let other = |r: &&&Record| !r.id.starts_with("damage/");
    assert!(rest.iter().filter(other).all(|r| r.outcome.text().starts_with("it cannot ")), "{rest:?}");
}

#[test]
fn known_faults_of_peers_are_found() {
    let python = report(&adapter("zarr-python.toml"), "gzip");
    assert_eq!(failures(&python), ["refuse/gzip-level-boolean", "refuse/sharding-index-codecs-gzip"]);
    let tensorstore = report(&adapter("tensorstore.toml"), "gzip");
    let members = "read/codec/gzip/zarr-python-two-members";
    assert!(failures(&tensorstore).contains(&members), "{:?}", failures(&tensorstore));
    let read =
        |r: &Report| r.records.iter().filter(|r| r.id.starts_with("read/") && r.outcome == Outcome::Pass).count();
    assert!(read(&python) >= 9 && read(&tensorstore) >= 8);
    let page = results_page(&[python, tensorstore]);
    assert!(page.contains("| | zarr-python 3.1.6 | tensorstore 0.1.86 |"), "{page}");
    assert!(page.contains("| codec/gzip/zarr-python-two-members | pass | **fail** |"), "{page}");
    assert!(page.contains("- **fail**: `it is accepted`: `refuse/gzip-level-boolean`"), "{page}");
}

/// A few cases of each kind, one of them a truncated array.
struct Fixture {
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let nan = "data_type/float32/tensorstore-fill-nan-payload";
        for case in
            ["codec/gzip/zarr-python-level-5", nan, "refusal/gzip-level-boolean", "refusal/group-attributes-null"]
        {
            copy(&here().join("cases").join(case), &dir.path().join("cases").join(case));
        }
        let damage = dir.path().join("cases/damage/cut");
        copy(&here().join("cases/codec/gzip/zarr-python-level-5/array.zarr"), &damage.join("array.zarr"));
        fs::write(damage.join("array.zarr/c/0"), b"cut").unwrap();
        fs::write(damage.join("case.json"), r#"{"clause": "x", "counterpart": "codec/gzip/zarr-python-level-5"}"#)
            .unwrap();
        Self { dir }
    }
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
    fn adapter(&self, mode: &str, more: &str) -> Adapter {
        let fake = here().join("tests/implementation/fake.py");
        let call = format!("\"python3\", {:?}, {mode:?}, \"{{ozarr}}\"", fake.to_str().unwrap());
        let text = format!(
            r#"
            name = "fake"
            version = [{call}, "version"]
            capabilities = ["read", "write", "open", "groups"]
            {}
            [commands]
            read = [{call}, "read", "{{array}}", "{{out}}"]
            write = [{call}, "write", "{{metadata}}", "{{elements}}", "{{out}}"]
            open = [{call}, "open", "{{array}}"]
            "#,
            more.replace("CALL", &call)
        );
        Adapter::read(&self.file(&format!("{mode}.toml"), &text)).unwrap()
    }
    fn records(&self, adapter: &Adapter, filter: Option<&str>) -> Vec<Record> {
        let cases = Cases::at(&self.dir.path().join("cases")).unwrap();
        let settings = Settings { filter: filter.map(str::to_owned), ..Settings::default() };
        let mut records = Vec::new();
        run(adapter, &cases, &settings, &mut |r| records.push(r)).unwrap();
        records
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

const SESSION: &str = "session = [CALL, \"session\"]";
/// The faults, and the kinds of cases that detect them.
const WRONG: [(&str, &[&str]); 12] = [
    ("nothing", &[]),
    ("accepts-all", &["refuse"]),
    ("refuses-all", &["open"]),
    ("reversed", &["read"]),
    ("quiets-nan", &["read"]),
    ("one-short", &["read"]),
    ("no-json", &["read"]),
    ("reads-damage", &["damage"]),
    ("writes-nothing", &["write"]),
    ("other-fill", &["write"]),
    ("crashes", &["open", "read", "write"]),
    ("crashes-for-refusing", &["damage", "refuse"]),
];

#[test]
fn each_fault_fails_the_cases_written_for_it() {
    let fixture = Fixture::new();
    for (mode, kinds) in WRONG {
        let once = fixture.records(&fixture.adapter(mode, ""), None);
        let failed = once.iter().filter(|r| matches!(r.outcome, Outcome::Fail(_)));
        let found: BTreeSet<&str> = failed.clone().filter_map(|r| r.id.split('/').next()).collect();
        assert!(found.iter().eq(kinds), "{mode}: {once:#?}");
        let found: Vec<&str> = failed.map(|r| r.id.as_str()).collect();
        match mode {
            "quiets-nan" => assert_eq!(found, ["read/data_type/float32/tensorstore-fill-nan-payload"]),
            "crashes" => assert!(once[0].outcome.text().contains("it crashed"), "{once:#?}"),
            "writes-nothing" => assert_eq!(found.len(), 2, "{once:#?}"),
            "refuses-all" => {
                let refuse = once.iter().filter(|r| r.id.starts_with("refuse/"));
                assert!(refuse.clone().all(|r| matches!(r.outcome, Outcome::Unsupported(_))), "{once:#?}");
                assert_eq!(refuse.count(), 2);
            }
            _ => {}
        }
        // A session has the same results, except for the message when it ends.
        let session = fixture.records(&fixture.adapter(mode, SESSION), None);
        let words = |records: &[Record]| -> Vec<(String, &str, String)> {
            let text =
                |r: &Record| if mode.starts_with("crashes") { String::new() } else { r.outcome.text().to_owned() };
            records.iter().map(|r| (r.id.clone(), r.outcome.word(), text(r))).collect()
        };
        assert_eq!(words(&once), words(&session), "{mode}");
    }
}

#[test]
fn an_implementation_that_supports_nothing_never_fails() {
    let fixture = Fixture::new();
    let records = fixture.records(&fixture.adapter("unsupported", ""), None);
    assert!(records.iter().all(|r| r.outcome.word() == "unsupported"), "{records:#?}");
    assert_eq!(records.len(), 9);
    assert_eq!(records[0].outcome.text(), "never heard of it");
}

#[test]
fn hanging_and_garbled_output_fail() {
    let fixture = Fixture::new();
    for more in [String::new(), SESSION.to_owned()] {
        let adapter = fixture.adapter("hangs", &format!("{more}\nseconds = 1"));
        let records = fixture.records(&adapter, Some("read/codec/gzip"));
        assert_eq!(records[0].outcome, Outcome::Fail("it was not done after 1 s".into()));
    }
    let records = fixture.records(&fixture.adapter("babbles", SESSION), Some("read/codec/gzip"));
    assert!(records[0].outcome.text().contains("its session replied \"nonsense\""), "{records:#?}");
}

#[test]
fn a_filter_also_runs_the_prerequisites_of_a_case() {
    let fixture = Fixture::new();
    let adapter = fixture.adapter("nothing", "");
    for id in ["refuse/gzip-level-boolean", "damage/cut"] {
        let records = fixture.records(&adapter, Some(id));
        let found: Vec<_> = records.iter().map(|r| (r.id.as_str(), &r.outcome)).collect();
        assert_eq!(found, [(id, &Outcome::Pass)]);
    }
    assert_eq!(version(&adapter).unwrap(), "1.2.3");
}

#[test]
fn invalid_adapters_are_reported() {
    let good = "name = 'x'\nversion = ['x']\ncapabilities = ['read']\n[commands]\nread = ['x', '{array}']\n";
    let fixture = Fixture::new();
    let read = |text: &str| Adapter::read(&fixture.file("adapter.toml", text));
    assert!(read(good).is_ok());
    for (from, to, message) in [
        ("name", "nam", "unknown field `nam`"),
        ("name = 'x'\n", "", "missing field `name`"),
        ("name = 'x'", "name = '../x'", "letters, digits"),
        ("'read'", "'fly'", "unknown variant `fly`"),
        ("'read'", "'read', 'open'", "the capability `open` needs a command"),
        ("'read'", "'read', 'groups'", "`groups` needs `open`"),
        ("{array}", "{aray}", "there is no {aray}"),
        ("version = ['x']", "version = []", "begins with its program"),
        ("version = ['x']", "version = ['x', '{out}']", "there is no {out}"),
        ("version = ['x']", "version = ['x']\nseconds = 0", "a command needs time"),
        ("[commands]", "[commands", "line 4"),
    ] {
        let text = good.replacen(from, to, 1);
        let e = read(&text).unwrap_err().to_string();
        assert!(e.contains(message) && e.contains("adapter.toml"), "{text}\n{e}");
    }
    let e = Adapter::read(&fixture.dir.path().join("none.toml")).unwrap_err().to_string();
    assert!(e.contains("none.toml"), "{e}");
    let absent = good.replace("version = ['x']", "version = ['no-such-program']");
    let e = version(&read(&absent).unwrap()).unwrap_err().to_string();
    assert!(e.contains("`no-such-program` cannot be started"), "{e}");
}
