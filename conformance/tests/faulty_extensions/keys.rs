//! Faulty chunk key encodings. They wrap `default`.

use super::Fixture;
use ozarr::{
    Error, Result,
    zarr_core::{
        chunk_key_encoding::ChunkKeyEncoding,
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, CreateContext, Instance, Registration},
        view::Dims,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

#[derive(Debug)]
struct Keys {
    name: &'static str,
    wrapped: Arc<dyn ChunkKeyEncoding>,
    calls: AtomicUsize,
}

impl ChunkKeyEncoding for Keys {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        let key = self.wrapped.encode(chunk_index)?;
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let first = chunk_index.first().copied().unwrap_or(0);
        Ok(match self.name {
            // Indices of more than one digit run together, so that keys are ambiguous.
            "test.runs-together" => key.replacen("c/", "c", 1).replace('/', ""),
            "test.double-slash" if first == 7 => key.replacen('/', "//", 1),
            "test.uses-the-document-key" if first == 0 && chunk_index.len() == 1 => "zarr.json".to_owned(),
            // The key of the first chunk along the last dimension is the folder of other keys.
            "test.nested-keys" if chunk_index.len() == 2 && chunk_index[1] == 0 => format!("c/{first}"),
            "test.unstable-keys" if n % 5 == 4 && chunk_index.len() == 3 => format!("{key}+"),
            _ => key,
        })
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let chunk_index = match self.name {
            // Accepts the key of a chunk with anything around it.
            "test.accepts-any-key" => {
                let trimmed = key.trim().trim_end_matches(['-', '+', '.', ' ']);
                self.wrapped.decode(trimmed, rank)?
            }
            "test.runs-together"
            | "test.double-slash"
            | "test.uses-the-document-key"
            | "test.nested-keys"
            | "test.unstable-keys" => {
                return self.undo(key, rank);
            }
            _ => self.wrapped.decode(key, rank)?,
        };
        if self.name == "test.reverses-indices" {
            return Some(chunk_index.iter().rev().copied().collect());
        }
        Some(chunk_index)
    }
}

impl Keys {
    /// Decodes its own keys, where they are unambiguous.
    fn undo(&self, key: &str, rank: usize) -> Option<Dims> {
        let plain = match self.name {
            "test.double-slash" => key.replacen("//", "/", 1),
            "test.uses-the-document-key" if key == "zarr.json" => "c/0".to_owned(),
            "test.nested-keys" if rank == 2 && key.matches('/').count() == 1 => format!("{key}/0"),
            "test.unstable-keys" => key.trim_end_matches('+').to_owned(),
            _ => key.to_owned(),
        };
        let chunk_index = self.wrapped.decode(&plain, rank)?;
        let copy = Keys { name: self.name, wrapped: self.wrapped.clone(), calls: AtomicUsize::new(0) };
        (copy.encode(&chunk_index).ok()? == key || self.name == "test.unstable-keys" && plain != key)
            .then_some(chunk_index)
    }
}

fn faulty(name: &'static str, caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        let wrapped = cx.registry.chunk_key_encoding(&Extension::short_hand("default"), cx)?.object;
        let made = Keys { name, wrapped, calls: AtomicUsize::new(0) };
        Ok(Instance::new(Arc::new(made) as Arc<dyn ChunkKeyEncoding>, Box::new(Json::Object(Object::new()))))
    };
    let registration = Registration::new(name, "the tests", Constructor::ChunkKeyEncoding(Arc::new(make)));
    Fixture { name, registration, samples: &["configuration = '{}'"], caught }
}

pub(crate) fn counterpart() -> Fixture {
    faulty("test.default", &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        faulty("test.runs-together", &["injective", "decode"]),
        faulty("test.double-slash", &["valid"]),
        faulty("test.uses-the-document-key", &["no-escape"]),
        faulty("test.nested-keys", &["no-nesting"]),
        faulty("test.reverses-indices", &["decode", "*foreign-keys"]),
        faulty("test.accepts-any-key", &["foreign-keys"]),
        faulty("test.unstable-keys", &["deterministic", "*decode", "*injective", "*foreign-keys"]),
    ]
}
