//! `ozarr plugin add` leaves an installation in which every plugin can be used, or changes nothing. With `--force` it
//! does what it otherwise refuses, and prints a warning.

use super::{User, list, run, text};
use ozarr::zarr_core::json::{Json, Object};
use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A plugin of these tests.
#[derive(Clone, Copy)]
pub(super) struct Codec<'a> {
    pub(super) id: &'a str,
    pub(super) version: &'a str,
    pub(super) name: &'a str,
    /// The name of a second extension, if there is one.
    pub(super) other: Option<&'a str>,
    /// The bits that its encoding inverts.
    pub(super) mask: u8,
}

pub(super) const XZ: Codec<'_> = Codec { id: "org.acme.xz", version: "1.2.0", name: "acme.xz", other: None, mask: 1 };

impl Codec<'_> {
    /// Compiles it into the user's directory. `extra` contains arguments of the compiler.
    pub(super) fn build(&self, user: &User, file: &str, extra: &[&str]) -> String {
        let out = user.path(file);
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new("cc");
        command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden"]);
        command.arg("-I").arg(here.join("../zarr-plugin-api/include"));
        for (macro_name, value) in [("ID", self.id), ("VERSION", self.version), ("NAME", self.name)] {
            command.arg(format!("-D{macro_name}={value:?}"));
        }
        command.args(self.other.map(|other| format!("-DOTHER={other:?}"))).arg(format!("-DMASK={}", self.mask));
        run(command.arg("-o").arg(&out).arg(here.join("tests/plugins/codec.c")).args(extra));
        out
    }
}

/// Returns the user's plugin directory.
pub(super) fn folder(user: &User) -> PathBuf {
    user.0.path().join(".local/share/zarr/plugins")
}

/// Returns every installed file with its bytes.
fn state(user: &User) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = std::fs::read_dir(folder(user)).into_iter().flatten().map(|e| e.unwrap().path());
    files.map(|file| (file.clone(), std::fs::read(file).unwrap())).collect()
}

/// Checks that adding is refused for these reasons and changes nothing, in text and in JSON, and that with `--force` it
/// reports the same and adds.
fn refused(user: &User, args: &[&str], kinds: &[&str], words: &[&str]) {
    let args = [&["plugin", "add"], args].concat();
    let before = state(user);
    let said = user.fails(&args);
    for word in words.iter().chain(&["was not added", "--force"]) {
        assert!(said.contains(word), "{word}: {said}");
    }
    let with_json = [&args[..], &["--json"]].concat();
    let out = user.run(&with_json);
    assert_eq!(out.status.code(), Some(3));
    assert_eq!(problems(&out.stdout, false), kinds);
    assert_eq!(state(user), before, "a refusal changes nothing");

    let forced = user.run(&[&with_json[..], &["--force"]].concat());
    let warned = String::from_utf8(forced.stderr).unwrap();
    assert!(forced.status.success(), "{warned}");
    assert_eq!(problems(&forced.stdout, true), kinds);
    for word in words {
        assert!(warned.contains("warning: ") && warned.contains(word), "{word}: {warned}");
    }
}

/// Returns the kinds of problems in a report.
fn problems(json: &[u8], added: bool) -> Vec<String> {
    let json = Json::parse(json, &Default::default()).unwrap();
    let report = json.as_object().unwrap();
    assert_eq!(report.get("added"), Some(&Json::from(added)));
    list(report, "problems").iter().map(|p| text(p.as_object().unwrap(), "problem").to_owned()).collect()
}

fn installed(user: &User) -> Vec<(String, String, String)> {
    let all = user.json(&["plugin", "list", "--json"]);
    let word = |p: &Object, member| text(p, member).to_owned();
    let plugins = list(&all, "plugins").iter().map(|p| p.as_object().unwrap());
    plugins.map(|p| (word(p, "id"), word(p, "version"), word(p, "status"))).collect()
}

fn is_installed(user: &User, wanted: &[(&str, &str, &str)]) {
    let wanted = wanted.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned()));
    assert_eq!(installed(user), wanted.collect::<Vec<_>>());
}

#[test]
fn a_name_of_an_installed_plugin_is_refused() {
    let user = User::new();
    let first = XZ.build(&user, "first.so", &[]);
    let added = user.json(&["plugin", "add", "--json", &first]);
    assert!(list(&added, "problems").is_empty());
    assert_eq!(added.get("added"), Some(&Json::from(true)));
    let second = Codec { id: "org.other", name: "other.one", other: Some("acme.xz"), ..XZ }.build(&user, "b.so", &[]);
    let said = user.fails(&["plugin", "add", &second]);
    assert!(said.contains("ozarr plugin remove org.acme.xz"), "{said}");
    is_installed(&user, &[("org.acme.xz", "1.2.0", "active")]);
    user.ok(&["plugin", "which", "acme.xz"]);
    refused(&user, &[&second], &["conflict"], &["org.acme.xz", "`acme.xz`", "neither"]);
    is_installed(&user, &[("org.acme.xz", "1.2.0", "refused"), ("org.other", "1.2.0", "refused")]);
    // Replacing one of the two by a version that also has the name does not help.
    let again = Codec { version: "1.3.0", ..XZ }.build(&user, "again.so", &[]);
    assert!(user.fails(&["plugin", "add", "--replace", &again]).contains("org.other"));
    user.ok(&["plugin", "remove", "org.other"]);
    user.ok(&["plugin", "add", "--replace", &again]);
    is_installed(&user, &[("org.acme.xz", "1.3.0", "active")]);
}

#[test]
fn downgrades_and_dropped_names_are_refused() {
    let user = User::new();
    let both = Codec { other: Some("acme.lzma"), ..XZ }.build(&user, "both.so", &[]);
    user.ok(&["plugin", "add", &both]);
    let fewer = Codec { version: "1.10.0", ..XZ }.build(&user, "fewer.so", &[]);
    refused(&user, &["--replace", &fewer], &["dropped"], &["`acme.lzma`", "1.2.0"]);
    let older = Codec { version: "1.9.0", ..XZ }.build(&user, "older.so", &[]);
    refused(&user, &["--replace", &older], &["downgrade"], &["older", "1.10.0"]);
    is_installed(&user, &[("org.acme.xz", "1.9.0", "active")]);
    // `--replace` is for the same version again, or a later one.
    user.ok(&["plugin", "add", "--replace", &older]);
    user.ok(&["plugin", "add", "--replace", &fewer]);
    user.ok(&["plugin", "add", "--replace", &Codec { version: "2", ..XZ }.build(&user, "two.so", &[])]);
    // `--force` does not imply `--replace`.
    assert!(user.fails(&["plugin", "add", "--force", &fewer]).contains("--replace"));
    is_installed(&user, &[("org.acme.xz", "2", "active")]);
    assert_eq!(state(&user).len(), 2, "a library and a manifest");
}

#[test]
fn a_built_in_name_is_refused() {
    let user = User::new();
    let gzip = Codec { id: "org.gzip", name: "gzip", ..XZ }.build(&user, "gzip.so", &[]);
    refused(&user, &[&gzip], &["built_in"], &["`gzip`", "built-in codec"]);
    is_installed(&user, &[("org.gzip", "1.2.0", "shadowed")]);
    // A data type may have the name of a codec.
    user.ok(&["plugin", "new", "crc32c", "--kind", "data-type", "--lang", "c"]);
    let c = ["-std=c11", "-fPIC", "-shared", "-fvisibility=hidden", "-o", "crc32c.so", "crc32c/plugin.c"];
    run(Command::new("cc").current_dir(user.0.path()).args(c));
    user.ok(&["plugin", "add", "crc32c.so"]);
}

#[test]
fn a_plugin_denied_by_policy_is_refused() {
    let user = User::new();
    let library = XZ.build(&user, "a.so", &[]);
    let lock = user.path("lock.json");
    std::fs::write(&lock, r#"{"org.acme.xz":"00"}"#).unwrap();
    let nobody = user.path("nobody.json");
    std::fs::write(&nobody, "{}").unwrap();
    for (variable, value, word) in [
        ("ZARR_PLUGINS_DENY", "org.acme.xz", "ZARR_PLUGINS_DENY"),
        ("ZARR_PLUGINS", "list", "ZARR_PLUGINS_ALLOW"),
        ("ZARR_PLUGINS", "off", "off"),
        ("ZARR_PLUGINS_LOCK", lock.as_str(), "SHA-256"),
        ("ZARR_PLUGINS_LOCK", nobody.as_str(), "ZARR_PLUGINS_LOCK"),
        ("ZARR_PLUGINS", "maybe", "`installed`"),
    ] {
        let out = user.command().env(variable, value).args(["plugin", "add", &library]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(3) && said.contains(word), "{variable} {value}: {said}");
        assert!(state(&user).is_empty(), "{variable} {value}");
    }
    let add = ["plugin", "add", "--force", &library];
    let out = user.command().env("ZARR_PLUGINS_DENY", "org.acme.xz").args(add).output().unwrap();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stderr).contains("warning: "));
    is_installed(&user, &[("org.acme.xz", "1.2.0", "active")]);
}

/// Loading a library runs its code: a denied plugin is not loaded, even if it is installed with `--force`.
#[test]
fn a_plugin_denied_by_policy_does_not_run() {
    let user = User::new();
    let library = XZ.build(&user, "a.so", &["-DON_LOAD=\"touch ran\""]);
    let (ran, lock) = (user.0.path().join("ran"), user.path("lock.json"));
    std::fs::write(&lock, r#"{"org.acme.xz":"00"}"#).unwrap();
    let add = |variable, value: &str, extra: &[&str]| {
        let out = user.command().env(variable, value).args(["plugin", "add", &library]).args(extra).output().unwrap();
        (out.status.success(), ran.exists())
    };
    for (variable, value) in [
        ("ZARR_PLUGINS_DENY", "org.acme.xz"),
        ("ZARR_PLUGINS", "list"),
        ("ZARR_PLUGINS", "off"),
        ("ZARR_PLUGINS_LOCK", lock.as_str()),
    ] {
        assert_eq!(add(variable, value, &[]), (false, false), "{variable} {value}");
        assert!(state(&user).is_empty(), "{variable} {value}");
    }
    assert_eq!(add("ZARR_PLUGINS", "off", &["--force"]), (true, false));
    assert_eq!(state(&user).len(), 2);
    assert_eq!(add("ZARR_PLUGINS", "installed", &["--replace"]), (true, true));
}

/// The plugin itself replaces its file while it is loaded.
#[test]
fn the_checked_bytes_are_installed_even_if_the_file_changes() {
    let user = User::new();
    let other = Codec { version: "6.6.6", ..XZ }.build(&user, "other.so", &[]);
    let library = XZ.build(&user, "a.so", &["-DON_LOAD=\"cp other.so a.so.new && mv a.so.new a.so\""]);
    let [wanted, other] = [&library, &other].map(|file| std::fs::read(file).unwrap());
    let added = user.json(&["plugin", "add", "--json", &library]);
    assert!(std::fs::read(&library).unwrap() == other, "it was loaded");
    assert!(std::fs::read(text(&added, "library")).unwrap() == wanted);
    is_installed(&user, &[("org.acme.xz", "1.2.0", "active")]);
    assert_eq!(state(&user).len(), 2);
}

#[test]
fn a_name_of_a_built_in_family_is_refused() {
    let user = User::new();
    user.ok(&["plugin", "new", "r16", "--kind", "data-type", "--lang", "c"]);
    let c = ["-std=c11", "-fPIC", "-shared", "-fvisibility=hidden", "-o", "r16.so", "r16/plugin.c"];
    run(Command::new("cc").current_dir(user.0.path()).args(c));
    refused(&user, &["r16.so"], &["built_in"], &["`r16`", "built-in data type"]);
    assert_eq!(installed(&user)[0].2, "shadowed");
    let which = user.json(&["plugin", "which", "--json", "r16"]);
    let found: Vec<&Object> = list(&which, "found").iter().map(|f| f.as_object().unwrap()).collect();
    assert!(found.len() == 1 && text(found[0], "provider") == "zarr-core", "{which:?}");
}

#[test]
fn a_file_in_the_place_of_the_manifest_is_refused() {
    let user = User::new();
    let library = XZ.build(&user, "a.so", &[]);
    let place = folder(&user).join("org.acme.xz.zarrplugin.json");
    std::fs::create_dir_all(folder(&user)).unwrap();
    std::fs::write(&place, "not JSON").unwrap();
    refused(&user, &[&library], &["occupied"], &["org.acme.xz.zarrplugin.json"]);
    is_installed(&user, &[("org.acme.xz", "1.2.0", "active")]);
    // A manifest of another plugin that was installed by hand under this name.
    let other = Codec { id: "org.other", name: "other.one", ..XZ }.build(&user, "b.so", &[]);
    std::fs::rename(&place, folder(&user).join("org.other.zarrplugin.json")).unwrap();
    refused(&user, &[&other], &["occupied"], &["org.other.zarrplugin.json"]);
}

#[test]
fn one_of_many_concurrent_plugins_with_one_name_is_added() {
    let user = User::new();
    let ids: Vec<String> = (0..8).map(|i| format!("org.acme.n{i}")).collect();
    let build = |id: &String| Codec { id, ..XZ }.build(&user, &format!("{id}.so"), &["-DGATE"]);
    let libraries: Vec<String> = ids.iter().map(build).collect();
    let start = |library: &String| {
        let mut command = user.command();
        command.args(["plugin", "add", library]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    // A race does not go wrong every time.
    for _ in 0..8 {
        let mut running: Vec<Child> = libraries.iter().map(start).collect();
        // Each has loaded its plugin and waits. Then all continue together.
        for child in &mut running {
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        }
        let gates: Vec<_> = running.iter_mut().map(|child| child.stdin.take()).collect();
        drop(gates);
        let done = running.into_iter().map(|child| child.wait_with_output().unwrap());
        let added = done.filter(|out| out.status.success()).count();
        assert_eq!((added, installed(&user).len()), (1, 1));
        assert_eq!(installed(&user)[0].2, "active");
        std::fs::remove_dir_all(folder(&user)).unwrap();
    }
}

#[test]
fn a_failure_in_the_middle_leaves_nothing_behind() {
    let user = User::new();
    let library = XZ.build(&user, "a.so", &[]);
    // The manifest cannot replace a directory.
    let place = folder(&user).join("org.acme.xz.zarrplugin.json");
    std::fs::create_dir_all(&place).unwrap();
    user.fails(&["plugin", "add", "--force", &library]);
    let left: Vec<_> = std::fs::read_dir(folder(&user)).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(left, [place]);
}

#[test]
fn a_library_that_cannot_be_loaded_is_refused() {
    let user = User::new();
    let undefined = XZ.build(&user, "undefined.so", &["-DNEEDS=acme_is_not_defined"]);
    let said = user.fails(&["plugin", "add", &undefined]);
    assert!(said.contains("acme_is_not_defined") && said.contains("org.acme.xz 1.2.0"), "{said}");
    assert!(said.contains(&format!("plugin {undefined} ")), "the file that was given: {said}");

    let (c, needed) = (user.path("needed.c"), user.path("libacmeneeded.so"));
    std::fs::write(&c, "int acme_needed(void);\nint acme_needed(void) { return 0; }\n").unwrap();
    run(Command::new("cc").args(["-shared", "-fPIC", "-o", &needed, &c]));
    let directory = format!("-L{}", user.0.path().display());
    let run_path = format!("-Wl,-rpath,{}", user.0.path().display());
    let library = XZ.build(&user, "needs.so", &["-DNEEDS=acme_needed", &directory, &run_path, "-lacmeneeded"]);
    user.ok(&["--plugin", &library, "plugin", "which", "acme.xz"]);
    std::fs::remove_file(&needed).unwrap();
    for args in [["plugin", "add", &library], ["--plugin", &library, "extensions"]] {
        let said = user.fails(&args);
        assert!(said.contains("libacmeneeded.so"), "{said}");
        assert!(said.contains("install the libraries"), "{said}");
    }
    assert!(state(&user).is_empty());
}

#[test]
fn removing_by_extension_name_suggests_the_plugin_id() {
    let user = User::new();
    let library = Codec { other: Some("acme.lzma"), ..XZ }.build(&user, "a.so", &[]);
    user.ok(&["plugin", "add", &library]);
    for name in ["acme.xz", "acme.lzma"] {
        let said = user.fails(&["plugin", "remove", name]);
        assert!(said.contains("not installed") && said.contains("`ozarr plugin remove org.acme.xz`"), "{said}");
    }
    assert!(user.fails(&["plugin", "remove", "acme.nothing"]).contains("ozarr plugin list"));
    is_installed(&user, &[("org.acme.xz", "1.2.0", "active")]);
}

#[test]
fn a_new_project_with_a_built_in_name_causes_a_warning() {
    let user = User::new();
    for (name, kind, warned) in [
        ("zstd", "bytes-to-bytes", true),
        ("zstd", "data-type", false),
        ("int8", "data-type", true),
        ("acme.zstd", "bytes-to-bytes", false),
    ] {
        let into = format!("{name}-{kind}");
        let out = user.run(&["plugin", "new", name, "--kind", kind, "--lang", "c", "--into", &into]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success() && user.0.path().join(&into).join("plugin.c").is_file(), "{said}");
        assert_eq!(said.contains(&format!("`{name}` is the name of a built-in")), warned, "{name} {kind}: {said}");
    }
}

#[test]
fn unknown_abilities_are_shown_as_unknown() {
    let user = User::new();
    let library = XZ.build(&user, "a.so", &["-DCAPS=\"\\\"warp\\\",\\\"strided\\\"\""]);
    let said = user.ok(&["plugin", "inspect", &library]);
    assert!(said.contains("codec: acme.xz, warp (unknown), strided\n"), "{said}");
}
