//! A model of how writers lock a file: under each schedule that is tried nothing is lost, and without one of the steps
//! something is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use shuttle::{
    check_dfs, check_random,
    sync::{Arc, Mutex},
    thread,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file: its bytes never change, its lock is taken by one writer at a time.
struct File {
    value: Vec<char>,
    lock: Arc<Mutex<()>>,
}

/// A directory with one name in it, which is of one file or of none.
type Directory = Arc<Mutex<Option<usize>>>;

/// A directory that has its name or none that has it, and all files that there were.
#[derive(Default)]
struct Disk {
    directory: Mutex<Option<Directory>>,
    files: Mutex<Vec<File>>,
}

/// A step that is left out.
#[derive(Clone, Copy, PartialEq)]
enum Without {
    Nothing,
    /// The lock of the file.
    Lock,
    /// The look whether the name is still of the file, once it is locked.
    Look,
    /// Taking the name only if nothing has it.
    New,
    /// Staying in the directory that was open from the beginning.
    Directory,
}

impl Disk {
    fn create(&self, value: Vec<char>) -> usize {
        let mut files = self.files.lock().unwrap();
        files.push(File { value, lock: Arc::default() });
        files.len() - 1
    }
    /// The directory of the name; made if it is not there.
    fn open(&self) -> Directory {
        self.directory.lock().unwrap().get_or_insert_default().clone()
    }
    /// What the store of directories does to change a value.
    fn update(&self, without: Without, change: impl Fn(Vec<char>) -> Option<Vec<char>>) {
        loop {
            let directory = self.open();
            let named = || *directory.lock().unwrap();
            let there = || if without == Without::Directory { self.open() } else { directory.clone() };
            let Some(file) = named() else {
                let Some(value) = change(Vec::new()) else { return };
                let (new, directory) = (self.create(value), there());
                let mut name = directory.lock().unwrap();
                if name.is_none() || without == Without::New {
                    *name = Some(new);
                    return;
                }
                continue;
            };
            let lock = self.files.lock().unwrap()[file].lock.clone();
            let _locked = (without != Without::Lock).then(|| lock.lock().unwrap());
            if without != Without::Look && named() != Some(file) {
                continue;
            }
            let old = self.files.lock().unwrap()[file].value.clone();
            let new = change(old).map(|value| self.create(value));
            *there().lock().unwrap() = new;
            return;
        }
    }
    /// What it does to erase all that is in a directory. Gives what was in it in the end.
    fn erase_prefix(&self) -> Option<Directory> {
        self.directory.lock().unwrap().take()
    }
    fn letters(&self, directory: Option<&Directory>) -> Vec<char> {
        let file = directory.and_then(|directory| *directory.lock().unwrap());
        file.map(|file| self.files.lock().unwrap()[file].value.clone()).unwrap_or_default()
    }
}

fn append(letter: char) -> impl Fn(Vec<char>) -> Option<Vec<char>> {
    move |mut value| {
        value.push(letter);
        Some(value)
    }
}

/// Who erases.
#[derive(Clone, Copy, PartialEq)]
enum Erases {
    Nobody,
    Value,
    Prefix,
}

/// Two that append, and one that erases if it is asked to. What is appended is lost only to an eraser that came later, and
/// what was erased does not come back.
fn race(without: Without, erases: Erases) {
    let disk = Arc::new(Disk::default());
    let erased = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::new(Mutex::new(None));
    let mut threads: Vec<_> = ['a', 'b']
        .into_iter()
        .map(|letter| {
            let disk = disk.clone();
            thread::spawn(move || disk.update(without, append(letter)))
        })
        .collect();
    if erases != Erases::Nobody {
        let (disk, erased, taken) = (disk.clone(), erased.clone(), taken.clone());
        threads.push(thread::spawn(move || match erases {
            Erases::Prefix => *taken.lock().unwrap() = disk.erase_prefix(),
            _ => disk.update(without, |value| {
                *erased.lock().unwrap() = value;
                None
            }),
        }));
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
    let there = disk.directory.lock().unwrap().clone();
    let all =
        [disk.letters(there.as_ref()), disk.letters(taken.lock().unwrap().as_ref()), erased.lock().unwrap().clone()];
    let mut all = all.concat();
    all.sort_unstable();
    assert_eq!(all, ['a', 'b'], "each is stored once, or was there when it was erased");
}

#[test]
fn nothing_is_lost_under_any_schedule_that_is_tried() {
    check_dfs(|| race(Without::Nothing, Erases::Nobody), Some(200_000));
    check_random(|| race(Without::Nothing, Erases::Value), 4_000);
    check_random(|| race(Without::Nothing, Erases::Prefix), 4_000);
}

#[test]
fn each_step_is_needed() {
    for (without, erases) in [
        (Without::Lock, Erases::Value),
        (Without::Look, Erases::Value),
        (Without::New, Erases::Value),
        (Without::Directory, Erases::Prefix),
    ] {
        let lost = catch_unwind(AssertUnwindSafe(|| check_random(move || race(without, erases), 20_000)));
        assert!(lost.is_err(), "nothing is lost without one of the steps");
    }
}
