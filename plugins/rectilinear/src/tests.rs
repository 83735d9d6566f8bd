mod properties;

use super::*;
use zarr_plugin_api::testing::{Bench, Made};

fn grid(shapes: &str, array: &[u64]) -> Result<Made<dyn ChunkGrid>> {
    let json = format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":{shapes}}}}}"#);
    make(&json, array)
}

fn make(json: &str, array: &[u64]) -> Result<Made<dyn ChunkGrid>> {
    Bench::new().chunk_grid(json, array)
}

/// Returns the lengths of the chunks of a one-dimensional array.
fn lengths(grid: &dyn ChunkGrid, n: u64) -> Vec<u64> {
    let mut start = 0;
    let chunks = grid.grid_shape(&[n]).unwrap()[0];
    (0..chunks)
        .map(|c| {
            let chunk_index = grid.chunk_region(&[n], &[c]).unwrap();
            assert_eq!(chunk_index.start[0], start);
            for e in (start..start + chunk_index.len[0]).filter(|e| *e < n) {
                assert_eq!(grid.chunk_index_of(&[n], &[e]).unwrap()[..], [c]);
            }
            start += chunk_index.len[0];
            chunk_index.len[0]
        })
        .collect()
}

#[test]
fn examples_of_the_specification() {
    for (shapes, expected, axis) in [
        ("[4]", &[4, 4][..], None),
        ("[[1,2,3]]", &[1, 2, 3], Some(&[1, 2, 3][..])),
        ("[[[1,6]]]", &[1; 6], Some(&[1; 6])),
        ("[[[4,2]]]", &[4, 4], Some(&[4, 4])),
        ("[[[1,3],3]]", &[1, 1, 1, 3], Some(&[1, 1, 1, 3])),
        ("[[4,4,4]]", &[4, 4], Some(&[4, 4, 4])),
        ("[[[2,3]]]", &[2, 2, 2], Some(&[2, 2, 2])),
        ("[[1,[2,1],3]]", &[1, 2, 3], Some(&[1, 2, 3])),
        ("[[6]]", &[6], Some(&[6])),
    ] {
        let grid = grid(shapes, &[6]).unwrap();
        assert_eq!(lengths(&*grid, 6), expected, "{shapes}");
        assert_eq!(grid.axis(0), Some(axis.map_or(AxisChunks::Regular(4), AxisChunks::Lengths)), "{shapes}");
        assert_eq!(grid.axis(1), None);
    }
}

#[test]
fn the_spelling_is_preserved() {
    for shapes in ["[4,[1,2,3],[[4,2]],[[1,3],3]]", "[[6],[[2,3]],6,[6,6,6]]"] {
        let json = format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":{shapes}}}}}"#);
        let made = grid(shapes, &[6, 6, 6, 6]).unwrap();
        assert_eq!(made.written.to_json().to_string(), json);
        assert_eq!(made.configuration.get("chunk_shapes").unwrap().to_string(), shapes);
        made.assert_chunks();
    }
}

#[test]
fn wrong_configurations_are_refused() {
    for (shapes, says) in [
        ("[[1,2]]", "less than the array length 6"),
        ("[[]]", "less than the array length 6"),
        ("[0]", "greater than zero"),
        ("[[6,0]]", "greater than zero"),
        ("[[[0,6]]]", "greater than zero"),
        ("[[[6,0]]]", "greater than zero"),
        ("[[[6]]]", "expected a run of lengths"),
        ("[[[6,1,1]]]", "expected a run of lengths"),
        ("[[[6,[1,1]]]]", "expected u64"),
        ("[-6]", "expected a length"),
        ("[6.0]", "expected a length"),
        ("[null]", "expected a length"),
        ("[6,6]", "rank 2"),
        ("[]", "rank 0"),
        ("6", "expected an array"),
        ("[[[4294967296,4294967296]]]", "2^64"),
        ("[[18446744073709551615,1]]", "2^64"),
        ("[[[1,16777217]]]", "lists 16777217"),
        ("[[[1,18446744073709551615]]]", "lists"),
    ] {
        let error = grid(shapes, &[6]).unwrap_err().to_string();
        assert!(error.contains(says), "{shapes}: {error}");
    }
    for json in [
        r#""rectilinear""#,
        r#"{"name":"rectilinear","configuration":{"chunk_shapes":[6]}}"#,
        r#"{"name":"rectilinear","configuration":{"kind":"inline"}}"#,
        r#"{"name":"rectilinear","configuration":{"kind":"reference","chunk_shapes":[6]}}"#,
        r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[6],"x":1}}"#,
    ] {
        assert!(make(json, &[6]).is_err(), "{json}");
    }
    let both = grid("[[[1,9000000]],[[1,9000000]]]", &[6, 6]).unwrap_err();
    assert!(both.to_string().contains("lists 18000000"), "{both}");
    let place = grid("[4,[1]]", &[6, 6]).unwrap_err();
    assert_eq!(place.json_path(), Some("configuration.chunk_shapes[1]"));
}

#[test]
fn edges_and_corners() {
    let none = grid("[[],5]", &[0, 0]).unwrap();
    assert_eq!(none.grid_shape(&[0, 0]).unwrap()[..], [0, 0]);
    assert!(none.chunk_region(&[0, 0], &[0, 0]).is_err());
    let scalar = grid("[]", &[]).unwrap();
    assert_eq!(scalar.chunk_region(&[], &[]).unwrap().rank(), 0);
    let both = grid("[[2,4],3]", &[6, 6]).unwrap();
    assert!(both.grid_shape(&[7, 6]).is_err() && both.grid_shape(&[6]).is_err());
    assert!(both.chunk_region(&[6, 6], &[2, 0]).is_err() && both.chunk_region(&[6, 6], &[0]).is_err());
    assert!(both.chunk_index_of(&[6, 6], &[6, 0]).is_err() && both.chunk_index_of(&[6, 6], &[0]).is_err());
    // Large numbers do not overflow.
    let far = grid("[[[1099511627776,16000000]]]", &[1 << 63]).unwrap();
    assert_eq!(far.chunk_index_of(&[1 << 63], &[(1 << 63) - 1]).unwrap()[..], [(1 << 23) - 1]);
    let wide = grid("[18446744073709551614]", &[u64::MAX]).unwrap();
    assert_eq!(wide.grid_shape(&[u64::MAX]).unwrap()[..], [2]);
    assert!(wide.chunk_region(&[u64::MAX], &[1]).is_err(), "it would end beyond 2^64");
}

#[test]
fn growing_repeats_the_last_length() {
    for (shapes, old, new, grown) in [
        ("[4]", 6, 60, None),
        ("[[1,2,3]]", 6, 6, None),
        ("[[1,2,3]]", 6, 2, None),
        ("[[1,2,3]]", 2, 6, None),
        ("[[1,2,3]]", 6, 7, Some("[[1,2,3,[3,1]]]")),
        ("[[1,2,3]]", 6, 9, Some("[[1,2,3,[3,1]]]")),
        ("[[1,2,3]]", 6, 10, Some("[[1,2,3,[3,2]]]")),
        ("[[1,2,3,[3,2]]]", 12, 13, Some("[[1,2,3,[3,3]]]")),
        ("[[]]", 0, 7, Some("[[7]]")),
    ] {
        let made = grid(shapes, &[old]).unwrap();
        let resized = made.resized(&[old], &[new]).unwrap();
        let resized = resized.map(|o| o.get("chunk_shapes").unwrap().to_string());
        assert_eq!(resized.as_deref(), grown, "{shapes}");
        // Chunks that both shapes have stay in place.
        let after = grid(grown.unwrap_or(shapes), &[new]).unwrap();
        let (before, after) = (lengths(&*made, old), lengths(&*after, new));
        assert!(before.iter().zip(&after).all(|(a, b)| a == b));
    }
    let both = grid("[4,[6]]", &[6, 6]).unwrap();
    let resized = both.resized(&[6, 6], &[60, 8]).unwrap().unwrap();
    assert_eq!(Json::from(resized).to_string(), r#"{"kind":"inline","chunk_shapes":[4,[6,[6,1]]]}"#);
    assert!(both.resized(&[6, 6], &[6]).is_err());
}
