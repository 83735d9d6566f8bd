//! Plugins of other versions, and files that only resemble plugins: each is accepted, or refused with its own error.

use ozarr::Json;
use ozarr::{
    Context, Error, ErrorKind, Hierarchy, NewArray, Result,
    plugins::{Plugin, PluginError, Reason},
    store::MemoryStore,
    zarr_core::{
        registry::Registry,
        store::{Prefix, Store},
    },
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};
use zarr_conformance::third_party;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/c").join(name)
}

fn compat(case: &str) -> PathBuf {
    // Parts that one case needs are unused in others.
    third_party::c(&source("compat.c"), &[&format!("-DCASE={case}"), "-Wno-unused-const-variable"]).unwrap()
}

fn refused(case: &str) -> PluginError {
    Plugin::open(&compat(case)).expect_err(case)
}

/// Writes and reads an array through a codec, and returns the values of its chunks.
pub(super) fn round_trip(registry: Registry, codec: &str) -> Result<Vec<(String, Vec<u8>)>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let hierarchy = Hierarchy::new(store.clone(), Context::with_registry(registry));
    let codecs = [r#""bytes""#.parse::<Json>().unwrap(), codec.parse::<Json>().unwrap()];
    let array = hierarchy.create_array("/", NewArray::new([10], "uint8").chunks([4]).codecs(codecs))?;
    let data: Vec<u8> = (1..11).collect();
    array.write(.., &data)?;
    let back: Vec<u8> = array.read(..)?;
    if back != data {
        return Err(Error::data("other elements came back"));
    }
    let keys = store.lister()?.list_prefix(&Prefix::new("c/")?)?;
    keys.iter().map(|k| Ok((k.to_string(), store.reader()?.get(k)?.unwrap_or_default()))).collect()
}

fn with(library: &Path) -> Registry {
    let mut registry = Registry::builtin();
    Plugin::open(library).unwrap().add_to(&mut registry).unwrap();
    registry
}

/// Returns the typed reason in an error.
pub(super) fn reason(e: &Error) -> &Reason {
    match e.kind() {
        ErrorKind::Plugin(e) => e.downcast_ref::<PluginError>().unwrap_or_else(|| panic!("{e}")).reason(),
        _ => panic!("{e}"),
    }
}

#[test]
fn older_and_newer_plugins_work() {
    round_trip(with(&third_party::c(&source("frozen.c"), &[]).unwrap()), r#""test.frozen""#).unwrap();
    round_trip(with(&compat("LONGER")), r#""test.first""#).unwrap();
    round_trip(with(&compat("LONGER")), r#""test.alias""#).unwrap();
    // An extension of a kind from a later minor version does not affect the others.
    round_trip(with(&compat("LATER_KIND")), r#""test.second""#).unwrap();
}

#[test]
fn unmet_needs_of_one_extension_do_not_affect_others() {
    let e = round_trip(with(&compat("UNKNOWN_NEEDS")), r#""test.first""#).unwrap_err();
    assert!(matches!(reason(&e), Reason::Needs { extension, .. } if extension == "test.first"), "{e}");
    assert_eq!(e.extension().map(|(_, n)| n), Some("test.first"));
    round_trip(with(&compat("UNKNOWN_NEEDS")), r#""test.second""#).unwrap();
    let transformer = with(&compat("OTHER_MINOR_OF_A_TRANSFORMER"));
    let hierarchy = Hierarchy::new(MemoryStore::default(), Context::with_registry(transformer.clone()));
    let mut metadata = NewArray::new([4], "uint8").metadata(hierarchy.context()).unwrap().document().clone();
    metadata.set("storage_transformers", r#"["test.first"]"#.parse::<Json>().unwrap());
    let metadata = ozarr::zarr_core::metadata::ArrayMetadata::from_object(metadata, &Default::default()).unwrap();
    let e = hierarchy.create_array_from("/", metadata, false).unwrap_err();
    assert!(matches!(reason(&e), Reason::AbiMinor { found: 7, .. }), "{e}");
    round_trip(transformer, r#""test.second""#).unwrap();
}

#[test]
fn each_fault_has_its_own_error() {
    macro_rules! is {
        ($case:literal, $pattern:pat) => {
            let e = refused($case);
            assert!(matches!(e.reason(), $pattern), "{}: {e}", $case);
            assert!(e.to_string().contains("c-compat-"), "names the file: {e}");
        };
    }
    is!("NO_ENTRY", Reason::NoEntry("zarr_plugin_entry_v1"));
    is!("NULL_FUNCTION", Reason::NullFunction { function: "decode", .. });
    is!("WRONG_MAGIC", Reason::Magic);
    is!("SIZE_0", Reason::Descriptor("its size is missing"));
    is!("DUPLICATE", Reason::Duplicate(_));
    is!("OTHER_ID", Reason::Differs("the id"));
    is!("OTHER_VERSION", Reason::Differs("the version"));
    is!("OTHER_NAME", Reason::Differs("the extensions"));
    is!("OTHER_CAPS", Reason::Differs("the capabilities of the extensions"));
    is!("OTHER_TEXT", Reason::Differs("the embedded manifest"));
    is!("NULL_DESCRIPTOR_MEMBER", Reason::Descriptor("an extension is null"));
    is!("BAD_NAME", Reason::Differs("the extensions"));
    is!("MAJOR_2", Reason::AbiMajor { found: 2, wanted: 1 });
    is!("MINOR_9", Reason::AbiMinor { found: 9, wanted: 0 });
    is!("NO_MANIFEST", Reason::NoManifest);
    let e = refused("REFUSES");
    assert!(matches!(e.reason(), Reason::Refused(why) if why.contains("it is not in the mood")), "{e}");
    // Once the id is known, the error contains it.
    assert_eq!(refused("WRONG_MAGIC").id(), Some(("test.compat", "1.2.3")));
}

#[test]
fn files_that_are_not_libraries_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let good = std::fs::read(compat("LONGER")).unwrap();
    let file = dir.path().join("plugin.so");
    let fail = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        Plugin::open(&file).unwrap_err()
    };
    for keep in [0, 10, 100, good.len() / 2, good.len() - 1] {
        let e = fail(&good[..keep]);
        assert!(matches!(e.reason(), Reason::NotALibrary(_)), "{keep}: {e}");
    }
    assert!(matches!(fail(b"just a text").reason(), Reason::NotALibrary("not an ELF file")));
    let e = Plugin::open(&dir.path().join("none.so")).unwrap_err();
    assert!(matches!(e.reason(), Reason::Read(_)), "{e}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_32_bit_library_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (c, so) = (dir.path().join("a.c"), dir.path().join("a.so"));
    std::fs::write(&c, "int answer(void) { return 42; }").unwrap();
    let cc = Command::new("cc").args(["-m32", "-nostdlib", "-shared", "-fPIC", "-o"]).args([&so, &c]).output().unwrap();
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    let e = Plugin::open(&so).unwrap_err();
    assert!(matches!(e.reason(), Reason::NotALibrary("not a 64-bit file")), "{e}");
}
