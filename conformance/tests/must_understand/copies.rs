//! Documents and their copies after a change: unknown members are preserved, and nothing older replaces anything newer.

use super::*;
use ozarr::{NewArray, ResizeOptions, zarr_core::json::Object};

/// The copies keep their order, including the copy that changes.
#[test]
fn copies_keep_their_order() {
    let world = World::new(&good_array(), &good_array());
    array(&world.hierarchy).set_attributes(Object::new()).unwrap();
    let root = world.hierarchy.group("/").unwrap();
    let names: Vec<_> = root.metadata().consolidated().unwrap().iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "row", "z"]);
}

/// A change below a group preserves the unknown members of its consolidated metadata.
#[test]
fn unknown_members_of_consolidated_metadata_are_preserved() {
    let (world, good) = (World::new(&good_array(), &good_array()), good_array());
    let root = format!(
        r#"{{"zarr_format":3,"consolidated_metadata":{{"must_understand":false,"made":{{"at":1.50}},"metadata":{{"row":{good}}},"kind":"inline"}},"node_type":"group"}}"#
    );
    world.store.writer().unwrap().set(&key("zarr.json"), root.as_bytes()).unwrap();
    let attributes: Object = [("n", Json::from(1))].into_iter().collect();
    array(&world.hierarchy).set_attributes(attributes.clone()).unwrap();
    let Json::Object(mut changed) = good.parse::<Json>().unwrap() else { panic!("an object") };
    changed.set("attributes", attributes);
    assert_eq!(world.document("").to_string(), root.replace(&good, &Json::Object(changed).to_string()));
}

/// A group that was opened before a change below it does not undo the change of its copies.
#[test]
fn setting_attributes_on_a_stale_group_preserves_newer_copies() {
    let world = World::new(&good_array(), &good_array());
    let mut older = world.hierarchy.group("/").unwrap();
    world.hierarchy.create_group("/later", ()).unwrap();
    older.set_attributes([("n", Json::from(1))].into_iter().collect::<Object>()).unwrap();
    let root = world.hierarchy.group("/").unwrap();
    // Either up to date, or removed.
    let copies = root.metadata().consolidated();
    assert!(copies.is_none_or(|c| c.get("later").is_some()), "the copies lost a group that another writer created");
}

/// An array that was opened before it was resized elsewhere does not undo the resize.
#[test]
fn setting_attributes_on_a_stale_array_preserves_the_newer_shape() {
    let world = World::new(&good_array(), &good_array());
    let mut older = array(&world.hierarchy);
    array(&world.hierarchy).resize(&[6, 6], ResizeOptions::default()).unwrap();
    older.set_attributes([("n", Json::from(1))].into_iter().collect::<Object>()).unwrap();
    assert_eq!(array(&world.hierarchy).shape(), [6, 6]);
}

/// The copy may be old: an array that was opened from it does not replace the document with it.
#[test]
fn a_copy_does_not_replace_the_document() {
    let older = good_array().replace("[4,6]", "[2,6]");
    let world = World::new(&good_array(), &older);
    let copies = world.hierarchy.with_consolidated_metadata().unwrap();
    let mut from_copy = array(&copies);
    assert_eq!(from_copy.shape(), [2, 6]);
    from_copy.set_attributes([("n", Json::from(1))].into_iter().collect::<Object>()).unwrap();
    assert_eq!(array(&world.hierarchy).shape(), [4, 6], "the document has the shape of the older copy");
    assert_eq!(array(&world.hierarchy).attributes().get("n"), Some(&Json::from(1)));
}

/// A node that replaces a group also replaces all copies below it.
#[test]
fn overwriting_a_group_removes_the_copies_below_it() {
    let world = World::new(&good_array(), &good_array());
    world.hierarchy.create_group("/group/child", ()).unwrap();
    world.hierarchy.create_array("/group", NewArray::new([1], "int8").overwrite()).unwrap();
    let root = world.hierarchy.group("/").unwrap();
    let names: Vec<_> = root.metadata().consolidated().unwrap().iter().map(|(name, _)| name.to_owned()).collect();
    assert!(names.iter().all(|n| n != "group/child"), "{names:?}");
    let copy = world.hierarchy.with_consolidated_metadata().unwrap().node("/group/child");
    assert!(matches!(copy.unwrap_err().kind(), ErrorKind::NodeNotFound));
}

/// A handle does not restore an erased node.
#[test]
fn setting_attributes_on_an_erased_node_is_refused() {
    let world = World::new(&good_array(), &good_array());
    let mut erased = array(&world.hierarchy);
    world.hierarchy.erase("/row").unwrap();
    assert!(erased.set_attributes(Object::new()).is_err());
    assert!(world.hierarchy.node("/row").is_err());
}
