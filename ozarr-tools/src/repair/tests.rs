use super::{
    step::{How, Step},
    *,
};
use ozarr::{Json, NewArray};

/// A shard changed by another program after the step was found: the step succeeds if the shard can be read, and fails
/// otherwise.
#[test]
fn a_changed_shard_is_repaired_only_if_it_is_readable() {
    let hierarchy = Hierarchy::in_memory();
    let new = NewArray::new([16], "uint16").chunks([4]).shards([16]);
    let array = hierarchy.create_array("/a", &new).unwrap();
    array.write(.., &[7u16; 16]).unwrap();
    let key = array.chunk_key(&[0]).unwrap();
    let how = How::RebuildIndex(Box::new(array.clone()), "a/c/0".to_owned(), vec![0]);
    let step = Step::new(array.path(), how);
    step.apply(&hierarchy).unwrap();
    let store = array.data_store().writer().unwrap();
    store.set(&key, &[0x5a; 100]).unwrap();
    let e = step.apply(&hierarchy).unwrap_err();
    assert!(e.to_string().contains("the shard was modified concurrently"), "{e}");
    store.erase(&key).unwrap();
    step.apply(&hierarchy).unwrap();
}

/// A document written by another program after the step was found.
#[test]
fn an_existing_document_is_recreated_only_if_it_is_readable() {
    let hierarchy = Hierarchy::in_memory();
    let group = hierarchy.create_group("/g", ()).unwrap();
    let text = Json::Object(group.metadata().document().clone()).to_pretty();
    let key = Key::new("g/zarr.json").unwrap();
    let step = Step::new(group.path(), How::RecreateDocument(key.clone(), text));
    step.apply(&hierarchy).unwrap();
    hierarchy.store().writer().unwrap().set(&key, b"{").unwrap();
    let e = step.apply(&hierarchy).unwrap_err();
    assert_eq!(e.key(), Some("g/zarr.json"), "{e}");
    hierarchy.store().writer().unwrap().erase(&key).unwrap();
    step.apply(&hierarchy).unwrap();
    hierarchy.group("/g").unwrap();
}
