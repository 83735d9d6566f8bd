//! Properties that hold after any sequence of operations.

use super::{
    Contents, Subject,
    inputs::{any_key, any_prefix, contents, keys, letters, overlay, prefix},
    tested::{Tested, same},
};
use crate::check::{Finding, Settings, Verdict, ensure};
use ozarr::zarr_core::store::{Key, Prefix};
use proptest::{collection, prelude::*};

#[derive(Debug, Clone)]
enum Step {
    Set(Key, Vec<u8>),
    SetIfAbsent(Key, Vec<u8>),
    SetPartial(Key, u64, Vec<u8>),
    Erase(Key),
    ErasePrefix(Prefix),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any_key(), letters(1..9)).prop_map(|(k, v)| Step::Set(k, v)),
        (any_key(), letters(1..9)).prop_map(|(k, v)| Step::SetIfAbsent(k, v)),
        (any_key(), 0u64..9, letters(1..9)).prop_map(|(k, start, v)| Step::SetPartial(k, start, v)),
        any_key().prop_map(Step::Erase),
        any_prefix().prop_map(Step::ErasePrefix),
    ]
}

impl Step {
    fn take(self, store: &Tested, contents: &mut Contents) -> Verdict {
        match self {
            Self::Set(k, v) => {
                store.set(&k, &v)?;
                contents.insert(k, v);
            }
            Self::SetIfAbsent(k, v) => {
                same(
                    || "whether it was absent".to_owned(),
                    &store.set_if_absent(&k, &v)?,
                    &!contents.contains_key(&k),
                )?;
                contents.entry(k).or_insert(v);
            }
            Self::SetPartial(k, start, v) => {
                store.set_partial_values(&[(k.clone(), start, &v)])?;
                overlay(contents.entry(k).or_default(), start, &v);
            }
            Self::Erase(k) => {
                store.erase(&k)?;
                contents.remove(&k);
            }
            Self::ErasePrefix(p) => {
                store.erase_prefix(&p)?;
                contents.retain(|k, _| !k.as_str().starts_with(p.as_str()));
            }
        }
        Ok(())
    }
}

/// After any operations, a store has the same contents as a map.
pub(super) fn any(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set/any-sequence", collection::vec(step(), 0..100), |steps| {
        let (store, mut contents) = (subject.empty()?, Contents::new());
        for step in steps {
            step.take(&store, &mut contents)?;
            store.ensure_values(&keys(), &contents)?;
        }
        Ok(())
    })
}

/// The contents outlive the store.
pub(super) fn reopen(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("set/reopen", (contents(), any_key()), |(mut contents, gone)| {
        let store = subject.with(&contents)?;
        if store.0.writeable().is_some() {
            store.erase(&gone)?;
            contents.remove(&gone);
        }
        subject.again(&store)?.ensure_values(&keys(), &contents)
    })
}

/// The URI of a store is always the same for one place, and differs for every other place.
pub(super) fn uri(subject: &Subject, _: &Settings) -> Verdict {
    let (one, other) = (subject.empty()?, subject.empty()?);
    let places = ["", "a/", "a/b/", "ab/"].map(prefix).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = Vec::new();
    for (store, what) in [(&one, "one store"), (&other, "another")] {
        for p in &places {
            let name = store.0.uri(p);
            same(|| format!("the URI of {p:?} the second time"), &store.0.uri(p), &name)?;
            ensure(!names.contains(&name), || format!("{name:?} is the URI of two places, the last {p:?} of {what}"))?;
            names.push(name);
        }
    }
    let again = match subject.again(&one) {
        Err(Finding::Unsupported(_)) => return Ok(()),
        again => again?,
    };
    places
        .iter()
        .try_for_each(|p| same(|| format!("the URI of {p:?} of the reopened store"), &again.0.uri(p), &one.0.uri(p)))
}
