//! The two codecs of the tutorial, taken from the page: they build as it describes, and store the same bytes.

use super::compatibility::round_trip;
use ozarr::{plugins::Plugin, zarr_core::registry::Registry};
use std::{fs, path::Path};
use zarr_conformance::third_party;

/// Returns the first code block of the page in a language.
fn block<'p>(page: &'p str, language: &str) -> &'p str {
    let start = format!("```{language}\n");
    let from = page.find(&start).unwrap() + start.len();
    &page[from..from + page[from..].find("```").unwrap()]
}

#[test]
fn the_codecs_of_the_tutorial_work() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(tree.join("docs/adding-an-extension.md")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (project, c) = (dir.path().join("acme-invert"), dir.path().join("invert.c"));
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/lib.rs"), block(&page, "rust")).unwrap();
    // The page omits the parts of the manifest that every project has; the versions are those of this tree.
    let package =
        "[package]\nname = \"acme-invert\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n[workspace]\n";
    let manifest = format!("{package}{}", block(&page, "toml"));
    let api = "zarr-plugin-api = { path = \"../zarr-plugin-api\" }";
    fs::write(project.join("Cargo.toml"), manifest.replace("zarr-plugin-api = \"0.1\"", api)).unwrap();
    let lock = fs::read_to_string(tree.join("plugins/bitround/Cargo.lock")).unwrap();
    fs::write(project.join("Cargo.lock"), lock.replace("name = \"bitround\"", "name = \"acme-invert\"")).unwrap();
    fs::write(&c, block(&page, "c")).unwrap();

    let mut stored = Vec::new();
    // The page states that the file also compiles as C++.
    let cpp = dir.path().join("invert.cpp");
    fs::copy(&c, &cpp).unwrap();
    let standards = ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"];
    let in_c = standards.map(|standard| third_party::c(&cpp, &[standard]).unwrap());
    let in_c = in_c.into_iter().chain([third_party::c(&c, &[]).unwrap()]);
    for library in in_c.chain([third_party::rust_from("acme-invert", &project).unwrap()]) {
        let mut registry = Registry::builtin();
        Plugin::open(&library).unwrap().add_to(&mut registry).unwrap();
        let good = r#"{"name":"acme.invert","configuration":{"mask":60}}"#;
        stored.push(round_trip(registry.clone(), good).unwrap());
        for bad in [r#""acme.invert""#, r#"{"name":"acme.invert","configuration":{"mask":256}}"#] {
            let e = round_trip(registry.clone(), bad).unwrap_err();
            assert!(e.to_string().contains("invalid configuration"), "{e}");
        }
    }
    assert!(stored.iter().all(|s| *s == stored[0]), "{stored:?}");
    assert!(stored[0].iter().any(|(_, value)| value.starts_with(&[1 ^ 60, 2 ^ 60, 3 ^ 60, 4 ^ 60])), "{stored:?}");
}
