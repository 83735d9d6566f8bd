//! The numbers and tables of the pages of `docs` are complete. Their commands are run by `ozarr-cli/tests/pages`.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use ozarr::zarr_core::extension::ExtensionPoint;
use std::{collections::BTreeSet, fs, path::Path};
use zarr_conformance::{
    cases::Cases,
    extension::{Subject, word},
    store::CHECKS,
};

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)).unwrap()
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
