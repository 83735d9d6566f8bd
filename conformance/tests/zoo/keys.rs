//! Chunk key encodings that are wrong. Their parent is `default`.

use super::Animal;
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
    parent: Arc<dyn ChunkKeyEncoding>,
    calls: AtomicUsize,
}

impl ChunkKeyEncoding for Keys {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        let key = self.parent.encode(chunk_index)?;
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let first = chunk_index.first().copied().unwrap_or(0);
        Ok(match self.name {
            // Beyond 9 the numbers run into each other.
            "zoo.runs-together" => key.replacen("c/", "c", 1).replace('/', ""),
            "zoo.double-slash" if first == 7 => key.replacen('/', "//", 1),
            "zoo.takes-the-document" if first == 0 && chunk_index.len() == 1 => "zarr.json".to_owned(),
            // The last dimension's first chunk has the folder for a key.
            "zoo.nests" if chunk_index.len() == 2 && chunk_index[1] == 0 => format!("c/{first}"),
            "zoo.wavers" if n % 5 == 4 && chunk_index.len() == 3 => format!("{key}+"),
            _ => key,
        })
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let chunk_index = match self.name {
            // The key of a cell, with anything around it.
            "zoo.takes-any-key" => {
                let trimmed = key.trim().trim_end_matches(['-', '+', '.', ' ']);
                self.parent.decode(trimmed, rank)?
            }
            "zoo.runs-together" | "zoo.double-slash" | "zoo.takes-the-document" | "zoo.nests" | "zoo.wavers" => {
                return self.undo(key, rank);
            }
            _ => self.parent.decode(key, rank)?,
        };
        if self.name == "zoo.turns-round" {
            return Some(chunk_index.iter().rev().copied().collect());
        }
        Some(chunk_index)
    }
}

impl Keys {
    /// What its own keys mean, where one can tell.
    fn undo(&self, key: &str, rank: usize) -> Option<Dims> {
        let plain = match self.name {
            "zoo.double-slash" => key.replacen("//", "/", 1),
            "zoo.takes-the-document" if key == "zarr.json" => "c/0".to_owned(),
            "zoo.nests" if rank == 2 && key.matches('/').count() == 1 => format!("{key}/0"),
            "zoo.wavers" => key.trim_end_matches('+').to_owned(),
            _ => key.to_owned(),
        };
        let chunk_index = self.parent.decode(&plain, rank)?;
        let own = Keys { name: self.name, parent: self.parent.clone(), calls: AtomicUsize::new(0) };
        (own.encode(&chunk_index).ok()? == key || self.name == "zoo.wavers" && plain != key).then_some(chunk_index)
    }
}

fn animal(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        let parent = cx.registry.chunk_key_encoding(&Extension::short_hand("default"), cx)?.object;
        let made = Keys { name, parent, calls: AtomicUsize::new(0) };
        Ok(Instance::new(Arc::new(made) as Arc<dyn ChunkKeyEncoding>, Box::new(Json::Object(Object::new()))))
    };
    let registration = Registration::new(name, "the zoo", Constructor::ChunkKeyEncoding(Arc::new(make)));
    Animal { name, registration, samples: &["configuration = '{}'"], caught }
}

pub(crate) fn parent() -> Animal {
    animal("zoo.default", &[])
}

pub(crate) fn animals() -> Vec<Animal> {
    vec![
        animal("zoo.runs-together", &["injective", "decode"]),
        animal("zoo.double-slash", &["valid"]),
        animal("zoo.takes-the-document", &["no-escape"]),
        animal("zoo.nests", &["no-nesting"]),
        animal("zoo.turns-round", &["decode", "*foreign-keys"]),
        animal("zoo.takes-any-key", &["foreign-keys"]),
        animal("zoo.wavers", &["deterministic", "*decode", "*injective", "*foreign-keys"]),
    ]
}
