//! Groups, arrays and their names.

use super::{ARRAY, keys, memory, put};
use ozarr::{
    ErrorKind, NewArray, Node, Result,
    zarr_core::{json::Json, store::Key},
};

fn small() -> NewArray {
    NewArray::new([2], "uint8").codecs([Json::from("bytes")])
}

fn is_not_found<T>(found: Result<T>) -> bool {
    found.is_err_and(|e| matches!(e.kind(), ErrorKind::NodeNotFound))
}

fn is_taken<T>(found: Result<T>) -> bool {
    found.is_err_and(|e| matches!(e.kind(), ErrorKind::NodeAlreadyExists))
}

#[test]
fn the_root_is_a_group_or_the_only_array() {
    let (store, zarr) = memory();
    assert!(is_not_found(zarr.node("/")));
    zarr.create_array("/", small()).unwrap().write(.., &[1u8, 2]).unwrap();
    let before = keys(&store);
    assert_eq!(before, ["c/0", "zarr.json"]);
    assert!(zarr.create_array("/a", small()).is_err() && zarr.create_group("/a/b", ()).is_err());
    assert!(is_taken(zarr.create_group("/", ())));
    assert_eq!(keys(&store), before);

    let (_, zarr) = memory();
    zarr.create_array("/a", small()).unwrap();
    assert!(matches!(zarr.node("/").unwrap(), Node::Group(_)));
    assert!(is_taken(zarr.create_array("/", small())));
}

#[test]
fn only_groups_have_children() {
    let (store, zarr) = memory();
    zarr.create_array("/g/a", small()).unwrap();
    let before = keys(&store);
    for path in ["/g/a/b", "/g/a/b/c", "/g/a/c"] {
        assert!(zarr.create_array(path, small()).is_err(), "{path}");
        assert!(zarr.create_group(path, ()).is_err(), "{path}");
    }
    assert_eq!(keys(&store), before, "what is refused leaves nothing behind");
    // A file of another program is not a child.
    put(&store, "g/a/b/zarr.json", ARRAY);
    let seen: Vec<String> = zarr.group("/").unwrap().walk().map(|child| child.unwrap().path).collect();
    assert!(!seen.is_empty() && seen.iter().all(|path| !path.ends_with('b')), "{seen:?}");
}

#[test]
fn siblings_have_different_names() {
    let (_, zarr) = memory();
    zarr.create_array("/g/a", small()).unwrap();
    zarr.create_group("/g/b", ()).unwrap();
    for path in ["/g/a", "/g/b"] {
        assert!(is_taken(zarr.create_array(path, small())), "{path}");
        assert!(is_taken(zarr.create_group(path, ())), "{path}");
    }
    let children = zarr.group("/g").unwrap().children().unwrap();
    assert_eq!(children.map(|c| c.name).collect::<Vec<_>>(), ["a", "b"]);
    assert!(zarr.array("/g/a").is_ok() && zarr.group("/g/b").is_ok(), "both are what they were");
}

#[test]
fn a_default_fill_value_is_written_to_the_document() {
    for (data_type, fill) in [("bool", "false"), ("int8", "0"), ("float32", "0.0"), ("string", "\"\"")] {
        let (store, zarr) = memory();
        zarr.create_array("/", NewArray::new([2], data_type)).unwrap();
        let stored = store.reader().unwrap().get(&Key::new("zarr.json").unwrap()).unwrap().unwrap();
        let document = Json::parse(&stored, &Default::default()).unwrap();
        assert_eq!(
            document.as_object().and_then(|d| d.get("fill_value")),
            Some(&fill.parse::<Json>().unwrap()),
            "{data_type}"
        );
    }
}

/// With any path, and any chunk key encoding.
#[test]
fn all_data_of_an_array_is_below_its_path() {
    for path in ["/", "/a", "/a/b.c/d"] {
        for name in ["default", "v2"] {
            for separator in [".", "/"] {
                let (store, zarr) = memory();
                let encoding = format!(r#"{{"name":"{name}","configuration":{{"separator":"{separator}"}}}}"#);
                let new =
                    NewArray::new([5, 4], "uint8").chunks([2, 2]).chunk_key_encoding(encoding.parse::<Json>().unwrap());
                let array = zarr.create_array(path, &new).unwrap();
                let before = keys(&store);
                array.write(.., &[7u8; 20]).unwrap();
                let prefix = path.trim_start_matches('/');
                let data: Vec<String> = keys(&store).into_iter().filter(|k| !before.contains(k)).collect();
                assert_eq!(data.len(), 6, "{data:?}");
                for key in data {
                    let within = prefix.is_empty() || key.strip_prefix(prefix).is_some_and(|k| k.starts_with('/'));
                    assert!(within && !key.ends_with("zarr.json"), "{key}, of {path}");
                }
            }
        }
    }
}

#[test]
fn erasing_removes_the_subtree_and_nothing_else() {
    let (store, zarr) = memory();
    for path in ["/a", "/a.b", "/ab", "/g/a"] {
        zarr.create_array(path, small()).unwrap().write(.., &[1u8, 2]).unwrap();
    }
    put(&store, "a/foreign/key", "x");
    let others = |below: &str| keys(&store).into_iter().filter(|k| !k.starts_with(below)).collect::<Vec<_>>();
    for (path, below) in [("/a", "a/"), ("/g", "g/")] {
        let remaining = others(below);
        zarr.erase(path).unwrap();
        assert_eq!(keys(&store), remaining, "{path}");
    }
    zarr.erase("/").unwrap();
    assert!(keys(&store).is_empty());
}

#[test]
fn a_group_without_a_document_does_not_exist() {
    let (store, zarr) = memory();
    put(&store, "a/b/zarr.json", ARRAY);
    assert!(is_not_found(zarr.node("/")) && is_not_found(zarr.group("/a")) && zarr.array("/a/b").is_ok());
    zarr.create_array("/a/c/d", small()).unwrap();
    for path in ["/", "/a", "/a/c"] {
        let key = Key::new(format!("{path}/zarr.json").trim_start_matches('/')).unwrap();
        assert!(store.reader().unwrap().get(&key).unwrap().is_some() && zarr.group(path).is_ok(), "{path}");
    }
}

#[test]
fn names_that_differ_in_case_are_different() {
    let (_, zarr) = memory();
    for (value, name) in ["/temp", "/Temp", "/TEMP", "/\u{e9}", "/\u{c9}"].into_iter().enumerate() {
        zarr.create_array(name, small()).unwrap().write(.., &[value as u8; 2]).unwrap();
    }
    assert_eq!(zarr.array("/Temp").unwrap().read::<u8>(..).unwrap(), [1, 1]);
    assert!(is_not_found(zarr.node("/tEMP")));
    assert_eq!(zarr.group("/").unwrap().children().unwrap().len(), 5);
}
