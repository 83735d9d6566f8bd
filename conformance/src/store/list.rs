//! Properties of `list`, `list_prefix` and `list_dir`.

use super::{
    Contents, Subject,
    inputs::{any_key, contents, key, keys, listing, odd_contents, prefixes},
    tested::{Tested, same},
};
use crate::check::{Settings, Verdict};
use ozarr::zarr_core::store::{Key, Prefix};
use proptest::{collection, prelude::*};
use std::collections::BTreeSet;

fn lists(store: &Tested, contents: &Contents) -> Verdict {
    same(|| "the list of all keys".to_owned(), &store.list()?, &contents.keys().cloned().collect())
}

/// Exactly the keys with values are listed.
pub(super) fn all(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list/all", contents(), |contents| lists(&subject.with(&contents)?, &contents))
}

/// Unusual keys are listed too, but not those that the store refuses.
pub(super) fn odd_keys(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list/odd-keys", odd_contents(), |mut contents| {
        if subject.make_with.is_some() {
            return lists(&subject.with(&contents)?, &contents);
        }
        let store = subject.empty()?;
        let writer = store.writer()?;
        contents.retain(|k, v| writer.set(k, v).is_ok());
        lists(&store, &contents)
    })
}

/// Erased keys are not listed.
pub(super) fn erased(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list/erased", (contents(), collection::vec(any_key(), 1..8)), |(mut contents, erased)| {
        let store = subject.with(&contents)?;
        for k in erased {
            store.erase(&k)?;
            contents.remove(&k);
        }
        lists(&store, &contents)
    })
}

/// Nothing else is listed, however the keys were created, not even after a failure.
pub(super) fn orphans(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list/orphans", (any_key(), 0u8..5), |(k, how)| {
        let store = subject.empty()?;
        store.set(&k, b"value")?;
        match how {
            0 => store.set(&k, b"other")?,
            1 => _ = store.set_if_absent(&k, b"other")?,
            2 => store.set_partial_values(&[(k.clone(), 1, b"other")])?,
            3 => {
                // Another property checks the result.
                let _refused = store.writer()?.set_partial_values(&[(k.clone(), u64::MAX, b"other")]);
            }
            _ => {
                let _may_be_refused = store.writer()?.set(&key(&format!("{k}/below"))?, b"other");
                store.erase(&key(&format!("{k}/below"))?)?;
            }
        }
        lists(&store, &[(k, Vec::new())].into())
    })
}

/// Exactly the keys with a prefix are listed: `b/` does not include `bb/c`.
pub(super) fn prefix(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list-prefix/any", contents(), |contents| {
        let store = subject.with(&contents)?;
        for p in prefixes().into_iter().chain([Prefix::ROOT]) {
            let expected: BTreeSet<Key> =
                contents.keys().filter(|k| k.as_str().starts_with(p.as_str())).cloned().collect();
            same(|| format!("the list of the keys with {:?}", p.as_str()), &store.list_prefix(&p)?, &expected)?;
        }
        Ok(())
    })
}

fn lists_dirs(store: &Tested, contents: &Contents) -> Verdict {
    for p in prefixes().into_iter().chain([Prefix::ROOT]) {
        let expected = listing(contents, &p)?;
        same(|| format!("the listing directly below {:?}", p.as_str()), &store.list_dir(&p)?, &expected)?;
    }
    Ok(())
}

/// Exactly the keys and prefixes directly below a prefix are listed.
pub(super) fn dir(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("list-dir/any", contents(), |contents| lists_dirs(&subject.with(&contents)?, &contents))
}

/// A prefix without keys does not exist.
pub(super) fn dir_erased(subject: &Subject, settings: &Settings) -> Verdict {
    let which = collection::vec(any::<bool>(), 10);
    settings.each("list-dir/erased", (contents(), which, any::<bool>()), |(mut contents, which, tree)| {
        let store = subject.with(&contents)?;
        if tree {
            let p = Prefix::new("b/d/")?;
            store.erase_prefix(&p)?;
            contents.retain(|k, _| !k.as_str().starts_with(p.as_str()));
        }
        for (k, _) in keys().into_iter().zip(which).filter(|(_, erased)| *erased) {
            store.erase(&k)?;
            contents.remove(&k);
        }
        lists_dirs(&store, &contents)
    })
}
