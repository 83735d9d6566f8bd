//! Conditions that are not errors are reported as events.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use ozarr::{
    Context, ErrorKind, Hierarchy, NewArray, Result,
    plugins::{Places, Policy, Search},
    zarr_core::{name::NodePath, store::Key},
};
use std::{
    fs,
    io::{self, Write},
    sync::{Arc, Mutex},
};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
impl MakeWriter<'_> for Lines {
    type Writer = Self;
    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Returns the events while `f` runs, one per line.
fn events<T>(f: impl FnOnce() -> T) -> (T, Vec<String>) {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_writer(lines.clone())
        .finish();
    let done = tracing::subscriber::with_default(subscriber, f);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    (done, text.lines().map(|line| line.trim().to_owned()).collect())
}

#[test]
fn a_skipped_extension_is_reported() -> Result<()> {
    let dir = tempfile::tempdir()?;
    Hierarchy::create(dir.path().join("s"))?.create_array("/a", NewArray::new([4], "uint8").no_compressor())?;
    let document = dir.path().join("s/a/zarr.json");
    let text = fs::read_to_string(&document)?;
    let transformer = r#""storage_transformers": [{"name": "test.unknown", "must_understand": false}], "codecs""#;
    fs::write(&document, text.replace("\"codecs\"", transformer))?;
    let (array, seen) = events(|| Hierarchy::open(dir.path().join("s"))?.array("/a"));
    assert_eq!(array?.skipped().len(), 1);
    let line = "WARN ozarr: skipped an unknown extension; the array is read-only \
                node=/a point=storage transformer name=test.unknown";
    assert_eq!(seen, [line]);
    Ok(())
}

#[test]
fn reading_from_consolidated_metadata_is_reported() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    let array = hierarchy.create_array("/g/a", NewArray::new([4], "uint8"))?;
    let (_, seen) = events(|| hierarchy.array("/g/a"));
    assert_eq!(seen, [""; 0]);
    hierarchy.consolidate("/")?;
    let consolidated = hierarchy.with_consolidated_metadata()?;
    let (_, seen) = events(|| consolidated.array("/g/a"));
    assert_eq!(seen, ["DEBUG ozarr: read metadata from consolidated metadata node=/g/a"]);
    let (_, seen) = events(|| array.hierarchy().array("/g/a"));
    assert_eq!(seen, [""; 0]);
    Ok(())
}

#[test]
fn consolidated_metadata_of_an_unknown_kind_is_reported() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    let document = r#"{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "other", "must_understand": false}}"#;
    hierarchy.store().writer()?.set(&Key::metadata(&NodePath::ROOT), document.as_bytes())?;
    let (array, seen) = events(|| hierarchy.create_array("/a", NewArray::new([4], "uint8")));
    array?;
    assert_eq!(
        seen,
        ["WARN ozarr: removed consolidated metadata of an unknown kind because it would be stale group=/"]
    );
    Ok(())
}

#[test]
fn consolidated_metadata_that_cannot_be_updated_is_reported() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let hierarchy = Hierarchy::create(dir.path().join("s"))?;
    hierarchy.create_group("/", ())?;
    let document = dir.path().join("s/zarr.json");
    let (done, seen) = events(|| {
        hierarchy.batch(|batch| {
            batch.create_array("/a", NewArray::new([4], "uint8"))?;
            fs::remove_file(&document)?;
            fs::create_dir(&document)?;
            Ok(())
        })
    });
    let e = done.unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::StaleCopies { .. }), "{e}");
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("WARN ozarr: consolidated metadata is stale group=/ error="), "{seen:?}");
    Ok(())
}

/// Names from a store cannot control a terminal that shows the events.
#[test]
fn names_are_escaped() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    hierarchy.create_array("/a\u{1b}[31m", NewArray::new([4], "uint8"))?;
    hierarchy.consolidate("/")?;
    let consolidated = hierarchy.with_consolidated_metadata()?;
    let (_, seen) = events(|| consolidated.array("/a\u{1b}[31m"));
    assert!(seen.len() == 1 && seen[0].ends_with(r"node=/a\u{1b}[31m"), "{seen:?}");
    Ok(())
}

#[test]
fn refused_plugins_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("broken.zarrplugin.json"), "{").unwrap();
    let search = Search {
        places: Places { folders: vec![dir.path().to_owned()], ..Places::default() },
        policy: Policy::default(),
    };
    let (_, seen) = events(|| Context::new().with_plugins(&search).map(|_| ()));
    assert!(seen.len() == 1 && seen[0].starts_with("WARN ozarr: refused a plugin file="), "{seen:?}");
}
