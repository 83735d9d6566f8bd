//! `ozarr plugin new`: a complete project for a plugin.

use super::Outcome;
use crate::{
    args::{Language, NewPlugin as Args, PluginKind as Kind},
    output::{print_status, show},
};
use ozarr::{
    Error, Result,
    plugins::{HEADER, Kind as Point},
    zarr_core::{name::is_registered_name, registry::Registry},
};
use std::path::{Path, PathBuf};

macro_rules! template {
    ($($path:literal),+) => {
        include_str!(concat!("../../templates/", $($path),+))
    };
}

/// What differs between kinds.
struct Parts {
    /// The kind's word in a manifest.
    word: &'static str,
    point: Point,
    rust: &'static str,
    rust_tests: &'static str,
    /// What makes instances, what is theirs to do, and how it is tested.
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

/// The files of the project, by their paths in it.
pub(crate) fn files(args: &Args) -> Result<Vec<(&'static str, String)>> {
    let name = &args.name;
    if !is_registered_name(name) {
        let e = Error::name(format!("`{name}` is not the name of an extension"));
        let rule = "a name begins with a lower case letter, and goes on with a-z, 0-9, -, _ and .";
        return Err(e.with_hint(match similar_name(name) {
            Some(name) => format!("try `{name}`: {rule}"),
            None => format!("for instance `acme.invert`: {rule}"),
        }));
    }
    let parts = parts(args.kind);
    let package = name.replace(['.', '_'], "-");
    let module = package.replace('-', "_");
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let stem = if args.lang == Language::Rust { format!("{prefix}{module}") } else { package.clone() };
    // The suite lies in the same folder as the interface.
    let api = dependency(args.api.as_deref())?;
    let conformance = dependency(args.api.as_ref().map(|path| path.join("../conformance")).as_deref())?;
    let codec = matches!(args.kind, Kind::ArrayToArray | Kind::ArrayToBytes | Kind::BytesToBytes);
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
    ];
    let fill = |texts: &[&str]| replacements.iter().fold(texts.concat(), |text, (from, to)| text.replace(from, to));
    let [instance, functions, test] = parts.c;
    Ok(match args.lang {
        Language::Rust => vec![
            ("Cargo.toml", fill(&[template!("rust/Cargo.toml.txt")])),
            ("README.md", fill(&[template!("rust/README.md.txt")])),
            (".gitignore", "/target/\n".to_owned()),
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

/// The nearest name that an extension can have: `my-codec` for `MyCodec`.
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
fn dependency(folder: Option<&Path>) -> Result<String> {
    let Some(path) = folder else { return Ok(format!("version = {:?}", env!("CARGO_PKG_VERSION"))) };
    // Another folder must find it too.
    let path = path.canonicalize().map_err(|e| Error::from(e).at_key(path.display()))?;
    Ok(format!("path = {:?}", path.display().to_string()))
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let files = files(args)?;
    let folder = args.into.clone().unwrap_or_else(|| PathBuf::from(args.name.replace(['.', '_'], "-")));
    let at = |e: std::io::Error, path: &Path| Error::from(e).at_key(path.display());
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(|e| at(e, above))?;
    }
    if folder.exists() {
        let e = Error::argument(format!("{} is there already", folder.display()));
        return Err(e.with_hint("give another folder with `--into`"));
    }
    std::fs::create_dir(&folder).map_err(|e| at(e, &folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above).map_err(|e| at(e, above))?;
        }
        std::fs::write(&path, text).map_err(|e| at(e, &path))?;
    }
    let point = parts(args.kind).point.point();
    if Registry::builtin().find(point, &args.name).is_some() {
        let name = &args.name;
        print_status(&format!(
            "warning: `{name}` is the name of a built-in {point}: once the plugin is installed, the built-in one is used. \
             Choose another name, for instance `acme.{name}`"
        ));
    }
    show(&format!("wrote {}; its README.md tells what to do next", folder.display()))?;
    if args.lang == Language::C {
        show("once it is built, `zarr-conformance plugin ./FILE` tries what has to hold for any such extension")?;
    }
    Ok(Outcome::Done)
}
