//! Properties of `set` and `set_if_absent`.

use super::{
    Contents, Subject,
    inputs::{any_key, contents, key, keys, letters, odd_contents},
    tested::{Found, same},
};
use crate::check::{Finding, Settings, Verdict, broken, ensure, unsupported};
use proptest::{collection, prelude::*};

/// A value is read back as it was set, whatever its bytes are.
pub(super) fn get(subject: &Subject, settings: &Settings) -> Verdict {
    // Includes bytes with a meaning in text.
    let ends = prop_oneof![Just(&b""[..]), Just(&b"\n"[..]), Just(&b"\r\n"[..]), Just(&b"\0"[..]), Just(&b" "[..])];
    let value = (ends.clone(), collection::vec(any::<u8>(), 1..100), ends).prop_map(|(a, b, c)| [a, &b, c].concat());
    settings.each("set/get", collection::btree_map(any_key(), value, 1..10), |contents| {
        subject.with(&contents)?.ensure_values(&keys(), &contents)
    })
}

/// The last value of a key is read, whether it is shorter or longer.
pub(super) fn replaces(subject: &Subject, settings: &Settings) -> Verdict {
    let inputs = (contents(), any_key(), collection::vec(letters(1..40), 2..5));
    settings.each("set/replaces", inputs, |(mut contents, k, values)| {
        let store = subject.empty()?;
        contents.iter().try_for_each(|(k, v)| store.set(k, v))?;
        for value in values {
            store.set(&k, &value)?;
            contents.insert(k.clone(), value);
            store.ensure_values(&keys(), &contents)?;
        }
        Ok(())
    })
}

/// An empty value is a value.
pub(super) fn empty(subject: &Subject, _: &Settings) -> Verdict {
    let (k, other) = (key("a/b")?, key("a/c")?);
    let store = subject.with_one(&k, b"")?;
    store.ensure_value(&k, b"")?;
    store.open(&k)?;
    let writes = store.0.writeable().is_some();
    if writes {
        store.set(&other, b"full")?;
        store.set(&other, b"")?;
        store.ensure_value(&other, b"")?;
        ensure(!store.set_if_absent(&k, b"x")?, || "an empty value is replaced as if it were none".to_owned())?;
        store.ensure_value(&k, b"")?;
    }
    if store.0.listable().is_some() {
        ensure(store.list()?.contains(&k), || "an empty value is not listed".to_owned())?;
    }
    Ok(())
}

/// A value can be large.
pub(super) fn large(subject: &Subject, _: &Settings) -> Verdict {
    let k = key("a/b")?;
    for len in [(1 << 16) + 1, (1 << 20) + 1, 3_000_017] {
        let value: Vec<u8> = (0..len).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let found = subject.with_one(&k, &value)?.get(&k)?;
        let found = found.ok_or_else(|| Finding::Broken(format!("{len} bytes are lost")))?;
        same(|| format!("the length of {len} bytes"), &found.len(), &value.len())?;
        ensure(found == value, || format!("{len} bytes do not read back as they were set"))?;
    }
    Ok(())
}

/// Every key has its own value. A store may refuse a key, and then the key has none.
pub(super) fn odd_keys(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set/odd-keys", odd_contents(), |contents| {
        if subject.make_with.is_some() {
            let store = subject.with(&contents)?;
            return contents.iter().try_for_each(|(k, v)| store.ensure_value(k, v));
        }
        let (store, mut stored, mut refused) = (subject.empty()?, Contents::new(), Vec::new());
        let writer = store.writer()?;
        for (k, v) in contents {
            match writer.set(&k, &v) {
                Ok(()) => _ = stored.insert(k, v),
                Err(_) => refused.push(k),
            }
        }
        stored.iter().try_for_each(|(k, v)| store.ensure_value(k, v))?;
        for k in &refused {
            let found = store.reader()?.get(k);
            ensure(!matches!(found, Ok(Some(_))), || format!("{:?} was refused but has a value", k.as_str()))?;
        }
        refused.first().map_or(Ok(()), |k| unsupported(format!("it refuses keys, such as {:?}", k.as_str())))
    })
}

/// Keys that differ in case are different keys.
pub(super) fn case(subject: &Subject, _: &Settings) -> Verdict {
    apart(subject, &["foo", "FOO", "Foo", "d/x", "D/x", "\u{e9}", "\u{c9}"])
}

/// Keys that only differ in their Unicode form are different keys, although some systems treat them as equal.
pub(super) fn similar_keys(subject: &Subject, _: &Settings) -> Verdict {
    apart(subject, &["\u{e9}", "e\u{301}", "\u{df}", "ss", "k", "\u{212a}"])
}

fn apart(subject: &Subject, alike: &[&str]) -> Verdict {
    let contents = alike.iter().map(|k| Ok((key(k)?, k.as_bytes().to_vec()))).collect::<Found<Contents>>()?;
    let store = subject.with(&contents)?;
    contents.iter().try_for_each(|(k, v)| store.ensure_value(k, v))
}

/// A key may be a directory of another key. A store that cannot store both refuses the second, and loses nothing.
pub(super) fn key_and_prefix(subject: &Subject, _: &Settings) -> Verdict {
    let (short, long) = (key("a/b")?, key("a/b/c/d")?);
    let mut refused = None;
    let pairs = [(&short, &long), (&long, &short)];
    for ((first, second), way) in pairs.into_iter().flat_map(|pair| (0..3).map(move |way| (pair, way))) {
        let store = subject.empty()?;
        store.set(first, b"first")?;
        let writer = store.writer()?;
        let done = match way {
            0 => writer.set(second, b"second"),
            1 => writer.set_if_absent(second, b"second").map(|_| ()),
            _ => writer.set_partial_values(&[(second.clone(), 0, b"second")]),
        };
        store.ensure_value(first, b"first")?;
        match done {
            Ok(()) => store.ensure_value(second, b"second")?,
            Err(_) => {
                refused = Some(format!("{second} together with {first}"));
                if !store.refuses_prefix(second, &[(first.clone(), Vec::new())].into())? {
                    store.ensure_value_or_none(second, None)?;
                }
            }
        }
    }
    refused.map_or(Ok(()), |which| unsupported(format!("it refuses {which}")))
}

/// A value belongs to its key alone: neither the caller's memory nor the value of another key changes it.
pub(super) fn aliasing(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set/aliasing", (letters(1..20), 0usize..2), |(value, changed)| {
        let store = subject.empty()?;
        let pair = [key("a/b")?, key("a/c")?];
        let mut buffer = value.clone();
        store.set(&pair[0], &buffer)?;
        store.set(&pair[1], &buffer)?;
        buffer.fill(b'#');
        pair.iter().try_for_each(|k| store.ensure_value(k, &value))?;
        store.set(&key("other")?, &buffer)?;
        buffer.fill(b'!');
        store.ensure_value(&key("other")?, &vec![b'#'; value.len()])?;
        let mut got = store.get(&pair[0])?.unwrap_or_default();
        got.fill(b'?');
        pair.iter().try_for_each(|k| store.ensure_value(k, &value))?;
        store.set_partial_values(&[(pair[changed].clone(), 0, b"X")])?;
        store.ensure_value(&pair[1 - changed], &value)?;
        store.erase(&pair[changed])?;
        store.ensure_value(&pair[1 - changed], &value)
    })
}

/// A value is only stored where there is none; the result states whether it was stored.
pub(super) fn if_absent(subject: &Subject, settings: &Settings) -> Verdict {
    let inputs = (contents(), any_key(), letters(1..20), letters(1..20));
    settings.each("set-if-absent/one-after-another", inputs, |(mut contents, k, new, other)| {
        let store = subject.empty()?;
        contents.iter().try_for_each(|(k, v)| store.set(k, v))?;
        // Also if the value is equal to the existing one.
        for value in [new.clone(), new, other] {
            let absent = !contents.contains_key(&k);
            if store.set_if_absent(&k, &value)? != absent {
                return broken(format!("set_if_absent returns {}, which is wrong", !absent));
            }
            contents.entry(k.clone()).or_insert(value);
            store.ensure_values(&keys(), &contents)?;
        }
        Ok(())
    })
}
