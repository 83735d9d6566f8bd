//! Properties of chunk key encodings: every chunk has a unique key, which every store accepts and which never belongs
//! to another node.

use super::{Sample, Subject};
use crate::check::{Check, Finding, Settings, Verdict, ensure, unsupported};
use crate::elements::indices;
use ozarr::zarr_core::{
    chunk_key_encoding::ChunkKeyEncoding,
    registry::{Intent, Notes},
    store::Key,
};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    thread::ScopedJoinHandle,
};

pub(super) const CHECKS: &[Check<Subject>] = &[
    Check { id: "injective", clause: "keys/injective", run: injective },
    Check { id: "valid", clause: "keys/valid", run: valid },
    Check { id: "no-escape", clause: "keys/no-escape", run: no_escape },
    Check { id: "no-nesting", clause: "keys/no-nesting", run: no_nesting },
    Check { id: "decode", clause: "keys/injective", run: decode },
    Check { id: "foreign-keys", clause: "contract/no-panic", run: foreign_keys },
    Check { id: "deterministic", clause: "contract/deterministic", run: deterministic },
];

type Made<'s> = (&'s Sample, Vec<u64>, Arc<dyn ChunkKeyEncoding>);

fn made(subject: &Subject) -> Result<Vec<Made<'_>>, Finding> {
    let (mut found, notes) = (Vec::new(), Notes::default());
    for (sample, extension) in subject.extensions()? {
        for shape in [&[][..], &[40], &[12, 30], &[3, 4, 5]] {
            let of = subject.array(shape)?;
            let cx = subject.create_context(&notes, Intent::Open).with(&of);
            if let Ok(made) = subject.registry.chunk_key_encoding(&extension, &cx) {
                found.push((sample, shape.to_vec(), made.object));
            }
        }
    }
    if found.is_empty() { unsupported("it could not be created") } else { Ok(found) }
}

/// Returns chunk indices, small and large.
fn chunk_index(rank: usize) -> impl Strategy<Value = Vec<u64>> + Clone {
    vec(prop_oneof![4 => 0u64..130, 1 => any::<u64>(), 1 => Just(u64::MAX)], rank)
}

fn each(
    subject: &Subject,
    settings: &Settings,
    property: &str,
    f: impl Fn(&dyn ChunkKeyEncoding, &[u64]) -> Verdict,
) -> Verdict {
    let many = Settings { cases: settings.cases.saturating_mul(4), ..settings.clone() };
    for (sample, shape, encoding) in made(subject)? {
        let mut near = indices(&shape);
        near.try_for_each(|chunk_index| f(&*encoding, &chunk_index))?;
        let property = format!("{} {property} {:?} {}", subject.id(), sample.configuration, shape.len());
        many.each(&property, chunk_index(shape.len()), |chunk_index| f(&*encoding, &chunk_index))?;
    }
    Ok(())
}

/// No two chunks have the same key.
fn injective(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, shape, encoding) in made(subject)? {
        let mut seen = BTreeMap::new();
        for chunk_index in indices(&shape) {
            let key = encoding.encode(&chunk_index)?;
            let other = seen.insert(key.clone(), chunk_index.clone());
            ensure(other.is_none(), || format!("chunks {other:?} and {chunk_index:?} have the key {key}"))?;
        }
        let property = format!("{} injective {:?} {}", subject.id(), sample.configuration, shape.len());
        settings.each(&property, (chunk_index(shape.len()), chunk_index(shape.len())), |(a, b)| {
            let (keys, same) = ((encoding.encode(&a)?, encoding.encode(&b)?), a == b);
            ensure((keys.0 == keys.1) == same, || {
                format!("chunks {a:?} and {b:?} have the keys {} and {}", keys.0, keys.1)
            })
        })?;
    }
    Ok(())
}

/// Every key is one that stores accept.
fn valid(subject: &Subject, settings: &Settings) -> Verdict {
    each(subject, settings, "valid", |encoding, chunk_index| {
        let key = encoding.encode(chunk_index)?;
        Key::new(&key).map(drop).map_err(|e| Finding::Broken(format!("chunk {chunk_index:?}: {e}")))
    })
}

/// No key is that of the node's metadata, or leads out of the node.
fn no_escape(subject: &Subject, settings: &Settings) -> Verdict {
    each(subject, settings, "no-escape", |encoding, chunk_index| {
        let key = encoding.encode(chunk_index)?;
        let mut parts = key.split('/');
        let within =
            !key.starts_with('/') && parts.all(|p| p != ".." && p != "." && p != "zarr.json") && !key.starts_with("__");
        ensure(within, || format!("chunk {chunk_index:?} has the key {key}, which does not belong to it alone"))
    })
}

/// No key is a folder of another key, which not every store supports.
fn no_nesting(subject: &Subject, _: &Settings) -> Verdict {
    for (_, shape, encoding) in made(subject)? {
        let mut keys = BTreeSet::new();
        for i in 0..130 {
            for d in 0..shape.len().max(1) {
                let mut chunk_index = vec![1; shape.len()];
                if let Some(at) = chunk_index.get_mut(d) {
                    *at = i;
                }
                keys.insert(encoding.encode(&chunk_index)?);
            }
        }
        for key in &keys {
            let below = format!("{key}/");
            let nested = keys.range(below.clone()..).next().filter(|k| k.starts_with(&below));
            ensure(nested.is_none(), || format!("the key {key} is a directory of {nested:?}"))?;
        }
    }
    Ok(())
}

/// Decoding a key returns its chunk index.
fn decode(subject: &Subject, settings: &Settings) -> Verdict {
    each(subject, settings, "decode", |encoding, chunk_index| {
        let key = encoding.encode(chunk_index)?;
        let found = encoding.decode(&key, chunk_index.len());
        ensure(found.as_deref() == Some(chunk_index), || {
            format!("the key {key} of chunk {chunk_index:?} is taken for that of {found:?}")
        })
    })
}

/// Any other key decodes to no chunk, or to the chunk to which the key belongs.
fn foreign_keys(subject: &Subject, settings: &Settings) -> Verdict {
    let many = Settings { cases: settings.cases.saturating_mul(8), ..settings.clone() };
    for (sample, shape, encoding) in made(subject)? {
        let property = format!("{} foreign-keys {:?} {}", subject.id(), sample.configuration, shape.len());
        let near = chunk_index(shape.len()).prop_map({
            let encoding = encoding.clone();
            move |chunk_index| encoding.encode(&chunk_index).unwrap_or_default()
        });
        let changed = (near, any::<prop::sample::Index>(), "[0c/.+ -]").prop_map(|(mut key, at, with)| {
            let at = at.index(key.len() + 1);
            key.insert_str(if key.is_char_boundary(at) { at } else { 0 }, &with);
            key
        });
        let keys = prop_oneof!["[c0-9/. ]{0,12}", "\\PC{0,8}", changed];
        many.each(&property, keys, |key| {
            let Some(chunk_index) = encoding.decode(&key, shape.len()) else { return Ok(()) };
            let canonical = encoding.encode(&chunk_index)?;
            ensure(canonical == key, || {
                format!("{key} is taken for the key of chunk {chunk_index:?}, which is {canonical}")
            })
        })?;
    }
    Ok(())
}

/// A chunk always has the same key.
fn deterministic(subject: &Subject, settings: &Settings) -> Verdict {
    each(subject, settings, "deterministic", |encoding, chunk_index| {
        let key = encoding.encode(chunk_index)?;
        let again = std::thread::scope(|scope| {
            let all: Vec<_> = (0..3).map(|_| scope.spawn(|| encoding.encode(chunk_index))).collect();
            all.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        let same = again.iter().all(|k| matches!(k, Ok(Ok(k)) if *k == key));
        ensure(same, || format!("chunk {chunk_index:?} has the key {key} and others"))
    })
}
