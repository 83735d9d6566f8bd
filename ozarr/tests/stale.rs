//! If the copies of a document in a group above cannot be updated, the change itself is complete, and the error says
//! so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, Error, ErrorKind, Hierarchy, NewArray, ResizeOptions, Result,
    store::OpenMode,
    zarr_core::{
        json::{Json, Object},
        store::{Key, ListableStore, Prefix, ReadableStore, Store, Update, WriteableStore},
    },
};
use std::{fs, path::Path, sync::Arc};

fn new_array(n: u64) -> NewArray {
    NewArray::new([n], "uint8").chunks([2])
}

/// Creates `/g/h/a` with the elements `1, 2, 3, 4`. All groups above have copies. The place of the document of `/g` has
/// a directory.
fn broken(dir: &Path) -> Hierarchy {
    let zarr = Hierarchy::create(dir).unwrap();
    zarr.create_array("/g/h/a", new_array(4)).unwrap().write(.., &[1u8, 2, 3, 4]).unwrap();
    ["/g/h", "/g", "/"].iter().for_each(|group| zarr.consolidate(group).unwrap());
    fs::remove_file(dir.join("g/zarr.json")).unwrap();
    fs::create_dir(dir.join("g/zarr.json")).unwrap();
    fs::write(dir.join("g/zarr.json/in-the-way"), "").unwrap();
    zarr
}

fn is_stale(e: &Error) {
    let ErrorKind::StaleCopies { group, reason } = e.kind() else { panic!("{e}") };
    assert_eq!(group, "/g");
    assert!(matches!(reason.kind(), ErrorKind::Io(_)), "{reason}");
    assert!(e.hint().is_some_and(|hint| hint.contains("Hierarchy::consolidate")), "{e}");
}

/// Returns the copies in the groups below and above the broken one.
fn copied(zarr: &Hierarchy, path: &str) -> Vec<Option<Json>> {
    let copy = |group: &str| {
        let group = zarr.group(group).unwrap();
        let path = path.strip_prefix(group.path().to_string().as_str()).unwrap().trim_start_matches('/').to_owned();
        let nodes = group.metadata().consolidated().unwrap().nodes().clone();
        nodes.get(&path).cloned()
    };
    vec![copy("/g/h"), copy("/")]
}
fn copied_shape(zarr: &Hierarchy, path: &str, shape: u64) {
    for copy in copied(zarr, path) {
        let copy = copy.unwrap();
        assert_eq!(copy.as_object().unwrap().get("shape"), Some(&Json::from(&[shape][..])));
    }
}

#[test]
fn appended_elements_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = broken(dir.path());
    let mut array = zarr.array("/g/h/a").unwrap();
    is_stale(&array.append(0, &[5u8, 6, 7]).unwrap_err());
    assert_eq!(array.shape(), [7]);
    assert_eq!(zarr.array("/g/h/a").unwrap().read::<u8>(..).unwrap(), [1, 2, 3, 4, 5, 6, 7]);
    copied_shape(&zarr, "/g/h/a", 7);
}

#[test]
fn chunks_that_a_resize_cuts_off_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = broken(dir.path());
    let mut array = zarr.array("/g/h/a").unwrap();
    is_stale(&array.resize(&[2], ResizeOptions::default()).unwrap_err());
    assert_eq!(array.shape(), [2]);
    assert_eq!(array.stored_chunks().unwrap(), [[0]]);
    copied_shape(&zarr, "/g/h/a", 2);
    is_stale(&array.resize(&[4], ResizeOptions::default()).unwrap_err());
    assert_eq!(array.read::<u8>(..).unwrap(), [1, 2, 0, 0]);
}

#[test]
fn a_handle_has_its_new_attributes() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = broken(dir.path());
    let attributes: Object = [("unit", Json::from("K"))].into_iter().collect();
    let (mut array, mut group) = (zarr.array("/g/h/a").unwrap(), zarr.group("/g/h").unwrap());
    is_stale(&array.set_attributes(attributes.clone()).unwrap_err());
    is_stale(&group.set_attributes(attributes.clone()).unwrap_err());
    for found in [array.attributes(), group.attributes(), zarr.node("/g/h/a").unwrap().attributes()] {
        assert_eq!(found, &attributes);
    }
    assert_eq!(zarr.group("/g/h").unwrap().attributes(), &attributes);
}

#[test]
fn a_new_node_appears_with_its_parent_groups() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = broken(dir.path());
    is_stale(&zarr.create_array("/g/h/new/b", new_array(3)).unwrap_err());
    is_stale(&zarr.create_group("/g/h/other/c", ()).unwrap_err());
    let built = zarr
        .build("/g/h/built/d", false, |staged| staged.create_array("/g/h/built/d", new_array(2))?.write(.., &[8u8, 9]));
    is_stale(&built.unwrap_err());
    for path in ["/g/h/new", "/g/h/new/b", "/g/h/other/c", "/g/h/built", "/g/h/built/d"] {
        zarr.node(path).unwrap();
        assert!(copied(&zarr, path).iter().all(Option::is_some), "{path}");
    }
    assert_eq!(zarr.array("/g/h/built/d").unwrap().read::<u8>(..).unwrap(), [8, 9]);
    is_stale(&zarr.create_array("/g/h/new/b", new_array(5).overwrite()).unwrap_err());
    assert_eq!(zarr.array("/g/h/new/b").unwrap().shape(), [5]);
    is_stale(&zarr.erase("/g/h/new").unwrap_err());
    assert!(matches!(zarr.node("/g/h/new").unwrap_err().kind(), ErrorKind::NodeNotFound));
}

/// A store that cannot stage.
#[derive(Debug)]
struct InPlace(Arc<dyn Store>);

impl Store for InPlace {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.0.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.0.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}
impl WriteableStore for InPlace {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.0.writer()?.set(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.0.writer()?.update(key, change)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.0.writer()?.set_if_absent(key, value)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.0.writer()?.erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.0.writer()?.erase_prefix(prefix)
    }
}

#[test]
fn a_node_is_overwritten_in_its_place() {
    let dir = tempfile::tempdir().unwrap();
    broken(dir.path());
    let context = Context::new();
    let store = context.schemes.open(dir.path(), OpenMode::ReadWrite).unwrap();
    let zarr = Hierarchy::new(Arc::new(InPlace(store)), context);
    is_stale(&zarr.create_array("/g/h/a", new_array(9).overwrite()).unwrap_err());
    assert_eq!(zarr.array("/g/h/a").unwrap().shape(), [9]);
    let built = zarr.build("/g/h/a", true, |zarr| zarr.create_array("/g/h/a", new_array(1))?.write(.., &[7u8]));
    is_stale(&built.unwrap_err());
    assert_eq!(zarr.array("/g/h/a").unwrap().read::<u8>(..).unwrap(), [7]);
    copied_shape(&zarr, "/g/h/a", 1);
}
