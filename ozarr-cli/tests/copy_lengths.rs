//! `ozarr copy --chunks --shards`: lengths along the dimensions of the array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr, weather};
use ozarr::{Hierarchy, Json, NewArray};
use std::path::Path;

#[test]
fn lengths_apply_to_the_dimensions_of_the_array() {
    let dir = Dir::new();
    let (shape, s) = ([8u64, 9, 7], dir.path("s"));
    let transposes = [
        r#"{"name":"transpose","configuration":{"order":[2,0,1]}}"#,
        r#"{"name":"transpose","configuration":{"order":[1,0,2]}}"#,
    ];
    let sharded = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1,1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}"#;
    for n in 0..=2 {
        let codecs = transposes[..n].iter().chain([&sharded]).map(|c| c.parse::<Json>().unwrap());
        let new = NewArray::new(shape, "uint16").chunks([4, 9, 2]).codecs(codecs);
        let elements: Vec<u16> = (0..8 * 9 * 7).collect();
        let hierarchy = Hierarchy::create(&s).unwrap();
        hierarchy.create_array("/a", new.overwrite()).unwrap().write(.., &elements).unwrap();
        for (chunk, shard) in [("2,3,1", None), ("4,1,2", None), ("2,3,7", Some("4,9,7")), ("8,3,1", Some("8,3,5"))] {
            let mut args = vec!["copy", "--overwrite", "--chunks", chunk];
            args.extend(shard.iter().flat_map(|shard| ["--shards", *shard]));
            let (from, to) = (dir.path("s/a"), dir.path("s/b"));
            ok(&[&args[..], &[&from, &to]].concat());
            let b = hierarchy.array("/b").unwrap();
            let lengths = |text: &str| text.split(',').map(|n| n.parse().unwrap()).collect::<Vec<u64>>();
            assert_eq!(b.inner_chunk_shape(), Some(&lengths(chunk)[..]), "{n} {chunk}");
            assert_eq!(b.chunk_shape().unwrap(), lengths(shard.unwrap_or("4,9,2")));
            assert_eq!(b.read::<u16>(..).unwrap(), elements, "{n} {chunk}");
        }
        let said = fails(&["copy", "--chunks", "2,3,4", &dir.path("s/a"), &dir.path("s/c")], 3);
        assert!(!Path::new(&dir.path("s/c")).exists(), "{said}");
    }
}

#[test]
fn lengths_that_do_not_fit_one_array_are_an_error() {
    let dir = Dir::new();
    let time = format!("{}/time", weather());
    for option in ["--chunks", "--shards"] {
        let said = fails(&["copy", option, "5,5", &time, &dir.path("t")], 3);
        assert!(said.contains(&format!("{option} has 2 lengths")) && said.contains("[24]"), "{said}");
        assert!(!Path::new(&dir.path("t")).exists());
    }
    // In a hierarchy it may fit other arrays.
    let out = ozarr(&["copy", "--chunks", "5", &weather(), &dir.path("all")]);
    assert!(out.status.success() && String::from_utf8_lossy(&out.stderr).contains("note: --chunks has 1 length; "));
    let array = Hierarchy::open(dir.path("all")).unwrap().array("/time").unwrap();
    assert_eq!(array.inner_chunk_shape().or(array.chunk_shape()), Some(&[5][..]));
    ok(&["validate", "--data", &dir.path("all")]);
}
