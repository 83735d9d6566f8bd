//! The command with plugins: installed, inspected, used, removed, and created.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

#[path = "plugins/add.rs"]
mod add;
#[path = "plugins/languages.rs"]
mod languages;
#[path = "plugins/new.rs"]
mod new;
#[path = "plugins/upgrade.rs"]
mod upgrade;

use ozarr::{
    plugins::HEADER,
    zarr_core::json::{Json, Object},
};
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};
use zarr_conformance::third_party;

/// A user with a separate home directory.
struct User(tempfile::TempDir);

impl User {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
        let unset = ["XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "ZARR_PLUGINS", "ZARR_PLUGIN_PATH"];
        unset.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.env("HOME", self.0.path()).current_dir(self.0.path());
        command
    }
    fn run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().unwrap()
    }
    fn ok(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }
    fn fails(&self, args: &[&str]) -> String {
        let out = self.run(args);
        // A name that is not found is an answer.
        let status = if args.contains(&"which") { 1 } else { 3 };
        assert_eq!(out.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&out.stdout));
        String::from_utf8(out.stderr).unwrap()
    }
    fn json(&self, args: &[&str]) -> Object {
        let text = self.ok(args);
        Json::parse(text.as_bytes(), &Default::default()).unwrap().as_object().unwrap().clone()
    }
}

fn text<'o>(object: &'o Object, member: &str) -> &'o str {
    object.get(member).and_then(Json::as_str).unwrap_or_else(|| panic!("no {member} in {object:?}"))
}

fn list<'o>(object: &'o Object, member: &str) -> &'o [Json] {
    object.get(member).and_then(Json::as_array).unwrap_or_else(|| panic!("no {member} in {object:?}"))
}

fn tree(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).canonicalize().unwrap()
}

fn lz4() -> String {
    third_party::rust("numcodecs-lz4").unwrap().to_string_lossy().into_owned()
}

fn fletcher32() -> String {
    third_party::c_plugin("numcodecs-fletcher32").unwrap().to_string_lossy().into_owned()
}

/// Returns the elements of an array, one per line.
fn elements(user: &User, store: &str, array: &str) -> String {
    user.ok(&["elements", "--array_path", &format!("{store}/{array}")])
}

#[test]
fn a_store_is_copied_through_plugins_and_back() {
    let user = User::new();
    let source = tree("examples/weather.zarr").to_string_lossy().into_owned();
    let (there, back) = (user.path("there.zarr"), user.path("back.zarr"));
    let codecs = r#"[{"name":"numcodecs.lz4","configuration":{"acceleration":1}},"numcodecs.fletcher32"]"#;
    let said = user.fails(&["copy", "--codecs", codecs, &source, &there]);
    assert!(said.contains("numcodecs.lz4") && said.contains(&user.path(".local/share/zarr/plugins")), "{said}");
    user.ok(&["plugin", "add", &lz4()]);
    user.ok(&["plugin", "add", &fletcher32()]);
    user.ok(&["copy", "--overwrite", "--codecs", codecs, &source, &there]);
    user.ok(&["validate", "--data", &there]);
    user.ok(&["copy", "--codecs", r#"["crc32c"]"#, &there, &back]);
    for array in ["observations/temperature", "observations/pressure", "stations/name", "time"] {
        let original = elements(&user, &source, array);
        assert_eq!(elements(&user, &there, array), original);
        assert_eq!(elements(&user, &back, array), original);
    }
    let why = user.ok(&["plugin", "why", &there]);
    assert!(why.contains("`numcodecs.lz4`: discovered (plugin dev.zarr.numcodecs-lz4 0.1.0"), "{why}");

    user.ok(&["plugin", "remove", "dev.zarr.numcodecs-lz4"]);
    let said = user.fails(&["read", "--region", "0", &format!("{there}/time")]);
    assert!(said.contains("unknown codec `numcodecs.lz4`"), "{said}");
    assert!(said.contains(&user.path(".local/share/zarr/plugins")), "where it was looked for: {said}");
    assert!(!user.run(&["plugin", "why", &there]).status.success());
    // A plugin can also be given for one run.
    user.ok(&["--plugin", &lz4(), "read", "--region", "0", &format!("{there}/time")]);
}

#[test]
fn plugins_are_installed_and_removed() {
    let user = User::new();
    let none = user.json(&["plugin", "list", "--json"]);
    assert!(list(&none, "plugins").is_empty());
    let added = user.json(&["plugin", "add", "--json", &fletcher32()]);
    assert_eq!(text(&added, "id"), "dev.zarr.numcodecs-fletcher32");
    assert!(Path::new(text(&added, "manifest")).is_file() && Path::new(text(&added, "library")).is_file());
    let said = user.fails(&["plugin", "add", &fletcher32()]);
    assert!(said.contains("--replace"), "{said}");
    user.ok(&["plugin", "add", "--replace", &fletcher32()]);
    let installed = user.json(&["plugin", "list", "--json"]);
    let plugin = list(&installed, "plugins")[0].as_object().unwrap();
    assert_eq!((text(plugin, "status"), list(&installed, "plugins").len()), ("active", 1));

    let which = user.json(&["plugin", "which", "--json", "numcodecs.fletcher32"]);
    let found = list(&which, "found")[0].as_object().unwrap();
    assert_eq!(text(found, "provider"), "dev.zarr.numcodecs-fletcher32");
    assert!(user.ok(&["plugin", "which", "crc32c"]).contains("built in"));
    assert!(user.fails(&["plugin", "which", "nothing.known"]).contains(".local/share/zarr/plugins"));

    let inspected = user.json(&["plugin", "inspect", "--json", text(&added, "manifest")]);
    assert_eq!(list(&inspected, "libraries").len(), 1);
    let embedded = user.json(&["plugin", "inspect", "--json", &fletcher32()]);
    assert!(embedded.get("libraries").is_none());
    assert_eq!(list(&embedded, "extensions"), list(&inspected, "extensions"));

    // A library that differs from its manifest is listed, and refused on use.
    let denied =
        user.command().env("ZARR_PLUGINS_DENY", "dev.zarr.numcodecs-fletcher32").args(["plugin", "list"]).output();
    let denied = String::from_utf8(denied.unwrap().stdout).unwrap();
    assert!(denied.contains("refused") && denied.contains("ZARR_PLUGINS_DENY"), "{denied}");
    let off = user.command().env("ZARR_PLUGINS", "off").args(["plugin", "which", "numcodecs.fletcher32"]).output();
    assert_eq!(off.unwrap().status.code(), Some(1));
    let wrong = user.command().env("ZARR_PLUGINS", "maybe").args(["extensions"]).output().unwrap();
    assert!(!wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("`installed`"));
    let relative = user.command().env("ZARR_PLUGIN_PATH", "here").args(["extensions"]).output().unwrap();
    assert!(String::from_utf8_lossy(&relative.stderr).contains("not an absolute path"));

    let library = PathBuf::from(text(&added, "library"));
    std::fs::rename(&library, user.path("away")).unwrap();
    let missing = user.ok(&["plugin", "list"]);
    assert!(missing.contains("refused") && missing.contains("not found"), "{missing}");
    let which = user.run(&["plugin", "which", "numcodecs.fletcher32"]);
    assert_eq!(which.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&which.stdout).contains("refused"));
    assert!(user.ok(&["extensions"]).contains("not found"));
    std::fs::rename(user.path("away"), &library).unwrap();

    // A changed library is detected without being loaded.
    let good = std::fs::read(&library).unwrap();
    std::fs::write(&library, [&good[..], b"x"].concat()).unwrap();
    assert!(user.ok(&["plugin", "list"]).contains("SHA-256"));
    std::fs::write(&library, good).unwrap();

    // An unreadable manifest has no name, so a missing name may be its own.
    let broken = Path::new(text(&added, "manifest")).with_file_name("broken.zarrplugin.json");
    std::fs::write(&broken, "{").unwrap();
    let unknown = user.fails(&["plugin", "which", "nothing.known"]);
    assert!(unknown.contains(".local/share/zarr/plugins (1 refused), "), "{unknown}");
    assert!(
        unknown.contains("; list refused plugins with `ozarr plugin list`; install one with `ozarr plugin add FILE`"),
        "{unknown}"
    );
    user.ok(&["plugin", "remove", "broken"]);
    assert!(!broken.exists());
    let given = user.json(&["--plugin", &lz4(), "plugin", "list", "--json"]);
    assert_eq!(list(&given, "given").len(), 1);

    user.ok(&["plugin", "remove", "dev.zarr.numcodecs-fletcher32"]);
    assert!(!Path::new(text(&added, "library")).exists());
    assert!(user.fails(&["plugin", "remove", "dev.zarr.numcodecs-fletcher32"]).contains("not installed"));
}

#[test]
fn inspecting_runs_no_code_and_adding_checks() {
    let user = User::new();
    // A library that ends the program when it is loaded.
    let source = user.0.path().join("trap.c");
    let manifest = r#"{\"manifest\":1,\"id\":\"test.trap\",\"version\":\"1\",\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[{\"kind\":\"bytes_to_bytes\",\"name\":\"test.trap\"}]}"#;
    let code = format!(
        "#include \"zarr_plugin.h\"\n#include <stdlib.h>\nZP_MANIFEST(manifest, \"{manifest}\");\n\
         __attribute__((constructor)) static void trap(void) {{ _Exit(42); }}\n\
         const zp_bytes *unused(void);\nconst zp_bytes *unused(void) {{ return &manifest; }}\n"
    );
    std::fs::write(&source, code).unwrap();
    let trap = third_party::c(&source, &[]).unwrap().to_string_lossy().into_owned();
    assert!(user.ok(&["plugin", "inspect", &trap]).contains("test.trap"));
    assert_eq!(user.run(&["plugin", "add", &trap]).status.code(), Some(42), "adding loads it");
    assert!(list(&user.json(&["plugin", "list", "--json"]), "plugins").is_empty(), "so it was not added");
    let text = user.path("text.so");
    std::fs::write(&text, "plain text").unwrap();
    for verb in ["inspect", "add"] {
        assert!(user.fails(&["plugin", verb, &text]).contains("not an ELF file"));
    }
    assert_eq!(user.ok(&["plugin", "header"]).trim_end(), HEADER.trim_end());
}

const KINDS: [&str; 7] = [
    "data-type",
    "chunk-grid",
    "chunk-key-encoding",
    "array-to-array",
    "array-to-bytes",
    "bytes-to-bytes",
    "storage-transformer",
];

fn run(command: &mut Command) {
    let out = command.output().unwrap();
    let said = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?}: {} {}", said.0, said.1);
}

/// The command loads a new plugin, and an array can use it.
fn use_plugin(user: &User, kind: &str, library: &str) {
    let name = format!("acme.{kind}");
    assert!(user.ok(&["--plugin", library, "plugin", "which", &name]).contains("added by the application"));
    let mut metadata = Json::parse(
        br#"{"zarr_format":3,"node_type":"array","shape":[4,5],"data_type":"uint8","fill_value":0,"codecs":["bytes"],
            "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},"chunk_key_encoding":"default"}"#,
        &Default::default(),
    )
    .unwrap()
    .as_object()
    .unwrap()
    .clone();
    let codecs = |codecs: &[&str]| codecs.iter().map(|c| Json::from(*c)).collect::<Json>();
    match kind {
        "array-to-array" => metadata.set("codecs", codecs(&[&name, "bytes"])),
        "array-to-bytes" => metadata.set("codecs", codecs(&[&name])),
        "bytes-to-bytes" => metadata.set("codecs", codecs(&["bytes", &name])),
        "storage-transformer" => metadata.set("storage_transformers", codecs(&[&name])),
        other => metadata.set(other.replace('-', "_"), name.as_str()),
    };
    let (file, npy, array) = (user.path("meta.json"), user.path("in.npy"), user.path(&format!("{kind}.zarr")));
    std::fs::write(&file, Json::Object(metadata).to_string()).unwrap();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 5), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(0..20);
    std::fs::write(&npy, bytes).unwrap();
    user.ok(&["--plugin", library, "create", &array, "--metadata", &file, "--overwrite"]);
    user.ok(&["--plugin", library, "write", &array, "--input", &npy]);
    let back = user.ok(&["--plugin", library, "read", &array]);
    assert_eq!(back.trim(), "[[0,1,2,3,4],[5,6,7,8,9],[10,11,12,13,14],[15,16,17,18,19]]");
}

#[test]
fn new_projects_in_c_build_pass_their_tests_and_work() {
    let user = User::new();
    for kind in KINDS {
        user.ok(&["plugin", "new", &format!("acme.{kind}"), "--kind", kind, "--lang", "c"]);
        let folder = user.0.path().join(format!("acme-{kind}"));
        let library = format!("acme-{kind}.so");
        let warnings = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wpadded", "-Werror"];
        let cc = || {
            let mut command = Command::new("cc");
            command.args(warnings).current_dir(&folder);
            command
        };
        run(cc().args(["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-o", &library, "plugin.c"]));
        run(cc().args(["-o", "test", "test.c"]));
        run(Command::new(folder.join("test")).current_dir(&folder));
        use_plugin(&user, kind, &folder.join(library).to_string_lossy());
    }
}

#[test]
fn new_projects_in_rust_build_pass_their_tests_and_work() {
    let user = User::new();
    let api = tree("zarr-plugin-api").to_string_lossy().into_owned();
    let target = third_party::build_folder();
    for kind in KINDS {
        let name = format!("acme.{kind}");
        user.ok(&["plugin", "new", &name, "--kind", kind, "--lang", "rust", "--api", &api]);
        let folder = user.0.path().join(format!("acme-{kind}"));
        third_party::lock_versions(&folder).unwrap();
        let cargo = || {
            let mut command = Command::new(env!("CARGO"));
            command.current_dir(&folder).env("CARGO_TARGET_DIR", &target);
            command
        };
        run(cargo().args(["test", "--quiet", "--locked"]));
        run(cargo().args(["build", "--quiet", "--locked", "--features", "plugin"]));
        let library = target.join("debug").join(format!("libacme_{}.so", kind.replace('-', "_")));
        use_plugin(&user, kind, &library.to_string_lossy());
    }
    // "Under 40 lines": the author's part of a codec.
    let codec = std::fs::read_to_string(user.0.path().join("acme-bytes-to-bytes/src/lib.rs")).unwrap();
    let lines = codec.lines().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with("//"));
    assert!(lines.count() < 40);
}
