//! Every clause has cases, and every case has a clause.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use zarr_conformance::{
    cases::Cases,
    clauses::{Clauses, Tallies},
};

/// The minimum numbers of clauses, positives, and counted negatives.
const LEAST: [usize; 3] = [271, 800, 430];

#[test]
fn clauses_and_cases_match() {
    let (clauses, tallies) = (Clauses::embedded().unwrap(), Tallies::of(&Cases::embedded()).unwrap());
    let gaps = clauses.gaps(&tallies);
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
    let found = [clauses.iter().count(), tallies.positives(), tallies.counted_negatives()];
    assert!(found.iter().zip(LEAST).all(|(found, least)| *found >= least), "{found:?}, not {LEAST:?}");
}

#[test]
fn ids_are_paths_and_requirements_single_lines() {
    for clause in Clauses::embedded().unwrap().iter() {
        let word =
            |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(clause.id.contains('/') && clause.id.split('/').all(word), "{}", clause.id);
        for text in [&clause.page, &clause.section, &clause.requires] {
            assert!(!text.is_empty() && !text.contains('\n'), "{}: {text:?}", clause.id);
        }
    }
}
