//! A model of how writers hold a file: under each schedule that is tried nothing is lost, and without one of the steps
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

/// A name, which is of one file or of none, and all files that there were.
#[derive(Default)]
struct Disk {
    name: Mutex<Option<usize>>,
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
}

impl Disk {
    fn create(&self, value: Vec<char>) -> usize {
        let mut files = self.files.lock().unwrap();
        files.push(File { value, lock: Arc::default() });
        files.len() - 1
    }
    fn named(&self) -> Option<usize> {
        *self.name.lock().unwrap()
    }
    /// What the store of directories does to change a value.
    fn update(&self, without: Without, change: impl Fn(Vec<char>) -> Option<Vec<char>>) {
        loop {
            let Some(file) = self.named() else {
                let Some(value) = change(Vec::new()) else { return };
                let new = self.create(value);
                let mut name = self.name.lock().unwrap();
                if name.is_none() || without == Without::New {
                    *name = Some(new);
                    return;
                }
                continue;
            };
            let lock = self.files.lock().unwrap()[file].lock.clone();
            let _held = (without != Without::Lock).then(|| lock.lock().unwrap());
            if without != Without::Look && self.named() != Some(file) {
                continue;
            }
            let old = self.files.lock().unwrap()[file].value.clone();
            let new = change(old).map(|value| self.create(value));
            *self.name.lock().unwrap() = new;
            return;
        }
    }
    fn value(&self) -> String {
        self.named().map_or(String::new(), |file| self.files.lock().unwrap()[file].value.iter().collect())
    }
}

fn append(letter: char) -> impl Fn(Vec<char>) -> Option<Vec<char>> {
    move |mut value| {
        value.push(letter);
        Some(value)
    }
}

/// Two that append, and one that erases if it is asked to. What is appended is lost only to an eraser that came later.
fn race(without: Without, erases: bool) {
    let disk = Arc::new(Disk::default());
    let erased = Arc::new(Mutex::new(Vec::new()));
    let mut threads: Vec<_> = ['a', 'b']
        .into_iter()
        .map(|letter| {
            let disk = disk.clone();
            thread::spawn(move || disk.update(without, append(letter)))
        })
        .collect();
    if erases {
        let (disk, erased) = (disk.clone(), erased.clone());
        threads.push(thread::spawn(move || {
            disk.update(without, |value| {
                *erased.lock().unwrap() = value;
                None
            });
        }));
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
    let mut all: Vec<char> = disk.value().chars().chain(erased.lock().unwrap().iter().copied()).collect();
    all.sort_unstable();
    assert_eq!(all, ['a', 'b'], "each is stored, or was there when it was erased");
}

#[test]
fn nothing_is_lost_under_any_schedule() {
    check_dfs(|| race(Without::Nothing, false), Some(200_000));
    check_random(|| race(Without::Nothing, true), 4_000);
}

#[test]
fn each_step_is_needed() {
    for without in [Without::Lock, Without::Look, Without::New] {
        let lost = catch_unwind(AssertUnwindSafe(|| check_random(move || race(without, true), 20_000)));
        assert!(lost.is_err(), "nothing is lost without one of the steps");
    }
}
