//! Finds plugins, decides whether to trust them, and loads them on first use.
#![cfg(unix)]

use super::compatibility::{reason, round_trip};
use ozarr::{
    ErrorKind,
    plugins::{Candidate, Discovery, LibraryFile, Manifest, Mode, Places, Policy, Reason, Search, target},
    zarr_core::{
        extension::ExtensionPoint,
        json::Json,
        registry::{Registry, Tier},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use zarr_conformance::third_party;

fn library(arguments: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/c/compat.c");
    third_party::c(&source, &[&["-DCASE=0", "-Wno-unused-const-variable"], arguments].concat()).unwrap()
}

/// Installs a library as `name`, and returns the path of its manifest.
fn install(folder: &Path, name: &str, library: &Path, change: impl FnOnce(&mut Manifest)) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let mut manifest = Manifest::embedded(library).unwrap();
    let path = format!("{name}.so");
    fs::copy(library, folder.join(&path)).unwrap();
    let sha256 = Candidate::hash(library).unwrap();
    manifest.libraries = vec![LibraryFile { target: target(), path, sha256 }];
    change(&mut manifest);
    let file = folder.join(format!("{name}.zarrplugin.json"));
    fs::write(&file, Json::from_serialize(&manifest).unwrap().to_string()).unwrap();
    file
}

fn search(folders: &[&Path]) -> Search {
    let folders = folders.iter().map(|f| f.to_path_buf()).collect();
    Search { places: Places { folders, warnings: Vec::new() }, policy: Policy::default() }
}

fn registry(found: &Discovery) -> Registry {
    let mut registry = Registry::builtin();
    found.register(&mut registry).unwrap();
    registry
}

fn refused(found: &Discovery) -> Vec<&Reason> {
    found
        .plugins
        .iter()
        .map(|c| c.refused.as_ref().unwrap_or_else(|| panic!("{c:?} is not refused")).reason())
        .collect()
}

/// Returns a folder that only this user can write to.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn an_installed_plugin_is_loaded_on_first_use_and_missed_after_removal() {
    let dir = folder();
    let (good, broken) = (dir.path().join("good"), dir.path().join("broken"));
    install(&good, "a", &library(&[]), |_| {});
    // This one cannot be loaded, which has no effect until it is used.
    let bad = install(&broken, "b", &library(&["-DFIRST=\"test.broken\""]), |m| {
        m.id = "test.bad".to_owned();
        m.extensions.truncate(1);
        m.extensions[0].aliases.clear();
    });
    let found = search(&[&good, &broken, &dir.path().join("none")]).find();
    assert_eq!(found.folders.iter().map(|(_, there)| *there).collect::<Vec<_>>(), [true, true, false]);
    let registry_1 = registry(&found);
    round_trip(registry_1.clone(), r#""test.first""#).unwrap();
    let e = round_trip(registry_1, r#""test.broken""#).unwrap_err();
    assert!(matches!(reason(&e), Reason::Differs(_)), "an installed plugin that fails is not `unknown`: {e}");
    assert!(e.to_string().contains(&bad.display().to_string()), "{e}");

    fs::remove_file(good.join("a.so")).unwrap();
    let e = round_trip(registry(&search(&[&good]).find()), r#""test.first""#).unwrap_err();
    assert!(matches!(reason(&e), Reason::LibraryMissing(p) if *p == good.join("a.so")), "{e}");
    fs::remove_file(good.join("a.zarrplugin.json")).unwrap();
    let e = round_trip(registry(&search(&[&good, &broken]).find()), r#""test.first""#).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::UnknownExtension { .. }), "{e}");
    let hint = e.hint().unwrap();
    assert!(hint.contains(&good.display().to_string()) && hint.contains(&broken.display().to_string()), "{hint}");
}

#[test]
fn a_changed_library_is_not_loaded() {
    let dir = folder();
    install(dir.path(), "a", &library(&[]), |_| {});
    let mut bytes = fs::read(dir.path().join("a.so")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(dir.path().join("a.so"), bytes).unwrap();
    let e = round_trip(registry(&search(&[dir.path()]).find()), r#""test.first""#).unwrap_err();
    assert!(matches!(reason(&e), Reason::Hash { .. }), "{e}");
}

#[test]
fn earlier_folders_and_built_in_extensions_win() {
    let dir = folder();
    let (first, second) = (dir.path().join("1"), dir.path().join("2"));
    install(&first, "a", &library(&["-DFIRST=\"crc32c\""]), |_| {});
    install(&second, "b", &library(&["-DFIRST=\"crc32c\"", "-O1"]), |_| {});
    let registry = registry(&search(&[&first, &second]).find());
    let point = ExtensionPoint::Codec;
    assert_eq!(registry.find(point, "crc32c").unwrap().provider(), "zarr-codecs");
    let lines: Vec<_> = registry.list().filter(|l| l.name == "crc32c").map(|l| (l.tier, l.shadowed)).collect();
    assert_eq!(lines, [(Tier::BuiltIn, false), (Tier::Discovered(0), true), (Tier::Discovered(1), true)]);
    assert!(registry.find(point, "test.second").unwrap().origin().contains("/1/a.so"));
}

#[test]
fn a_name_offered_by_two_plugins_of_one_folder_is_ambiguous() {
    let dir = folder();
    let (a, b) = (library(&["-DFIRST=\"test.a\""]), library(&["-DFIRST=\"test.b\""]));
    let one = install(dir.path(), "a", &a, |_| {});
    install(dir.path(), "b", &b, |_| {});
    let found = search(&[dir.path()]).find();
    assert!(refused(&found).iter().all(|r| matches!(r, Reason::Conflict { .. })), "{found:?}");
    let e = round_trip(registry(&found), r#""test.b""#).unwrap_err();
    let text = e.to_string();
    assert!(text.contains(&one.display().to_string()) && text.contains("b.zarrplugin.json"), "names both: {text}");
    // A later folder does not silently settle the conflict.
    let later = folder();
    install(later.path(), "c", &library(&["-DFIRST=\"test.c\""]), |_| {});
    let e = round_trip(registry(&search(&[dir.path(), later.path()]).find()), r#""test.second""#).unwrap_err();
    assert!(matches!(reason(&e), Reason::Conflict { .. }), "{e}");
}

#[test]
fn world_writable_files_and_folders_are_refused() {
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (what, mode) in [("", 0o777), ("a.zarrplugin.json", 0o666), ("a.so", 0o777)] {
        let dir = folder();
        install(dir.path(), "a", &library(&[]), |_| {});
        assert!(search(&[dir.path()]).find().plugins[0].refused.is_none());
        let path = dir.path().join(what);
        set(&path, mode);
        let found = search(&[dir.path()]).find();
        assert!(matches!(refused(&found)[..], [Reason::Trust(_)]), "{what}: {found:?}");
        if what == "a.so" {
            // An explicit path only causes a warning, since the user chose it.
            assert!(ozarr::plugins::trust(&path).is_err());
            ozarr::plugins::Plugin::open(&path).unwrap();
            let e = round_trip(registry(&found), r#""test.first""#).unwrap_err();
            assert!(matches!(reason(&e), Reason::Trust(_)), "{e}");
        }
    }
}

#[test]
fn manifests_that_do_not_match_are_refused() {
    let dir = folder();
    let text = |text: &str| {
        fs::write(dir.path().join("a.zarrplugin.json"), text).unwrap();
        refused(&search(&[dir.path()]).find())[0].clone()
    };
    let start = r#"{"manifest":1,"id":"a.b","version":"1","abi":{"major":1,"min_minor":0},"extensions":["#;
    let extension = r#"{"kind":"bytes_to_bytes","name":"a.b"}"#;
    assert!(matches!(text("{"), Reason::Manifest(_)));
    assert!(matches!(text(&format!("{start}]}}")), Reason::Manifest(why) if why.contains("no extension")));
    assert!(matches!(text(&format!("{start}{extension}]}}")), Reason::Manifest(why) if why.contains("libraries")));
    let libraries = r#""libraries":[{"target":"z80-cpm","path":"a.com","sha256":"0"}]"#;
    assert!(matches!(text(&format!("{start}{extension}],{libraries}}}")), Reason::Target(_)));
    for elsewhere in ["/etc/a.so", "../a.so", ""] {
        let libraries = libraries.replace("a.com", elsewhere);
        let refused = text(&format!("{start}{extension}],{libraries}}}"));
        assert!(matches!(refused, Reason::Manifest(why) if why.contains("below the folder")), "{elsewhere}");
    }
    assert!(matches!(text(&format!("{start}{extension},{extension}],{libraries}}}")), Reason::Duplicate(_)));
    let other = start.replace("a.b", "A/b");
    assert!(matches!(text(&format!("{other}{extension}],{libraries}}}")), Reason::Manifest(why) if why.contains("id")));
    let other = start.replace("\"major\":1", "\"major\":2");
    assert!(matches!(text(&format!("{other}{extension}],{libraries}}}")), Reason::AbiMajor { found: 2, .. }));
    let other = extension.replace("bytes_to_bytes", "soup_to_nuts");
    assert!(
        matches!(text(&format!("{start}{other}],{libraries}}}")), Reason::Manifest(why) if why.contains("no extension"))
    );
    // Only manifests are read, never other files.
    fs::remove_file(dir.path().join("a.zarrplugin.json")).unwrap();
    fs::copy(library(&[]), dir.path().join("lib.so")).unwrap();
    assert!(search(&[dir.path()]).find().plugins.is_empty());
}

#[test]
fn the_policy_of_the_user_is_obeyed() {
    let dir = folder();
    install(dir.path(), "a", &library(&[]), |_| {});
    let ids = |ids: &[&str]| ids.iter().map(|i| (*i).to_owned()).collect::<BTreeSet<_>>();
    let hash = Candidate::hash(&library(&[])).unwrap();
    let lock = |id: &str, hash: &str| Some(BTreeMap::from([(id.to_owned(), hash.to_owned())]));
    let with = |policy: Policy| Search { policy, ..search(&[dir.path()]) }.find();
    let (list, all) = (Mode::List, Mode::Installed);
    for (policy, used) in [
        (Policy { mode: all, ..Policy::default() }, true),
        (Policy { mode: all, deny: ids(&["test.compat"]), ..Policy::default() }, false),
        (Policy { mode: list, ..Policy::default() }, false),
        (Policy { mode: list, allow: ids(&["test.compat"]), ..Policy::default() }, true),
        (Policy { mode: list, allow: ids(&["test.compat"]), deny: ids(&["test.compat"]), ..Policy::default() }, false),
        (Policy { lock: lock("test.compat", &hash), ..Policy::default() }, true),
        (Policy { lock: lock("test.compat", "00"), ..Policy::default() }, false),
        (Policy { lock: lock("test.other", &hash), ..Policy::default() }, false),
    ] {
        let found = with(policy.clone());
        assert_eq!(found.plugins[0].refused.is_none(), used, "{policy:?}");
        if !used {
            let e = round_trip(registry(&found), r#""test.first""#).unwrap_err();
            assert!(matches!(reason(&e), Reason::Policy(_) | Reason::Hash { .. }), "{e}");
        }
    }
    assert!(with(Policy { mode: Mode::Off, ..Policy::default() }).plugins.is_empty());

    let of = |variables: &[(&str, &str)]| {
        Policy::of(&|name| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()))
    };
    assert_eq!(of(&[]).unwrap().mode, all);
    let policy =
        of(&[("ZARR_PLUGINS", "list"), ("ZARR_PLUGINS_ALLOW", "a.b, c.d"), ("ZARR_PLUGINS_DENY", "e")]).unwrap();
    assert_eq!((policy.mode, policy.allow, policy.deny), (list, ids(&["a.b", "c.d"]), ids(&["e"])));
    let file = dir.path().join("lock.json");
    fs::write(&file, format!(r#"{{"test.compat":"{hash}"}}"#)).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(of(&[("ZARR_PLUGINS_LOCK", file)]).unwrap().lock, lock("test.compat", &hash));
    // An unknown value must not mean "all".
    assert!(of(&[("ZARR_PLUGINS", "Off")]).is_err());
    assert!(of(&[("ZARR_PLUGINS_LOCK", "/nowhere/lock.json")]).is_err());
}
