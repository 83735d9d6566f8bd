//! The changes that are still possible: attributes always, chunks and documents only where everything is understood.

use super::*;
use ozarr::{
    NewArray, ResizeOptions,
    zarr_core::{json::Object, metadata::NodeMetadata},
};
use zarr_conformance::elements::is_preserved;

const ELEMENTS: std::ops::Range<i32> = 100..124;

fn elements() -> Vec<i32> {
    ELEMENTS.collect()
}

#[test]
fn only_the_attributes_change() {
    let mut failures = Vec::new();
    for (row, text, _) in documents() {
        if matches!(row.verdict, Verdict::Unknown(_) | Verdict::Breaks) {
            continue;
        }
        let world = World::new(&text, &text);
        let node = world.hierarchy.node("/row").unwrap();
        let attributes = r#"{"new":1.250,"must_understand":"so what"}"#.parse::<Json>().unwrap();
        let attributes = attributes.as_object().unwrap();
        match node {
            Node::Array(mut a) => a.set_attributes(attributes.clone()).unwrap(),
            Node::Group(mut g) => g.set_attributes(attributes.clone()).unwrap(),
        }
        let Json::Object(mut want) = text.parse::<Json>().unwrap() else { panic!("an object") };
        want.set("attributes", attributes.clone());
        if world.document("row/") != Json::Object(want.clone()) {
            failures.push(format!("`{}: {}` gives {}", row.member, row.value, world.document("row/")));
        }
        // The copy is updated; its siblings and the rest of the root are preserved.
        want.remove("consolidated_metadata");
        let before = World::new(&text, &Json::Object(want).to_string());
        if by_name(world.document("")) != by_name(before.document("")) {
            failures.push(format!("`{}: {}` changes the root to {}", row.member, row.value, world.document("")));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the root with its copies sorted.
fn by_name(root: Json) -> Json {
    let Json::Object(mut root) = root else { panic!("an object") };
    let Some(Json::Object(copies)) = root.get_mut("consolidated_metadata") else { panic!("copies") };
    let mut nodes: Vec<_> = copies.get("metadata").unwrap().as_object().unwrap().iter().collect();
    nodes.sort_by_key(|(name, _)| *name);
    let nodes: Object = nodes.into_iter().map(|(name, copy)| (name, copy.clone())).collect();
    copies.set("metadata", nodes);
    root.into()
}

/// Returns a world whose array has chunks, written by a program that does not know the skipped extension.
fn with_chunks(row: &Row) -> World {
    let world = World::new(&row.array(), &good_array());
    let writer = World::new(&row.array_without_skipped(), &good_array());
    array(&writer.hierarchy).write(.., &elements()).unwrap();
    for (name, value) in writer.contents().into_iter().filter(|(name, _)| name.starts_with("row/c/")) {
        world.store.writer().unwrap().set(&key(&name), &value).unwrap();
    }
    world
}

#[test]
fn no_chunk_is_written_while_an_extension_is_skipped() {
    let mut rows = 0;
    for row in arrays() {
        let Verdict::Skips(name, _) = row.verdict else { continue };
        rows += 1;
        let world = with_chunks(&row);
        let (before, mut a) = (world.contents(), array(&world.hierarchy));
        assert_eq!(before.iter().filter(|(name, _)| name.starts_with("row/c/")).count(), 4);
        assert_eq!(a.read::<i32>(..).unwrap(), elements(), "{}", row.value);
        assert_eq!(a.read::<i32>([1..3, 2..5]).unwrap(), [108, 109, 110, 114, 115, 116], "{}", row.value);
        let stored = a.chunk(&[0, 0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap();
        let attempts = [
            ("write", a.write(.., &elements())),
            ("write a part", a.write([0..1, 0..1], &[1i32])),
            ("write nothing", a.write([0..0, 0..0], &[] as &[i32])),
            ("write bytes", a.write_bytes([0..1, 0..1], &[0; 4])),
            ("write an encoded chunk", a.chunk(&[0, 0]).and_then(|chunk| chunk.write_encoded(&stored))),
            ("erase a chunk", a.chunk(&[0, 0]).and_then(|chunk| chunk.erase())),
            ("resize", a.resize(&[2, 3], ResizeOptions::default()).map(|_| ())),
            ("append", a.append(0, &[0i32; 6]).map(|_| ())),
        ];
        for (what, outcome) in attempts {
            match outcome {
                Err(e) if matches!(e.kind(), ErrorKind::Skipped(n) if n == name) => {}
                other => panic!("{what} of {}: {other:?}", row.value),
            }
        }
        assert_eq!(world.contents(), before, "{}", row.value);
        assert_eq!(a.shape(), [4, 6]);
    }
    assert!(rows > 10, "{rows}");
}

#[test]
fn fully_understood_arrays_can_be_written() {
    let mut rows = 0;
    for row in arrays().iter().filter(|r| matches!(r.verdict, Verdict::Opens)) {
        rows += 1;
        let world = World::new(&row.array(), &good_array());
        let a = array(&world.hierarchy);
        a.write(.., &elements()).unwrap_or_else(|e| panic!("{}: {e}", row.value));
        assert_eq!(array(&world.hierarchy).read::<i32>(..).unwrap(), elements());
        // The flag does not disable a known codec.
        if row.member == "codecs" && !row.value.contains("sharding") && row.value.contains("must_understand") {
            let sums = 4 * row.value.matches("crc32c").count();
            assert_eq!(
                a.chunk(&[0, 0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap().len(),
                24 + sums,
                "{}",
                row.value
            );
        }
        assert_eq!(world.document("row/"), row.array().parse::<Json>().unwrap(), "{}", row.value);
    }
    assert!(rows > 20, "{rows}");
}

#[test]
fn arrays_are_not_created_with_unknown_extensions() {
    let limits = ozarr::zarr_core::limits::Limits::default();
    let (mut failures, mut made, mut refused) = (Vec::new(), 0, 0);
    for (row, text, good) in documents() {
        let world = World::new(&good, &good);
        let before = world.contents();
        let outcome = NodeMetadata::parse(text.as_bytes(), &limits).and_then(|m| match m {
            NodeMetadata::Array(m) => {
                // Nor if it would replace a valid node.
                let over = world.hierarchy.create_array_from("/row", m.clone(), true).map(|_| ());
                assert_eq!(over.is_ok(), matches!(row.verdict, Verdict::Opens), "{}: {}", row.member, row.value);
                world.hierarchy.create_array_from("/new/below", m, false).map(|_| ())
            }
            NodeMetadata::Group(m) => world.hierarchy.create_group_from("/new/below", m).map(|_| ()),
        });
        let right = match (&row.verdict, &outcome) {
            (Verdict::Opens, Ok(())) => {
                made += 1;
                is_preserved(&text.parse::<Json>().unwrap(), &world.document("new/below/"))
            }
            (Verdict::Skips(name, _), Err(e)) => matches!(e.kind(), ErrorKind::Skipped(n) if n == name),
            (Verdict::Unknown(point), Err(e)) => {
                matches!(e.kind(), ErrorKind::UnknownExtension { point: p, .. } if p == point)
            }
            (Verdict::Breaks, Err(_)) => true,
            _ => false,
        };
        if !right {
            failures.push(format!("{:?} for `{}: {}`: {outcome:?}", row.verdict, row.member, row.value));
        }
        if outcome.is_err() {
            refused += 1;
            assert_eq!(world.contents(), before, "{}: {}", row.member, row.value);
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(made > 20 && refused > 100, "{made} {refused}");
}

#[test]
fn a_new_array_needs_known_extensions() {
    let world = World::new(&good_array(), &good_array());
    let before = world.contents();
    let bytes = || r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap();
    let create = |new: NewArray| world.hierarchy.create_array("/new", &new).map(|_| ()).unwrap_err();
    let new = || NewArray::new([4, 6], "int32");
    let e = create(new().codecs([bytes(), r#"{"name":"no-such","must_understand":false}"#.parse::<Json>().unwrap()]));
    assert!(matches!(e.kind(), ErrorKind::Skipped(n) if n == "no-such"), "{e}");
    let e = create(new().codecs([bytes(), "\"no-such\"".parse::<Json>().unwrap()]).shards([4, 6]).chunks([2, 3]));
    assert!(matches!(e.kind(), ErrorKind::UnknownExtension { .. }), "{e}");
    let e = create(new().chunk_key_encoding(r#"{"name":"default","must_understand":false}"#.parse::<Json>().unwrap()));
    assert!(matches!(e.kind(), ErrorKind::Metadata(_)), "{e}");
    assert!(matches!(create(NewArray::new([1], "no-such")).kind(), ErrorKind::UnknownExtension { .. }));
    assert_eq!(world.contents(), before);
}

/// A node that cannot be opened can be removed and replaced.
#[test]
fn refused_nodes_can_be_erased() {
    for (_, text, _) in documents() {
        let world = World::new(&text, &text);
        world.hierarchy.erase("/row").unwrap();
        assert!(matches!(world.hierarchy.node("/row").unwrap_err().kind(), ErrorKind::NodeNotFound));
        let copies = world.document("").to_string().parse::<Json>().unwrap();
        let nodes =
            copies.as_object().and_then(|o| o.get("consolidated_metadata")?.as_object()?.get("metadata")?.as_object());
        assert_eq!(nodes.unwrap().iter().map(|(n, _)| n).collect::<Vec<_>>(), ["a", "z"]);
    }
}
