//! The command as people run it: output, exit status, and what is left on the disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, files, ok, ozarr, weather};
use ozarr::{
    Hierarchy, NewArray,
    zarr_core::json::{Json, Object},
};
use std::path::Path;

#[test]
fn shows_a_store_of_zarr_python() {
    let tree = ok(&["tree", &weather()]);
    assert!(tree.contains("├── temperature") || tree.contains("└── temperature [24, 90, 180] float32"), "{tree}");
    assert!(tree.contains("chunks [6, 45, 90] in shards [12, 90, 180], sharding_indexed(bytes gzip)"), "{tree}");
    let listed = ok(&["tree", "--json", &weather()]).parse::<Json>().unwrap();
    let children = listed.as_object().unwrap().get("children").unwrap().as_array().unwrap();
    assert_eq!(children.len(), 5);
    let info = ok(&["info", "--sizes", "--json", &format!("{}/stations/name", weather())]).parse::<Json>().unwrap();
    let info = info.as_object().unwrap();
    assert_eq!(info.get("path").unwrap().as_str(), Some("/stations/name"));
    assert!(info.get("stored_bytes").unwrap().as_u64().unwrap() > 0);
    let plain = ok(&["info", "--json", &format!("{}/stations/name", weather())]);
    assert!(!plain.contains("stored"), "listing all chunks has to be asked for: {plain}");
    assert!(ok(&["info", "--needs", &weather()]).contains("codec `crc32c`: built in (zarr-codecs)"));
    assert!(ok(&["info", &weather()]).starts_with("group /\n"));
    assert!(ok(&["extensions"]).contains("sharding_indexed"));
    let listed = ok(&["extensions", "--json"]).parse::<Json>().unwrap();
    assert!(listed.as_array().unwrap().len() > 25);
}

#[test]
fn reads_what_python_wrote() {
    let names = format!("{}/stations/name", weather());
    let lines = ok(&["elements", "--array_path", &names]);
    assert_eq!(lines.lines().count(), 8);
    assert!(lines.lines().all(|l| l.starts_with('"') && l.ends_with('"')));
    let part = ok(&["read", "--region", "0:2,1:3,0:10:5", &format!("{}/observations/temperature", weather())])
        .parse::<Json>()
        .unwrap();
    let outer = part.as_array().unwrap();
    assert_eq!(
        (outer.len(), outer[0].as_array().unwrap().len(), outer[1].as_array().unwrap()[1].as_array().unwrap().len()),
        (2, 2, 2)
    );
}

#[test]
fn numpy_files_are_written_and_read() {
    let dir = Dir::new();
    let array = Hierarchy::create(dir.path("s")).unwrap();
    let new = NewArray::new([3, 4], "int16").chunks([2, 3]);
    let (a, _b) = (array.create_array("/g/a", &new).unwrap(), array.create_array("/g/b", &new).unwrap());
    a.write(.., &(0..12i16).collect::<Vec<_>>()).unwrap();
    ok(&["read", "--format", "npy", "-o", &dir.path("a.npy"), &dir.path("s/g/a")]);
    ok(&["write", "--input", &dir.path("a.npy"), &dir.path("s/g/b")]);
    assert_eq!(ok(&["read", &dir.path("s/g/b")]), "[[0,1,2,3],[4,5,6,7],[8,9,10,11]]\n");
    ok(&["read", "--format", "npy", "--region", "1:3,0:4:2", "-o", &dir.path("part.npy"), &dir.path("s/g/a")]);
    ok(&["write", "--input", &dir.path("part.npy"), "--region", "0:2,2:4", &dir.path("s/g/b")]);
    assert_eq!(ok(&["read", &dir.path("s/g/b")]), "[[0,1,4,6],[4,5,8,10],[8,9,10,11]]\n");
    let raw = ozarr(&["read", "--format", "raw", "--region", "0:1,:", &dir.path("s/g/a")]).stdout;
    assert_eq!(raw, [0i16, 1, 2, 3].map(i16::to_le_bytes).concat());
    assert!(fails(&["write", "--input", &dir.path("part.npy"), &dir.path("s/g/b")], 3).contains("shape"));
    assert!(
        fails(&["read", "--region", "0:9,0:1", &dir.path("s/g/a")], 3).contains("index range 0..9 is out of bounds")
    );
    assert!(fails(&["read", "--region", "x", &dir.path("s/g/a")], 2).contains("START:STOP"));
    assert_eq!(ok(&["read", "--region", "2,1:3", &dir.path("s/g/a")]), "[9,10]\n");
    assert_eq!(
        files(dir.0.path().to_str().unwrap()).iter().filter(|f| f.to_string_lossy().contains(".part")).count(),
        0
    );
}

#[test]
fn shapes_without_elements_and_without_dimensions() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    zarr.create_array("/none", NewArray::new([2, 0, 3], "uint8")).unwrap();
    zarr.create_array("/one", NewArray::new((), "float64").fill_value("NaN")).unwrap();
    assert_eq!(ok(&["read", &dir.path("s/none")]), "[[],[]]\n");
    assert_eq!(ok(&["elements", "--array_path", &dir.path("s/none")]), "");
    assert_eq!(ok(&["read", &dir.path("s/one")]), "\"NaN\"\n");
    assert_eq!(ok(&["read", "--region", "", &dir.path("s/one")]), "\"NaN\"\n");
}

#[test]
fn copies_a_hierarchy_with_other_codecs() {
    let dir = Dir::new();
    let smaller = r#"[{"name":"zstd","configuration":{"level":9,"checksum":false}}]"#;
    let summary =
        ok(&["copy", "--json", "--codecs", smaller, &weather(), &dir.path("out.zarr")]).parse::<Json>().unwrap();
    let number = |name: &str| summary.as_object().unwrap().get(name).unwrap().as_u64().unwrap();
    assert!(number("bytes_after") < number("bytes_before") && number("arrays") == 9, "{summary}");
    for node in ["observations/temperature", "observations/pressure", "stations/name", "time", "observations/rainfall"]
    {
        let elements = |store: &str| ok(&["elements", "--array_path", &format!("{store}/{node}")]);
        assert_eq!(elements(&weather()), elements(&dir.path("out.zarr")), "{node}");
    }
    ok(&["validate", "--data", &dir.path("out.zarr")]);
    let pressure = ok(&["info", "--json", &dir.path("out.zarr/observations/pressure")]);
    assert!(pressure.contains("\"sharding_indexed\"") && pressure.contains("\"zstd\""), "shards are kept: {pressure}");
    assert!(pressure.contains("dimension_names") && ok(&["info", &dir.path("out.zarr")]).contains("attributes"));
    assert!(fails(&["copy", &weather(), &dir.path("out.zarr")], 3).contains("node already exists"));
    ok(&["copy", "--overwrite", &format!("{}/time", weather()), &dir.path("out.zarr/time")]);
    ok(&["copy", &format!("{}/time", weather()), &dir.path("out.zarr/new/deep/time")]);
    for (from, to) in [("stations", "stations"), ("time", ""), ("", "stations/copy"), ("stations", "stations/name/x")] {
        let (from, to) = (dir.path(&format!("out.zarr/{from}")), dir.path(&format!("out.zarr/{to}")));
        fails(&["copy", "--overwrite", &from, &to], 3);
    }
    ok(&["validate", "--data", &dir.path("out.zarr")]);
}

#[test]
fn copies_an_array_with_other_chunks_and_types() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let mut attributes = Object::new();
    attributes.set("units", "K");
    let new = NewArray::new([8, 8], "float64").chunks([3, 3]).attributes(attributes).fill_value("NaN");
    let a = zarr.create_array("/a", &new).unwrap();
    a.write(.., &(0..64).map(f64::from).collect::<Vec<_>>()).unwrap();
    ok(&["copy", "--chunk-shape", "2,2", "--shard-shape", "4,8", &dir.path("s/a"), &dir.path("s/b")]);
    let b = Hierarchy::open(dir.path("s")).unwrap().array("/b").unwrap();
    assert_eq!((b.chunk_shape().unwrap(), b.inner_chunk_shape().unwrap()), (&[4, 8][..], &[2, 2][..]));
    assert_eq!((b.read::<f64>(..).unwrap(), b.attributes()), (a.read::<f64>(..).unwrap(), a.attributes()));
    assert_eq!(b.metadata().fill_value(), &Json::from("NaN"));

    let refused = fails(&["copy", "--data-type", "uint8", &dir.path("s/a"), &dir.path("s/c")], 3);
    assert!(refused.contains("fill_value") && refused.contains("--lossy"), "{refused}");
    assert!(!Path::new(&dir.path("s/c")).exists(), "nothing is left");
    let exact = NewArray::new([3], "float64");
    zarr.create_array("/x", &exact).unwrap().write(.., &[1.0, 2.5, 3.0]).unwrap();
    let refused = fails(&["copy", "--data-type", "int8", &dir.path("s/x"), &dir.path("s/y")], 3);
    assert!(refused.contains("element [1]: 2.5 is not a value of"), "{refused}");
    ok(&["copy", "--overwrite", "--lossy", "--data-type", "int8", &dir.path("s/x"), &dir.path("s/y")]);
    assert_eq!(ok(&["read", &dir.path("s/y")]), "[1,2,3]\n");
    assert!(fails(&["copy", "--codecs", "{}", &dir.path("s/x"), &dir.path("s/z")], 2).contains("JSON list"));
    assert!(
        fails(&["copy", "--codecs", r#"["zap"]"#, &dir.path("s/x"), &dir.path("s/z")], 3)
            .contains("unknown codec `zap`")
    );
}

#[test]
fn printed_elements_can_be_written() {
    let dir = Dir::new();
    // Of strings, of floats with odd bits, and of what lies in shards.
    for node in ["stations/name", "observations/land_mask", "observations/temperature"] {
        let from = format!("{}/{node}", weather());
        let lines = ok(&["elements", "--array_path", &from]);
        std::fs::write(dir.path("lines"), &lines).unwrap();
        let document = format!("{from}/zarr.json");
        ok(&["create", "--overwrite", "--metadata", &document, "--elements", &dir.path("lines"), &dir.path("a")]);
        assert!(ok(&["elements", "--array_path", &dir.path("a")]) == lines, "{node}");
    }
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[2,2],"data_type":"float32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1,2]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}"#;
    std::fs::write(dir.path("f.json"), document).unwrap();
    ok(&["create", "--metadata", &dir.path("f.json"), &dir.path("f")]);
    std::fs::write(dir.path("odd"), "\"0x7f800001\"\n\"-Infinity\"\n").unwrap();
    ok(&["write", "--elements", &dir.path("odd"), "--region", "0:2,1:2", &dir.path("f")]);
    assert_eq!(ok(&["elements", "--array_path", &dir.path("f")]), "0.0\n\"0x7f800001\"\n0.0\n\"-Infinity\"\n");
    let said = fails(&["write", "--elements", &dir.path("odd"), &dir.path("f")], 3);
    assert!(said.contains("the file has 2 elements, but the region has 4"), "{said}");
    std::fs::write(dir.path("wrong"), "1\ntrue\n").unwrap();
    let said = fails(&["write", "--elements", &dir.path("wrong"), "--region", "0:1,0:2", &dir.path("f")], 3);
    assert!(said.contains("line 2"), "{said}");
    fails(&["write", &dir.path("f")], 2);
    fails(&["write", "--elements", &dir.path("odd"), "--input", &dir.path("odd"), &dir.path("f")], 2);
}

#[test]
fn creates_from_a_document() {
    let dir = Dir::new();
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":7,"codecs":["bytes","blosc"]}"#;
    std::fs::write(dir.path("a.json"), document).unwrap();
    ok(&["create", "--metadata", &dir.path("a.json"), &dir.path("a.zarr")]);
    assert_eq!(ok(&["elements", "--array_path", &dir.path("a.zarr")]), "7\n7\n");
    let info = ok(&["info", &dir.path("a.zarr")]);
    assert!(
        info.contains(r#""endian":"little""#) && info.contains(r#""typesize":2"#),
        "what was chosen is written: {info}"
    );
    assert!(fails(&["create", "--metadata", &dir.path("a.json"), &dir.path("a.zarr")], 3).contains("already"));
    ok(&["create", "--overwrite", "--metadata", &dir.path("a.json"), &dir.path("a.zarr")]);
    std::fs::write(dir.path("bad.json"), document.replace("\"shape\"", "\"form\"")).unwrap();
    assert!(fails(&["create", "--metadata", &dir.path("bad.json"), &dir.path("b.zarr")], 3).contains("shape"));
    assert!(!Path::new(&dir.path("b.zarr")).exists());
}

#[test]
fn only_a_node_is_overwritten() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path("home")).unwrap();
    std::fs::write(dir.path("home/file"), "mine").unwrap();
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"default","fill_value":7,"codecs":["bytes"]}"#;
    std::fs::write(dir.path("a.json"), document).unwrap();
    ok(&["create", "--overwrite", "--metadata", &dir.path("a.json"), &dir.path("home")]);
    assert_eq!(std::fs::read_to_string(dir.path("home/file")).unwrap(), "mine");
}

#[test]
fn empty_huge_arrays_cost_nothing() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let side = 1u64 << 31;
    let wide = NewArray::new([side, side], "uint8").chunks([1000, 1000]);
    zarr.create_array("/wide", &wide).unwrap().write([5..6, 7..8], &[9u8]).unwrap();
    zarr.create_array("/none", NewArray::new([0, 1_u64 << 40, 1 << 40], "uint8").chunks([1, 1, 1])).unwrap();
    zarr.create_array("/text", NewArray::new([4, 1_u64 << 40], "string").chunks([1, 1])).unwrap();
    ok(&["copy", &dir.path("s"), &dir.path("t")]);
    assert_eq!(ok(&["read", "--region", "5,6:9", &dir.path("t/wide")]), "[0,9,0]\n");
    assert_eq!(ok(&["elements", "--array_path", &dir.path("t/none")]), "");
    assert!(fails(&["read", "--format", "raw", "--region", ":,:", &dir.path("t/text")], 3).starts_with("error: "));
}

#[test]
fn validation_finds_each_problem() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    ok(&["validate", "--data", &dir.path("s")]);
    std::fs::write(dir.path("s/time/notes.txt"), "hello").unwrap();
    std::fs::write(dir.path("s/latitude/c/99"), "x").unwrap_or_default();
    std::fs::create_dir_all(dir.path("s/empty/x")).unwrap();
    std::fs::write(dir.path("s/empty/__zarr_partial.1.2.3"), "half").unwrap();
    std::fs::write(dir.path("s/stations/zarr.json"), "{").unwrap();
    let chunk = dir.path("s/observations/temperature/c/0/0/0");
    let mut bytes = std::fs::read(&chunk).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&chunk, bytes).unwrap();
    let out = ozarr(&["validate", "--json", "--data", &dir.path("s")]);
    assert_eq!(out.status.code(), Some(1));
    let report = String::from_utf8(out.stdout).unwrap();
    for (node, id) in [
        ("/time", "unknown-key"),
        ("/latitude", "chunk-out-of-grid"),
        ("/", "orphaned-temporary"),
        ("/stations", "unreadable-node"),
        ("/observations/temperature", "corrupt-chunk"),
    ] {
        let found = report
            .parse::<Json>()
            .unwrap()
            .as_object()
            .unwrap()
            .get("problems")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .any(|p| {
                let p = p.as_object().unwrap();
                p.get("node").unwrap().as_str() == Some(node) && p.get("id").unwrap().as_str() == Some(id)
            });
        assert!(found, "{node} {id}: {report}");
    }
    assert!(fails(&["tree", &dir.path("s")], 1).contains("1 node cannot be opened"));
    let tree = String::from_utf8(ozarr(&["tree", &dir.path("s")]).stdout).unwrap();
    assert!(tree.contains("temperature [24, 90, 180]"), "siblings are shown: {tree}");
}

#[test]
fn stale_consolidated_metadata_is_found() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    Hierarchy::open(dir.path("s")).unwrap().consolidate("/").unwrap();
    ok(&["validate", &dir.path("s")]);
    // Another writer's copies may say what goes without saying.
    let mut root =
        std::fs::read_to_string(dir.path("s/zarr.json")).unwrap().parse::<Json>().unwrap().as_object().unwrap().clone();
    let mut copies = root.get("consolidated_metadata").and_then(Json::as_object).unwrap().clone();
    let with_defaults = copies.get("metadata").and_then(Json::as_object).unwrap().iter().map(|(name, copy)| {
        let mut copy = copy.as_object().unwrap().clone();
        if copy.get("shape").is_some() {
            copy.set("storage_transformers", "[]".parse::<Json>().unwrap());
            copy.set(
                "chunk_key_encoding",
                r#"{"name":"default","configuration":{"separator":"/"}}"#.parse::<Json>().unwrap(),
            );
        }
        (name.to_owned(), Json::Object(copy))
    });
    let with_defaults: Object = with_defaults.collect();
    copies.set("metadata", Json::Object(with_defaults));
    root.set("consolidated_metadata", Json::Object(copies));
    std::fs::write(dir.path("s/zarr.json"), Json::Object(root).to_pretty()).unwrap();
    ok(&["validate", &dir.path("s")]);
    let document = std::fs::read_to_string(dir.path("s/time/zarr.json")).unwrap();
    std::fs::write(dir.path("s/time/zarr.json"), document.replacen("24", "23", 1)).unwrap();
    std::fs::remove_dir_all(dir.path("s/latitude")).unwrap();
    let out = String::from_utf8(ozarr(&["validate", &dir.path("s")]).stdout).unwrap();
    assert!(
        out.contains("the consolidated metadata of `time` differs")
            && out.contains("contains `latitude`, which does not exist"),
        "{out}"
    );
}
#[test]
fn errors_state_the_problem_place_and_hint() {
    let dir = Dir::new();
    let none = dir.0.path().canonicalize().unwrap().join("none").to_string_lossy().into_owned();
    let said = fails(&["elements", "--array_path", &none], 3);
    assert_eq!(
        said,
        format!("error: node not found\n  at node {none}\n\nhint: the directory does not exist; check the path\n")
    );
    std::fs::create_dir(dir.path("bad")).unwrap();
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":7,"codecs":["bytes",{"name":"zst","configuration":{"level":1}}]}"#;
    std::fs::write(dir.path("bad/zarr.json"), document).unwrap();
    let said = fails(&["elements", "--array_path", &dir.path("bad")], 3);
    assert!(
        said.starts_with("error: unknown codec `zst`\n  at codecs[1], node /\n\nhint: did you mean `zstd`?"),
        "{said}"
    );
    // A program that asks for JSON has the error on one line.
    let said = fails(&["info", "--json", &none], 3);
    assert_eq!(
        said,
        format!("error: node not found (node {none}); hint: the directory does not exist; check the path\n")
    );
    let needs = ozarr(&["info", "--needs", &dir.path("bad")]);
    assert_eq!(needs.status.code(), Some(1));
    assert!(fails(&["frobnicate"], 2).contains("frobnicate"));
    assert!(fails(&["read", "mine://x"], 3).contains("supported: file, memory"));
}

#[test]
fn missing_chunks_are_a_problem_only_with_complete() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    ok(&["validate", "--data", "--complete", &dir.path("s/time")]);
    std::fs::remove_file(dir.path("s/time/c/0")).unwrap();
    ok(&["validate", "--data", &dir.path("s/time")]);
    let out = ozarr(&["validate", "--complete", &dir.path("s/time")]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.code() == Some(1) && text.contains("/time: 1 of 1 chunk is not stored: time/c/0 ["), "{text}");
}

#[test]
fn chunks_that_are_not_stored_are_counted_and_few_are_named() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let tall = |n: u64| NewArray::new([n], "uint8").chunks([1]);
    zarr.create_array("/tall", tall(1 << 40)).unwrap().write([1..3], &[8u8, 9]).unwrap();
    zarr.create_array("/full", tall(3)).unwrap().write(.., &[1u8, 2, 3]).unwrap();
    zarr.create_array("/none", tall(0)).unwrap();
    zarr.create_array("/endless", NewArray::new([1_u64 << 31; 2], "uint8").chunks([1; 2])).unwrap();
    // A key outside of the grid stands for no chunk that is missing.
    std::fs::write(dir.path("s/full/c/3"), "x").unwrap();
    std::fs::remove_file(dir.path("s/full/c/1")).unwrap();
    let out = ozarr(&["validate", "--complete", "--json", &dir.path("s")]);
    let report = String::from_utf8(out.stdout).unwrap().parse::<Json>().unwrap();
    let problems = report.as_object().unwrap().get("problems").unwrap().as_array().unwrap();
    let of = |node: &str| {
        let problem = problems.iter().map(|p| p.as_object().unwrap()).find(|p| {
            p.get("node").unwrap().as_str() == Some(node) && p.get("id").unwrap().as_str() == Some("missing-chunk")
        })?;
        let examples = problem.get("examples").unwrap().as_array().unwrap();
        let examples: Vec<_> = examples.iter().map(|e| e.as_str().unwrap().to_owned()).collect();
        Some((problem.get("missing").unwrap().as_u64().unwrap(), examples))
    };
    let (missing, examples) = of("/tall").unwrap();
    assert_eq!((missing, examples.len()), ((1 << 40) - 2, 20));
    assert_eq!(examples[..2], ["tall/c/0", "tall/c/3"]);
    assert_eq!(of("/full"), Some((1, vec!["full/c/1".to_owned()])));
    assert_eq!(of("/none"), None);
    assert_eq!(of("/endless").unwrap().0, 1 << 62);
    let text = String::from_utf8(ozarr(&["validate", "--complete", &dir.path("s/tall")]).stdout).unwrap();
    assert!(
        text.contains("1099511627774 of 1099511627776 chunks are not stored") && text.contains(", and more"),
        "{text}"
    );
}
