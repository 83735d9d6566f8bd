//! Properties of concurrent use. The result depends on the order in which threads run, so each property is tried
//! several times.

use super::{
    Subject,
    inputs::{key, prefix},
    tested::{Found, Tested, done, same},
    update::{append, by},
};
use crate::check::{Settings, Verdict, broken, ensure};
use ozarr::zarr_core::store::Key;
use std::{
    panic::resume_unwind,
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Returns the number of times that a property is tried.
fn rounds(settings: &Settings) -> u32 {
    settings.cases.div_ceil(8)
}

/// Runs a function on several threads that begin at the same time, each with its number, and returns the results.
fn together<T: Send>(threads: usize, run: impl Fn(usize) -> Found<T> + Sync) -> Found<Vec<T>> {
    let begin = Barrier::new(threads);
    let one = |i| {
        begin.wait();
        run(i)
    };
    thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|i| scope.spawn(move || one(i))).collect();
        let ended: Vec<_> = started.into_iter().map(thread::ScopedJoinHandle::join).collect();
        ended.into_iter().map(|end| end.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Counts its thread as ended when it is dropped, also on a panic.
struct Ended<'c>(&'c AtomicUsize);
impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns a value from which its letter, and whether it is complete, can be recognized.
fn value(letter: u8) -> Vec<u8> {
    vec![letter; 10_000 + 100 * usize::from(letter)]
}

/// While a key is replaced, readers see one value or another: never parts of two, and never none.
pub(super) fn one_key(subject: &Subject, settings: &Settings) -> Verdict {
    for _ in 0..rounds(settings) {
        let (store, k, ended) = (subject.empty()?, key("a/b")?, AtomicUsize::new(0));
        store.set(&k, &value(b'A'))?;
        together(4, |thread| {
            if thread < 2 {
                let _ended = Ended(&ended);
                return (b'A'..=b'T').try_for_each(|letter| store.set(&k, &value(letter)));
            }
            loop {
                let last = ended.load(Ordering::SeqCst) == 2;
                match store.get(&k)? {
                    None => return broken("a key is missing while it is replaced"),
                    Some(v) if v.first().is_none_or(|letter| v != value(*letter)) => {
                        return broken("a reader sees parts of two values");
                    }
                    Some(_) if last => return Ok(()),
                    Some(_) => thread::yield_now(),
                }
            }
        })?;
    }
    Ok(())
}

/// Everything that several threads write to different keys is stored.
pub(super) fn many_keys(subject: &Subject, settings: &Settings) -> Verdict {
    let name = |thread: usize, i: usize| key(&format!("d/{}/{thread}.{i}", i % 3));
    for _ in 0..rounds(settings) {
        let store = subject.empty()?;
        together(4, |thread| {
            for i in 0..12 {
                store.set(&name(thread, i)?, format!("{thread} {i}").as_bytes())?;
                if i % 4 == 3 {
                    store.erase(&name(thread, i)?)?;
                }
            }
            Ok(())
        })?;
        for (thread, i) in (0..4).flat_map(|thread| (0..12).map(move |i| (thread, i))) {
            let written = format!("{thread} {i}");
            store.ensure_value_or_none(&name(thread, i)?, (i % 4 != 3).then_some(written.as_bytes()))?;
        }
    }
    Ok(())
}

/// No part of a value that several threads write is lost.
pub(super) fn parts(subject: &Subject, settings: &Settings) -> Verdict {
    for _ in 0..rounds(settings) {
        let (store, k) = (subject.empty()?, key("a/b")?);
        together(4, |thread| {
            (0..10).try_for_each(|i| store.set_partial_values(&[(k.clone(), 4 * i + thread as u64, b"X")]))
        })?;
        store.ensure_value(&k, &[b'X'; 40])?;
    }
    Ok(())
}

/// Changes and replacements by several threads have the same result as in some sequence: nothing is lost.
pub(super) fn updates(subject: &Subject, settings: &Settings) -> Verdict {
    for _ in 0..rounds(settings) {
        let (store, k) = (subject.empty()?, key("a/b")?);
        together(4, |thread| (0..10).try_for_each(|_| append(store.writer()?, &k, b'A' + thread as u8)))?;
        let mut got = store.get(&k)?.unwrap_or_default();
        got.sort_unstable();
        let all: Vec<u8> = (b'A'..b'E').flat_map(|letter| [letter; 10]).collect();
        ensure(got == all, || format!("{} of 40 changes are present", got.len()))?;
        // A thread that replaces the value reads the replacement, even if other threads are about to change the earlier
        // value.
        together(3, |thread| {
            (0..10u8).try_for_each(|i| {
                if thread > 0 {
                    return append(store.writer()?, &k, b'x');
                }
                store.set(&k, &[i])?;
                let first = store.get(&k)?.and_then(|v| v.first().copied());
                ensure(first == Some(i), || {
                    "an update of the old value overwrites the value that replaced it".to_owned()
                })
            })
        })?;
    }
    Ok(())
}

/// A value that is created again after its prefix is erased is not replaced by a change of the earlier value.
pub(super) fn erase_and_update(subject: &Subject, settings: &Settings) -> Verdict {
    for _ in 0..rounds(settings) {
        let (store, k, parent, ended) = (subject.empty()?, key("a/b")?, prefix("a/")?, AtomicUsize::new(0));
        let longer = |old: Option<Vec<u8>>| Ok(old.map(|v| if v.len() < 99 { [v, vec![b'x']].concat() } else { v }));
        let changes = [const { AtomicUsize::new(0) }; 2];
        together(3, |thread| {
            if thread > 0 {
                let _ended = Ended(&ended);
                while ended.load(Ordering::SeqCst) == 0 {
                    done(by(store.writer()?, &k, longer))?;
                    changes[thread - 1].fetch_add(1, Ordering::SeqCst);
                }
                return Ok(());
            }
            let _ended = Ended(&ended);
            // Waits for all changes that began before.
            let wait = || {
                let before = changes.each_ref().map(|c| c.load(Ordering::SeqCst));
                let is_going = || changes.iter().zip(before).any(|(c, before)| c.load(Ordering::SeqCst) == before);
                while ended.load(Ordering::SeqCst) == 0 && is_going() {
                    thread::yield_now();
                }
            };
            (0..6u8).try_for_each(|i| {
                store.erase_prefix(&parent)?;
                wait();
                let made = store.set_if_absent(&k, &[i])?;
                ensure(made, || "an update restores an erased value".to_owned())?;
                wait();
                let first = store.get(&k)?.and_then(|v| v.first().copied());
                ensure(first == Some(i), || "an update of the old value overwrites a recreated one".to_owned())
            })
        })?;
    }
    Ok(())
}

/// If several threads write where there is no value, exactly one succeeds, and its value is stored.
pub(super) fn one_winner(subject: &Subject, settings: &Settings) -> Verdict {
    for _ in 0..rounds(settings) {
        let (store, k) = (subject.empty()?, key("a/b")?);
        let answers = together(6, |thread| store.set_if_absent(&k, &[b'A' + thread as u8; 9]))?;
        let winners: Vec<u8> = (b'A'..).zip(answers).filter(|(_, won)| *won).map(|(letter, _)| letter).collect();
        let [winner] = winners[..] else {
            return broken(format!("{} of 6 threads report that they wrote the first value", winners.len()));
        };
        store.ensure_value(&k, &[winner; 9])?;
    }
    Ok(())
}

/// Writing, erasing and listing at the same time never fails, and a key that is not erased is always listed.
pub(super) fn erase_and_list(subject: &Subject, settings: &Settings) -> Verdict {
    let (stays, parent, below) = (key("x/stays")?, prefix("x/")?, prefix("x/y/")?);
    let moving: Vec<Key> = ["x/y/0", "x/y/z/1"].into_iter().map(key).collect::<Found<_>>()?;
    let look = |store: &Tested| {
        for keys in [store.list()?, store.list_prefix(&parent)?, store.list_dir(&parent)?.keys] {
            ensure(keys.contains(&stays), || format!("{stays} is not listed while others are erased"))?;
            let other = keys.iter().find(|k| **k != stays && !moving.contains(k));
            same(|| "a key that was never written".to_owned(), &other, &None)?;
        }
        moving.iter().try_for_each(|k| {
            let v = store.get(k)?;
            ensure(v.as_deref().is_none_or(|v| v == b"value"), || format!("{k} has a truncated value"))
        })
    };
    for _ in 0..rounds(settings) {
        let (store, ended) = (subject.empty()?, AtomicUsize::new(0));
        store.set(&stays, b"value")?;
        together(4, |number| {
            if number == 3 {
                let _ended = Ended(&ended);
                return (0..30).try_for_each(|_| look(&store));
            }
            while ended.load(Ordering::SeqCst) == 0 {
                match number {
                    0 => store.set(&moving[0], b"value")?,
                    1 => _ = store.set_if_absent(&moving[1], b"value")?,
                    _ => store.erase_prefix(&below)?,
                }
                thread::yield_now();
                moving.get(number).map_or(Ok(()), |k| store.erase(k))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
