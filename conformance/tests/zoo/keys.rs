//! Chunk key encodings that are wrong. Their parent is `default`.

use super::Animal;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use zarr_array::{
    Error, Result,
    core::{
        chunk_key_encoding::ChunkKeyEncoding,
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, Instance, Registration, Site},
        view::Dims,
    },
};

#[derive(Debug)]
struct Keys {
    name: &'static str,
    parent: Arc<dyn ChunkKeyEncoding>,
    calls: AtomicUsize,
}

impl ChunkKeyEncoding for Keys {
    fn encode(&self, cell: &[u64]) -> Result<String> {
        let key = self.parent.encode(cell)?;
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let first = cell.first().copied().unwrap_or(0);
        Ok(match self.name {
            // Beyond 9 the numbers run into each other.
            "zoo.runs-together" => key.replacen("c/", "c", 1).replace('/', ""),
            "zoo.double-slash" if first == 7 => key.replacen('/', "//", 1),
            "zoo.takes-the-document" if first == 0 && cell.len() == 1 => "zarr.json".to_owned(),
            // The last dimension's first chunk has the folder for a key.
            "zoo.nests" if cell.len() == 2 && cell[1] == 0 => format!("c/{first}"),
            "zoo.wavers" if n % 5 == 4 && cell.len() == 3 => format!("{key}+"),
            _ => key,
        })
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let cell = match self.name {
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
            return Some(cell.iter().rev().copied().collect());
        }
        Some(cell)
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
        let cell = self.parent.decode(&plain, rank)?;
        let own = Keys { name: self.name, parent: self.parent.clone(), calls: AtomicUsize::new(0) };
        (own.encode(&cell).ok()? == key || self.name == "zoo.wavers" && plain != key).then_some(cell)
    }
}

fn animal(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, site: &Site<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        let parent = site.registry.chunk_key_encoding(&Extension::short_hand("default"), site)?.object;
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
