use super::*;
use ozarr::{
    Context, NewArray,
    store::MemoryStore,
    zarr_core::{
        source::Source,
        store::{ListableStore, Listing, ReadableStore, Store, WriteableStore},
    },
};
use std::{io, sync::Arc};

/// A store in which a prefix cannot be listed and a key cannot be read.
#[derive(Debug)]
struct Broken(MemoryStore);

fn denied<T>() -> Result<T> {
    Err(Error::from(io::Error::from(io::ErrorKind::PermissionDenied)))
}

impl Store for Broken {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.0.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}
impl ReadableStore for Broken {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        if key.as_str() == "b/c/0" { denied() } else { self.0.open(key) }
    }
}
impl ListableStore for Broken {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        if ["a/c/", "g/"].contains(&prefix.as_str()) {
            return denied().map_err(|e: Error| e.at_key(prefix));
        }
        self.0.list_dir(prefix)
    }
    fn list_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        denied().map_err(|e: Error| e.at_key(prefix))
    }
}

#[test]
fn what_cannot_be_read_hides_no_other_problem() {
    let memory = MemoryStore::default();
    let context = Context::new();
    let new = NewArray::new([2], "uint8").chunks([1]);
    let zarr = Hierarchy::new(Arc::new(memory.clone()), context.clone());
    for path in ["/a", "/b", "/g/x", "/z"] {
        zarr.create_array(path, &new).unwrap().write(.., &[1u8, 2]).unwrap();
    }
    memory.set(&Key::new("z/note").unwrap(), b"mine").unwrap();
    let broken = Hierarchy::new(Arc::new(Broken(memory)), context);
    for (data, complete) in [(false, false), (true, true)] {
        let options = ValidateOptions::default().with_data(data).with_complete(complete);
        let found = validate(&broken, "/", &options).unwrap();
        let told: Vec<_> =
            found.problems.iter().map(|p| (p.node.as_str(), p.key.as_deref(), p.rule.as_str())).collect();
        let mut expected = vec![
            ("/a", Some("a/c/"), "keys are listed"),
            ("/g", Some("g/"), "keys are listed"),
            ("/z", Some("z/note"), "a key is a chunk's"),
        ];
        if data {
            expected.push(("/b", Some("b/c/0"), "a chunk decodes"));
        }
        // Of the root, which has no key.
        expected.push(("/", None, "nothing is left behind"));
        assert_eq!(told, expected);
        assert_eq!(found.chunks, if data { 4 } else { 0 });
    }
}
