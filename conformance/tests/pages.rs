//! The pages of `docs` are correct: their adapters run, and their tables are complete.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test that is how to fail")]
#![cfg(unix)]

use ozarr::zarr_core::extension::ExtensionPoint;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};
use zarr_conformance::{
    cases::Cases,
    extension::{Subject, word},
    store::CHECKS,
    third_party,
};

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)).unwrap()
}

/// Returns the code blocks of a page in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let start = format!("```{language}\n");
    page.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Runs a command of a page in a folder.
fn run(line: &str, folder: &Path) -> Output {
    let mut words = line.split_whitespace();
    assert_eq!(words.next(), Some("zarr-conformance"), "{line}");
    Command::new(env!("CARGO_BIN_EXE_zarr-conformance")).args(words).current_dir(folder).output().unwrap()
}

/// Checks that every line that is not shortened occurs in the output.
fn shows(printed: &str, block: &str) {
    for line in block.lines() {
        let mut rest = printed;
        for part in line.split("..") {
            let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in:\n{printed}"));
            rest = &rest[at + part.len()..];
        }
    }
}

#[test]
fn the_adapter_on_the_page_for_implementers_works() {
    let page = page("conformance-for-implementers.md");
    let dir = tempfile::tempdir().unwrap();
    let (tables, texts) = (blocks(&page, "toml"), blocks(&page, "text"));
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/chunk_grid/regular/zarr-python-nothing-stored");
    let copy = dir.path().join("cases/chunk_grid/regular/mini-nothing-stored");
    fs::write(dir.path().join("mini.py"), blocks(&page, "python")[0]).unwrap();
    fs::write(dir.path().join("mini.toml"), tables[0]).unwrap();
    fs::write(dir.path().join("known.toml"), tables[1]).unwrap();
    fs::create_dir_all(copy.join("array.zarr")).unwrap();
    for file in ["array.zarr/zarr.json", "elements.json", "case.json"] {
        fs::copy(case.join(file), copy.join(file)).unwrap();
    }
    let commands: Vec<&str> = blocks(&page, "sh").into_iter().filter(|c| c.starts_with("zarr-conformance")).collect();
    let shown = [(0, 0, 1), (1, 1, 0), (2, 3, 0), (3, 5, 0)];
    for (command, text, status) in shown {
        let out = run(commands[command], dir.path());
        let printed = String::from_utf8(out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(status), "{printed}{}", String::from_utf8_lossy(&out.stderr));
        shows(&printed, texts[text]);
    }
}

#[test]
fn the_page_for_implementers_has_the_right_number_of_cases() {
    let cases = Cases::embedded();
    let [goldens, refusals, damages] =
        [cases.goldens().unwrap().len(), cases.refusals().unwrap().len(), cases.damages().unwrap().len()];
    // Golden arrays are read and written; of a refusal, the valid document is opened too.
    let all = format!("all cases run: {} of them", 2 * goldens + 2 * refusals + damages);
    assert!(page("conformance-for-implementers.md").contains(&all), "{all}");
}

/// The first and the last command of the page.
#[test]
fn the_commands_on_the_page_for_extension_authors_work() {
    let page = page("conformance-for-extension-authors.md");
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("template-c");
    third_party::new_project(&project, "template.c", "bytes-to-bytes", "c").unwrap();
    fs::copy(third_party::c(&project.join("plugin.c"), &[]).unwrap(), dir.path().join("template-c.so")).unwrap();
    let commands: Vec<&str> = blocks(&page, "sh").into_iter().filter(|c| c.starts_with("zarr-conformance")).collect();
    let texts = blocks(&page, "text");
    for (command, text) in [(commands.first(), texts.first()), (commands.last(), texts.last())] {
        let out = run(command.unwrap(), dir.path());
        let printed = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success(), "{printed}{}", String::from_utf8_lossy(&out.stderr));
        shows(&printed, text.unwrap());
    }
}

/// The table of properties contains all of them, and no others.
#[test]
fn the_page_for_extension_authors_lists_every_property() {
    let page = page("conformance-for-extension-authors.md");
    let properties = page.split("## The properties").nth(1).unwrap().split("\n## ").next().unwrap();
    let ids = properties.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next());
    let each = |id: &str| match id.strip_prefix("*/") {
        Some(property) => ExtensionPoint::ALL.iter().map(|p| format!("{}/{property}", word(*p))).collect(),
        None => vec![id.to_owned()],
    };
    let listed: BTreeSet<String> = ids.flat_map(each).collect();
    let mut all: BTreeSet<String> = Subject::properties().into_iter().collect();
    all.extend(CHECKS.iter().map(|c| format!("store/{}", c.id)));
    assert_eq!(listed, all);
}
