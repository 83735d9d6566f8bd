//! Finding nodes: at any depth, in any number, with documents of any size, and with links that form loops.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Event, Told};
use ozarr::{
    Child, Context, Hierarchy, Node, Result,
    store::MemoryStore,
    zarr_core::{
        call::{Executor, Sequential},
        json::{Json, Object},
        metadata::GroupMetadata,
        store::{Key, WriteableStore},
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// The number of store operations, and of values that were read.
#[derive(Debug, Default)]
struct Counted {
    operations: AtomicUsize,
    reads: AtomicUsize,
}

fn counted(executor: Arc<dyn Executor>) -> (Arc<Counted>, Hierarchy) {
    let counted = Arc::new(Counted::default());
    let counts = counted.clone();
    let store = Told::new(Arc::default(), move |event| {
        let count = match event {
            Event::Begins => &counts.operations,
            Event::Read => &counts.reads,
            Event::Updated(_) => return,
        };
        count.fetch_add(1, Relaxed);
    });
    (counted, Hierarchy::new(store, Context::new().with_executor(executor)))
}
fn attributes(name: &str, value: impl Into<Json>) -> Object {
    [(name, value.into())].into_iter().collect()
}
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(128 << 10).spawn(f).unwrap().join().unwrap();
}
fn nested(depth: usize) -> String {
    "/a".repeat(depth)
}

#[test]
fn a_thousand_nested_groups_use_bounded_stack() {
    on_a_small_stack(|| {
        let store = MemoryStore::default();
        let zarr = Hierarchy::new(Arc::new(store), Context::new());
        zarr.create_group(&nested(1000), ()).unwrap();
        let found: Vec<Child> = zarr.group("/").unwrap().walk().map(Result::unwrap).collect();
        assert_eq!(found.len(), 1000);
        assert!(found.iter().zip(1..).all(|(child, depth)| child.node.is_ok() && child.path.len() == 2 * depth - 1));
        zarr.consolidate("/").unwrap();
        zarr.group(&nested(1000)).unwrap().set_attributes(attributes("x", 1u8)).unwrap();
        assert_eq!(zarr.store().lister().unwrap().list().unwrap().len(), 1001);
        zarr.erase("/a").unwrap();
        zarr.create_group(&nested(300), ()).unwrap();
        let copies = zarr.with_consolidated_metadata().unwrap();
        assert_eq!(copies.group("/").unwrap().walk().filter(|c| c.as_ref().unwrap().node.is_ok()).count(), 300);
    });
}

/// Returns the number of store operations to create a chain of nodes, one by one in a batch.
fn operations(depth: usize) -> usize {
    let (counted, zarr) = counted(Arc::new(Sequential));
    zarr.create_group("/", ()).unwrap();
    counted.operations.store(0, Relaxed);
    zarr.batch(|batch| (1..=depth).try_for_each(|depth| batch.create_group(&nested(depth), ()).map(|_| ()))).unwrap();
    counted.operations.load(Relaxed)
}

#[test]
fn the_cost_of_a_batch_is_independent_of_depth() {
    for depth in [10, 100, 400] {
        // The group above and the new document; and at the end each group, as it might have copies.
        assert!(operations(depth) <= 3 * depth, "{depth}: {}", operations(depth));
    }
    // The same for the groups above a node that are created with it.
    let (counted, zarr) = counted(Arc::new(Sequential));
    zarr.create_group(&nested(400), ()).unwrap();
    let operations = counted.operations.load(Relaxed);
    assert!(operations <= 5 * 400, "{operations}");
}

#[test]
fn a_batch_updates_the_copies_of_all_changed_nodes() {
    let (counted, zarr) = counted(Arc::new(Sequential));
    for name in ["/g/kept", "/g/changed", "/g/gone/below", "/h"] {
        zarr.create_group(name, ()).unwrap();
    }
    zarr.consolidate("/g").unwrap();
    zarr.consolidate("/").unwrap();
    let copies = |of: &str| {
        let group = zarr.group(of).unwrap();
        let copies = group.metadata().consolidated().unwrap();
        let mut all: Vec<String> = copies.iter().map(|(path, copy)| format!("{path} {copy}")).collect();
        all.sort();
        all
    };
    let mut escaped = None;
    let e = zarr
        .batch(|batch| {
            batch.group("/g/changed")?.set_attributes(attributes("x", 1u8))?;
            batch.erase("/g/gone")?;
            batch.create_group("/g/new/below", ())?;
            batch.batch(|inner| inner.create_group("/g/inner", ()).map(|_| ()))?;
            escaped = Some(batch.group("/g/kept")?);
            assert!(!copies("/").iter().any(|c| c.starts_with("g/new")), "not yet");
            batch.create_group("/h", ()).map(|_| ())
        })
        .unwrap_err();
    assert!(e.to_string().contains("already"), "what fails is told, and what was done before has its copies: {e}");
    // A handle that outlives the batch updates copies itself.
    escaped.unwrap().set_attributes(attributes("x", 2u8)).unwrap();
    let names = |of| copies(of).iter().map(|c| c.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names("/g"), ["changed", "inner", "kept", "new", "new/below"]);
    assert_eq!(names("/"), ["g", "g/changed", "g/inner", "g/kept", "g/new", "g/new/below", "h"]);
    for of in ["/g", "/"] {
        let before = copies(of);
        assert!(before.iter().any(|c| c.contains("changed") && c.contains("\"x\":1")), "{before:?}");
        assert!(before.iter().any(|c| c.contains("kept") && c.contains("\"x\":2")), "{before:?}");
    }
    // Each document above is written once for each kind of change, however many nodes changed.
    counted.operations.store(0, Relaxed);
    zarr.batch(|batch| (0..50).try_for_each(|i| batch.create_group(&format!("/g/many{i}"), ()).map(|_| ()))).unwrap();
    let operations = counted.operations.load(Relaxed);
    assert!(operations <= 50 * 4 + 10, "{operations}");
}

/// Would take minutes if each node were searched for among all copies.
#[test]
fn many_nodes_are_opened_from_copies() {
    const COUNT: usize = 60_000;
    let name = |i: usize| format!("group {:02}/{i:05}", i % 50);
    let group = || -> Object { [("zarr_format", Json::from(3)), ("node_type", "group".into())].into_iter().collect() };
    let above = (0..50).map(|i| (format!("group {i:02}"), group()));
    let mut root = GroupMetadata::new(Object::new());
    root.set_consolidated(Some(above.chain((0..COUNT).map(|i| (name(i), group()))).collect()));
    let store = MemoryStore::default();
    store.set(&Key::new("zarr.json").unwrap(), root.document().to_pretty().as_bytes()).unwrap();
    let zarr = Hierarchy::new(Arc::new(store), Context::new()).with_consolidated_metadata().unwrap();
    let found: Vec<String> =
        zarr.group("/").unwrap().walk().map(|c| c.unwrap()).map(|c| c.node.map(|_| c.path).unwrap()).collect();
    assert!(found.len() == COUNT + 50 && found.is_sorted(), "{}", found.len());
    assert!(found.binary_search(&name(4321)).is_ok());
}

/// Runs both halves, and counts how often there were two.
#[derive(Debug, Default)]
struct Joins(AtomicUsize);
impl Executor for Joins {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        self.0.fetch_add(1, Relaxed);
        a();
        b();
    }
}

#[test]
fn siblings_are_opened_once_each_in_bounded_parallel() {
    let joins = Arc::new(Joins::default());
    let (counted, zarr) = counted(joins.clone());
    let root = zarr.create_group("/", ()).unwrap();
    for i in 0..1000 {
        zarr.create_group(&format!("/{i:04}"), attributes("i", i)).unwrap();
    }
    joins.0.store(0, Relaxed);
    counted.reads.store(0, Relaxed);
    let mut children = root.children().unwrap();
    assert_eq!((children.len(), counted.reads.load(Relaxed)), (1000, 0));
    assert_eq!(children.next().unwrap().name, "0000");
    assert!((2..=128).contains(&counted.reads.load(Relaxed)), "{:?}", counted.reads);
    assert_eq!(children.len(), 999);
    let names: Vec<String> = children.map(|child| child.node.map(|_| child.name).unwrap()).collect();
    assert_eq!(names, (1..1000).map(|i| format!("{i:04}")).collect::<Vec<_>>());
    assert_eq!(counted.reads.load(Relaxed), 1000, "each once");
    assert!(joins.0.load(Relaxed) > 900, "{joins:?}");
}

#[test]
fn large_documents_are_not_all_in_memory_at_once() {
    let (counted, zarr) = counted(Arc::new(Sequential));
    let root = zarr.create_group("/", ()).unwrap();
    for i in 0..40 {
        let length = if i % 10 == 3 { 3 << 20 } else { 300 << 10 };
        zarr.create_group(&format!("/g/{i:02}"), attributes("text", "x".repeat(length))).unwrap();
    }
    let group = zarr.group("/g").unwrap();
    let (mut read, mut most) = (0, 0);
    let of_children = group.children().unwrap().enumerate();
    counted.reads.store(0, Relaxed);
    for (i, child) in of_children {
        assert!(child.node.is_ok() && child.name == format!("{i:02}"));
        let now = counted.reads.load(Relaxed);
        (read, most) = (now, most.max(now - read));
    }
    assert!(most <= 4, "{most} documents were read before the next was given");
    assert!(read <= 80, "{read} documents were read for 40");
    counted.reads.store(0, Relaxed);
    assert_eq!(root.walk().filter(|child| child.as_ref().unwrap().node.is_ok()).count(), 41);
    assert!(counted.reads.load(Relaxed) <= 81, "{:?}", counted.reads);
}

#[test]
#[cfg(unix)]
fn links_to_a_containing_directory_are_reported_and_not_followed() {
    use ozarr::ErrorKind;
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let zarr = Hierarchy::create(dir.path()).unwrap();
    for name in ["/g/x", "/h"] {
        zarr.create_group(name, ()).unwrap();
    }
    // To itself, to the group above, to each other, and one that forms no loop.
    for (target, link) in [(".", "g/a"), (".", "g/b"), ("..", "g/up"), ("../h", "g/h"), ("../g", "h/g"), ("g/x", "x")] {
        symlink(target, dir.path().join(link)).unwrap();
    }
    let told = |child: &Child| match &child.node {
        Err(e) => match e.kind() {
            ErrorKind::Loop(to) => Some(format!("{} -> {to}", child.path)),
            other => panic!("{}: {other}", child.path),
        },
        Ok(Node::Group(_)) => None,
        Ok(Node::Array(_)) => panic!("an array"),
    };
    let all: Vec<Child> = zarr.group("/").unwrap().walk().map(Result::unwrap).collect();
    let loops: Vec<String> = all.iter().filter_map(told).collect();
    let expected = [
        "g/a -> /g",
        "g/b -> /g",
        "g/h/g -> /g",
        "g/up -> /",
        "h/g/a -> /h/g",
        "h/g/b -> /h/g",
        "h/g/h -> /h",
        "h/g/up -> /",
    ];
    assert_eq!(loops, expected);
    let open: Vec<&str> = all.iter().filter(|c| c.node.is_ok()).map(|c| c.path.as_str()).collect();
    assert_eq!(open, ["g", "g/h", "g/x", "h", "h/g", "h/g/x", "x"]);
    // Descending by hand ends too.
    let mut left = vec![zarr.group("/").unwrap()];
    while let Some(group) = left.pop() {
        for child in group.children().unwrap() {
            if let Ok(Node::Group(group)) = child.node {
                left.push(group);
            }
        }
    }
    // A walk that begins at a link knows the groups above it.
    assert_eq!(zarr.group("/g/h").unwrap().walk().filter(|c| c.as_ref().unwrap().node.is_ok()).count(), 0);
    zarr.consolidate("/").unwrap();
    let copies = zarr.group("/").unwrap().metadata().consolidated().unwrap().nodes().clone();
    let mut copied: Vec<&str> = copies.iter().map(|(path, _)| path).collect();
    copied.sort_unstable();
    assert_eq!(copied, open);
    let keys = zarr.store().lister().unwrap().list().unwrap();
    assert_eq!(keys.len(), 8, "{keys:?}");
}
