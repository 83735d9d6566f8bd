//! Checks of blocks that are not commands.

use super::{block::Block, session::Session, tree};
use ozarr::{
    plugins::{HEADER, Manifest},
    zarr_core::{json::Json, limits::Limits},
};
use std::{fs, path::Path, process::Command};
use zarr_conformance::third_party;

/// A document of an array, to which a page adds members.
const ARRAY: &str = r#"{"zarr_format": 3, "node_type": "array", "shape": [4, 4], "data_type": "uint8", "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
    "chunk_key_encoding": {"name": "default"}, "codecs": ["bytes"]}"#;

/// The block is a doctest of its crate, or of `examples`, whose tests contain it.
pub(crate) fn rust(page: &str, place: &str, number: usize, block: &Block) {
    let contains = |file: &str, text: &str| {
        let text = format!("\"{text}\"");
        assert!(
            fs::read_to_string(tree().join(file)).unwrap().contains(&text),
            "{place}: {file} does not include {text}"
        );
    };
    if let Some(package) = page.strip_suffix("/README.md").filter(|_| !block.text.contains("#[test]")) {
        return contains(&format!("{package}/src/lib.rs"), "../README.md");
    }
    contains("examples/pages.rs", &format!("../{page}"));
    contains("examples/build.rs", page);
    if !block.attributes.is_empty() || block.text.contains("#[test]") {
        let stem = Path::new(page).file_stem().unwrap().to_str().unwrap();
        contains("examples/tests/pages.rs", &format!("/{stem}-{number}.rs"));
    }
}

/// The code compiles, alone or as a part of a plugin.
pub(crate) fn c(place: &str, block: &Block) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("zarr_plugin.h"), HEADER).unwrap();
    fs::write(dir.path().join("block.c"), format!("#include \"zarr_plugin.h\"\n{}", block.text)).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "block.c"]);
    let out = compiler.current_dir(dir.path()).output().unwrap();
    assert!(out.status.success(), "{place}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Each table and value of the block is in the file. Crates of this tree have the version that the page states.
pub(crate) fn part(place: &str, block: &str, file: &Path) {
    fn contains(place: &str, whole: &toml::Table, part: &toml::Table) {
        for (key, value) in part {
            let other = whole.get(key).unwrap_or_else(|| panic!("{place}: there is no `{key}` in {whole:?}"));
            match (value, other) {
                (toml::Value::Table(value), toml::Value::Table(other)) => contains(place, other, value),
                (toml::Value::String(version), toml::Value::Table(other)) if other.contains_key("path") => {
                    assert!(env!("CARGO_PKG_VERSION").starts_with(version), "{place}: {key} is {version}");
                }
                _ => assert_eq!(value, other, "{place}: {key}"),
            }
        }
    }
    contains(place, &fs::read_to_string(file).unwrap().parse().unwrap(), &block.parse().unwrap());
}

/// Manifests of plugins are read. Members of metadata become an array, which is opened with the plugin of the page.
pub(crate) fn json(page: &str, place: &str, block: &Block, session: &mut Session) {
    let parse = |text: &str| Json::parse(text.as_bytes(), &Limits::default());
    let found = parse(&block.text).unwrap_or_else(|e| panic!("{place}: {e}"));
    let members = found.as_object().unwrap_or_else(|| panic!("{place}: it is not an object"));
    let has = |name: &str| members.get(name).is_some();
    let folder = session.folder().join("block");
    for name in ["air", "array"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    if has("manifest") {
        Manifest::parse(block.text.as_bytes(), Path::new(place)).unwrap();
        fs::write(folder.join("manifest.json"), &block.text).unwrap();
    } else if has("libraries") {
        // The page states that the file contains the manifest, and this list.
        let manifest = parse(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
        let mut whole = manifest.as_object().unwrap().clone();
        whole.set("libraries", members.get("libraries").unwrap().clone());
        let whole = Json::Object(whole).to_string();
        let manifest = Manifest::parse(whole.as_bytes(), Path::new(place)).unwrap();
        assert_eq!(manifest.libraries.len(), 1, "{place}");
    } else {
        let plugin = page.split('/').nth(1).unwrap();
        let library = third_party::rust(plugin).unwrap();
        if has("c/0/0") {
            // The document of the block before names this file, which names others.
            for (key, entry) in members.iter() {
                let number = |name: &str| entry.as_object().and_then(|e| e.get(name)?.as_u64());
                let name = entry.as_object().and_then(|e| e.get("path")?.as_str());
                let (name, end) =
                    name.zip(number("offset").zip(number("length"))).unwrap_or_else(|| panic!("{place}: {key}"));
                let file = folder.join("air").join(name);
                fs::create_dir_all(folder.join("more")).unwrap();
                fs::File::create(file).unwrap().set_len(end.0 + end.1).unwrap();
            }
            fs::write(folder.join("air/manifest.json"), &block.text).unwrap();
        } else {
            let mut document = parse(ARRAY).unwrap().as_object().unwrap().clone();
            for (name, value) in members.iter() {
                document.set(name.to_owned(), value.clone());
            }
            fs::write(folder.join("array/zarr.json"), Json::Object(document).to_string()).unwrap();
            // The block after this one fills it.
            fs::write(folder.join("air/manifest.json"), "{}").unwrap();
        }
        let (library, folder) = (library.display(), folder.display());
        let command = format!("ozarr --plugin {library} --allow-root {folder} info --sizes {folder}/array");
        let output = session.command(&format!("{command} && echo opened"));
        assert!(output.contains("opened"), "{place}: {output}");
        let keys = if has("c/0/0") { members.iter().count() } else { 0 };
        assert!(output.contains(&format!(" in {keys} keys")), "{place}: {output}");
    }
}

/// The scripts that commands name exist, and those in Python are programs.
pub(crate) fn scripts(place: &str, block: &Block, folder: &Path) {
    for word in block.text.split_whitespace().map(|word| word.trim_end_matches(')')) {
        let file = [folder.join(word), folder.join("zarrita").join(word)].into_iter().find(|f| f.exists());
        if word.ends_with(".py") || word.ends_with(".js") || word.ends_with(".txt") {
            let file = file.unwrap_or_else(|| panic!("{place}: there is no {word}"));
            if word.ends_with(".py") {
                let parse = "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())";
                assert!(
                    Command::new("python3").args(["-c", parse]).arg(file).status().unwrap().success(),
                    "{place}: {word}"
                );
            }
        }
    }
}
