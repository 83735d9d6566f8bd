//! `ozarr create` and `ozarr group`: new nodes from options, and nothing where they are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, all, fails, files, ok};
use ozarr::{Hierarchy, Json};
use std::fs;

const LITTLE: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;

/// The document that is printed, and stored.
fn created(dir: &Dir, options: &[&str]) -> String {
    let a = dir.path("a.zarr");
    let printed = ok(&[&["create", &a, "--overwrite", "--json"], options].concat());
    assert_eq!(fs::read_to_string(dir.path("a.zarr/zarr.json")).unwrap().trim_end(), printed.trim_end());
    printed.parse::<Json>().unwrap().to_string()
}

#[test]
fn arrays_are_created_from_options() {
    let dir = Dir::new();
    let document = |shape: &str, data_type: &str, chunks: &str, fill: &str, codecs: &str, more: &str| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{shape},"data_type":{data_type},"chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{chunks}}}}},"chunk_key_encoding":{{"name":"default","configuration":{{"separator":"/"}}}},"fill_value":{fill},"codecs":{codecs}{more}}}"#
        )
    };
    let zstd = |level: i32| format!(r#"{{"name":"zstd","configuration":{{"level":{level},"checksum":false}}}}"#);
    let index = format!(r#"[{LITTLE},{{"name":"crc32c"}}]"#);
    let sharded = format!(
        r#"[{{"name":"sharding_indexed","configuration":{{"chunk_shape":[1,90,180],"codecs":[{LITTLE},{}],"index_codecs":{index},"index_location":"end"}}}}]"#,
        zstd(3)
    );
    let options = "--shape 365,180,360 --dtype float32 --chunks 1,90,180 --shards 1,180,360 --compressor zstd:3 \
                   --fill-value NaN --dims time,,lon --attrs {\"units\":\"K\"}";
    let more = r#","dimension_names":["time",null,"lon"],"attributes":{"units":"K"}"#;
    let wanted = document("[365,180,360]", r#""float32""#, "[1,180,360]", r#""NaN""#, &sharded, more);
    assert_eq!(created(&dir, &options.split_whitespace().collect::<Vec<_>>()), wanted);

    let plain = document("[4]", r#""int16""#, "[4]", "0", &format!("[{LITTLE},{}]", zstd(0)), r#","attributes":{}"#);
    assert_eq!(created(&dir, &["--shape", "4", "--dtype", "int16"]), plain);
    let none = document("[]", r#""int16""#, "[]", "-1", &format!("[{LITTLE}]"), r#","attributes":{}"#);
    let options = ["--shape", "", "--dtype", "int16", "--compressor", "none", "--fill-value", "-1"];
    assert_eq!(created(&dir, &options), none);
    let turned = r#"[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":9}}]"#;
    let big = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
    let options = ["--shape", "4,6", "--dtype", "int16", "--filter", "transpose", "--serializer", big];
    assert_eq!(
        created(&dir, &[&options[..], &["--compressor", "gzip:9"]].concat()),
        document("[4,6]", r#""int16""#, "[4,6]", "0", turned, r#","attributes":{}"#)
    );
    fs::write(dir.path("attributes.json"), r#"{"a":[1]}"#).unwrap();
    let file = format!("@{}", dir.path("attributes.json"));
    let options = ["--shape", "2", "--dtype", "string", "--fill-value", "5", "--compressor", "none", "--attrs", &file];
    let text = document("[2]", r#""string""#, "[2]", r#""5""#, r#"["vlen-utf8"]"#, r#","attributes":{"a":[1]}"#);
    assert_eq!(created(&dir, &options).replace(r#"{"name":"vlen-utf8"}"#, r#""vlen-utf8""#), text);
}

#[test]
fn creation_is_reported() {
    let dir = Dir::new();
    let (a, elements) = (dir.path("a.zarr"), dir.path("elements"));
    fs::write(&elements, "1\n2\n").unwrap();
    let said = all(&["create", &a, "--shape", "2", "--dtype", "uint8", "--elements", &elements]);
    assert_eq!(said, (Some(0), String::new(), format!("created {a} with shape [2]\n")));
    assert_eq!(ok(&["read", &a]), "[1,2]\n");
    let g = dir.path("g.zarr");
    let said = all(&["group", &g, "--attrs", r#"{"title":"t"}"#]);
    assert_eq!(said, (Some(0), String::new(), format!("created group {g}\n")));
    assert_eq!(ok(&["attrs", "get", &g]), "{\n  \"title\": \"t\"\n}\n");
    let printed = ok(&["group", &format!("{g}/x/y"), "--json"]);
    assert_eq!(printed.trim_end(), fs::read_to_string(dir.path("g.zarr/x/y/zarr.json")).unwrap().trim_end());
    let said = fails(&["group", &g], 3);
    let hint = "choose another path, or change its attributes with `ozarr attrs set`";
    assert_eq!(said, format!("error: node already exists\n  at key zarr.json, node /\n\nhint: {hint}\n"));
}

#[test]
fn failed_creation_leaves_nothing() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    zarr.create_group("/", ()).unwrap();
    let (elements, document, group) = (dir.path("elements"), dir.path("m.json"), dir.path("g.json"));
    fs::write(&elements, "1\n2\n3\n").unwrap();
    fs::write(&document, "{").unwrap();
    fs::write(&group, r#"{"zarr_format":3,"node_type":"group"}"#).unwrap();
    let none = dir.path("none");
    let before = (files(&dir.path("")), fs::read_dir(dir.path("")).unwrap().count());
    let shape = &["--shape", "2", "--dtype", "uint8"][..];
    for (place, at) in [("new", "/"), ("deep/er/new", "/"), ("s/new", "/new"), ("s/deep/new", "/deep/new")] {
        let create = |options: &[&str]| fails(&[&["create", &dir.path(place)], options].concat(), 3);
        let said = create(&[shape, &["--compressor", "zap"]].concat());
        let hint =
            "looked for plugins in no folder because ZARR_PLUGINS is `off`; install one with `ozarr plugin add FILE`";
        assert_eq!(said, format!("error: unknown codec `zap`\n  at codecs[1], node {at}\n\nhint: {hint}\n"));
        let said = create(&[shape, &["--elements", &none]].concat());
        assert!(said.starts_with(&format!("error: {none}: No such file or directory (os error 2)\n")), "{said}");
        let said = create(&[shape, &["--elements", &elements]].concat());
        assert!(said.contains("3 elements"), "{said}");
        let said = create(&["--metadata", &document]);
        assert!(said.contains(&format!("  at file {document}\n")), "{said}");
        let said = create(&["--metadata", &group]);
        let what = "error: the document describes a group, not an array";
        assert_eq!(said, format!("{what}\n  at file {group}\n"));
        let said = create(&[shape, &["--attrs", "[1]"]].concat());
        assert!(said.starts_with("error: expected attributes as a JSON object, found an array\n"), "{said}");
        let said = create(&[shape, &["--fill-value", "300"]].concat());
        assert!(said.contains("fill"), "{said}");
        for lengths in ["0", "2,2"] {
            create(&[shape, &["--chunks", lengths]].concat());
        }
        let now = (files(&dir.path("")), fs::read_dir(dir.path("")).unwrap().count());
        assert_eq!(now, before, "{place}");
        assert_eq!(fs::read_dir(dir.path("s")).unwrap().count(), 1);
    }
}

#[test]
fn conflicting_options_are_usage_errors() {
    let dir = Dir::new();
    let a = dir.path("a");
    for options in [
        &["--shape", "4"][..],
        &["--dtype", "uint8"],
        &[],
        &["--metadata", "m.json", "--shape", "4"],
        &["--metadata", "m.json", "--compressor", "zstd"],
        &["--shape", "4,x", "--dtype", "uint8"],
        &["--shape", "4", "--dtype", "uint8", "--compressor", "zstd:x"],
    ] {
        fails(&[&["create", &a], options].concat(), 2);
    }
    let said = fails(&["copy", "--chunks", "x", &a, &a], 2);
    assert!(said.contains("`x` is not a valid dimension length"), "{said}");
    let said = fails(&["copy", "--codecs", "gzip", &a, &a], 2);
    assert!(said.contains(r#"pass a JSON list of codecs, for example '["zstd"]'"#), "{said}");
}
