//! Every damaged array is refused when all of it is read, and the golden array from which it was created is read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::Context;
use std::collections::{BTreeMap, BTreeSet};
use zarr_conformance::{
    cases::{Cases, Damage, Golden},
    elements::read_elements,
};

/// The minimum number of damaged arrays.
const ALL: usize = 156;
/// Each of these clauses must have at least one.
const CLAUSES: [&str; 10] = [
    "chunk/size",
    "codec/blosc/format",
    "codec/bytes/size",
    "codec/crc32c/checksum",
    "codec/gzip/format",
    "codec/sharding/index",
    "codec/sharding/index-entries",
    "codec/sharding/truncated",
    "codec/vlen/lengths",
    "codec/zstd/format",
];

/// Returns whether the stored values differ in the value of one chunk only.
fn has_one_change(damage: &Damage, counterpart: &Golden) -> bool {
    let (good, bad): (Vec<_>, Vec<_>) = (counterpart.array.values().collect(), damage.array.values().collect());
    let changed: Vec<_> = good.iter().zip(&bad).filter(|(a, b)| a != b).collect();
    good.len() == bad.len() && matches!(changed[..], [((a, _), (b, _))] if a == b && *a != "zarr.json")
}

fn check(damage: &Damage, goldens: &BTreeMap<&str, &Golden>, context: &Context) -> Result<(), String> {
    let counterpart =
        goldens.get(damage.counterpart.as_str()).ok_or_else(|| format!("there is no golden {}", damage.counterpart))?;
    let array = counterpart.array.open(context).map_err(|e| format!("its counterpart: {e}"))?;
    let want = counterpart
        .element_bytes(&**array.representation().data_type())
        .map_err(|e| format!("its counterpart: {e}"))?;
    match read_elements(&array) {
        Ok(got) if got == want => {}
        Ok(_) => return Err("its counterpart is read as other data".into()),
        Err(e) => return Err(format!("its counterpart: {e}")),
    }
    if !has_one_change(damage, counterpart) {
        return Err("it is not its counterpart with one chunk changed".into());
    }
    let array = damage.array.open(context).map_err(|e| format!("it is refused before any chunk is read: {e}"))?;
    match read_elements(&array) {
        Ok(got) if got == want => Err("it is read as if nothing were wrong".into()),
        Ok(_) => Err("it is read as other data".into()),
        Err(_) => Ok(()),
    }
}

#[test]
fn every_damaged_array_is_an_error() {
    let (cases, context) = (Cases::embedded(), Context::new());
    let (goldens, all) = (cases.goldens().unwrap(), cases.damages().unwrap());
    let goldens: BTreeMap<&str, &Golden> = goldens.iter().map(|g| (g.id.as_str(), g)).collect();
    let failures: Vec<String> = all
        .iter()
        .filter_map(|d| check(d, &goldens, &context).err().map(|reason| format!("{}: {reason}", d.id)))
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(all.len() >= ALL, "{} damaged arrays, {ALL} are known", all.len());
    let clauses: BTreeSet<&str> = all.iter().map(|d| d.clause.as_str()).collect();
    assert!(CLAUSES.iter().all(|c| clauses.contains(c)), "{clauses:?}");
}
