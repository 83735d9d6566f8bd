//! The cases: data that every implementation should agree on, discovered in a tree of files.
//!
//! - `POINT/EXTENSION/CASE/`: a golden array as another implementation wrote it (`array.zarr/`), its elements in C
//!   order (`elements.json`) and its origin (`case.json`).
//! - `refusal/RULE/`: a document that a reader must refuse (`refuse.json`), its valid counterpart that the reader must
//!   accept (`accept.json`), and the clause that separates the two (`rule.json`).
//! - `damage/CASE/`: an array whose stored chunks are damaged (`array.zarr/`); `case.json` contains the clause and the
//!   golden array that was damaged.

use include_dir::{Dir, DirEntry, include_dir};
use ozarr::{
    Array, Context, Error, Hierarchy, Result,
    store::MemoryStore,
    zarr_core::{
        data_type::DataType,
        json::{Json, Object},
        limits::Limits,
        store::{Key, Store},
    },
};
use std::{borrow::Cow, collections::BTreeMap, fs, path::Path, sync::Arc};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/cases");

type Bytes = Cow<'static, [u8]>;

/// All cases of a tree.
#[derive(Debug, Clone)]
pub struct Cases {
    files: BTreeMap<String, Bytes>,
}

impl Cases {
    /// Returns the cases that are built into this program.
    pub fn embedded() -> Self {
        let mut files = BTreeMap::new();
        embedded(&EMBEDDED, &mut files);
        Self { files }
    }
    /// Reads the cases below a folder.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn at(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        read(folder, "", &mut files)?;
        Ok(Self { files })
    }
    /// Returns the golden arrays, sorted by id.
    ///
    /// # Errors
    /// If one is incomplete.
    pub fn goldens(&self) -> Result<Vec<Golden>> {
        let found = self.folders("case.json").filter(|(id, _)| !id.starts_with("damage/"));
        found
            .map(|(id, about)| {
                let elements = self.file(id, "elements.json")?.clone();
                Ok(Golden { id: id.to_owned(), about: object(about, id)?, array: self.array(id)?, elements })
            })
            .collect()
    }
    /// Returns the documents to be refused, sorted by rule.
    ///
    /// # Errors
    /// If one is incomplete.
    pub fn refusals(&self) -> Result<Vec<Refusal>> {
        let found = self.folders("rule.json");
        found
            .map(|(id, about)| {
                let about = object(about, id)?;
                let rule = id.trim_start_matches("refusal/").to_owned();
                if text(&about, "rule", id)? != rule {
                    return Err(Error::metadata("the rule is not that of its folder").at_key(id));
                }
                Ok(Refusal {
                    rule,
                    clause: text(&about, "clause", id)?,
                    node: text(&about, "node", id)?,
                    refuse: self.file(id, "refuse.json")?.clone(),
                    accept: self.file(id, "accept.json")?.clone(),
                })
            })
            .collect()
    }
    /// Returns the damaged arrays, sorted by id.
    ///
    /// # Errors
    /// If one is incomplete.
    pub fn damages(&self) -> Result<Vec<Damage>> {
        let found = self.folders("case.json").filter(|(id, _)| id.starts_with("damage/"));
        found
            .map(|(id, about)| {
                let about = object(about, id)?;
                let (clause, counterpart) = (text(&about, "clause", id)?, text(&about, "counterpart", id)?);
                Ok(Damage {
                    id: id.trim_start_matches("damage/").to_owned(),
                    clause,
                    counterpart,
                    array: self.array(id)?,
                })
            })
            .collect()
    }
    /// Returns the ids of folders that contain a file of this name, each with the contents of the file.
    fn folders(&self, name: &'static str) -> impl Iterator<Item = (&str, &Bytes)> {
        self.files.iter().filter_map(move |(path, bytes)| {
            let id = path.strip_suffix(name)?.strip_suffix('/')?;
            (!id.contains("/array.zarr")).then_some((id, bytes))
        })
    }
    fn file(&self, id: &str, name: &str) -> Result<&Bytes> {
        let found = self.files.get(&format!("{id}/{name}"));
        found.ok_or_else(|| Error::argument(format!("the case {id} has no {name}")))
    }
    fn array(&self, id: &str) -> Result<Stored> {
        let prefix = format!("{id}/array.zarr/");
        let within = self.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        let files: BTreeMap<_, _> = within.map(|(path, v)| (path[prefix.len()..].to_owned(), v.clone())).collect();
        if files.contains_key("zarr.json") {
            Ok(Stored { files })
        } else {
            Err(Error::argument(format!("the case {id} has no array.zarr/zarr.json")))
        }
    }
}

/// A stored array: its keys and their values.
#[derive(Debug, Clone)]
pub struct Stored {
    files: BTreeMap<String, Bytes>,
}

impl Stored {
    /// Returns the keys and values, sorted by key.
    pub fn values(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(key, value)| (key.as_str(), &**value))
    }
    /// Returns the metadata document.
    pub fn document(&self) -> &[u8] {
        &self.files["zarr.json"]
    }
    /// Writes the array to a folder, one file for each key.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_to(&self, folder: &Path) -> Result<()> {
        for (key, value) in &self.files {
            let path = folder.join(key);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, value)?;
        }
        Ok(())
    }
    /// Opens the array from memory.
    ///
    /// # Errors
    /// If the metadata document is refused.
    pub fn open(&self, context: &Context) -> Result<Array> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        for (key, value) in &self.files {
            store.writer()?.set(&Key::new(key)?, value)?;
        }
        Hierarchy::new(store, context.clone()).array("/")
    }
}

/// A golden array: an array that another implementation wrote, with the elements that it wrote.
#[derive(Debug, Clone)]
pub struct Golden {
    /// The id of the case, such as `codec/gzip/zarr-python-level-5`.
    pub id: String,
    /// The members of `case.json`: `writer`, `generator`, `about`.
    pub about: Object,
    /// The stored array, unchanged since it was written.
    pub array: Stored,
    elements: Bytes,
}

impl Golden {
    /// Returns the elements as JSON, in C order.
    ///
    /// # Errors
    /// If `elements.json` is not a list.
    pub fn elements(&self) -> Result<Vec<Json>> {
        match Json::parse(&self.elements, &Limits::default())? {
            Json::Array(items) => Ok(items),
            other => Err(Error::metadata(format!("elements are an array, not {}", other.kind())).at_key(&self.id)),
        }
    }
    /// Returns the bytes of each element, in C order.
    ///
    /// # Errors
    /// If one is not a valid element of the data type.
    pub fn element_bytes(&self, data_type: &dyn DataType) -> Result<Vec<Vec<u8>>> {
        self.elements()?.iter().map(|e| data_type.fill_from_json(e)).collect()
    }
}

/// A document that must be refused, and its valid counterpart.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The name of the rule.
    pub rule: String,
    /// The clause that the document breaks.
    pub clause: String,
    /// The type of the node: `array` or `group`.
    pub node: String,
    /// The document that must be refused.
    pub refuse: Bytes,
    /// The valid counterpart: a valid document that differs as little as possible.
    pub accept: Bytes,
}

/// An array with damaged chunks. Reading all of it must fail.
#[derive(Debug, Clone)]
pub struct Damage {
    /// The id of the case.
    pub id: String,
    /// The clause that the array breaks.
    pub clause: String,
    /// The golden array that was damaged.
    pub counterpart: String,
    /// The damaged array.
    pub array: Stored,
}

fn embedded(dir: &'static Dir<'static>, files: &mut BTreeMap<String, Bytes>) {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => embedded(dir, files),
            DirEntry::File(file) => {
                files.insert(file.path().to_string_lossy().replace('\\', "/"), Cow::Borrowed(file.contents()));
            }
        }
    }
}

fn read(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Bytes>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|e| Error::from(e).at_key(folder.display()))? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, Cow::Owned(fs::read(entry.path())?));
        }
    }
    Ok(())
}

fn object(bytes: &[u8], id: &str) -> Result<Object> {
    match Json::parse(bytes, &Limits::default())? {
        Json::Object(members) => Ok(members),
        other => Err(Error::metadata(format!("must be an object, not {}", other.kind())).at_key(id)),
    }
}

fn text(about: &Object, member: &str, id: &str) -> Result<String> {
    let found = about.get(member).and_then(Json::as_str).filter(|text| !text.is_empty());
    found.map(str::to_owned).ok_or_else(|| Error::metadata("must be a text").within(member).at_key(id))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test that is how to fail")]
mod tests {
    use super::*;

    #[test]
    fn embedded_cases_match_the_files() {
        let tree = Cases::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap();
        assert_eq!(Cases::embedded().files, tree.files);
    }
    #[test]
    fn incomplete_cases_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [("codec/x/y/case.json", "{}"), ("codec/x/y/array.zarr/zarr.json", "{}")] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let e = Cases::at(dir.path()).unwrap().goldens().unwrap_err();
        assert!(e.to_string().contains("codec/x/y has no elements.json"), "{e}");
    }
}
