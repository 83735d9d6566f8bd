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

/// A change that leaves at least an empty value.
struct OrEmpty<'c>(&'c mut dyn Update);
impl Update for OrEmpty<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        Ok(Some(self.0.apply(old)?.unwrap_or_default()))
    }
}

faulty_stores! {
    /// Values are lines of text.
    Lines {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(key, value.strip_suffix(b"\n").unwrap_or(value))
        }
    }
    /// Writes a small value over the old one, whose end stays.
    InPlace {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            let mut new = value.to_vec();
            if (1..64).contains(&value.len()) && let Some(old) = self.m().get(key)?.filter(|old| old.len() < 64) {
                new.extend(old.iter().skip(value.len()));
            }
            self.m().set(key, &new)
        }
    }
    /// Nothing written over something is nothing.
    Nothing {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            if value.is_empty() && self.m().get(key)?.is_some() { self.m().erase(key) } else { self.m().set(key, value) }
        }
    }
    /// An empty value is none.
    EmptyIsAbsent {
        fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
            if self.m().get(key)?.is_some_and(|v| v.is_empty()) {
                self.m().erase(key)?;
            }
            self.m().set_if_absent(key, value)
        }
    }
    /// No message is longer than a MiB.
    Short {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(key, &value[..value.len().min(1 << 20)])
        }
    }
    /// A name does not end with a space.
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
    /// Case does not matter.
    Folds {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            self.m().get(&folded(key))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(&folded(key), value)
        }
    }
    /// Names are in one Unicode form.
    Composes {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            self.m().get(&composed(key))
        }
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            self.m().set(&composed(key), value)
        }
    }
    /// Makes room for a directory.
    MakesRoom {
        fn set_if_absent(&self, k: &Key, value: &[u8]) -> Result<bool> {
            for (at, _) in k.as_str().match_indices('/') {
                self.m().erase(&key(&k.as_str()[..at]))?;
            }
            self.m().set_if_absent(k, value)
        }
    }
    /// Keeps equal values once unless they are short, and changes them for all.
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
    /// A part is laid over what the key had before it was erased.
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
    /// All are called the same.
    Nameless {
        fn uri(&self, prefix: &Prefix) -> String {
            format!("memory:///{prefix}")
        }
    }
    /// To find what was to be written is as good as to write it.
    Idempotent {
        fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
            Ok(self.m().set_if_absent(key, value)? || self.m().get(key)?.as_deref() == Some(value))
        }
    }
    /// Looks, and then writes.
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
    /// A part at the beginning is all there is.
    Truncates {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            match parts {
                [(key, 0, part)] if part.len() > 1 => self.m().set(key, part),
                _ => self.m().set_partial_values(parts),
            }
        }
    }
    /// What lies between is not made zero.
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
    /// The first part begins a value, wherever it should be.
    FirstPart {
        fn set_partial_values(&self, parts: &[Part<'_>]) -> Result<()> {
            match parts {
                [(key, _, part)] if part.len() > 1 && self.m().get(key)?.is_none() => self.m().set(key, part),
                _ => self.m().set_partial_values(parts),
            }
        }
    }
    /// The last part of a key is the one that counts.
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
    /// Reads, changes and writes back, and others do too.
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
    /// There is always a value.
    NeverEmpty {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            self.m().update(key, &mut OrEmpty(change))
        }
    }
    /// Stores nothing rather than to say what is wrong.
    Unwilling {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            let done = self.m().update(key, change);
            done.or_else(|e| if e.to_string().contains("does not like") { Ok(()) } else { Err(e) })
        }
    }
    /// Opens, changes and stores, and others do too.
    LosesUpdates {
        fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
            let old = self.m().open(key)?;
            let new = change.apply(old.as_deref().map(|old| old as _))?;
            pause();
            new.map_or_else(|| self.m().erase(key), |new| self.m().set(key, new))
        }
    }
    /// Waits for other writers, but not for those who erase a prefix.
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
    /// Erases the newest version: the one before it comes back.
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
    /// Erases a directory that has the name.
    Recursive {
        fn erase(&self, key: &Key) -> Result<()> {
            self.m().erase(key)?;
            self.m().erase_prefix(&Prefix::new(format!("{key}/"))?)
        }
    }
    /// Says that something above is not a directory.
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
    /// Erases all that begins alike.
    Siblings {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            let begin = prefix.as_str().trim_end_matches('/');
            self.m().list()?.iter().filter(|k| k.as_str().starts_with(begin)).try_for_each(|k| self.m().erase(k))
        }
    }
    /// Erases what is directly below.
    Shallow {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            match prefix.as_str() {
                "" => self.m().erase_prefix(prefix),
                _ => self.m().list_dir(prefix)?.keys.iter().try_for_each(|k| self.m().erase(k)),
            }
        }
    }
    /// Does not dare to erase everything.
    Timid {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            if *prefix == Prefix::ROOT { Ok(()) } else { self.m().erase_prefix(prefix) }
        }
    }
    /// Erases also the key of that name.
    WithItsName {
        fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
            if let Some(name) = prefix.as_str().strip_suffix('/') {
                self.m().erase(&key(name))?;
            }
            self.m().erase_prefix(prefix)
        }
    }
    /// Erases, and then writes.
    Blinks {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            if self.m().get(key)?.is_some_and(|old| old.len() > 1000) {
                self.m().erase(key)?;
                pause();
            }
            self.m().set(key, value)
        }
    }
    /// Rewrites the index of a directory: what others added meanwhile is not in it.
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
