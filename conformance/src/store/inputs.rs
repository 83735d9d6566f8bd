//! Keys, prefixes, values and contents as inputs.

use super::{Contents, tested::Found};
use ozarr::zarr_core::store::{Key, Listing, Prefix};
use proptest::{collection, prelude::*, sample};

/// Keys of which none is a directory of another. Names have common beginnings where a store could confuse them.
const KEYS: [&str; 10] = ["a", "ab", "b-c", "b.c", "b/c", "b/d/e", "b/d/f", "b/dd/e", "bb/c", "c/0/1"];
/// Prefixes, some of which have keys.
const PREFIXES: [&str; 8] = ["b/", "b/d/", "b/dd/", "bb/", "c/", "c/0/", "a/", "none/such/"];

/// Unusual keys that a store should accept.
const ODD: [&str; 36] = [
    "a",
    "_",
    "\u{e9}",
    "日本語/ключ/🦀",
    "a b",
    " a",
    "a ",
    "a.",
    ".a",
    "...",
    "a..b",
    ".a/.b",
    "c.0.0",
    "%2f",
    "a%20b",
    "%61",
    "a+b",
    "~",
    "#",
    "?",
    "*",
    "'\"",
    "\\",
    "a\\b",
    ":",
    "-",
    "--help",
    "$home",
    "a;b|c&d",
    "con",
    "nul.txt",
    "tab\t",
    "\n",
    "\u{1}",
    "zarr.json.tmp",
    "\u{200b}",
];

pub(super) fn key(text: &str) -> Found<Key> {
    Ok(Key::new(text)?)
}
pub(super) fn prefix(text: &str) -> Found<Prefix> {
    Ok(Prefix::new(text)?)
}
/// Returns the keys from which [`contents`] selects.
pub(super) fn keys() -> Vec<Key> {
    KEYS.iter().filter_map(|k| Key::new(*k).ok()).collect()
}
/// Returns prefixes with every kind of relation to these keys, without the root.
pub(super) fn prefixes() -> Vec<Prefix> {
    PREFIXES.iter().filter_map(|p| Prefix::new(*p).ok()).collect()
}
pub(super) fn any_key() -> impl Strategy<Value = Key> {
    sample::select(keys())
}
pub(super) fn any_prefix() -> impl Strategy<Value = Prefix> {
    sample::select(prefixes())
}
/// Returns values of letters: unusual values have properties of their own.
pub(super) fn letters(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    collection::vec(b'a'..=b'z', len)
}
pub(super) fn contents() -> impl Strategy<Value = Contents> {
    collection::btree_map(any_key(), letters(1..20), 0..10)
}
/// Returns contents with unusual keys, and ordinary keys that could be confused with them. None is a directory of
/// another.
pub(super) fn odd_contents() -> impl Strategy<Value = Contents> {
    let random = collection::vec("[^/\0A-Z]{1,12}", 1..4).prop_map(|s| s.join("/"));
    let long = (100usize..=255, "[a-z]").prop_map(|(n, c)| c.repeat(n));
    let deep = (2usize..24).prop_map(|n| vec!["d"; n].join("/"));
    let more = collection::vec(prop_oneof![6 => random, 1 => long, 1 => deep], 0..12);
    // Shrinking adds no information here: a finding names the key.
    more.no_shrink().prop_map(|more| {
        let all = ODD.iter().map(|k| (*k).to_owned()).chain(more);
        let mut contents: Contents =
            all.filter_map(|k| Some((Key::new(&k).ok()?, format!("{k:?}").into_bytes()))).collect();
        let all: Vec<Key> = contents.keys().cloned().collect();
        let above = |k: &Key| all.iter().any(|other| other.as_str().starts_with(&format!("{k}/")));
        contents.retain(|k, _| !above(k));
        contents
    })
}

/// Returns the listing that a prefix should have.
pub(super) fn listing(contents: &Contents, prefix: &Prefix) -> Found<Listing> {
    let mut listing = Listing::default();
    for key in contents.keys() {
        let Some(rest) = key.as_str().strip_prefix(prefix.as_str()) else { continue };
        match rest.split_once('/') {
            None => _ = listing.keys.insert(key.clone()),
            Some((name, _)) => _ = listing.prefixes.insert(Prefix::new(format!("{prefix}{name}/"))?),
        }
    }
    Ok(listing)
}

/// Writes a part to a value, as a store should.
pub(super) fn overlay(value: &mut Vec<u8>, start: u64, part: &[u8]) {
    let start = start as usize;
    let end = start + part.len();
    if value.len() < end {
        value.resize(end, 0);
    }
    value[start..end].copy_from_slice(part);
}
