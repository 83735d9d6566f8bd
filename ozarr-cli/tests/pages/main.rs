//! Every block of the pages is run: commands in a session, whose output is compared; programs, metadata and settings as
//! `USES` says. A block that this test does not know how to run is an error, so that a new one needs a runner.
//!
//! A page is a session: its blocks run in order, in a temporary copy of the checkout.
//!
//! - `console`: after `$ ` a command, with `> ` before its further lines; then the output, on either stream, in the order
//!   in which a terminal shows it. `...` stands for any lines, `[..]` for any text within a line. Seconds at the end of a
//!   line may differ. A command that fails is followed by `$ echo $?`.
//! - `sh`: commands whose output is not compared. Those of `ELSEWHERE` are not run here.
//! - `rust`: doctests of `examples/pages.rs`; blocks that contain tests or cannot run as a doctest are also run by
//!   `examples/tests/pages.rs`.
//! - `c`: compiled with the header of plugins. `toml`, `json`: parsed, and opened if they are metadata or manifests.
//!
//! `SNAPSHOTS=overwrite` writes the outputs of commands into the pages, and keeps `...` and `[..]` where they still fit.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod block;
mod check;
mod session;

use block::{Block, blocks};
use session::Session;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What a block is, if its language does not determine it.
#[derive(Debug, Clone, Copy)]
enum Use {
    /// The reader saves it in this file.
    File(&'static str),
    /// A part of this TOML file of the session.
    PartOf(&'static str),
    /// It describes files: each line that is not indented begins with a path. At the end of the page they exist.
    Paths,
}

/// Blocks that commands of their page use, by page and first line.
const USES: [(&str, &str, Use); 10] = [
    (TUTORIAL, "use serde::{Deserialize, Serialize};", Use::File("acme-invert/src/lib.rs")),
    (TUTORIAL, "[lib]", Use::PartOf("acme-invert/Cargo.toml")),
    (TUTORIAL, "#include \"zarr_plugin.h\"", Use::File("acme-invert/plugin.c")),
    (IMPLEMENTERS, "\"\"\"Prints the elements of an array of integers", Use::File("mini.py")),
    (IMPLEMENTERS, "name = \"mini\"", Use::File("mini.toml")),
    (IMPLEMENTERS, "[fail]", Use::File("known.toml")),
    (IMPLEMENTERS, "cases/chunk_grid/regular/mini-nothing-stored/array.zarr/zarr.json", Use::Paths),
    ("ARCHITECTURE.md", "zarr-core", Use::Paths),
    (AUTHORS, "[[sample]]", Use::File("samples.toml")),
    ("conformance/adapters/README.md", "name = \"zarr-python\"", Use::PartOf("conformance/adapters/zarr-python.toml")),
];

/// Files that a page expects, which are blocks of another page.
const GIVEN: [(&str, &str, &str, &str); 1] = [(AUTHORS, "invert.c", TUTORIAL, "#include \"zarr_plugin.h\"")];

/// Commands that are not run here: the file that shows that they work, a text in it, and the reason.
const ELSEWHERE: [(&str, &str, &str, &str); 10] = [
    ("cargo install --locked ozarr-cli", "ozarr-cli/Cargo.toml", "name = \"ozarr-cli\"", "it is not published yet"),
    (
        "cargo install --locked zarr-conformance",
        "conformance/Cargo.toml",
        "name = \"zarr-conformance\"",
        "it is not published yet",
    ),
    ("cargo install --locked --path ozarr-cli", "ozarr-cli/Cargo.toml", "name = \"ozarr\"", "an optimized build"),
    (
        "cargo install --path conformance --locked",
        "conformance/Cargo.toml",
        "name = \"zarr-conformance\"",
        "an optimized build",
    ),
    ("bash examples/weather.sh", ".ci/run", "bash examples/weather.sh", "a step of CI"),
    ("cargo test --workspace --locked", ".ci/run", "cargo test --workspace --locked", "it runs this test"),
    (
        "cd benchmarks && cargo run --release --locked -- --memory --growth",
        ".ci/benchmarks",
        "cargo run --quiet --release --locked -- --short --memory --growth",
        "minutes of measurements",
    ),
    ("./run 10            # ten seconds for each target", ".ci/fuzz", "./run 3 ", "a build with AddressSanitizer"),
    ("./run 300 sharding  # one target for five minutes", ".ci/fuzz", "./run 3 ", "a build with AddressSanitizer"),
    (
        "MERGE=1 ./run 60    # also keep inputs that reach new code",
        "fuzz/run",
        "${MERGE:-}",
        "a build with AddressSanitizer",
    ),
];

/// Pages whose commands download other implementations and write golden arrays again. Here the scripts that they name are
/// parsed; `conformance/tests/goldens.rs` reads the arrays.
const GENERATORS: [&str; 2] = ["conformance/generate/README.md", "conformance/generate/zarrita/README.md"];

/// Headings where the reader starts over.
const STARTS: [(&str, &str); 1] = [(TUTORIAL, "## In C")];

const TUTORIAL: &str = "docs/adding-an-extension.md";
const IMPLEMENTERS: &str = "docs/conformance-for-implementers.md";
const AUTHORS: &str = "docs/conformance-for-extension-authors.md";

const PAGES: [&str; 21] = [
    "ARCHITECTURE.md",
    "README.md",
    "conformance/README.md",
    "conformance/adapters/README.md",
    "conformance/generate/README.md",
    "conformance/generate/zarrita/README.md",
    TUTORIAL,
    "docs/benchmarks.md",
    "docs/command-line.md",
    AUTHORS,
    IMPLEMENTERS,
    "docs/plugin-abi.md",
    "fuzz/README.md",
    "ozarr-cli/README.md",
    "ozarr-tools/README.md",
    "ozarr/README.md",
    "plugins/README.md",
    "plugins/chunk-manifest/SPECIFICATION.md",
    "plugins/fan-out/SPECIFICATION.md",
    "plugins/numcodecs-fletcher32/README.md",
    "zarr-plugin-api/README.md",
];

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
fn use_of(page: &str, block: &Block) -> Option<Use> {
    USES.iter().find(|(p, first, _)| *p == page && block.text.starts_with(first)).map(|(.., used)| *used)
}

/// Runs all blocks of a page.
fn run(page: &str) {
    let file = tree().join(page);
    let text = fs::read_to_string(&file).unwrap();
    let mut session = Session::new(page);
    for (_, name, other, first) in GIVEN.iter().filter(|(p, ..)| *p == page) {
        let text = fs::read_to_string(tree().join(other)).unwrap();
        let block = blocks(&text).into_iter().find(|b| b.text.starts_with(first)).unwrap();
        session.save(Some(Use::File(name)), &block);
    }
    // Lines of the page that are replaced, and the text in their place.
    let mut replaced: Vec<(usize, usize, String)> = Vec::new();
    let mut paths = Vec::new();
    let mut section = String::new();
    let blocks = blocks(&text);
    for (number, block) in blocks.iter().enumerate() {
        if section != block.section && STARTS.contains(&(page, &block.section)) {
            session = Session::new(page);
        }
        section.clone_from(&block.section);
        let place = format!("{page}:{}", block.line);
        match (block.language.as_str(), use_of(page, block)) {
            ("console", _) => replaced.extend(session.console(&place, block)),
            ("sh", _) if GENERATORS.contains(&page) => check::scripts(&place, block, file.parent().unwrap()),
            ("sh" | "bash", _) => session.shell(&place, block),
            ("rust", used) => {
                check::rust(page, &place, blocks[..number].iter().filter(|b| b.language == "rust").count(), block);
                session.save(used, block);
            }
            ("c", used) => {
                check::c(&place, block);
                session.save(used, block);
            }
            ("toml", Some(Use::PartOf(whole))) => check::part(&place, &block.text, &session.folder().join(whole)),
            ("toml" | "python" | "text", Some(Use::File(_))) => session.save(use_of(page, block), block),
            ("text", Some(Use::Paths)) => {
                let lines = block.text.lines().filter(|l| !l.starts_with(' '));
                paths.extend(lines.filter_map(|l| l.split(' ').next()).map(|path| (place.clone(), path)));
            }
            ("json", _) => check::json(page, &place, block, &mut session),
            (language, _) => panic!("{place}: this test does not know how to run a block in `{language}`"),
        }
    }
    for (place, path) in paths {
        assert!(session.folder().join(path).exists(), "{place}: there is no {path}");
    }
    if !replaced.is_empty() {
        fs::write(&file, block::replace(&text, &replaced)).unwrap();
    }
}

#[test]
fn architecture() {
    run("ARCHITECTURE.md");
}
#[test]
fn readme() {
    run("README.md");
}
#[test]
fn crates() {
    for name in ["conformance", "ozarr", "ozarr-cli", "ozarr-tools", "zarr-plugin-api"] {
        run(&format!("{name}/README.md"));
    }
}
#[test]
fn adapters() {
    run("conformance/adapters/README.md");
}
#[test]
fn adding_an_extension() {
    run(TUTORIAL);
}
#[test]
fn benchmarks() {
    run("docs/benchmarks.md");
}
#[test]
fn command_line() {
    run("docs/command-line.md");
}
#[test]
fn conformance_for_extension_authors() {
    run(AUTHORS);
}
#[test]
fn conformance_for_implementers() {
    run(IMPLEMENTERS);
}
#[test]
fn plugin_interface() {
    run("docs/plugin-abi.md");
}
#[test]
fn plugins() {
    run("plugins/README.md");
}
#[test]
fn chunk_manifest() {
    run("plugins/chunk-manifest/SPECIFICATION.md");
}
#[test]
fn generators() {
    GENERATORS.iter().for_each(|page| run(page));
}
#[test]
fn fuzzing() {
    run("fuzz/README.md");
}
#[test]
fn fan_out() {
    run("plugins/fan-out/SPECIFICATION.md");
}
#[test]
fn fletcher32() {
    run("plugins/numcodecs-fletcher32/README.md");
}

/// A page with blocks has a test above, and no page has code in the indented form, which has no language.
#[test]
fn every_page_with_blocks_is_run() {
    let mut with_blocks = BTreeSet::new();
    for page in block::pages(&tree()) {
        let text = fs::read_to_string(tree().join(&page)).unwrap();
        assert_eq!(block::indented(&text), None, "{page}: indented code; write a fenced block with a language");
        if !blocks(&text).is_empty() {
            with_blocks.insert(page);
        }
    }
    assert_eq!(with_blocks, PAGES.map(str::to_owned).into());
}

/// The tables above contain nothing that the pages no longer contain, and commands that are not run work by other proof.
#[test]
fn the_tables_of_this_test_are_up_to_date() {
    let all: Vec<(&str, Block)> = PAGES
        .iter()
        .flat_map(|page| blocks(&fs::read_to_string(tree().join(page)).unwrap()).into_iter().map(move |b| (*page, b)))
        .collect();
    for (page, first, _) in USES {
        assert!(all.iter().any(|(p, b)| *p == page && b.text.starts_with(first)), "{page}: {first}");
    }
    for (command, file, text, _) in ELSEWHERE {
        assert!(all.iter().any(|(_, b)| b.text.lines().any(|line| line == command)), "{command}");
        assert!(fs::read_to_string(tree().join(file)).unwrap().contains(text), "{file} does not contain {text}");
    }
}
