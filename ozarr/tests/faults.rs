//! A store that fails, is slow, truncates values or ends the process at its n-th operation, for every n. The stored
//! state is the old or the new one, truncated values are noticed, and the remains of one run do not stop the next.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, Error, Hierarchy, NewArray, ResizeOptions, Result,
    store::FilesystemStore,
    zarr_core::{
        json::{Json, Object},
        source::{ByteRange, RangeCallback, Source},
        store::{Key, ListableStore, Listing, Prefix, ReadableStore, Staged, Store, Update, WriteableStore},
    },
};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The operation is not done.
    Fail,
    /// The operation is done, but reports an error.
    FailAfter,
    /// The operation takes its time.
    Delay,
    /// A value that is read is truncated.
    CutReads,
    /// A value that is written is truncated, and the operation reports an error.
    CutWrites,
    /// The process ends before the operation.
    KillBefore,
    /// The process ends after the operation.
    KillAfter,
}

/// A store whose n-th operation goes wrong.
#[derive(Debug)]
struct Faulty {
    store: Arc<dyn Store>,
    fault: Fault,
    left: Arc<AtomicU64>,
}

impl Faulty {
    fn hierarchy(folder: &Path, fault: Fault, n: u64) -> (Hierarchy, Arc<Self>) {
        std::fs::create_dir_all(store_in(folder)).unwrap();
        let store = FilesystemStore::open(store_in(folder)).unwrap();
        let faulty = Arc::new(Self { store: Arc::new(store), fault, left: Arc::new(AtomicU64::new(n)) });
        (Hierarchy::new(faulty.clone(), Context::new()), faulty)
    }
    /// Returns true if this operation is the n-th.
    fn is_now(&self) -> bool {
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)) == Ok(1)
    }
    /// Returns true once the fault has happened.
    fn was(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }
    fn run<T>(&self, operation: impl FnOnce(bool) -> Result<T>) -> Result<T> {
        if !self.is_now() {
            return operation(false);
        }
        let failed = || Error::from(std::io::Error::other("a fault")).at_key("a key");
        match self.fault {
            Fault::Fail => Err(failed()),
            Fault::KillBefore => std::process::abort(),
            Fault::Delay => {
                std::thread::sleep(Duration::from_millis(2));
                operation(false)
            }
            Fault::FailAfter => operation(false).and_then(|_| Err(failed())),
            Fault::KillAfter => {
                let _done = operation(false);
                std::process::abort();
            }
            Fault::CutReads => operation(true),
            Fault::CutWrites => operation(true).and_then(|_| Err(failed())),
        }
    }
    fn cut<'v>(&self, value: &'v [u8], now: bool) -> &'v [u8] {
        if now && self.fault == Fault::CutWrites { &value[..value.len() / 2] } else { value }
    }
}

/// A truncated value.
struct Cut(Vec<u8>);
impl Source for Cut {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        (&self.0[..]).read(ranges, each)
    }
}

/// A change that stores only the first half of its value.
struct Half<'c>(&'c mut dyn Update);
impl Update for Half<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        Ok(self.0.apply(old)?.map(|new| &new[..new.len() / 2]))
    }
}

impl Store for Faulty {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.store.uri(prefix)
    }
}
impl ReadableStore for Faulty {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.run(|now| match self.store.reader()?.get(key)? {
            Some(value) if now && self.fault == Fault::CutReads => {
                Ok(Some(Box::new(Cut(value[..value.len() / 2].to_vec())) as _))
            }
            _ => self.store.reader()?.open(key),
        })
    }
}
impl WriteableStore for Faulty {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.run(|now| self.store.writer()?.set(key, self.cut(value, now)))
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.run(|now| match now && self.fault == Fault::CutWrites {
            true => self.store.writer()?.update(key, &mut Half(change)),
            false => self.store.writer()?.update(key, change),
        })
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.run(|now| self.store.writer()?.set_if_absent(key, self.cut(value, now)))
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.run(|_| self.store.writer()?.erase(key))
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.run(|_| self.store.writer()?.erase_prefix(prefix))
    }
    fn stage(&self, prefix: &Prefix) -> Result<Option<Box<dyn Staged>>> {
        let faulty = |store| Self { store, fault: self.fault, left: self.left.clone() };
        let staged = self.run(|_| self.store.writer()?.stage(prefix))?;
        Ok(staged.map(|staged| Box::new(FaultyStaged { faulty: Arc::new(faulty(staged.store())), staged }) as _))
    }
}

/// Operations on a staged prefix can fail too, as can committing it.
#[derive(Debug)]
struct FaultyStaged {
    staged: Box<dyn Staged>,
    faulty: Arc<Faulty>,
}
impl Staged for FaultyStaged {
    fn store(&self) -> Arc<dyn Store> {
        self.faulty.clone()
    }
    fn commit(self: Box<Self>, replace: bool) -> Result<bool> {
        let Self { staged, faulty } = *self;
        faulty.run(|_| staged.commit(replace))
    }
}
impl ListableStore for Faulty {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.run(|_| self.store.lister()?.list_dir(prefix))
    }
}

const SIDE: u64 = 16;
const SHARD: u64 = 8;
const WHERE: &str = "/g/a";

/// Returns the elements after a step: nothing, everything written, a part changed in all four shards.
fn after(step: u16) -> Vec<u16> {
    let inside = |i: u64| (3..13).contains(&(i / SIDE)) && (3..13).contains(&(i % SIDE));
    let value = |i: u64| match step {
        0 => 0,
        2 if inside(i) => 20_000 + i as u16,
        _ => 10_000 + i as u16,
    };
    (0..SIDE * SIDE).map(value).collect()
}

/// The step that the work has reached, recorded before each step in a file next to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Creation,
    Whole,
    Part,
    Attributes,
    Shrinking,
    Growing,
    End,
}
const STEPS: [At; 7] = [At::Creation, At::Whole, At::Part, At::Attributes, At::Shrinking, At::Growing, At::End];

fn store_in(folder: &Path) -> PathBuf {
    folder.join("store")
}
fn tell(folder: &Path, at: At) {
    std::fs::write(folder.join("step"), [at as u8]).unwrap();
}
fn told(folder: &Path) -> At {
    STEPS[usize::from(std::fs::read(folder.join("step")).unwrap()[0])]
}

/// Creates, writes, changes and resizes an array.
fn work(hierarchy: &Hierarchy, overwrite: bool, folder: &Path) -> Result<()> {
    tell(folder, At::Creation);
    let new = NewArray::new([SIDE, SIDE], "uint16").chunks([4, 4]).shards([SHARD, SHARD]);
    let mut array = hierarchy.create_array(WHERE, &if overwrite { new.overwrite() } else { new })?;
    tell(folder, At::Whole);
    array.write(.., &after(1))?;
    let all = after(2);
    let part: Vec<u16> = (3..13).flat_map(|row| all[row * SIDE as usize + 3..][..10].to_vec()).collect();
    tell(folder, At::Part);
    array.write([3..13, 3..13], &part)?;
    tell(folder, At::Attributes);
    array.set_attributes([("done", Json::from(true))].into_iter().collect::<Object>())?;
    tell(folder, At::Shrinking);
    array.resize(&[SHARD, SIDE], ResizeOptions::default())?;
    tell(folder, At::Growing);
    array.resize(&[SIDE, SIDE], ResizeOptions::default())?;
    tell(folder, At::End);
    Ok(())
}

/// Checks that each shard is as it was before or after the current step. Returns an error if reading reports damage.
fn look(folder: &Path) -> Result<()> {
    let at = told(folder);
    let hierarchy = Hierarchy::open(store_in(folder))?;
    let array = match hierarchy.array(WHERE) {
        Err(e) if matches!(e.kind(), ozarr::ErrorKind::NodeNotFound) => {
            assert_eq!(at, At::Creation, "the array is gone");
            return Ok(());
        }
        other => other?,
    };
    let done = array.attributes().get("done").is_some();
    assert!(at == At::Attributes || done == (at > At::Attributes), "attributes at {at:?}: {done}");
    let rows = array.shape()[0];
    let possible: &[u64] = match at {
        At::Shrinking | At::Growing => &[SHARD, SIDE],
        _ => &[SIDE],
    };
    assert!(possible.contains(&rows) && array.shape()[1] == SIDE, "{:?} at {at:?}", array.shape());
    for (row, column) in [(0, 0), (0, SHARD), (SHARD, 0), (SHARD, SHARD)].into_iter().filter(|s| s.0 < rows) {
        let got: Vec<u16> = array.read([row..row + SHARD, column..column + SHARD])?;
        let is = |step: &u16| {
            let all = after(*step);
            let rows = (row..row + SHARD).flat_map(|r| all[(r * SIDE + column) as usize..][..SHARD as usize].to_vec());
            rows.collect::<Vec<_>>() == got
        };
        let possible: &[u16] = match at {
            At::Creation => &[0],
            At::Whole => &[0, 1],
            At::Part => &[1, 2],
            // These shards are erased only after they are hidden, and all of them before they are visible again.
            At::Growing | At::End if row == SHARD => &[0],
            At::Attributes | At::Shrinking | At::Growing | At::End => &[2],
        };
        assert!(possible.iter().any(is), "shard {row}, {column} at {at:?}: {got:?}");
    }
    let listed = hierarchy.store().lister()?.list()?;
    assert!(listed.iter().all(|k| k.as_str().ends_with("zarr.json") || k.as_str().starts_with("g/a/c/")), "{listed:?}");
    Ok(())
}

/// Repeats the work without faults, over the remains.
fn again(folder: &Path) {
    let hierarchy = Hierarchy::open(store_in(folder)).unwrap();
    work(&hierarchy, true, folder).unwrap();
    look(folder).unwrap();
    let array = hierarchy.array(WHERE).unwrap();
    let (upper, all) = (SHARD as usize * SIDE as usize, after(2));
    assert_eq!(array.read::<u16>([0..SHARD, 0..SIDE]).unwrap(), all[..upper]);
    assert!(array.read::<u16>([SHARD..SIDE, 0..SIDE]).unwrap().iter().all(|v| *v == 0), "erased");
}

/// Injects a fault at each operation until the work ends without one. Returns the number of operations.
fn at_each(fault: Fault, check: impl Fn(&Path, Result<()>)) -> u64 {
    for n in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let (hierarchy, faulty) = Faulty::hierarchy(dir.path(), fault, n);
        let done = work(&hierarchy, false, dir.path());
        if !faulty.was() {
            done.unwrap();
            return n - 1;
        }
        check(dir.path(), done);
        if fault == Fault::CutWrites {
            // Not covered by a promise: a truncated document must be removed.
            FilesystemStore::open(store_in(dir.path())).unwrap().erase_prefix(&Prefix::ROOT).unwrap();
        }
        again(dir.path());
    }
    0
}

#[test]
fn failures_leave_old_or_new() {
    for fault in [Fault::Fail, Fault::FailAfter] {
        let operations = at_each(fault, |path, done| {
            assert!(done.is_err(), "a failure that nobody heard of");
            look(path).unwrap();
        });
        assert!(operations > 20, "{operations}");
    }
}

#[test]
fn delays_change_nothing() {
    at_each(Fault::Delay, |path, done| {
        done.unwrap();
        look(path).unwrap();
    });
}

#[test]
fn a_truncated_value_is_detected() {
    // Not every read or write is of a value.
    at_each(Fault::CutReads, |path, _| look(path).unwrap());
    at_each(Fault::CutWrites, |path, _| {
        if let Err(e) = look(path) {
            assert!(e.key().is_some(), "{e}");
        }
    });
}

const TASK: &str = "ZARR_TEST_FAULT";

/// The process that the test below starts. Run on its own, the work ends without a fault.
#[test]
fn child_process() {
    let Ok(task) = std::env::var(TASK) else {
        let dir = tempfile::tempdir().unwrap();
        let (hierarchy, faulty) = Faulty::hierarchy(dir.path(), Fault::Fail, u64::MAX);
        work(&hierarchy, false, dir.path()).unwrap();
        assert!(!faulty.was());
        return look(dir.path()).unwrap();
    };
    let [when, n, folder] = task.splitn(3, ':').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let fault = if when.starts_with("before") { Fault::KillBefore } else { Fault::KillAfter };
    let (hierarchy, _) = Faulty::hierarchy(folder.as_ref(), fault, n.parse().unwrap());
    match when.split_once(" overwriting ") {
        Some((_, place)) => overwrite(&hierarchy, place).unwrap(),
        None => work(&hierarchy, false, folder.as_ref()).unwrap(),
    }
}

#[test]
#[cfg(unix)]
fn kills_leave_old_or_new() {
    for when in ["before", "after"] {
        for n in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let mut process = Command::new(std::env::current_exe().unwrap());
            process
                .args(["--exact", "faults::child_process"])
                .env(TASK, format!("{when}:{n}:{}", dir.path().display()));
            let status = process.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            look(dir.path()).unwrap();
            if status.success() {
                assert!(n > 20, "{n}");
                break;
            }
            assert!(std::os::unix::process::ExitStatusExt::signal(&status).is_some(), "{status}");
            again(dir.path());
        }
    }
}

/// What is overwritten: the array, its group, and the whole store, whose temporary directory is next to it.
const PLACES: [&str; 3] = [WHERE, "/g", "/"];

/// Creates or replaces a node with the array and all its elements.
fn overwrite(hierarchy: &Hierarchy, place: &str) -> Result<()> {
    hierarchy.build(place, true, |staged| {
        if place != WHERE {
            staged.create_group(place, ())?;
        }
        let new = NewArray::new([SIDE, SIDE], "uint16").chunks([4, 4]).shards([SHARD, SHARD]);
        staged.create_array(WHERE, &new)?.write(.., &after(2))
    })
}

/// Creates a store with the old array. Its root has copies of metadata.
fn old(folder: &Path) {
    let hierarchy = Hierarchy::create(store_in(folder)).unwrap();
    let new = NewArray::new([SIDE, SIDE], "uint16").chunks([SIDE, SHARD]);
    hierarchy.create_array(WHERE, &new).unwrap().write(.., &after(1)).unwrap();
    hierarchy.consolidate("/").unwrap();
}

/// Checks that the array is the old one or, if that is allowed, the new one, and that everything else is removed as an
/// orphan.
fn is_whole(folder: &Path, may_be: &[u16]) {
    let hierarchy = Hierarchy::open(store_in(folder)).unwrap();
    let got: Vec<u16> = hierarchy.array(WHERE).unwrap().read(..).unwrap();
    assert!(may_be.iter().any(|step| after(*step) == got), "{may_be:?}: {got:?}");
    hierarchy.store().writer().unwrap().erase_orphans(&Prefix::ROOT).unwrap();
    let mut left = vec![folder.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()) {
            assert!(!entry.to_str().unwrap().contains("__zarr_"), "{entry:?}");
            left.extend(entry.is_dir().then_some(entry));
        }
    }
}

#[test]
fn overwriting_leaves_old_or_new() {
    let faults = [Fault::Fail, Fault::FailAfter, Fault::CutReads, Fault::CutWrites];
    for (place, fault) in PLACES.into_iter().flat_map(|place| faults.map(|fault| (place, fault))) {
        for n in 1.. {
            let dir = tempfile::tempdir().unwrap();
            old(dir.path());
            let (hierarchy, faulty) = Faulty::hierarchy(dir.path(), fault, n);
            let done = overwrite(&hierarchy, place);
            if !faulty.was() {
                done.unwrap();
                is_whole(dir.path(), &[2]);
                assert!(n > 10, "{n}");
                break;
            }
            match (done, fault) {
                (Ok(()), Fault::Fail | Fault::FailAfter) => panic!("a failure that nobody heard of"),
                // Not every read or write is of a value.
                (Ok(()), _) => is_whole(dir.path(), &[2]),
                (Err(_), _) => is_whole(dir.path(), &[1, 2]),
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn kills_while_overwriting_leave_old_or_new() {
    for (place, when) in PLACES.into_iter().flat_map(|place| ["before", "after"].map(|when| (place, when))) {
        for n in 1.. {
            let dir = tempfile::tempdir().unwrap();
            old(dir.path());
            let mut process = Command::new(std::env::current_exe().unwrap());
            let task = format!("{when} overwriting {place}:{n}:{}", dir.path().display());
            process.args(["--exact", "faults::child_process"]).env(TASK, task);
            let status = process.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            is_whole(dir.path(), if status.success() { &[2] } else { &[1, 2] });
            if status.success() {
                assert!(n > 10, "{n}");
                break;
            }
            assert!(std::os::unix::process::ExitStatusExt::signal(&status).is_some(), "{status}");
        }
    }
}
