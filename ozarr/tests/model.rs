//! A model of how writers lock a file. With all steps, no tested schedule loses a change; without any one of them, some
//! schedule does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use shuttle::{
    check_dfs, check_random,
    sync::{Arc, Mutex},
    thread,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file: its bytes never change, and one writer at a time has its lock.
struct File {
    value: Vec<char>,
    lock: Arc<Mutex<()>>,
}

/// A directory with one name in it, which belongs to one file or to none.
type Directory = Arc<Mutex<Option<usize>>>;

/// The directory that has the directory's name, if any, and all files that ever existed.
#[derive(Default)]
struct Disk {
    directory: Mutex<Option<Directory>>,
    files: Mutex<Vec<File>>,
}

/// A step that is left out.
#[derive(Clone, Copy, PartialEq)]
enum Without {
    Nothing,
    /// Locking the file.
    Lock,
    /// Checking, after locking, that the name still belongs to the file.
    Look,
    /// Taking the name only if it is free.
    New,
    /// Staying in the directory that was opened first.
    Directory,
}

impl Disk {
    fn create(&self, value: Vec<char>) -> usize {
        let mut files = self.files.lock().unwrap();
        files.push(File { value, lock: Arc::default() });
        files.len() - 1
    }
    /// Opens the directory, and creates it if it does not exist.
    fn open(&self) -> Directory {
        self.directory.lock().unwrap().get_or_insert_default().clone()
    }
    /// The steps of the file system store to change a value.
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
    /// The steps of the file system store to erase everything in a directory. Returns the removed directory.
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

/// Which process erases.
#[derive(Clone, Copy, PartialEq)]
enum Erases {
    Nobody,
    Value,
    Prefix,
}

/// Two writers append, and one erases if asked to. Only an eraser that came later may remove what was appended, and
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
fn nothing_is_lost_under_any_tried_schedule() {
    check_dfs(|| race(Without::Nothing, Erases::Nobody), Some(200_000));
    check_random(|| race(Without::Nothing, Erases::Value), 4_000);
    check_random(|| race(Without::Nothing, Erases::Prefix), 4_000);
}

#[test]
fn each_step_is_necessary() {
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
