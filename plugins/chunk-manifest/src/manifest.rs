//! What a manifest says, and the files behind it.

use crate::{
    ChunkManifest,
    location::location,
    part::Part,
    roots::{Opened, Roots},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    ops::Bound,
    path::{Path, PathBuf},
};
use zarr_plugin_api::{
    Error, ErrorKind, Json, Key, Listing, Named, Prefix, Result,
    core::{
        extension::ExtensionPoint,
        limits::{Limits, zeroed},
    },
};

/// Where the value of a key is.
#[derive(Debug)]
struct Entry {
    path: PathBuf,
    offset: u64,
    length: u64,
}

/// An entry as it is written.
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
    /// The folders to which paths are relative, in turn.
    bases: Vec<PathBuf>,
    /// By checked keys, in their order.
    entries: BTreeMap<String, Entry>,
}

impl Manifest {
    /// The manifest in a configuration.
    pub(crate) fn inline(entries: &Json, roots: Roots) -> Result<Self> {
        Ok(Self { bases: roots.folders().to_vec(), entries: read(entries)?, roots })
    }
    /// The manifest in a file.
    pub(crate) fn load(path: &str, roots: Roots, limits: &Limits) -> Result<Self> {
        let Opened { mut file, size, path } = roots.open(roots.folders(), &location(path)?)?;
        if size > limits.metadata_bytes {
            return Err(ErrorKind::Limit { what: "a chunk manifest", asked: size, limit: limits.metadata_bytes }.into());
        }
        let mut text = zeroed(usize::try_from(size).map_err(|_| ErrorKind::Memory(size))?)?;
        file.read_exact(&mut text)?;
        // An entry takes some forty bytes of text: the limit on these is one on the number of entries.
        let entries = read(&Json::parse(&text, limits)?)?;
        Ok(Self { bases: path.parent().map(Path::to_owned).into_iter().collect(), entries, roots })
    }
    /// The bytes of a key; `None` if the manifest does not have it.
    pub(crate) fn open(&self, key: &Key) -> Result<Option<Part>> {
        let Some(entry) = self.entries.get(key.as_str()) else { return Ok(None) };
        let part = entry.open(&self.roots, &self.bases, key);
        let located = |e: Error| e.at_key(key).at_extension(ExtensionPoint::StorageTransformer, ChunkManifest::NAME);
        part.map(Some).map_err(located)
    }
    fn names(&self, prefix: &Prefix) -> impl Iterator<Item = &str> {
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        let prefix = prefix.as_str().to_owned();
        self.entries.range::<str, _>(from).map(|(k, _)| k.as_str()).take_while(move |k| k.starts_with(&prefix))
    }
    /// Adds the keys with a prefix.
    pub(crate) fn list_prefix(&self, prefix: &Prefix, keys: &mut BTreeSet<Key>) -> Result<()> {
        self.names(prefix).try_for_each(|k| Key::new(k).map(|k| _ = keys.insert(k)))
    }
    /// Adds what is directly below a prefix.
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
            let what = format!("`{path}` has {size} bytes, the manifest asks for {length} from byte {offset} on");
            return Err(Error::data(what).with_hint("the file is cut short, or not the one the manifest was made for"));
        }
        Ok(Part::new(file, *offset, *length, key.clone()))
    }
}

fn read(manifest: &Json) -> Result<BTreeMap<String, Entry>> {
    let Json::Object(members) = manifest else {
        return Err(Error::configuration(format!("a manifest is an object, not {}", manifest.kind())));
    };
    let mut entries = BTreeMap::new();
    for (key, entry) in members.iter() {
        entries.insert(key.to_owned(), read_entry(key, entry).map_err(|e| e.within(key))?);
    }
    Ok(entries)
}

fn read_entry(key: &str, entry: &Json) -> Result<Entry> {
    if Key::new(key)?.as_str() == "zarr.json" {
        return Err(Error::name("`zarr.json` is the metadata document, not a key of the array's data"));
    }
    // serde would also take an array, as the members of an object without their names.
    if entry.as_object().is_none() {
        return Err(Error::configuration(format!("an entry is an object, not {}", entry.kind())));
    }
    let Written { path, offset, length } = entry.deserialize()?;
    if offset.checked_add(length).is_none() {
        return Err(Error::configuration(format!("{length} bytes from byte {offset} on end beyond 2^64")));
    }
    Ok(Entry { path: location(&path).map_err(|e| e.within("path"))?, offset, length })
}
