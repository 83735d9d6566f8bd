//! The texts of errors of plugins, as users read them. `SNAPSHOTS=overwrite` writes `messages.txt` again.
#![cfg(all(feature = "load", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use snapbox::{assert_data_eq, file};
use std::{
    collections::HashMap,
    ffi::OsString,
    fmt::Write,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{Error, Result};
use zarr_plugin_api::load::{Manifest, Places, Plugin, Policy, Reason, Search, target};

fn write(all: &mut String, done: &str, e: &Error) {
    let hint = e.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
    writeln!(all, "# {done}\n{}", e.to_string().strip_suffix(&hint).unwrap()).unwrap();
    if let Some(hint) = e.hint() {
        writeln!(all, "hint: {hint}").unwrap();
    }
    all.push('\n');
}

/// The manifest of an installed plugin, whose library is `NAME.so`.
fn manifest(name: &str) -> String {
    let target = target();
    format!(
        r#"{{"manifest": 1, "id": "org.{name}", "version": "1.0.0", "abi": {{"major": 1, "min_minor": 0}}, "extensions": [{{"kind": "bytes_to_bytes", "name": "acme.codec"}}], "libraries": [{{"target": "{target}", "path": "{name}.so", "sha256": "{:064}"}}]}}"#,
        0
    )
}
fn policy(variables: &[(&str, String)]) -> Result<Policy> {
    let variables: HashMap<&str, &String> = variables.iter().map(|(name, value)| (*name, value)).collect();
    Policy::of(&|name| variables.get(name).map(OsString::from))
}

fn files(all: &mut String, dir: &Path) {
    let mut add = |done: &str, outcome: Result<()>| write(all, done, &outcome.unwrap_err());
    let open = |file: &str| Plugin::open(&dir.join(file)).map(|_| ()).map_err(Error::from);
    fs::write(dir.join("text.so"), "text").unwrap();
    fs::write(dir.join("short.so"), b"\x7fELF\x02\x01\x01").unwrap();
    add("open a file that does not exist", open("none.so"));
    add("open a text", open("text.so"));
    add("open a file that is cut", open("short.so"));
    let good = manifest("a");
    let mut changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        let parsed = Manifest::parse(good.replace(from, to).as_bytes(), &dir.join("a.zarrplugin.json"));
        add(&format!("in a manifest, replace {from} with {to}"), parsed.map(|_| ()).map_err(Error::from));
    };
    for (from, to) in [
        ("{\"manifest\"", "\"manifest\""),
        ("\"manifest\": 1", "\"manifest\": 2"),
        ("\"manifest\": 1, ", ""),
        ("org.a", "org..a"),
        ("\"major\": 1", "\"major\": 2"),
        ("\"min_minor\": 0", "\"min_minor\": 7"),
        ("bytes_to_bytes", "kernel"),
        ("acme.codec", "Acme Codec"),
        ("\"a.so\"", "\"../a.so\""),
        ("\"name\": \"acme.codec\"", "\"name\": \"acme.codec\", \"aliases\": [\"acme.codec\"]"),
    ] {
        changed(from, to);
    }
    let without = good.split(", \"libraries\"").next().unwrap().to_owned() + "}";
    fs::write(dir.join("a.zarrplugin.json"), without).unwrap();
    add(
        "install a manifest without libraries",
        Manifest::installed(&dir.join("a.zarrplugin.json")).map(|_| ()).map_err(Error::from),
    );
}

fn policies(all: &mut String, dir: &Path) {
    let mut add = |done: &str, e: Error| write(all, done, &e);
    let lock = dir.join("lock.json").display().to_string();
    add("ZARR_PLUGINS=maybe", policy(&[("ZARR_PLUGINS", "maybe".into())]).unwrap_err());
    add("a lock file that does not exist", policy(&[("ZARR_PLUGINS_LOCK", lock.clone())]).unwrap_err());
    fs::write(&lock, "[]").unwrap();
    add("a lock file that is a list", policy(&[("ZARR_PLUGINS_LOCK", lock.clone())]).unwrap_err());
    fs::write(&lock, "{}").unwrap();
    let manifest = Manifest::parse(manifest("a").as_bytes(), Path::new("a.zarrplugin.json")).unwrap();
    for variables in [
        &[("ZARR_PLUGINS", "off".to_owned())],
        &[("ZARR_PLUGINS_DENY", "org.a".to_owned())],
        &[("ZARR_PLUGINS", "list".to_owned())],
        &[("ZARR_PLUGINS_LOCK", lock.clone())],
    ] {
        let reason = policy(variables).unwrap().check(&manifest, "00").unwrap_err();
        let [(name, value)] = variables;
        writeln!(all, "# {name}={value}\n{reason}\n").unwrap();
    }
    let relative = Places::of(&|name| (name == "ZARR_PLUGIN_PATH").then(|| "plugins".into()), false);
    let privileged = Places::of(&|name| (name == "ZARR_PLUGIN_PATH").then(|| "/plugins".into()), true);
    for (done, places) in
        [("ZARR_PLUGIN_PATH=plugins", relative), ("ZARR_PLUGIN_PATH of a privileged program", privileged)]
    {
        writeln!(all, "# {done}\n{}\n", places.warnings.join("\n")).unwrap();
    }
}

/// Each folder has plugins that a search refuses.
fn searches(all: &mut String, dir: &Path) {
    let folder = |name: &str, mode: u32, plugins: &[(&str, bool)]| {
        let folder = dir.join(name);
        fs::create_dir(&folder).unwrap();
        for (plugin, has_library) in plugins {
            fs::write(folder.join(format!("{plugin}.zarrplugin.json")), manifest(plugin)).unwrap();
            if *has_library {
                fs::write(folder.join(format!("{plugin}.so")), "text").unwrap();
            }
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        folder
    };
    let other_target = folder("target", 0o755, &[]);
    fs::write(other_target.join("a.zarrplugin.json"), manifest("a").replace(&target(), "other")).unwrap();
    for folder in [
        folder("missing", 0o755, &[("a", false)]),
        folder("writable", 0o777, &[("a", true)]),
        folder("conflict", 0o755, &[("a", true), ("b", true)]),
        other_target,
    ] {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let places = Places { folders: vec![folder], warnings: Vec::new() };
        let found = Search { places, policy: Policy::default() }.find();
        write(all, &format!("search in a folder: {name}"), &found.plugins[0].refused.clone().unwrap().into());
    }
    let places = Places { folders: vec![folder("hash", 0o755, &[("a", true)])], warnings: Vec::new() };
    let found = Search { places, policy: Policy::default() }.find();
    write(all, "load a library with another SHA-256", &found.plugins[0].load().unwrap_err().into());
}

/// Reasons that need a library to run.
fn reasons(all: &mut String) {
    let text = || "text".to_owned();
    for reason in [
        Reason::Read(Arc::new(std::io::ErrorKind::PermissionDenied.into())),
        Reason::NoManifest,
        Reason::AbiMajor { found: 2, wanted: 1 },
        Reason::AbiMinor { found: 7, wanted: 0 },
        Reason::LibraryMissing(PathBuf::from("a.so")),
        Reason::Removed,
        Reason::NotOffered("acme.codec".into()),
        Reason::Open("liblzma.so.5: cannot open shared object file".into()),
        Reason::NoEntry("zarr_plugin_entry_v1"),
        Reason::Refused(text()),
        Reason::Magic,
        Reason::Descriptor("an extension is null"),
        Reason::Differs("the version"),
        Reason::NullFunction { extension: "acme.codec".into(), function: "decode" },
        Reason::Needs { extension: "acme.codec".into(), needs: "warp".into() },
        Reason::Duplicate("acme.codec".into()),
        Reason::Quarantined("it panicked: text".into()),
    ] {
        let name = format!("{reason:?}");
        let name = name.split([' ', '(']).next().unwrap();
        writeln!(all, "# {name}\n{reason}\n").unwrap();
    }
}

#[test]
fn messages() {
    let (mut all, dir) = (String::new(), tempfile::tempdir().unwrap());
    // A place that only this user can write to.
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    files(&mut all, dir.path());
    policies(&mut all, dir.path());
    searches(&mut all, dir.path());
    reasons(&mut all);
    let text = all.replace(&*dir.path().to_string_lossy(), "[DIR]").replace(&target(), "[TARGET]");
    assert_data_eq!(text, file!["messages.txt"].raw());
}
