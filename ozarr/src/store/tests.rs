//! The abstract store interface, tested with every store.

use super::*;
use proptest::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
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

/// Returns every store, with the temporary directory that it needs.
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
fn every_operation_works() {
    for (store, _dir) in stores() {
        let (r, w, l) = (store.reader().unwrap(), store.writer().unwrap(), store.lister().unwrap());
        assert_eq!(r.get(&key("a")).unwrap(), None);
        w.erase(&key("a")).unwrap();
        w.erase_prefix(&prefix("a/")).unwrap();
        for k in ["a/b", "a/c/d", "ab", "e/f/g"] {
            w.set(&key(k), k.as_bytes()).unwrap();
        }
        assert_eq!(r.get(&key("a/c/d")).unwrap().unwrap(), b"a/c/d");
        assert!(!matches!(r.get(&key("a/c")), Ok(Some(_))), "a prefix is not a key");
        assert_eq!(r.get(&key("ab/x")).unwrap(), None, "a key is not a prefix");
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
fn one_of_many_creators_wins() {
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
fn a_prefix_is_not_a_key() {
    for (store, _dir) in stores() {
        let w = store.writer().unwrap();
        w.set(&key("a/b/c"), b"1").unwrap();
        w.set(&key("ab/x"), b"2").unwrap();
        for k in ["a", "a/b", "a/b/c/d"] {
            w.erase(&key(k)).unwrap();
        }
        w.erase_prefix(&prefix("a/b/c/")).unwrap();
        assert_eq!(names(store.lister().unwrap().list().unwrap()), ["a/b/c", "ab/x"]);
        w.erase_prefix(&prefix("a/b/")).unwrap();
        let found = store.lister().unwrap().list_dir(&Prefix::ROOT).unwrap();
        assert_eq!(names(found.prefixes), ["ab/"], "no prefix without a key");
    }
}

#[test]
fn concurrent_parts_of_one_key_are_not_lost() {
    for (store, _dir) in stores() {
        let w = store.writer().unwrap();
        w.set(&key("k"), b"old").unwrap();
        let bad: [(Key, u64, &[u8]); 3] = [(key("k"), 0, b"N"), (key("j"), 0, b"j"), (key("k"), u64::MAX, b"N")];
        assert!(w.set_partial_values(&bad).is_err());
        assert_eq!(store.reader().unwrap().get(&key("k")).unwrap().unwrap(), b"old");
        std::thread::scope(|s| {
            for t in 0..8 {
                let store = &store;
                s.spawn(move || {
                    for i in 0..25 {
                        store.writer().unwrap().set_partial_values(&[(key("k"), 8 * i + t, b"X")]).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.reader().unwrap().get(&key("k")).unwrap().unwrap(), [b'X'; 200]);
    }
}

#[test]
fn concurrent_creation_and_erasure_leave_whole_values() {
    for (store, _dir) in stores() {
        std::thread::scope(|s| {
            for t in 0..6 {
                let store = &store;
                s.spawn(move || {
                    let w = store.writer().unwrap();
                    for _ in 0..300 {
                        match t {
                            0..3 => drop(w.set_if_absent(&key("x/y/z"), b"full").unwrap()),
                            3 => w.erase(&key("x/y/z")).unwrap(),
                            4 => w.erase_prefix(&prefix("x/")).unwrap(),
                            _ => drop(store.lister().unwrap().list().unwrap()),
                        }
                        let value = store.reader().unwrap().get(&key("x/y/z")).unwrap();
                        assert!(value.is_none_or(|v| v == b"full"));
                    }
                });
            }
        });
    }
}

#[derive(Debug, Clone)]
enum Op {
    Set(usize, Vec<u8>),
    SetIfAbsent(usize, Vec<u8>),
    Erase(usize),
    ErasePrefix(usize),
    Partial(usize, u64, Vec<u8>),
}
const KEYS: [&str; 6] = ["a", "b/c", "b/d/e", "bb", "b/d/f", "g/h"];
const PREFIXES: [&str; 4] = ["b/", "b/d/", "g/", "none/"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_sequence_of_operations_equals_a_map(ops in prop::collection::vec(prop_oneof![
        (0usize..6, prop::collection::vec(any::<u8>(), 0..9)).prop_map(|(k, v)| Op::Set(k, v)),
        (0usize..6, prop::collection::vec(any::<u8>(), 0..9)).prop_map(|(k, v)| Op::SetIfAbsent(k, v)),
        (0usize..6).prop_map(Op::Erase),
        (0usize..4).prop_map(Op::ErasePrefix),
        (0usize..6, 0u64..9, prop::collection::vec(any::<u8>(), 0..5)).prop_map(|(k, s, v)| Op::Partial(k, s, v)),
    ], 0..24)) {
        for (store, _dir) in stores() {
            let (w, mut model) = (store.writer().unwrap(), BTreeMap::<String, Vec<u8>>::new());
            for op in &ops {
                match op {
                    Op::Set(k, v) => {
                        w.set(&key(KEYS[*k]), v).unwrap();
                        model.insert(KEYS[*k].into(), v.clone());
                    }
                    Op::SetIfAbsent(k, v) => {
                        let absent = !model.contains_key(KEYS[*k]);
                        prop_assert_eq!(w.set_if_absent(&key(KEYS[*k]), v).unwrap(), absent);
                        model.entry(KEYS[*k].into()).or_insert_with(|| v.clone());
                    }
                    Op::Erase(k) => {
                        w.erase(&key(KEYS[*k])).unwrap();
                        model.remove(KEYS[*k]);
                    }
                    Op::ErasePrefix(p) => {
                        w.erase_prefix(&prefix(PREFIXES[*p])).unwrap();
                        model.retain(|k, _| !k.starts_with(PREFIXES[*p]));
                    }
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
            for p in PREFIXES.into_iter().chain([""]) {
                let (mut keys, mut prefixes) = (BTreeSet::new(), BTreeSet::new());
                for rest in model.keys().filter_map(|k| k.strip_prefix(p)) {
                    match rest.split_once('/') {
                        None => keys.insert(format!("{p}{rest}")),
                        Some((name, _)) => prefixes.insert(format!("{p}{name}/")),
                    };
                }
                let found = store.lister().unwrap().list_dir(&prefix(p)).unwrap();
                prop_assert_eq!((names(found.keys), names(found.prefixes)), (names(keys), names(prefixes)));
            }
        }
    }
}
