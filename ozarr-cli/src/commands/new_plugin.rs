//! `ozarr plugin new`: writes a complete project for a plugin.

use super::Outcome;
use crate::{
    args::{Language, NewPlugin as Args, PluginKind as Kind},
    output::{print_status, show},
    words::Failure,
};
use ozarr::{
    Error, Result,
    plugins::{HEADER, Kind as Point},
    zarr_core::{name::is_registered_name, registry::Registry},
};
use std::path::{Path, PathBuf};

/// The version of the interface that generated projects depend on.
const API: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

macro_rules! template {
    ($($path:literal),+) => {
        include_str!(concat!("../../templates/", $($path),+))
    };
}

/// The differences between kinds.
struct Parts {
    /// The name of the kind in a manifest.
    word: &'static str,
    point: Point,
    rust: &'static str,
    rust_tests: &'static str,
    /// The constructor, the functions to implement, and the test.
    c: [&'static str; 3],
}

fn parts(kind: Kind) -> Parts {
    macro_rules! of {
        ($word:literal, $point:ident, $tests:literal, $instance:literal) => {
            Parts {
                word: $word,
                point: Point::$point,
                rust: template!("rust/", $word, ".rs"),
                rust_tests: template!("rust/tests_", $tests, ".rs"),
                c: [template!("c/", $instance, ".c"), template!("c/", $word, ".c"), template!("c/test_", $word, ".c")],
            }
        };
    }
    match kind {
        Kind::DataType => of!("data_type", DataType, "data_type", "plain"),
        Kind::ChunkGrid => of!("chunk_grid", ChunkGrid, "chunk_grid", "plain"),
        Kind::ChunkKeyEncoding => of!("chunk_key_encoding", ChunkKeyEncoding, "chunk_key_encoding", "plain"),
        Kind::ArrayToArray => of!("array_to_array", ArrayToArray, "codec", "sized"),
        Kind::ArrayToBytes => of!("array_to_bytes", ArrayToBytes, "codec", "sized"),
        Kind::BytesToBytes => of!("bytes_to_bytes", BytesToBytes, "codec", "plain"),
        Kind::StorageTransformer => of!("storage_transformer", StorageTransformer, "storage_transformer", "plain"),
    }
}

/// Returns the files of the project by their paths within it.
pub(crate) fn files(args: &Args) -> Result<Vec<(&'static str, String)>, Failure> {
    let name = &args.name;
    if !is_registered_name(name) {
        let rule = "a name is a lower-case letter followed by a-z, 0-9, `-`, `_` and `.`, such as `acme.invert`";
        let hint = similar_name(name).map_or_else(|| rule.to_owned(), |similar| format!("try `{similar}`"));
        let e = Error::argument(format!("invalid extension name `{name}`")).with_hint(hint);
        return Err(Failure::reworded(e, [("invalid argument: ", "")]));
    }
    let parts = parts(args.kind);
    let package = name.replace(['.', '_'], "-");
    let module = package.replace('-', "_");
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let stem = if args.lang == Language::Rust { format!("{prefix}{module}") } else { package.clone() };
    // The suite is in the same directory as the interface.
    let api = dependency(args.api.as_deref())?;
    let conformance = dependency(args.api.as_ref().map(|path| path.join("../conformance")).as_deref())?;
    let codec = matches!(args.kind, Kind::ArrayToArray | Kind::ArrayToBytes | Kind::BytesToBytes);
    let (mut unpublished, mut unpublished_readme) = (String::new(), String::new());
    if args.api.is_none() {
        unpublished = format!(
            "# Until {API} is on crates.io, use a checkout, here and below: {{ path = \"CHECKOUT/zarr-plugin-api\" }}.\n"
        );
        unpublished_readme = template!("rust/README.unpublished.txt").replace("{{version}}", API);
    }
    let replacements = [
        ("{{name}}", name.as_str()),
        ("{{crate}}", &package),
        ("{{module}}", &module),
        ("{{id}}", &format!("org.example.{package}")),
        ("{{kind}}", parts.word),
        ("{{KIND}}", &parts.word.to_uppercase()),
        ("{{point}}", parts.point.point().as_str()),
        ("{{library}}", &format!("{stem}{suffix}")),
        ("{{word}}", if codec { "codec" } else { parts.word }),
        ("{{api}}", &api),
        ("{{conformance}}", &conformance),
        ("{{unpublished}}", &unpublished),
        ("{{unpublished_readme}}", &unpublished_readme),
    ];
    let fill = |texts: &[&str]| replacements.iter().fold(texts.concat(), |text, (from, to)| text.replace(from, to));
    let [instance, functions, test] = parts.c;
    Ok(match args.lang {
        Language::Rust => vec![
            ("Cargo.toml", fill(&[template!("rust/Cargo.toml.txt")])),
            ("README.md", fill(&[template!("rust/README.md.txt")])),
            (".gitignore", "/target/\n".to_owned()),
            ("rustfmt.toml", template!("rust/rustfmt.toml.txt").to_owned()),
            ("src/lib.rs", fill(&[parts.rust])),
            ("tests/extension.rs", fill(&[template!("rust/tests.rs"), parts.rust_tests])),
        ],
        Language::C => vec![
            ("README.md", fill(&[template!("c/README.md.txt")])),
            ("zarr_plugin.h", HEADER.to_owned()),
            ("plugin.c", fill(&[template!("c/top.c"), instance, functions, template!("c/bottom.c")])),
            ("test.c", fill(&[template!("c/test_top.c"), test, template!("c/test_bottom.c")])),
        ],
    })
}

/// Returns the nearest valid extension name: `my-codec` for `MyCodec`.
fn similar_name(name: &str) -> Option<String> {
    let (mut similar, mut is_word) = (String::new(), false);
    for c in name.chars() {
        match c {
            'A'..='Z' if is_word => similar.extend(['-', c.to_ascii_lowercase()]),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' => similar.push(c.to_ascii_lowercase()),
            _ if similar.ends_with('-') => {}
            _ => similar.push('-'),
        }
        is_word = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    let similar = similar.trim_matches(['-', '.', '_']);
    is_registered_name(similar).then(|| similar.to_owned())
}

/// Where a crate of this project is, as a manifest says it.
fn dependency(folder: Option<&Path>) -> Result<String, Failure> {
    let Some(path) = folder else { return Ok(format!("version = {API:?}")) };
    // It must be found from another directory too.
    let path = path.canonicalize().map_err(|e| of_file(e, path))?;
    Ok(format!("path = {:?}", path.display().to_string()))
}

fn of_file(e: std::io::Error, path: &Path) -> Failure {
    Failure::from(Error::from(e).at_key(path.display())).in_file(path)
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let files = files(args)?;
    let folder = args.into.clone().unwrap_or_else(|| PathBuf::from(args.name.replace(['.', '_'], "-")));
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(|e| of_file(e, above))?;
    }
    if folder.exists() {
        let e = Error::argument(format!("`{}` already exists", folder.display()));
        return Err(e.with_hint("pass another folder with `--into`").into());
    }
    std::fs::create_dir(&folder).map_err(|e| of_file(e, &folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above).map_err(|e| of_file(e, above))?;
        }
        std::fs::write(&path, text).map_err(|e| of_file(e, &path))?;
    }
    let point = parts(args.kind).point.point();
    if Registry::builtin().find(point, &args.name).is_some() {
        let name = &args.name;
        print_status(&format!(
            "warning: `{name}` is the name of a built-in {point}: once the plugin is installed, the built-in one is used. \
             Choose another name, for instance `acme.{name}`"
        ));
    }
    if args.lang == Language::Rust && args.api.is_none() {
        print_status(&format!(
            "note: until zarr-plugin-api {API} is on crates.io, pass its folder in a checkout: `--api CHECKOUT/zarr-plugin-api`"
        ));
    }
    show(&format!("wrote {}; its README.md describes how to build and test it", folder.display()))?;
    Ok(Outcome::Done)
}
