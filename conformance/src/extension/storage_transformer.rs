//! Properties of storage transformers: a store through a transformer behaves as a store, and several are stacked in
//! order.

use super::{Sample, Subject};
use crate::{
    check::{Check, Finding, Settings, Verdict, ensure, unsupported},
    report::Record,
    store,
};
use ozarr::{
    Error, Result,
    store::MemoryStore,
    zarr_core::{
        extension::Extension,
        registry::{Constructor, CreateContext, Intent, Notes},
        storage_transformer::{StorageTransformer, stack},
        store::{Key, Store},
    },
};
use std::sync::{Arc, Mutex, PoisonError};

const CHECKS: &[Check<Subject>] = &[
    Check { id: "lasting", clause: "transformer/no-own-state", run: |s, _| lasting(s) },
    Check { id: "stacking", clause: "transformer/stacking", run: |s, _| stacking(s) },
];

/// The first part of the ids of the store properties.
const STORE: &str = "store";
/// Their clause: if a transformer's store violates a property of stores, the transformer violates this clause.
const STORE_CLAUSE: &str = "transformer/store-properties";

/// Runs the checks of all properties; those of stores run on each sample.
pub(super) fn run(subject: &Subject, id: &str, settings: &Settings, each: &mut dyn FnMut(Record)) {
    subject.run_created(subject, CHECKS, settings, each);
    let samples = match subject.ensure_created().and_then(|()| made(subject)) {
        Ok(samples) => samples,
        Err(e) => return settings.case(&format!("{id}/{STORE}"), STORE_CLAUSE, each, || Err(e)),
    };
    for (i, (_, transformer)) in samples.into_iter().enumerate() {
        let make = move || transformer.wrap(Arc::new(MemoryStore::default()));
        let prefix = if i == 0 { format!("{id}/{STORE}") } else { format!("{id}/{STORE}-{}", i + 1) };
        let mut of_transformer = |record| each(Record { clause: STORE_CLAUSE.to_owned(), ..record });
        store::run(&store::Subject::new(make), &prefix, settings, &mut of_transformer);
    }
}

/// Returns the ids of its properties, without those of stores.
pub(super) fn properties() -> Vec<String> {
    CHECKS.iter().map(|c| format!("storage_transformer/{}", c.id)).collect()
}

fn make(subject: &Subject, extension: &Extension) -> Result<Arc<dyn StorageTransformer>> {
    let notes = Notes::default();
    let of = subject.array(&[10, 8])?;
    let cx = subject.create_context(&notes, Intent::Open).with(&of);
    let cx = CreateContext { name: extension.name(), ..cx };
    match subject.constructor() {
        Some(Constructor::StorageTransformer(make)) => Ok(make(extension, &cx)?.object),
        _ => Err(Error::argument(format!("`{}` is not a storage transformer", extension.name()))),
    }
}

type Made<'s> = (&'s Sample, Arc<dyn StorageTransformer>);

fn made(subject: &Subject) -> std::result::Result<Vec<Made<'_>>, Finding> {
    let mut found = Vec::new();
    for (sample, extension) in subject.extensions()? {
        match make(subject, &extension) {
            Ok(made) => found.push((sample, made)),
            Err(_) if sample.configuration.is_some() => {}
            Err(e) => return unsupported(e.to_string()),
        }
    }
    if found.is_empty() { unsupported("it could not be created") } else { Ok(found) }
}

/// Returns an unsupported verdict if a store through it can only be read.
pub(super) fn ensure_writes(subject: &Subject) -> Verdict {
    for (_, transformer) in made(subject)? {
        if transformer.wrap(Arc::new(MemoryStore::default()))?.writer().is_err() {
            return unsupported("nothing can be written through it");
        }
    }
    Ok(())
}

/// A value that was stored through one instance can be read through another.
fn lasting(subject: &Subject) -> Verdict {
    for (sample, _) in made(subject)? {
        let below: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let first = make(subject, &sample.extension()?)?.wrap(below.clone())?;
        let Ok(writer) = first.writer() else { return unsupported("nothing can be written through it") };
        for (key, value) in [("c/0/0", &b"one"[..]), ("c/10/3", b"two")] {
            writer.set(&Key::new(key)?, value)?;
        }
        let second = make(subject, &sample.extension()?)?.wrap(below)?;
        let got = second.reader()?.get(&Key::new("c/10/3")?)?;
        ensure(got.as_deref() == Some(b"two"), || format!("a value stored through another instance reads as {got:?}"))?;
    }
    Ok(())
}

/// A transformer that records that it was reached, and changes nothing.
#[derive(Debug)]
struct Marker(&'static str, Arc<Mutex<Vec<&'static str>>>);

impl StorageTransformer for Marker {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
        Ok(below)
    }
}

/// The array uses the first transformer in the list: it lies above those that follow, and reads what they store.
fn stacking(subject: &Subject) -> Verdict {
    for (_, transformer) in made(subject)? {
        let order = Arc::new(Mutex::new(Vec::new()));
        let marker = |name| Arc::new(Marker(name, order.clone())) as Arc<dyn StorageTransformer>;
        let below: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let all = [marker("above"), transformer.clone(), transformer.clone(), marker("below")];
        let stacked = stack(&all, below.clone())?;
        let wrapped = order.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ensure(wrapped == ["below", "above"], || format!("they are stacked in the order {wrapped:?}"))?;
        let Ok(writer) = stacked.writer() else { return unsupported("nothing can be written through it") };
        let key = Key::new("c/1/2")?;
        writer.set(&key, b"value")?;
        let got = stacked.reader()?.get(&key)?;
        ensure(got.as_deref() == Some(b"value"), || format!("through two instances, {got:?} is read"))?;
        let by_hand = transformer.wrap(transformer.wrap(below)?)?.reader()?.get(&key)?;
        ensure(by_hand == got, || "two in a list differ from one on top of the other".to_owned())?;
    }
    Ok(())
}
