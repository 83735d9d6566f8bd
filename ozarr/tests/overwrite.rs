//! Nodes that are built apart from their place are seen as a whole or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, Error, ErrorKind, Hierarchy, NewArray, Result,
    store::{FilesystemStore, MemoryStore},
    zarr_core::store::{Key, ListableStore, Prefix, Store, WriteableStore},
};
use std::sync::Arc;

fn new() -> NewArray {
    NewArray::new([32], "uint16").chunks([4])
}

/// Runs a check on a hierarchy in memory and one in a directory.
fn each(check: impl Fn(&Hierarchy)) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    let stores: [Arc<dyn Store>; 2] =
        [Arc::new(MemoryStore::default()), Arc::new(FilesystemStore::create_on_write(&root).unwrap())];
    for store in stores {
        check(&Hierarchy::new(store, Context::new()));
    }
    assert!(
        !String::from_utf8_lossy(&std::process::Command::new("find").arg(dir.path()).output().unwrap().stdout)
            .contains("__zarr_")
    );
}

fn values(hierarchy: &Hierarchy) -> Vec<(String, Vec<u8>)> {
    let (store, keys) = (hierarchy.store(), hierarchy.store().lister().unwrap().list().unwrap());
    keys.into_iter().map(|k| (k.to_string(), store.reader().unwrap().get(&k).unwrap().unwrap())).collect()
}

fn key(key: &str) -> Key {
    Key::new(key).unwrap()
}

fn group_of(hierarchy: &Hierarchy, value: u16) -> Result<()> {
    hierarchy.create_group("/g", ())?;
    for name in ["/g/a", "/g/x/b"] {
        hierarchy.create_array(name, new())?.write(.., &[value; 32])?;
    }
    Ok(())
}

#[test]
fn a_failed_overwrite_changes_nothing() {
    each(|hierarchy| {
        let fail = |_: &Hierarchy| -> Result<()> { Err(Error::data("on purpose")) };
        let build = |path: &str, overwrite| {
            hierarchy.build(path, overwrite, |staged| {
                // Creating a group at another path may fail.
                let _not_this = group_of(staged, 3);
                fail(staged)
            })
        };
        assert!(build("/g", false).is_err() && values(hierarchy).is_empty());
        assert!(build("/g/y/z", true).is_err() && values(hierarchy).is_empty(), "no groups above");
        group_of(hierarchy, 1).unwrap();
        let before = values(hierarchy);
        for (path, overwrite) in [("/g", true), ("/g/a", true), ("/", true), ("/h", false)] {
            assert!(matches!(build(path, overwrite).unwrap_err().kind(), ErrorKind::Data(_)), "{path}");
            assert!(values(hierarchy) == before, "{path}");
        }
        let taken = hierarchy.build("/g", false, |_| -> Result<()> { panic!("it is there") }).unwrap_err();
        assert!(matches!(taken.kind(), ErrorKind::NodeAlreadyExists), "{taken}");
        let below = hierarchy.build("/g/a/b", true, |_| -> Result<()> { panic!("it has no place") }).unwrap_err();
        assert!(below.to_string().contains("inside an array"), "{below}");
        let nothing = hierarchy.build("/g", true, |_| Ok(())).unwrap_err();
        assert!(matches!(nothing.kind(), ErrorKind::NodeNotFound), "{nothing}");
        assert!(values(hierarchy) == before);
    });
}

#[test]
fn a_new_node_appears_at_once() {
    each(|hierarchy| {
        group_of(hierarchy, 1).unwrap();
        hierarchy.create_array("/g/old", new()).unwrap();
        hierarchy.consolidate("/").unwrap();
        let before = values(hierarchy);
        let got = hierarchy.build("/g", true, |staged| {
            group_of(staged, 2)?;
            assert!(values(hierarchy) == before, "not seen before");
            assert!(staged.group("/").is_err() && staged.array("/g/old").is_err(), "nothing else is in it");
            staged.consolidate("/g")?;
            staged.array("/g/a")?.read::<u16>(..)
        });
        assert_eq!(got.unwrap(), [2; 32]);
        for name in ["/g/a", "/g/x/b"] {
            assert_eq!(hierarchy.array(name).unwrap().read::<u16>(..).unwrap(), [2; 32]);
        }
        assert!(hierarchy.node("/g/old").is_err());
        let copies = hierarchy.with_consolidated_metadata().unwrap();
        let names = |path: &str| {
            let children = copies.group(path).unwrap().children().unwrap();
            children.into_iter().map(|c| c.name).collect::<Vec<_>>()
        };
        assert_eq!(
            (names("/"), names("/g"), names("/g/x")),
            (vec!["g".into()], vec!["a".into(), "x".into()], vec!["b".into()])
        );
        // The root, and an array in place of a group.
        let array = hierarchy.create_array("/g", new().overwrite()).unwrap();
        assert_eq!(array.read::<u16>(..).unwrap(), [0; 32]);
        assert!(copies.store().reader().unwrap().get(&key("g/a/zarr.json")).unwrap().is_none());
        hierarchy.create_array("/", new().overwrite()).unwrap().write(.., &[7u16; 32]).unwrap();
        assert!(hierarchy.node("/g").is_err());
        assert_eq!(hierarchy.array("/").unwrap().read::<u16>(..).unwrap(), [7; 32]);
    });
}

#[test]
fn one_of_several_concurrent_builds_wins() {
    each(|hierarchy| {
        for overwrite in [false, true] {
            for round in 0..10 {
                let won = std::thread::scope(|s| {
                    let builders = [1, 2, 3, 4].map(|value| {
                        s.spawn(move || hierarchy.build("/g", overwrite, |staged| group_of(staged, value)))
                    });
                    let done = builders.map(|b| b.join().unwrap());
                    for e in done.iter().filter_map(|d| d.as_ref().err()) {
                        assert!(!overwrite && matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}");
                    }
                    done.iter().filter(|d| d.is_ok()).count()
                });
                assert_eq!(won, if overwrite { 4 } else { 1 }, "round {round}");
                let [a, b] = ["/g/a", "/g/x/b"].map(|n| hierarchy.array(n).unwrap().read::<u16>(..).unwrap());
                assert!(a == b && a.iter().all(|v| *v == a[0] && *v > 0), "round {round}: {a:?} {b:?}");
                if !overwrite {
                    hierarchy.erase("/g").unwrap();
                }
            }
        }
    });
}

const TASK: &str = "ZARR_TEST_OVERWRITING";
const OVERWRITES: usize = 1000;

/// The processes that the test below starts. Run on its own, it has nothing to overwrite.
#[test]
fn child_process() {
    let Ok(path) = std::env::var(TASK) else { return };
    let store = FilesystemStore::open(&path).unwrap();
    // Only a document, so that one process replaces the node while another begins.
    for _ in 0..OVERWRITES {
        let staged = store.stage(&Prefix::new("g/").unwrap()).unwrap().unwrap();
        staged.store().writer().unwrap().set(&key("g/zarr.json"), b"{}").unwrap();
        assert!(staged.commit(true).unwrap());
    }
}

#[test]
fn concurrent_overwrites_of_one_node_all_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let store = FilesystemStore::create(&path).unwrap();
    store.set(&key("g/zarr.json"), b"{}").unwrap();
    let processes = [(); 3].map(|()| {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "overwrite::child_process"]).env(TASK, &path).spawn().unwrap()
    });
    let ended = processes.map(|mut process| process.wait().unwrap());
    assert!(ended.iter().all(std::process::ExitStatus::success), "{ended:?}");
    assert_eq!(store.list().unwrap().into_iter().collect::<Vec<_>>(), [key("g/zarr.json")]);
    let all = std::process::Command::new("find").arg(dir.path()).output().unwrap().stdout;
    assert!(!String::from_utf8_lossy(&all).contains("__zarr_"));
}
