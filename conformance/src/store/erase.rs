//! Properties of `erase`, `erase_values` and `erase_prefix`.

use super::{
    Subject,
    inputs::{self, any_key, any_prefix, contents, key, keys},
    tested::done,
};
use crate::check::{Settings, Verdict};
use ozarr::zarr_core::store::{Key, Prefix};
use proptest::{collection, prelude::*, sample::Index};

/// An erased key is removed together with its value, and no other key is.
pub(super) fn removes(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase/removes", (contents(), any::<Index>()), |(mut contents, which)| {
        let all: Vec<Key> = contents.keys().cloned().collect();
        if all.is_empty() {
            return Ok(());
        }
        let (store, k) = (subject.with(&contents)?, which.get(&all));
        store.set(k, b"newer")?;
        store.erase(k)?;
        contents.remove(k);
        store.ensure_values(&keys(), &contents)
    })
}

/// Erasing a missing key succeeds and removes nothing: a prefix is not a key.
pub(super) fn missing(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase/missing", contents(), |contents| {
        let store = subject.with(&contents)?;
        for absent in ["b", "b/d", "c/0", "c", "a/x", "b/c/x/y", "none", "none/such"] {
            store.erase(&key(absent)?)?;
            store.ensure_values(&keys(), &contents)?;
        }
        Ok(())
    })
}

/// Several keys can be erased at once, even if some are missing.
pub(super) fn values(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase/values", (contents(), collection::vec(any_key(), 0..8)), |(mut contents, erased)| {
        let store = subject.with(&contents)?;
        done(store.writer()?.erase_values(&erased))?;
        contents.retain(|k, _| !erased.contains(k));
        store.ensure_values(&keys(), &contents)
    })
}

/// All keys with a prefix are removed, and no others: `b/` is not a prefix of `bb/c` or `b.c`.
pub(super) fn prefix(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase-prefix/removes", (contents(), any_prefix()), |(mut contents, p)| {
        if !contents.keys().any(|k| k.as_str().starts_with(p.as_str())) {
            return Ok(());
        }
        let store = subject.with(&contents)?;
        store.erase_prefix(&p)?;
        contents.retain(|k, _| !k.as_str().starts_with(p.as_str()));
        store.ensure_values(&keys(), &contents)
    })
}

/// The root is a prefix of all keys.
pub(super) fn all(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase-prefix/all", contents(), |contents| {
        let store = subject.with(&contents)?;
        store.erase_prefix(&Prefix::ROOT)?;
        store.ensure_values(&keys(), &Default::default())
    })
}

/// Erasing a prefix without keys succeeds and removes nothing: a key is not a prefix.
pub(super) fn prefix_missing(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("erase-prefix/missing", contents(), |contents| {
        let store = subject.with(&contents)?;
        for absent in ["a/", "a/x/", "b/c/", "c/0/1/", "none/", "none/such/"] {
            store.erase_prefix(&inputs::prefix(absent)?)?;
            store.ensure_values(&keys(), &contents)?;
        }
        Ok(())
    })
}
