//! Properties of `update`.

use super::{
    Subject,
    inputs::{any_key, contents, keys, letters},
    tested::{Found, done},
};
use crate::check::{Settings, Verdict, ensure};
use ozarr::{
    Error, Result,
    zarr_core::{
        source::Source,
        store::{Key, Update, WriteableStore, whole},
    },
};
use proptest::option;

/// A change by a function of the bytes.
struct By<F>(F, Option<Vec<u8>>);

impl<F: FnMut(Option<Vec<u8>>) -> Result<Option<Vec<u8>>>> Update for By<F> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        self.1 = (self.0)(old.map(whole).transpose()?)?;
        Ok(self.1.as_deref())
    }
}

/// Changes a value by a function of its bytes.
pub(super) fn by(
    store: &dyn WriteableStore,
    key: &Key,
    change: impl FnMut(Option<Vec<u8>>) -> Result<Option<Vec<u8>>>,
) -> Result<()> {
    store.update(key, &mut By(change, None))
}

/// The new value depends on the old one. There may be no value before, and none after.
pub(super) fn changes(subject: &Subject, settings: &Settings) -> Verdict {
    let inputs = (contents(), any_key(), option::of(letters(0..40)));
    settings.each("update/changes", inputs, |(mut contents, k, new)| {
        let store = subject.with(&contents)?;
        let mut seen = None;
        done(by(store.writer()?, &k, |old| {
            seen = Some(old);
            Ok(new.clone())
        }))?;
        ensure(seen.as_ref() == Some(&contents.get(&k).cloned()), || {
            format!("the change of {:?} receives {seen:?}, not {:?}", k.as_str(), contents.get(&k))
        })?;
        match new {
            Some(new) => contents.insert(k, new),
            None => contents.remove(&k),
        };
        store.ensure_values(&keys(), &contents)
    })
}

/// A change that fails leaves the value unchanged, and its error is the error of the update.
pub(super) fn fails(subject: &Subject, settings: &Settings) -> Verdict {
    settings.each("update/fails", (contents(), any_key()), |(contents, k)| {
        let store = subject.with(&contents)?;
        let failed = by(store.writer()?, &k, |_| Err(Error::argument("it does not like that")));
        ensure(failed.is_err_and(|e| e.to_string().contains("does not like")), || {
            "a change that fails does not fail the update, or not with its error".to_owned()
        })?;
        store.ensure_values(&keys(), &contents)
    })
}

/// Appends a letter to a value.
pub(super) fn append(store: &dyn WriteableStore, key: &Key, letter: u8) -> Found<()> {
    done(by(store, key, |old| Ok(Some([old.unwrap_or_default(), vec![letter]].concat()))))
}
