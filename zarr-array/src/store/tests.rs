//! The laws of the abstract store interface, for every store.

use super::*;
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use zarr_core::{
    source::ByteRange,
    store::{Key, Prefix, ReadOnly, Store, SubStore},
};

fn key(k: &str) -> Key {
    Key::new(k).unwrap()
}
fn prefix(p: &str) -> Prefix {
    Prefix::new(p).unwrap()
}
fn names<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|i| i.to_string()).collect()
}

/// Every store, with whatever keeps it alive.
fn stores() -> Vec<(Arc<dyn Store>, Option<tempfile::TempDir>)> {
    let mut all: Vec<(Arc<dyn Store>, _)> = Vec::new();
    for sub in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let bases: [(Arc<dyn Store>, _); 2] = [
            (Arc::new(MemoryStore::default()), None),
            (Arc::new(FilesystemStore::open(dir.path()).unwrap()), Some(dir)),
        ];
        for (base, dir) in bases {
            let store = if sub { Arc::new(SubStore::new(base, prefix("some/where/"))) as _ } else { base };
            all.push((store, dir));
        }
    }
    all
}

#[test]
fn laws() {
    for (store, _dir) in stores() {
        let (r, w, l) = (store.reader().unwrap(), store.writer().unwrap(), store.lister().unwrap());
        assert_eq!(r.get(&key("a")).unwrap(), None);
        w.erase(&key("a")).unwrap();
        w.erase_prefix(&prefix("a/")).unwrap();
        for k in ["a/b", "a/c/d", "ab", "e/f/g"] {
            w.set(&key(k), k.as_bytes()).unwrap();
        }
        assert_eq!(r.get(&key("a/c/d")).unwrap().unwrap(), b"a/c/d");
        assert_eq!(r.get(&key("a/c")).unwrap(), None, "a prefix is no key");
        assert_eq!(r.get(&key("ab/x")).unwrap(), None, "a key is no prefix");
        assert_eq!(names(l.list().unwrap()), ["a/b", "a/c/d", "ab", "e/f/g"]);
        assert_eq!(names(l.list_prefix(&prefix("a/")).unwrap()), ["a/b", "a/c/d"]);
        let found = l.list_dir(&prefix("a/")).unwrap();
        assert_eq!((names(found.keys), names(found.prefixes)), (names(["a/b"]), names(["a/c/"])));
        let found = l.list_dir(&Prefix::ROOT).unwrap();
        assert_eq!((names(found.keys), names(found.prefixes)), (names(["ab"]), names(["a/", "e/"])));
        assert_eq!(l.list_dir(&prefix("none/")).unwrap(), Default::default());

        assert!(!w.set_if_absent(&key("ab"), b"x").unwrap() && w.set_if_absent(&key("n/ew"), b"x").unwrap());
        let slice = |start, len| ByteRange::Slice { start, len };
        let ranges = [slice(1, 2), ByteRange::Suffix(1), ByteRange::From(3), ByteRange::All, slice(5, 0)];
        let asked: Vec<_> = ranges.iter().map(|r| (key("a/c/d"), *r)).chain([(key("zz"), ByteRange::All)]).collect();
        let got: Vec<_> = r
            .get_partial_values(&asked)
            .unwrap()
            .into_iter()
            .map(|v| v.map(|v| String::from_utf8(v).unwrap()))
            .collect();
        let want = ["/c", "d", "/d", "a/c/d", ""].map(|s| Some(s.to_owned()));
        assert_eq!((&got[..5], &got[5]), (&want[..], &None));
        for bad in [slice(4, 2), slice(u64::MAX, 2), ByteRange::Suffix(6), ByteRange::From(6)] {
            assert!(r.get_partial_values(&[(key("a/c/d"), bad)]).is_err(), "{bad:?}");
        }
        let old = r.open(&key("ab")).unwrap().unwrap();
        w.set_partial_values(&[(key("ab"), 1, b"X"), (key("ab"), 4, b"Y"), (key("p/q"), 1, b"Z")]).unwrap();
        assert_eq!(r.get(&key("ab")).unwrap().unwrap(), b"aX\0\0Y");
        assert_eq!(r.get(&key("p/q")).unwrap().unwrap(), b"\0Z");
        let mut kept = [0; 2];
        old.read_into(ByteRange::All, &mut kept).unwrap();
        assert_eq!(&kept, b"ab", "an open value is one version");
        drop(old);

        w.erase_prefix(&prefix("a/")).unwrap();
        assert_eq!(names(l.list().unwrap()), ["ab", "e/f/g", "n/ew", "p/q"]);
        w.erase_values(&[key("e/f/g"), key("n/ew")]).unwrap();
        assert_eq!(names(l.list_dir(&Prefix::ROOT).unwrap().prefixes), ["p/"], "no prefix without a key");
        w.erase_prefix(&Prefix::ROOT).unwrap();
        assert!(l.list().unwrap().is_empty());

        let read_only: Arc<dyn Store> = Arc::new(ReadOnly(store.clone()));
        assert!(read_only.writer().is_err() && read_only.reader().is_ok() && read_only.lister().is_ok());
    }
}

#[test]
fn one_of_many_creates() {
    for (store, _dir) in stores() {
        let winners: usize = std::thread::scope(|s| {
            let threads: Vec<_> = (0..8u8)
                .map(|i| {
                    let store = &store;
                    s.spawn(move || usize::from(store.writer().unwrap().set_if_absent(&key("x/y"), &[i; 9]).unwrap()))
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(winners, 1);
        assert_eq!(names(store.lister().unwrap().list().unwrap()), ["x/y"], "nothing else is left");
    }
}

#[test]
fn a_value_is_never_torn() {
    for (store, _dir) in stores() {
        let done = AtomicBool::new(false);
        store.writer().unwrap().set(&key("a/b"), &[0; 100_000]).unwrap();
        std::thread::scope(|s| {
            let (store, done) = (&store, &done);
            for _ in 0..2 {
                s.spawn(move || {
                    while !done.load(Ordering::Relaxed) {
                        let v = store.reader().unwrap().get(&key("a/b")).unwrap().unwrap();
                        assert!(v.len() == 100_000 && v.iter().all(|b| *b == v[0]));
                    }
                });
            }
            s.spawn(move || {
                for i in 0..200u8 {
                    store.writer().unwrap().set(&key("a/b"), &[i; 100_000]).unwrap();
                }
                done.store(true, Ordering::Relaxed);
            });
        });
    }
}

#[test]
fn writers_and_erasers_of_one_directory_do_not_fail_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let store = FilesystemStore::open(dir.path()).unwrap();
    std::thread::scope(|s| {
        for t in 0..3 {
            let store: &dyn Store = &store;
            s.spawn(move || {
                for _ in 0..200 {
                    store.writer().unwrap().set(&key(&format!("a/b/{t}")), b"x").unwrap();
                    store.writer().unwrap().erase(&key(&format!("a/b/{t}"))).unwrap();
                }
            });
        }
    });
}

#[cfg(unix)]
#[test]
fn directories_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::create_dir_all(outside.join("x")).unwrap();
    std::fs::write(outside.join("x/y"), "kept").unwrap();
    let store: Arc<dyn Store> = Arc::new(FilesystemStore::open(&inside).unwrap());
    for k in ["__zarr_partial.1", "a/__zarr_partial.x/b"] {
        assert!(store.writer().unwrap().set(&key(k), b"").is_err() && store.reader().unwrap().get(&key(k)).is_err());
    }
    std::fs::write(inside.join("__zarr_partial.1.2"), "half").unwrap();
    assert!(store.lister().unwrap().list().unwrap().is_empty());
    std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
    std::os::unix::fs::symlink(&inside, inside.join("loop")).unwrap();
    assert!(names(store.lister().unwrap().list().unwrap()).contains(&"link/x/y".to_owned()));
    store.writer().unwrap().erase_prefix(&prefix("link/")).unwrap();
    store.writer().unwrap().erase_prefix(&Prefix::ROOT).unwrap();
    assert!(outside.join("x/y").exists(), "a link is removed, not what it leads to");
    std::os::unix::fs::symlink(&inside, dir.path().join("alias")).unwrap();
    std::fs::create_dir(inside.join("a")).unwrap();
    let alias = FilesystemStore::open(dir.path().join("alias")).unwrap();
    assert_eq!(alias.uri(&prefix("a/")), store.uri(&prefix("a/")));
    let above = FilesystemStore::open(dir.path()).unwrap();
    assert_eq!(above.uri(&prefix("alias/a/")), store.uri(&prefix("a/")));
}

#[derive(Debug, Clone)]
enum Op {
    Set(usize, Vec<u8>),
    Erase(usize),
    ErasePrefix(usize),
    Partial(usize, u64, Vec<u8>),
}
const KEYS: [&str; 6] = ["a", "b/c", "b/d/e", "bb", "b/d/f", "g/h"];
const PREFIXES: [&str; 4] = ["b/", "b/d/", "g/", "none/"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_operations_like_a_map(ops in prop::collection::vec(prop_oneof![
        (0usize..6, prop::collection::vec(any::<u8>(), 0..9)).prop_map(|(k, v)| Op::Set(k, v)),
        (0usize..6).prop_map(Op::Erase),
        (0usize..4).prop_map(Op::ErasePrefix),
        (0usize..6, 0u64..9, prop::collection::vec(any::<u8>(), 0..5)).prop_map(|(k, s, v)| Op::Partial(k, s, v)),
    ], 0..24)) {
        for (store, _dir) in stores() {
            let (w, mut model) = (store.writer().unwrap(), BTreeMap::<String, Vec<u8>>::new());
            for op in &ops {
                match op {
                    Op::Set(k, v) => { w.set(&key(KEYS[*k]), v).unwrap(); model.insert(KEYS[*k].into(), v.clone()); }
                    Op::Erase(k) => { w.erase(&key(KEYS[*k])).unwrap(); model.remove(KEYS[*k]); }
                    Op::ErasePrefix(p) => { w.erase_prefix(&prefix(PREFIXES[*p])).unwrap(); model.retain(|k, _| !k.starts_with(PREFIXES[*p])); }
                    Op::Partial(k, start, v) => {
                        w.set_partial_values(&[(key(KEYS[*k]), *start, v)]).unwrap();
                        let value = model.entry(KEYS[*k].into()).or_default();
                        let end = *start as usize + v.len();
                        if value.len() < end { value.resize(end, 0) }
                        value[*start as usize..end].copy_from_slice(v);
                    }
                }
            }
            let keys = store.lister().unwrap().list().unwrap();
            prop_assert_eq!(names(&keys), model.keys().cloned().collect::<Vec<_>>());
            for k in &keys {
                prop_assert_eq!(&store.reader().unwrap().get(k).unwrap().unwrap(), &model[k.as_str()]);
            }
        }
    }
}
