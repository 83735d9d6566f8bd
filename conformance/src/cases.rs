//! Finding cases: `cases/<extension point>/<name>/<case>/` holds an array as another implementation wrote it, and its
//! elements; `cases/refusal/<rule>/` a document to be refused, and its twin to be accepted.

use std::{
    fs,
    path::{Path, PathBuf},
};
use zarr_array::{
    Array, Error, Hierarchy, Result,
    core::{
        data_type::DataType,
        json::Json,
        layout::Layout,
        limits::Limits,
        view::{Handle, Heap, ViewMut},
    },
};

/// The folder of all cases.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// A golden array.
#[derive(Debug, Clone)]
pub struct Golden {
    /// `codec/gzip/zarr-python-level-5`
    pub id: String,
    /// Its folder.
    pub dir: PathBuf,
}

impl Golden {
    /// All of them, sorted.
    ///
    /// # Errors
    /// When a folder cannot be read, or there is none.
    pub fn all() -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for point in ["data_type", "codec", "chunk_grid", "chunk_key_encoding"] {
            for name in folders(&root().join(point))? {
                for dir in folders(&name)? {
                    let id = dir.strip_prefix(root()).unwrap_or(&dir).to_string_lossy().replace('\\', "/");
                    found.push(Self { id, dir });
                }
            }
        }
        if found.is_empty() { Err(Error::argument("there are no golden cases")) } else { Ok(found) }
    }
    /// The store that the array is the root of.
    pub fn store(&self) -> PathBuf {
        self.dir.join("array.zarr")
    }
    /// The array.
    pub fn open(&self) -> Result<Array> {
        Hierarchy::open_read_only(&self.store().to_string_lossy())?.array("/")
    }
    /// The elements as JSON, in C order.
    pub fn elements(&self) -> Result<Vec<Json>> {
        let text = fs::read(self.dir.join("elements.json"))?;
        match Json::parse(&text, &Limits::default())? {
            Json::Array(items) => Ok(items),
            other => Err(Error::metadata(format!("elements are an array, not {}", other.kind()))),
        }
    }
    /// The elements as their bytes.
    pub fn element_bytes(&self, data_type: &dyn DataType) -> Result<Vec<Vec<u8>>> {
        self.elements()?.iter().map(|e| data_type.fill_from_json(e)).collect()
    }
}

/// A document that must be refused, and its twin.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The rule that it breaks.
    pub rule: String,
    /// The document.
    pub refuse: Vec<u8>,
    /// As near as can be, and right.
    pub accept: Vec<u8>,
}

impl Refusal {
    /// All of them, sorted.
    pub fn all() -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for dir in folders(&root().join("refusal"))? {
            let rule = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.push(Self { rule, refuse: fs::read(dir.join("refuse.json"))?, accept: fs::read(dir.join("accept.json"))? });
        }
        if found.is_empty() { Err(Error::argument("there are no refusals")) } else { Ok(found) }
    }
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|e| Error::from(e).at_key(dir.display()))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_dir()).collect();
    found.sort();
    Ok(found)
}

/// All elements of an array in C order, each as its own bytes.
pub fn read_elements(array: &Array) -> Result<Vec<Vec<u8>>> {
    match array.representation().layout() {
        Layout::Variable { .. } => {
            let count = array.shape().iter().product::<u64>() as usize;
            let (mut handles, heap) = (vec![0; count * Handle::SIZE], Heap::new(array.representation().fill()));
            let out = ViewMut::new(&mut handles, array.shape(), Handle::SIZE)?.with_heap(Some(&heap));
            array.read_view(.., out)?;
            let strings = heap.strings();
            handles.as_chunks().0.iter().map(|h| Ok(strings.get(Handle::from_bytes(h))?.to_vec())).collect()
        }
        layout => Ok(array.read_bytes(..)?.chunks(layout.size()).map(<[u8]>::to_vec).collect()),
    }
}

/// Writes all elements of an array in C order, each given as its own bytes.
pub fn write_elements(array: &Array, elements: &[Vec<u8>]) -> Result<()> {
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            let text = |e: &Vec<u8>| String::from_utf8(e.clone()).map_err(|_| Error::argument("not UTF-8"));
            array.write(.., &elements.iter().map(text).collect::<Result<Vec<_>>>()?)
        }
        Layout::Variable { .. } => array.write(.., elements),
        _ => array.write_bytes(.., &elements.concat()),
    }
}
