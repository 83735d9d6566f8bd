use super::with_digits;
use proptest::{prelude::*, sample::Index};
use std::collections::{BTreeMap, BTreeSet};
use zarr_plugin_api::Key;

/// Returns indices of every length, including the limits.
fn index() -> impl Strategy<Value = u64> {
    let power = (0u32..20, 0u64..3).prop_map(|(e, less)| 10u64.pow(e).saturating_sub(less));
    prop_oneof![0u64..12, power, any::<u64>(), (any::<u64>(), 0u32..64).prop_map(|(n, s)| n >> s), Just(u64::MAX)]
}

/// Returns chunk indices of one rank.
fn chunk_indices() -> impl Strategy<Value = Vec<Vec<u64>>> {
    (0usize..5).prop_flat_map(|rank| prop::collection::vec(prop::collection::vec(index(), rank), 1..60))
}

/// Returns the maximum number of entries in a directory, from the specification.
fn bound(digits: u8) -> u64 {
    10u64.pow(digits.into()).max(u64::from(20u8.div_ceil(digits)))
}

proptest! {
    #[test]
    fn keys_read_back(chunk_indices in chunk_indices(), digits in 1u8..=19) {
        let encoding = with_digits(digits);
        for chunk_index in chunk_indices {
            let key = encoding.encode(&chunk_index).unwrap();
            prop_assert!(key.starts_with("c/") && Key::new(key.clone()).is_ok(), "{key}");
            let decoded = encoding.decode(&key, chunk_index.len());
            prop_assert_eq!(decoded.as_deref(), Some(&chunk_index[..]), "{}", key);
        }
    }

    #[test]
    fn keys_are_never_directories(chunk_indices in chunk_indices(), digits in 1u8..=19) {
        let encoding = with_digits(digits);
        let chunk_indices: BTreeSet<Vec<u64>> = chunk_indices.into_iter().collect();
        let keys: BTreeSet<String> = chunk_indices.iter().map(|c| encoding.encode(c).unwrap()).collect();
        prop_assert_eq!(keys.len(), chunk_indices.len(), "two chunks have one key");
        for key in &keys {
            let below = format!("{key}/");
            prop_assert!(!keys.iter().any(|other| other.starts_with(&below)), "{key}");
        }
    }

    /// A key that is decoded is exactly the key of that chunk.
    #[test]
    fn keys_are_canonical(
        key in "(c/)?([0-9+]{1,4}/){0,6}[0-9a]{1,4}/?",
        chunk_index in prop::collection::vec(index(), 0..4),
        digits in 1u8..=19,
        (at, with) in (any::<Index>(), "[0-9/c.+]{0,2}"),
    ) {
        let encoding = with_digits(digits);
        let mut near = encoding.encode(&chunk_index).unwrap();
        let at = at.index(near.len());
        near.replace_range(at..=at, &with);
        for key in [key, near] {
            for rank in 0..5 {
                if let Some(chunk_index) = encoding.decode(&key, rank) {
                    prop_assert_eq!(encoding.encode(&chunk_index).unwrap(), &key[..]);
                    prop_assert_eq!(chunk_index.len(), rank);
                }
            }
        }
    }

    #[test]
    fn any_text_is_decoded_without_panic(key: String, rank in 0usize..6) {
        prop_assert!(with_digits(3).decode(&key, rank).is_none_or(|chunk_index| chunk_index.len() == rank));
    }
}

/// Counts the names in each directory for all chunk indices of long grids.
#[test]
fn directories_stay_small() {
    for (digits, shape, largest) in [
        (1, &[20_000u64][..], 10),
        (1, &[300, 120], 10),
        (2, &[20_000], 100),
        (2, &[250, 130], 100),
        (3, &[20_000], 1000),
        (3, &[30, 1100], 1000),
    ] {
        let encoding = with_digits(digits);
        let mut directories: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for n in 0..shape.iter().product() {
            let chunk_index = match shape {
                [_, columns] => vec![n / columns, n % columns],
                _ => vec![n],
            };
            let key = encoding.encode(&chunk_index).unwrap();
            for (at, _) in key.match_indices('/') {
                let name = key[at + 1..].split('/').next().unwrap_or_default();
                directories.entry(key[..at].to_owned()).or_default().insert(name.to_owned());
            }
        }
        let most = directories.values().map(BTreeSet::len).max().unwrap_or(0) as u64;
        assert_eq!(most, largest, "{digits} {shape:?}");
        assert!(most <= bound(digits));
    }
}

/// The directory for the number of groups is the largest if groups are short.
#[test]
fn the_bound_on_entries_is_reached() {
    for digits in 1..=19 {
        let encoding = with_digits(digits);
        let first = |n: u64| encoding.encode(&[n]).unwrap().split('/').nth(1).map(str::to_owned);
        let counts: BTreeSet<_> = (0..20).map(|e| first(10u64.pow(e))).collect();
        assert_eq!(counts.len() as u64, u64::from(20u8.div_ceil(digits)));
        assert!(counts.len() as u64 <= bound(digits));
    }
}
