//! The projects that `ozarr plugin new` writes, and the messages of the command.

use super::{KINDS, User, run, tree};
use std::{fs, process::Command};

#[test]
fn an_invalid_name_is_refused_with_a_valid_one_like_it() {
    let user = User::new();
    let rule = "a name is a lower-case letter followed by a-z, 0-9, `-`, `_` and `.`, such as `acme.invert`";
    for (name, hint) in [("MyCodec", "try `my-codec`"), ("Not A Name", "try `not-a-name`"), ("9", rule)] {
        let wrong = format!("error: invalid extension name `{name}`\n\nhint: {hint}\n");
        assert_eq!(user.fails(&["plugin", "new", name]), wrong);
    }
}

#[test]
fn an_existing_folder_is_not_overwritten() {
    let user = User::new();
    fs::create_dir(user.path("acme-a")).unwrap();
    let wrong = "error: `acme-a` already exists\n\nhint: pass another folder with `--into`\n";
    assert_eq!(user.fails(&["plugin", "new", "acme.a"]), wrong);
    assert_eq!(fs::read_dir(user.path("acme-a")).unwrap().count(), 0);
}

/// The project depends on crates.io, and says what to do while the crates are not there.
#[test]
fn without_a_path_to_the_interface_it_comes_from_crates_io() {
    let user = User::new();
    let read = |file: &str| fs::read_to_string(user.path(file)).unwrap();
    let out = user.run(&["plugin", "new", "acme.a"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success() && said.contains("--api CHECKOUT/zarr-plugin-api"), "{said}");
    let manifest = read("acme-a/Cargo.toml");
    assert!(manifest.contains("\nzarr-plugin-api = { version = \"0.1\" }\n"), "{manifest}");
    assert!(manifest.contains("Until 0.1 is on crates.io"), "{manifest}");
    assert!(read("acme-a/README.md").contains("Until `zarr-plugin-api` 0.1 is on crates.io"));

    let api = tree("zarr-plugin-api").to_string_lossy().into_owned();
    let out = user.run(&["plugin", "new", "acme.b", "--api", &api]);
    assert!(out.status.success() && out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    let manifest = read("acme-b/Cargo.toml");
    assert!(manifest.contains(&format!("zarr-plugin-api = {{ path = {api:?} }}")), "{manifest}");
    assert!(!manifest.contains("crates.io") && !read("acme-b/README.md").contains("crates.io"), "{manifest}");
}

#[test]
fn new_projects_in_rust_are_formatted() {
    let user = User::new();
    for kind in KINDS {
        let name = format!("acme.{kind}");
        user.ok(&["plugin", "new", &name, "--kind", kind]);
        let folder = user.0.path().join(format!("acme-{kind}"));
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.current_dir(&folder).args(["--check", "--edition", "2024", "src/lib.rs", "tests/extension.rs"]);
        run(&mut rustfmt);
        for file in ["Cargo.toml", "README.md", "src/lib.rs", "tests/extension.rs"] {
            assert!(!fs::read_to_string(folder.join(file)).unwrap().contains("{{"), "{kind} {file}");
        }
    }
}

/// The test of a project in C prints both configurations if they differ.
#[test]
fn the_test_of_a_project_in_c_compares_configurations() {
    let user = User::new();
    user.ok(&["plugin", "new", "acme.a", "--lang", "c"]);
    let folder = user.0.path().join("acme-a");
    let plugin = fs::read_to_string(folder.join("plugin.c")).unwrap();
    let test = fs::read_to_string(folder.join("test.c")).unwrap();
    // A codec with one configuration, which its test names.
    let configuration = r#"{\"level\":1}"#;
    let with_level = plugin
        .replace(
            r#"(json->len == 2 && memcmp(json->ptr, "{}", 2) == 0)"#,
            &format!(r#"memcmp(json->ptr, "{configuration}", 11) == 0"#),
        )
        .replace(r#"put(json, call, "{}", 2)"#, &format!(r#"put(json, call, "{configuration}", 11)"#));
    let of_level = test.replace(r#"CONFIGURATION "{}""#, &format!(r#"CONFIGURATION "{configuration}""#));
    let build_and_run = |plugin: &str, test: &str| {
        fs::write(folder.join("plugin.c"), plugin).unwrap();
        fs::write(folder.join("test.c"), test).unwrap();
        run(Command::new("cc").current_dir(&folder).args(["-std=c11", "-o", "test", "test.c"]));
        let out = Command::new(folder.join("test")).output().unwrap();
        (out.status.success(), String::from_utf8(out.stdout).unwrap())
    };
    let (passed, printed) = build_and_run(&with_level, &of_level);
    assert!(passed, "{printed}");
    let without_it = with_level.replace(&format!(r#""{configuration}", 11);"#), r#""{\"level\":2}", 11);"#);
    let (passed, printed) = build_and_run(&without_it, &of_level);
    assert!(!passed && printed.contains(r#"expected {"level":1}, found {"level":2}"#), "{printed}");
}
