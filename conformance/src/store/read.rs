//! Properties of `open` and `get`.

use super::{
    Subject,
    inputs::{any_key, contents, key, keys, letters, prefix},
    tested::{done, same},
};
use crate::check::{Settings, Verdict, ensure};
use ozarr::{
    Error, ErrorKind,
    zarr_core::{
        source::{ByteRange, Source},
        store::Key,
    },
};
use proptest::{collection, prelude::*, sample::Index};

/// Returns a range within any value of at least `len` bytes. Its start and length are determined by two indices.
pub(super) fn within(len: usize, form: u8, a: Index, b: Index) -> ByteRange {
    let (a, b) = (a.index(len + 1) as u64, b.index(len + 1) as u64);
    match form % 4 {
        0 => ByteRange::Slice { start: a.min(b), len: a.abs_diff(b) },
        1 => ByteRange::From(a),
        2 => ByteRange::Suffix(a),
        _ => ByteRange::All,
    }
}

/// Returns ranges that extend beyond a value of `len` bytes, some of them beyond the largest number.
pub(super) fn outside(len: u64) -> Vec<ByteRange> {
    let slice = |start, len| ByteRange::Slice { start, len };
    vec![
        slice(0, len + 1),
        slice(len, 1),
        slice(len + 1, 0),
        slice(1, u64::MAX),
        slice(u64::MAX, 2),
        slice(u64::MAX - 1, u64::MAX),
        ByteRange::From(len + 1),
        ByteRange::From(u64::MAX),
        ByteRange::Suffix(len + 1),
        ByteRange::Suffix(u64::MAX),
    ]
}

/// Reading a key without a value returns `None`: not an empty value, and not an error. Only for the prefix of other
/// keys may a store fail, if it cannot store both.
pub(super) fn missing(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("get/missing", contents(), |contents| {
        let store = subject.with(&contents)?;
        let mut absent: Vec<Key> = keys().into_iter().filter(|k| !contents.contains_key(k)).collect();
        // Parts of keys, and keys with more appended.
        for near in ["b", "b/d", "a/x", "b/c/x/y", "c/0/1/2", "none"] {
            absent.push(key(near)?);
        }
        for key in absent {
            if store.refuses_prefix(&key, &contents)? {
                continue;
            }
            store.ensure_value_or_none(&key, None)?;
            let open = done(store.reader()?.open(&key))?;
            ensure(open.is_none(), || format!("{key} can be opened, but was never written"))?;
        }
        Ok(())
    })
}

fn read(source: &dyn Source, range: ByteRange) -> ozarr::Result<Vec<u8>> {
    let mut bytes = None;
    source.read(&[range], &mut |_, b| {
        bytes = Some(b.to_vec());
        Ok(())
    })?;
    bytes.ok_or_else(|| Error::argument(format!("{range:?} was not passed")))
}

/// Each form of range returns the right bytes.
pub(super) fn ranges(subject: &Subject, settings: &Settings) -> Verdict {
    let range = (any::<u8>(), any::<Index>(), any::<Index>());
    settings.each("get/ranges", (letters(0..50), collection::vec(range, 1..20)), |(value, ranges)| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        let source = store.open(&k)?;
        for (form, a, b) in ranges {
            let range = within(value.len(), form, a, b);
            same(|| format!("{range:?}"), &read(&*source, range)?, &range.of(&value)?.to_vec())?;
        }
        Ok(())
    })
}

/// A range that extends beyond the value is an error, and is never shortened.
pub(super) fn ranges_outside(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("get/ranges-outside", letters(0..50), |value| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        let source = store.open(&k)?;
        for range in outside(value.len() as u64) {
            let refused = |done: bool, how: &str| {
                ensure(!done, || format!("{range:?} of {} bytes can be read{how}", value.len()))
            };
            refused(read(&*source, range).is_ok(), "")?;
            refused(source.read(&[ByteRange::All, range], &mut |_, _| Ok(())).is_ok(), ", after another range")?;
            // The buffer is as long as the value, so a range shortened to the value would fit.
            refused(source.read_into(range, &mut vec![0; value.len()]).is_ok(), " into memory")?;
        }
        Ok(())
    })
}

/// Each of several ranges is returned once with its number, even if they overlap, are equal or unordered.
pub(super) fn many_ranges(subject: &Subject, settings: &Settings) -> Verdict {
    let range = (any::<u8>(), any::<Index>(), any::<Index>());
    settings.each("get/many-ranges", (letters(0..200), collection::vec(range, 0..12)), |(value, ranges)| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        let ranges: Vec<_> = ranges.into_iter().map(|(form, a, b)| within(value.len(), form, a, b)).collect();
        let mut found = vec![Vec::new(); ranges.len()];
        done(store.open(&k)?.read(&ranges, &mut |i, bytes| {
            let one = found.get_mut(i).ok_or_else(|| Error::argument(format!("there is no range {i}")))?;
            one.push(bytes.to_vec());
            Ok(())
        }))?;
        for (i, (range, found)) in ranges.iter().zip(found).enumerate() {
            same(|| format!("the bytes passed for range {i}, {range:?}"), &found, &vec![range.of(&value)?.to_vec()])?;
        }
        Ok(())
    })
}

/// An error of the callback that receives the bytes ends the read.
pub(super) fn stops(subject: &Subject, _: &Settings) -> Verdict {
    let k = key("a/b")?;
    let store = subject.with_one(&k, b"value")?;
    let mut calls = 0;
    let read = store.open(&k)?.read(&[ByteRange::All, ByteRange::Suffix(1)], &mut |_, _| {
        calls += 1;
        Err(ErrorKind::KeyNotFound.into())
    });
    ensure(read.is_err(), || "an error of the callback is lost".to_owned())?;
    ensure(calls == 1, || format!("{calls} ranges were passed although the callback failed on the first"))
}

/// Reading into memory returns the same bytes.
pub(super) fn read_into(subject: &Subject, settings: &Settings) -> Verdict {
    let range = (any::<u8>(), any::<Index>(), any::<Index>());
    settings.each("get/read-into", (letters(0..50), collection::vec(range, 1..20)), |(value, ranges)| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        let source = store.open(&k)?;
        for (form, a, b) in ranges {
            let range = within(value.len(), form, a, b);
            let expected = range.of(&value)?;
            let mut found = vec![0; expected.len()];
            done(source.read_into(range, &mut found))?;
            same(|| format!("{range:?} read into memory"), &&found[..], &expected)?;
        }
        Ok(())
    })
}

/// The size that an open value states is correct.
pub(super) fn size(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("get/size", letters(0..50), |value| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        let source = store.open(&k)?;
        if let Some(size) = done(source.size())? {
            same(|| "the size".to_owned(), &size, &(value.len() as u64))?;
        }
        source.in_memory().map_or(Ok(()), |all| same(|| "the value in memory".to_owned(), &all, &&value[..]))
    })
}

/// An open value remains the version that was opened, or fails, if its key is replaced or erased.
pub(super) fn one_version(subject: &Subject, settings: &Settings) -> Verdict {
    let inputs = (any_key(), letters(1..50), letters(0..50), 0u8..5);
    settings.each("get/one-version", inputs, |(k, old, new, how)| {
        let store = subject.empty()?;
        store.set(&k, &old)?;
        let source = store.open(&k)?;
        match how {
            0 => store.erase(&k)?,
            1 => store.erase_prefix(&prefix("")?)?,
            2 => store.set_partial_values(&[(k.clone(), 0, b"NEW")])?,
            _ => store.set(&k, &new)?,
        }
        let len = old.len() as u64;
        for range in [ByteRange::Slice { start: 0, len: 1 }, ByteRange::Suffix(len), ByteRange::All] {
            let mut into = vec![0; range.of(&old)?.len()];
            if let Ok(found) = read(&*source, range) {
                same(|| format!("{range:?} of a value since replaced"), &&found[..], &range.of(&old)?)?;
            }
            if source.read_into(range, &mut into).is_ok() {
                same(|| format!("{range:?} of a value since replaced"), &&into[..], &range.of(&old)?)?;
            }
        }
        match source.size() {
            Ok(Some(size)) => same(|| "the size of a value since replaced".to_owned(), &size, &len),
            _ => Ok(()),
        }
    })
}
