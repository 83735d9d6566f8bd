//! Properties of `get_partial_values` and `set_partial_values`.

use super::{
    Contents, Subject,
    inputs::{any_key, contents, key, keys, letters, overlay},
    read::{outside as ranges_outside, within},
    tested::{Found, same},
};
use crate::check::{Settings, Verdict, ensure};
use ozarr::zarr_core::{source::ByteRange, store::Key};
use proptest::{collection, prelude::*, sample::Index};

/// Returns the parts of values that a store should return.
fn expected(contents: &Contents, asked: &[(Key, ByteRange)]) -> Found<Vec<Option<Vec<u8>>>> {
    let one = |(k, r): &(Key, ByteRange)| Ok(contents.get(k).map(|v| r.of(v)).transpose()?.map(<[u8]>::to_vec));
    asked.iter().map(one).collect()
}

/// Parts are returned in the order of the request. A key may occur several times, with others between.
pub(super) fn values(subject: &Subject, settings: &Settings) -> Verdict {
    let asked = collection::vec((any::<Index>(), any::<u8>(), any::<Index>(), any::<Index>()), 0..12);
    settings.each("partial-values/any", (contents(), asked), |(contents, asked)| {
        let store = subject.with(&contents)?;
        let all: Vec<_> = contents.iter().collect();
        let asked = asked.into_iter().filter(|_| !all.is_empty()).map(|(which, form, a, b)| {
            let (k, value) = all[which.index(all.len())];
            (k.clone(), within(value.len(), form, a, b))
        });
        let asked: Vec<_> = asked.collect();
        let found = store.get_partial_values(&asked)?;
        same(|| format!("the result for {asked:?}"), &found, &expected(&contents, &asked)?)
    })
}

/// A key without a value returns `None`, and the others their parts.
pub(super) fn values_missing(subject: &Subject, settings: &Settings) -> Verdict {
    let asked = collection::vec(any_key(), 1..12);
    settings.each("partial-values/missing", (contents(), asked), |(contents, asked)| {
        let store = subject.with(&contents)?;
        let asked: Vec<_> = asked.into_iter().map(|k| (k, ByteRange::Slice { start: 0, len: 1 })).collect();
        let found = store.get_partial_values(&asked)?;
        same(|| format!("the result for {asked:?}"), &found, &expected(&contents, &asked)?)
    })
}

/// A range that extends beyond the value is an error.
pub(super) fn values_outside(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("partial-values/outside", letters(0..50), |value| {
        let k = key("a/b")?;
        let store = subject.with_one(&k, &value)?;
        for range in ranges_outside(value.len() as u64) {
            let found = store.reader()?.get_partial_values(&[(k.clone(), range)]);
            ensure(found.is_err(), || format!("{range:?} of {} bytes returns {found:?}", value.len()))?;
        }
        Ok(())
    })
}

/// Writing a part replaces its bytes and preserves the others.
pub(super) fn overlays(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set-partial/overlays", (letters(3..50), any::<Index>()), |(mut value, len)| {
        let (store, k) = (subject.empty()?, key("a/b")?);
        store.set(&k, &value)?;
        let part = vec![b'#'; 1 + len.index(value.len() - 1)];
        let rest = value.len() - part.len();
        // At the beginning, in the middle and at the end.
        for start in [0, rest / 2, rest] {
            store.set_partial_values(&[(k.clone(), start as u64, &part)])?;
            overlay(&mut value, start as u64, &part);
            store.ensure_value(&k, &value)?;
        }
        Ok(())
    })
}

/// A value is extended as a part needs, with zeros between its end and the part.
pub(super) fn extends(subject: &Subject, settings: &Settings) -> Verdict {
    let inputs = (letters(1..20), 0u64..30, letters(1..20));
    settings.each("set-partial/extends", inputs, |(mut value, beyond, part)| {
        let (store, k) = (subject.empty()?, key("a/b")?);
        store.set(&k, &value)?;
        let start = value.len() as u64 + beyond;
        store.set_partial_values(&[(k.clone(), start, &part)])?;
        overlay(&mut value, start, &part);
        store.ensure_value(&k, &value)
    })
}

/// Writing a part of a key without a value creates one, with zeros before the part.
pub(super) fn creates(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set-partial/creates", (any_key(), 0u64..30, letters(1..20)), |(k, start, part)| {
        let (store, mut value) = (subject.empty()?, Vec::new());
        store.set_partial_values(&[(k.clone(), start, &part)])?;
        overlay(&mut value, start, &part);
        store.ensure_value(&k, &value)
    })
}

/// One call writes parts of several keys, and several parts of one key.
pub(super) fn many(subject: &Subject, settings: &Settings) -> Verdict {
    let parts = collection::vec((any_key(), letters(1..6)), 2..12);
    settings.each("set-partial/many", (contents(), parts), |(mut contents, parts)| {
        let store = subject.empty()?;
        contents.iter().try_for_each(|(k, v)| store.set(k, v))?;
        // The parts of one call do not overlap: the specification forbids it.
        let parts: Vec<_> = parts.iter().enumerate().map(|(i, (k, p))| (k.clone(), 5 * i as u64, &p[..])).collect();
        store.set_partial_values(&parts)?;
        for (k, start, part) in parts {
            overlay(contents.entry(k).or_default(), start, part);
        }
        store.ensure_values(&keys(), &contents)
    })
}

/// A part beyond the largest possible offset is an error, and nothing is written to its key.
pub(super) fn outside(subject: &Subject, _: &Settings) -> Verdict {
    for start in [u64::MAX, u64::MAX - 1] {
        let (store, k) = (subject.empty()?, key("a/b")?);
        store.set(&k, b"old")?;
        let parts: [(Key, u64, &[u8]); 2] = [(k.clone(), 0, b"NEW"), (k.clone(), start, b"NEW")];
        let done = store.writer()?.set_partial_values(&parts);
        ensure(done.is_err(), || format!("a part is written at byte {start}"))?;
        store.ensure_value(&k, b"old")?;
    }
    Ok(())
}
