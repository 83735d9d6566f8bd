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

/// A store with a prefix that cannot be listed and a key that cannot be read.
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
fn unreadable_nodes_do_not_hide_other_problems() {
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
        let told: Vec<_> = found.problems.iter().map(|p| (p.node.as_key(), p.key.as_deref(), p.kind.id())).collect();
        let mut expected = vec![
            ("a", Some("a/c/"), "unlistable"),
            ("g", Some("g/"), "unlistable"),
            ("z", Some("z/note"), "unknown-key"),
        ];
        if data {
            expected.push(("b", Some("b/c/0"), "unreadable-chunk"));
        }
        // Of the root, which has no key.
        expected.push(("", None, "unlistable"));
        assert_eq!(told, expected);
        assert_eq!(found.chunks, if data { 4 } else { 0 });
    }
}

/// Records the threads that decode chunks, and cancels after a number of chunks.
#[derive(Default)]
struct Threads {
    seen: Mutex<Vec<thread::ThreadId>>,
    most: Option<usize>,
}
impl Threads {
    fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}
impl Progress for Threads {
    fn add(&self, _n: u64) {
        self.seen.lock().unwrap().push(thread::current().id());
    }
    fn is_cancelled(&self) -> bool {
        self.most.is_some_and(|most| self.count() >= most)
    }
}

/// In a context with one thread.
fn of_many_chunks() -> Hierarchy {
    let zarr = Hierarchy::new(MemoryStore::default(), Context::new().with_threads(1).unwrap());
    zarr.create_array("/a", NewArray::new([64], "uint8").chunks([1])).unwrap().write(.., &[1u8; 64]).unwrap();
    zarr
}

#[test]
fn a_single_thread_is_the_caller() {
    let (zarr, threads) = (of_many_chunks(), Threads::default());
    let options = ValidateOptions::default().with_data(true).with_progress(&threads);
    assert_eq!(validate(&zarr, "/", &options).unwrap().chunks, 64);
    assert_eq!(threads.seen.into_inner().unwrap(), [thread::current().id(); 64]);
}

#[test]
fn a_cancelled_validation_is_an_error() {
    let zarr = of_many_chunks();
    for most in [0, 3] {
        let threads = Threads { most: Some(most), ..Threads::default() };
        let options = ValidateOptions::default().with_data(true).with_progress(&threads);
        let e = validate(&zarr, "/", &options).unwrap_err();
        assert!(e.to_string().contains("cancelled"), "{e}");
        assert_eq!(threads.count(), most);
    }
}

#[test]
fn invalid_node_names_are_found_in_their_group() {
    for (path, node) in [("/a/b", "/a/b"), ("a/__b", "/a"), ("__a/__b", "/"), ("a//", "/a"), ("", "/")] {
        assert_eq!(nearest(path).to_string(), node, "{path}");
    }
}
