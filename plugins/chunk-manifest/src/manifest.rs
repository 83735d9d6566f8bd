//! A manifest, and the files that it refers to.

use crate::{
    ChunkManifest,
    location::location,
    part::Part,
    roots::{Opened, Roots},
};
use serde::Deserialize;
use std::{
    collections::{BTreeSet, HashMap},
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_plugin_api::{
    Error, ErrorKind, ExtensionType, Json, Key, Listing, Prefix, Result,
    zarr_core::{
        extension::ExtensionPoint,
        limits::{Limits, zeroed},
    },
};

/// The place of the value of a key.
#[derive(Debug)]
struct Entry {
    /// Shared by all entries of a file.
    path: Arc<Path>,
    offset: u64,
    length: u64,
}

/// An entry as it is written in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    path: String,
    offset: u64,
    length: u64,
}

#[derive(Debug)]
pub(crate) struct Manifest {
    roots: Roots,
    /// The folders to which paths are relative, in order of preference.
    bases: Vec<PathBuf>,
    /// Sorted by their keys, which are checked. A sorted list needs half the memory of a tree.
    entries: Vec<(Box<str>, Entry)>,
}

impl Manifest {
    /// Returns the manifest in a configuration.
    pub(crate) fn inline(entries: &Json, roots: Roots) -> Result<Self> {
        Ok(Self { bases: roots.folders().to_vec(), entries: read(entries)?, roots })
    }
    /// Reads the manifest from a file.
    pub(crate) fn load(path: &str, roots: Roots, limits: &Limits) -> Result<Self> {
        let Opened { mut file, size, path } = roots.open(roots.folders(), &location(path)?)?;
        if size > limits.metadata_bytes {
            return Err(ErrorKind::Limit {
                what: "the size of the chunk manifest in bytes",
                asked: size,
                limit: limits.metadata_bytes,
            }
            .into());
        }
        let mut text = zeroed(usize::try_from(size).map_err(|_| ErrorKind::Memory(size))?)?;
        file.read_exact(&mut text)?;
        // An entry needs about forty bytes of text, so the limit of the text also limits the number of entries.
        let json = Json::parse(&text, limits)?;
        drop(text);
        let entries = read(&json)?;
        Ok(Self { bases: path.parent().map(Path::to_owned).into_iter().collect(), entries, roots })
    }
    /// Opens the value of a key; `None` if the manifest does not contain the key.
    pub(crate) fn open(&self, key: &Key) -> Result<Option<Part>> {
        let Ok(at) = self.entries.binary_search_by(|(k, _)| (**k).cmp(key.as_str())) else { return Ok(None) };
        let entry = &self.entries[at].1;
        let part = entry.open(&self.roots, &self.bases, key);
        let located = |e: Error| e.at_key(key).at_extension(ExtensionPoint::StorageTransformer, ChunkManifest::NAME);
        part.map(Some).map_err(located)
    }
    fn names(&self, prefix: &Prefix) -> impl Iterator<Item = &str> {
        let from = self.entries.partition_point(|(k, _)| **k < *prefix.as_str());
        let prefix = prefix.as_str().to_owned();
        self.entries[from..].iter().map(|(k, _)| &**k).take_while(move |k| k.starts_with(&prefix))
    }
    /// Adds the keys with a prefix to `keys`.
    pub(crate) fn list_prefix(&self, prefix: &Prefix, keys: &mut BTreeSet<Key>) -> Result<()> {
        self.names(prefix).try_for_each(|k| Key::new(k).map(|k| _ = keys.insert(k)))
    }
    /// Adds the keys and prefixes directly below a prefix to `listing`.
    pub(crate) fn list_dir(&self, prefix: &Prefix, listing: &mut Listing) -> Result<()> {
        for name in self.names(prefix) {
            match name[prefix.as_str().len()..].find('/') {
                None => _ = listing.keys.insert(Key::new(name)?),
                Some(at) => _ = listing.prefixes.insert(Prefix::new(&name[..=prefix.as_str().len() + at])?),
            }
        }
        Ok(())
    }
}

impl Entry {
    fn open(&self, roots: &Roots, bases: &[PathBuf], key: &Key) -> Result<Part> {
        let Opened { file, size, .. } = roots.open(bases, &self.path)?;
        let Self { path, offset, length } = self;
        if offset.checked_add(*length).is_none_or(|end| end > size) {
            let path = path.display();
            let what = format!("cannot read {length} bytes at offset {offset} of `{path}`, which has {size} bytes");
            return Err(Error::data(what)
                .with_hint("restore the file for which the manifest was written; this one may be truncated"));
        }
        Ok(Part::new(file, *offset, *length, key.clone()))
    }
}

fn read(manifest: &Json) -> Result<Vec<(Box<str>, Entry)>> {
    let Json::Object(members) = manifest else {
        return Err(Error::configuration(format!("expected an object, found {}", manifest.kind())));
    };
    let (mut entries, mut paths) = (Vec::with_capacity(members.len()), HashMap::new());
    for (key, entry) in members.iter() {
        entries.push((key.into(), read_entry(key, entry, &mut paths).map_err(|e| e.within(key))?));
    }
    // The names in an object are unique.
    entries.sort_unstable_by(|(a, _): &(Box<str>, Entry), (b, _)| a.cmp(b));
    Ok(entries)
}

fn read_entry(key: &str, entry: &Json, paths: &mut HashMap<String, Arc<Path>>) -> Result<Entry> {
    if Key::new(key)?.as_str() == "zarr.json" {
        return Err(Error::name("`zarr.json` is reserved for the metadata document"));
    }
    // serde would also accept an array with the values of the members in order.
    if entry.as_object().is_none() {
        return Err(Error::configuration(format!("expected an object, found {}", entry.kind())));
    }
    let Written { path, offset, length } = entry.deserialize()?;
    if offset.checked_add(length).is_none() {
        return Err(Error::configuration(format!("{length} bytes at offset {offset} end beyond 2^64")));
    }
    let path = match paths.get(&path) {
        Some(same) => same.clone(),
        None => {
            let found: Arc<Path> = location(&path).map_err(|e| e.within("path"))?.into();
            paths.entry(path).or_insert(found).clone()
        }
    };
    Ok(Entry { path, offset, length })
}
