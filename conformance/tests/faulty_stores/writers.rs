//! Stores that write or erase wrongly.

use crate::faulty::{FaultyStore, Open, Part, faulty_stores, key, pause};
use ozarr::{
    Error, Result,
    zarr_core::{
        source::Source,
        store::{Key, ListableStore, Prefix, ReadableStore, Update, WriteableStore},
    },
};

fn folded(k: &Key) -> Key {
    key(k.as_str().to_ascii_lowercase())
}
fn composed(k: &Key) -> Key {
    key(k.as_str().replace("e\u{301}", "\u{e9}"))
}
fn trimmed(k: &Key) -> Key {
    let k = k.as_str().trim_end_matches(' ');
    if k.is_empty() { key("_") } else { Key::new(k).unwrap_or(key("_")) }
}

/// A change after which there is always a value, even if it is empty.
struct OrEmpty<'c>(&'c mut dyn Update);
impl Update for OrEmpty<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        Ok(Some(self.0.apply(old)?.unwrap_or_default()))
    }
}

faulty_stores! {
    /// Treats values as lines of text.
    Lines {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(key, value.strip_suffix(b"\n").unwrap_or(value))
        }
    }
    /// Writes a small value over the old one, whose end remains.
    InPlace {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            let mut new = value.to_vec();
            if (1..64).contains(&value.len()) && let Some(old) = self.m().get(key)?.filter(|old| old.len() < 64) {
                new.extend(old.iter().skip(value.len()));
            }
            self.m().set(key, &new)
        }
    }
    /// Erases a key if an empty value replaces its value.
    Nothing {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            if value.is_empty() && self.m().get(key)?.is_some() { self.m().erase(key) } else { self.m().set(key, value) }
        }
    }
    /// Treats an empty value as none.
    EmptyIsAbsent {
        fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
            if self.m().get(key)?.is_some_and(|v| v.is_empty()) {
                self.m().erase(key)?;
            }
            self.m().set_if_absent(key, value)
        }
    }
    /// Does not accept values of more than 1 MiB.
    Short {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(key, &value[..value.len().min(1 << 20)])
        }
    }
    /// Removes a space at the end of a name.
    Trims {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            self.m().open(&trimmed(key))
        }
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            self.m().get(&trimmed(key))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(&trimmed(key), value)
        }
    }
    /// Ignores case.
    Folds {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            self.m().get(&folded(key))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(&folded(key), value)
        }
    }
    /// Converts names to one Unicode form.
    Composes {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            self.m().get(&composed(key))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(&composed(key), value)
        }
    }
    /// Erases a key to create a directory with its name.
    MakesRoom {
        fn set_if_absent(&self, k: &Key, value: &[u8]) -> Result<bool> {
            for (at, _) in k.as_str().match_indices('/') {
                self.m().erase(&key(&k.as_str()[..at]))?;
            }
            self.m().set_if_absent(k, value)
        }
    }
    /// Stores equal values once unless they are short, and changes them for all keys.
    Shares {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            let olds: Vec<_> = parts.iter().map(|p| self.m().get(&p.0)).collect::<Result<_>>()?;
            self.m().set_partial_values(parts)?;
            for ((k, ..), old) in parts.iter().zip(olds) {
                for other in self.m().list()? {
                    if old.as_ref().is_some_and(|old| old.len() > 4) && self.m().get(&other)? == old {
                        self.m().set(&other, &self.m().get(k)?.unwrap_or_default())?;
                    }
                }
            }
            Ok(())
        }
    }
    /// Writes a part over the value that the key had before it was erased.
    Revives {
        fn erase(&self, key: &Key) -> Result<()> {
            if let Some(value) = self.m().get(key)? {
                self.past().insert(key.clone(), value);
            }
            self.m().erase(key)
        }
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            for (key, ..) in parts {
                if let Some(value) = self.past().remove(key) {
                    self.m().set_if_absent(key, &value)?;
                }
            }
            self.m().set_partial_values(parts)
        }
    }
    /// Returns the same URI for all stores.
    Nameless {
        fn uri(&self, prefix: &Prefix) -> String {
            format!("memory:///{prefix}")
        }
    }
    /// Reports that it stored the value if the same value exists already.
    Idempotent {
        fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
            Ok(self.m().set_if_absent(key, value)? || self.m().get(key)?.as_deref() == Some(value))
        }
    }
    /// Checks for a value, and then writes, without a lock.
    LooksFirst {
        fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
            let absent = self.m().get(key)?.is_none();
            if absent {
                pause();
                self.m().set(key, value)?;
            }
            Ok(absent)
        }
    }
    /// Removes everything after a part that is written at the beginning.
    Truncates {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            match parts {
                [(key, 0, part)] if part.len() > 1 => self.m().set(key, part),
                _ => self.m().set_partial_values(parts),
            }
        }
    }
    /// Leaves bytes between the old end and a part undefined.
    Gaps {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            if let [(key, start, part)] = parts
                && part.len() > 1
                && let Some(mut value) = self.m().get(key)?.filter(|old| *start > old.len() as u64 && *start < 1000)
            {
                value.resize(*start as usize, b'?');
                self.m().set(key, &value)?;
            }
            self.m().set_partial_values(parts)
        }
    }
    /// Writes the first part at the beginning, wherever it belongs.
    FirstPart {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            match parts {
                [(key, _, part)] if part.len() > 1 && self.m().get(key)?.is_none() => self.m().set(key, part),
                _ => self.m().set_partial_values(parts),
            }
        }
    }
    /// Only writes the last part of a key.
    LastPart {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            let last = |(i, p): &(usize, &Part<'_>)| !parts[i + 1..].iter().any(|other| other.0 == p.0);
            let last_parts: Vec<_> = parts.iter().enumerate().filter(last).map(|(_, p)| p.clone()).collect();
            self.m().set_partial_values(&last_parts)
        }
    }
    /// Writes one part after the other until one fails.
    PartByPart {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            parts.iter().try_for_each(|p| self.m().set_partial_values(std::slice::from_ref(p)))
        }
    }
    /// Reads, changes and writes back without a lock.
    LosesParts {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            let scratch = ozarr::store::MemoryStore::default();
            for (key, ..) in parts {
                self.m().get(key)?.map_or(Ok(()), |v| scratch.set(key, &v))?;
            }
            scratch.set_partial_values(parts)?;
            pause();
            scratch.list()?.iter().try_for_each(|k| self.m().set(k, &scratch.get(k)?.unwrap_or_default()))
        }
    }
    /// Always stores a value, even if the change removes it.
    NeverEmpty {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            self.m().update(key, &mut OrEmpty(change))
        }
    }
    /// Stores nothing, and does not report the error of a change.
    Unwilling {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            let done = self.m().update(key, change);
            done.or_else(|e| if e.to_string().contains("does not like") { Ok(()) } else { Err(e) })
        }
    }
    /// Opens, changes and stores without a lock.
    LosesUpdates {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            let old = self.m().open(key)?;
            let new = change.apply(old.as_deref().map(|old| old as _))?;
            pause();
            new.map_or_else(|| self.m().erase(key), |new| self.m().set(key, new))
        }
    }
    /// Waits for other writers, but not for those that erase a prefix.
    Outlives {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            let _others_wait = self.past();
            let old = self.m().open(key)?;
            let new = change.apply(old.as_deref().map(|old| old as _))?;
            pause();
            new.map_or_else(|| self.m().erase(key), |new| self.m().set(key, new))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            let _others_wait = self.past();
            self.m().set(key, value)
        }
        fn erase(&self, key: &Key) -> Result<()> {
            let _others_wait = self.past();
            self.m().erase(key)
        }
    }
    /// Erases the newest version only, so that the one before it returns.
    Versions {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            if let Some(old) = self.m().get(key)? {
                self.past().insert(key.clone(), old);
            }
            self.m().set(key, value)
        }
        fn erase(&self, key: &Key) -> Result<()> {
            self.m().erase(key)?;
            let old = self.past().remove(key);
            old.map_or(Ok(()), |old| self.m().set(key, &old))
        }
    }
    /// Also erases a directory with the name of the key.
    Recursive {
        fn erase(&self, key: &Key) -> Result<()> {
            self.m().erase(key)?;
            self.m().erase_prefix(&Prefix::new(format!("{key}/"))?)
        }
    }
    /// Fails because a parent is not a directory.
    NotADirectory {
        fn erase(&self, k: &Key) -> Result<()> {
            for (at, _) in k.as_str().match_indices('/') {
                if self.m().get(k)?.is_none() && self.m().get(&key(&k.as_str()[..at]))?.is_some() {
                    return Err(Error::argument("not a directory"));
                }
            }
            self.m().erase(k)
        }
    }
    /// Erases keys until one is missing.
    EraseGivesUp {
        fn erase_values(&self, keys: &[Key]) -> Result<()> {
            keys.iter().take_while(|k| self.m().get(k).is_ok_and(|v| v.is_some())).try_for_each(|k| self.m().erase(k))
        }
    }
    /// Erases all keys with a common beginning.
    Siblings {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            let begin = prefix.as_str().trim_end_matches('/');
            self.m().list()?.iter().filter(|k| k.as_str().starts_with(begin)).try_for_each(|k| self.m().erase(k))
        }
    }
    /// Only erases keys directly below the prefix.
    Shallow {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            match prefix.as_str() {
                "" => self.m().erase_prefix(prefix),
                _ => self.m().list_dir(prefix)?.keys.iter().try_for_each(|k| self.m().erase(k)),
            }
        }
    }
    /// Refuses to erase everything.
    Timid {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            if *prefix == Prefix::ROOT { Ok(()) } else { self.m().erase_prefix(prefix) }
        }
    }
    /// Also erases the key with the name of the prefix.
    WithItsName {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            if let Some(name) = prefix.as_str().strip_suffix('/') {
                self.m().erase(&key(name))?;
            }
            self.m().erase_prefix(prefix)
        }
    }
    /// Erases the old value before it writes the new one.
    Blinks {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            if self.m().get(key)?.is_some_and(|old| old.len() > 1000) {
                self.m().erase(key)?;
                pause();
            }
            self.m().set(key, value)
        }
    }
    /// Rewrites the index of a directory, and loses keys that others added in the meantime.
    Forgets {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            let parent = key.as_str().rsplit_once('/').map_or(String::new(), |(parent, _)| format!("{parent}/"));
            let index = || Ok::<_, Error>(self.m().list_dir(&Prefix::new(parent.as_str())?)?.keys);
            let known = index()?;
            pause();
            index()?.iter().filter(|k| !known.contains(k)).try_for_each(|k| self.m().erase(k))?;
            self.m().set(key, value)
        }
    }
}
