//! Output for people: names and errors from stored data are shown as text, whatever they contain.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, ozarr};
use ozarr::{Hierarchy, NewArray, zarr_core::json::Json};

const ODD: [&str; 5] = ["esc\u{1b}[31m", "bell\u{7}", "line\nbreak", "\u{202e}right to left", "\u{9b}31m c1"];
const ESCAPED: [&str; 5] = [r"esc\u{1b}[31m", r"bell\u{7}", r"line\nbreak", r"\u{202e}right to left", r"\u{9b}31m c1"];

/// Returns standard output and standard error, after checking that they contain no control characters and are of
/// readable length.
fn printed(args: &[&str]) -> String {
    let out = ozarr(args);
    let text = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    let controls =
        |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert_eq!(text.chars().find(controls), None, "{args:?}: {}", text.escape_debug());
    assert!(text.len() < 20_000, "{args:?} prints {} bytes", text.len());
    text
}

/// Returns an array document with a codec and other members.
fn document(codec: &str, more: &str) -> String {
    let codec = Json::from(codec);
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{{"name":"regular",
        "configuration":{{"chunk_shape":[2]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes",{codec}]{more}}}"#
    )
}

/// Creates a store with oddly named arrays below the root.
fn odd_store(dir: &Dir) -> String {
    let s = dir.path("s");
    let hierarchy = Hierarchy::create(&s).unwrap();
    for name in ODD {
        hierarchy.create_array(&format!("/{name}"), NewArray::new([1], "uint8")).unwrap().write(.., &[1u8]).unwrap();
    }
    s
}

#[test]
fn names_of_nodes_cannot_control_a_terminal() {
    let dir = Dir::new();
    let s = odd_store(&dir);
    let tree = printed(&["tree", &s]);
    assert_eq!(tree.lines().count(), 1 + ODD.len(), "{tree}");
    for name in ESCAPED {
        assert!(tree.contains(&format!("── {name} [1] uint8")), "{name}: {tree}");
    }
    let listed = String::from_utf8(ozarr(&["tree", "--json", &s]).stdout).unwrap().parse::<Json>().unwrap();
    let children = listed.as_object().unwrap().get("children").unwrap().as_array().unwrap();
    let mut names: Vec<_> =
        children.iter().map(|c| c.as_object().unwrap().get("name").unwrap().as_str().unwrap()).collect();
    let mut expected = ODD.to_vec();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected, "JSON has names as they are");
    for (name, escaped) in ODD.into_iter().zip(ESCAPED) {
        let node = format!("{s}/{name}");
        assert!(printed(&["info", &node]).starts_with(&format!("array /{escaped}\n")), "{escaped}");
        assert_eq!(printed(&["read", &node]), "[1]\n");
        std::fs::write(format!("{node}/c/0"), "").unwrap();
        let said = printed(&["read", &node]);
        assert!(said.lines().count() == 2 && said.contains(&format!("node /{escaped}\n")), "{said}");
        std::fs::write(format!("{node}/a{name}"), "").unwrap();
    }
    let said = printed(&["validate", "--data", &s]);
    // Each has a damaged chunk and a foreign key.
    assert_eq!(said.lines().count(), 2 * ODD.len() + 1, "{said}");
    for name in ESCAPED {
        assert!(said.contains(&format!("/{name}: {name}/a{name}: the key")), "{said}");
    }
    for name in ODD {
        std::fs::write(format!("{s}/{name}/zarr.json"), "{").unwrap();
    }
    assert_eq!(printed(&["tree", &s]).lines().count(), 2 + ODD.len());
    assert_eq!(printed(&["validate", &s]).lines().count(), 1 + ODD.len());
    assert!(printed(&["read", &format!("{s}/no\nwhere\u{1b}")]).contains(r"no\nwhere\u{1b}"));
}

#[test]
fn names_of_extensions_are_escaped_and_truncated() {
    let dir = Dir::new();
    let long = format!("acme.\u{1b}]0;title\u{7}\n{}", "long".repeat(250_000));
    std::fs::create_dir_all(dir.path("s/a")).unwrap();
    std::fs::write(dir.path("s/zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#).unwrap();
    std::fs::write(dir.path("s/a/zarr.json"), document(&long, "")).unwrap();
    let (s, a) = (&dir.path("s"), &dir.path("s/a"));
    for args in [
        &["tree", s][..],
        &["info", a],
        &["info", "--needs", s],
        &["read", a],
        &["elements", "--array_path", a],
        &["validate", s],
        &["copy", s, &dir.path("t")],
    ] {
        let said = printed(args);
        assert!(said.contains(r"acme.\u{1b}]0;title\u{7}\nlonglong") && said.contains("characters left out"), "{said}");
    }
    let report = String::from_utf8(ozarr(&["validate", "--json", s]).stdout).unwrap().parse::<Json>().unwrap();
    let problems = report.as_object().unwrap().get("problems").unwrap().as_array().unwrap();
    assert!(problems[0].as_object().unwrap().get("problem").unwrap().as_str().unwrap().len() > 1_000_000);
}

#[test]
fn names_of_skipped_extensions_are_escaped_and_truncated() {
    let dir = Dir::new();
    let long = Json::from(format!("acme.\u{1b}\n{}", "long".repeat(250_000)));
    std::fs::create_dir_all(dir.path("a")).unwrap();
    let more = format!(
        r#","storage_transformers":[{{"name":{long},"must_understand":false}}],"dimension_names":[{long}],
        "attributes":{{"\u001b":"\u009b\u202e{}"}}"#,
        "text ".repeat(1000)
    );
    std::fs::write(dir.path("a/zarr.json"), document("crc32c", &more)).unwrap();
    let info = printed(&["info", &dir.path("a")]);
    assert!(info.contains(r"the unknown storage transformer `acme.\u{1b}\nlong"), "{info}");
    assert!(info.contains(r"dimension names: acme.\u{1b}\nlong"), "{info}");
    // Attributes are shown in full.
    assert!(info.contains(&format!(r#""\u001b": "\u{{9b}}\u{{202e}}{}""#, "text ".repeat(1000))), "{info}");
    printed(&["validate", &dir.path("a")]);
}

/// Returns the last line of `ozarr validate`.
fn last_line(location: &str) -> String {
    let out = ozarr(&["validate", "--data", location]);
    String::from_utf8(out.stderr).unwrap().trim().to_owned()
}

#[test]
fn repair_is_suggested_only_where_it_can_help() {
    let dir = Dir::new();
    let s = &dir.path("s");
    let hierarchy = Hierarchy::create(s).unwrap();
    let new = NewArray::new([8], "uint8").chunks([4]);
    hierarchy.create_array("/plain", &new).unwrap().write(.., &[1u8; 8]).unwrap();
    hierarchy.create_array("/sharded", new.chunks([2]).shards([4])).unwrap().write(.., &[1u8; 8]).unwrap();
    assert_eq!(last_line(s), "3 nodes, 4 chunks decoded, 0 problems");
    std::fs::create_dir_all(dir.path("s/unknown")).unwrap();
    std::fs::write(dir.path("s/unknown/zarr.json"), document("acme.unknown", "")).unwrap();
    std::fs::create_dir_all(dir.path("s/folder")).unwrap();
    std::fs::write(dir.path("s/folder/notes.txt"), "mine").unwrap();
    assert_eq!(last_line(s), "3 nodes, 4 chunks decoded, 2 problems");
    std::fs::write(dir.path("s/plain/c/0"), "cut").unwrap();
    assert_eq!(last_line(s), "3 nodes, 4 chunks decoded, 3 problems");
    // The index of this shard is lost: repair can do nothing, and its output does not suggest a repair.
    std::fs::write(dir.path("s/sharded/c/1"), "cut").unwrap();
    assert_eq!(last_line(s), "3 nodes, 4 chunks decoded, 4 problems");
    let repaired = String::from_utf8(ozarr(&["repair", "--data", s]).stderr).unwrap();
    assert_eq!(repaired, "nothing to repair; what else `ozarr validate --data` finds cannot be repaired\n");
    let shard = dir.path("s/sharded/c/0");
    let mut bytes = std::fs::read(&shard).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&shard, bytes).unwrap();
    assert_eq!(last_line(s), "3 nodes, 4 chunks decoded, 5 problems; `ozarr repair --data` shows what can be repaired");
    let sharded = &dir.path("s/sharded");
    assert_eq!(
        last_line(sharded),
        "1 node, 2 chunks decoded, 2 problems; `ozarr repair --data` shows what can be repaired"
    );
}
