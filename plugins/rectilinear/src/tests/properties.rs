//! Compares the grid with a naive reference, which lists all lengths.

use super::{grid, lengths};
use proptest::prelude::*;
use zarr_plugin_api::AxisChunks;

/// Returns a value in `chunk_shapes` for one dimension, and the lengths that it means for `n` elements.
fn edges() -> impl Strategy<Value = (String, Vec<u64>, u64)> {
    let item = prop_oneof![
        (1u64..9).prop_map(|n| (n.to_string(), vec![n])),
        (1u64..9, 1usize..6).prop_map(|(n, count)| (format!("[{n},{count}]"), vec![n; count])),
    ];
    let list = prop::collection::vec(item, 0..8).prop_flat_map(|items| {
        let (texts, lengths): (Vec<String>, Vec<Vec<u64>>) = items.into_iter().unzip();
        let (text, lengths) = (format!("[{}]", texts.join(",")), lengths.concat());
        let end: u64 = lengths.iter().sum();
        (Just(text), Just(lengths), 0..=end)
    });
    let every = (1u64..9, 0u64..60).prop_map(|(m, n)| (m.to_string(), vec![m; n.div_ceil(m) as usize], n));
    prop_oneof![list, every]
}

/// Returns the lengths of the chunks that contain one of the first `n` elements.
fn visible(lengths: &[u64], n: u64) -> Vec<u64> {
    let starts = lengths.iter().scan(0, |end, len| Some(std::mem::replace(end, *end + len)));
    let contained = starts.take_while(|s| *s < n).count();
    lengths[..contained].to_vec()
}

proptest! {
    /// `lengths` of the parent module also checks that the chunk of each element is found.
    #[test]
    fn chunks_match_the_explicit_list((text, all, n) in edges()) {
        let made = grid(&format!("[{text}]"), &[n]).unwrap();
        prop_assert_eq!(lengths(&*made, n), visible(&all, n));
        match made.axis(0).unwrap() {
            AxisChunks::Lengths(lengths) => prop_assert_eq!(lengths, &all[..]),
            AxisChunks::Regular(m) => prop_assert!(all.iter().all(|len| *len == m)),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn dimensions_are_independent((a, _, n) in edges(), (b, _, m) in edges()) {
        let both = grid(&format!("[{a},{b}]"), &[n, m]).unwrap();
        let (first, second) = (grid(&format!("[{a}]"), &[n]).unwrap(), grid(&format!("[{b}]"), &[m]).unwrap());
        let chunks = both.grid_shape(&[n, m]).unwrap();
        prop_assert_eq!(chunks[0], first.grid_shape(&[n]).unwrap()[0]);
        prop_assert_eq!(chunks[1], second.grid_shape(&[m]).unwrap()[0]);
        for chunk_index in (0..chunks[0]).flat_map(|i| (0..chunks[1]).map(move |j| [i, j])) {
            let region = both.chunk_region(&[n, m], &chunk_index).unwrap();
            let (row, column) = (first.chunk_region(&[n], &chunk_index[..1]).unwrap(), second.chunk_region(&[m], &chunk_index[1..]).unwrap());
            prop_assert_eq!(&region.start[..], [row.start[0], column.start[0]]);
            prop_assert_eq!(&region.len[..], [row.len[0], column.len[0]]);
        }
    }

    #[test]
    fn growing_preserves_every_chunk((text, all, n) in edges(), more in 0u64..100) {
        let made = grid(&format!("[{text}]"), &[n]).unwrap();
        let resized = made.resized(&[n], &[n + more]).unwrap();
        let shapes = resized.map_or(format!("[{text}]"), |o| o.get("chunk_shapes").unwrap().to_string());
        let grown = lengths(&*grid(&shapes, &[n + more]).unwrap(), n + more);
        let before = visible(&all, n);
        prop_assert_eq!(&grown[..before.len()], &before[..]);
    }
}
