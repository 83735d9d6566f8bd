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
        view::{Handle, Heap, Region, ViewMut},
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
    /// `array` or `group`.
    pub node: String,
    /// The document.
    pub refuse: Vec<u8>,
    /// As near as can be, and right.
    pub accept: Vec<u8>,
}

impl Refusal {
    /// All of them, sorted.
    ///
    /// # Errors
    /// When one is incomplete, or there is none.
    pub fn all() -> Result<Vec<Self>> {
        let all: Result<Vec<Self>> = folders(&root().join("refusal"))?.iter().map(|dir| Self::load(dir)).collect();
        match all {
            Ok(found) if found.is_empty() => Err(Error::argument("there are no refusals")),
            other => other,
        }
    }
    fn load(dir: &Path) -> Result<Self> {
        let read = |name: &str| fs::read(dir.join(name)).map_err(|e| Error::from(e).at_key(dir.join(name).display()));
        let about = Json::parse(&read("rule.json")?, &Limits::default())?;
        let member = |name: &str| {
            let text = about.as_object().and_then(|o| o.get(name)).and_then(Json::as_str);
            text.map(str::to_owned)
                .ok_or_else(|| Error::metadata("must be a string").within(name).at_key(dir.display()))
        };
        let rule = member("rule")?;
        if member("clause")?.is_empty() || Some(rule.as_ref()) != dir.file_name() {
            return Err(Error::metadata("the rule is not that of its folder, or has no clause").at_key(dir.display()));
        }
        Ok(Self { rule, node: member("node")?, refuse: read("refuse.json")?, accept: read("accept.json")? })
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
    read_region(array, &Region::whole(array.shape()))
}

/// The elements of a region in C order, each as its own bytes.
pub fn read_region(array: &Array, region: &Region) -> Result<Vec<Vec<u8>>> {
    match array.representation().layout() {
        Layout::Variable { .. } => {
            let count = region.len.iter().product::<u64>() as usize;
            let (mut handles, heap) = (vec![0; count * Handle::SIZE], Heap::new(array.representation().fill()));
            let out = ViewMut::new(&mut handles, &region.len, Handle::SIZE)?.with_heap(Some(&heap));
            array.read_view(region, out)?;
            let strings = heap.strings();
            handles.as_chunks().0.iter().map(|h| Ok(strings.get(Handle::from_bytes(h))?.to_vec())).collect()
        }
        layout => Ok(array.read_bytes(region)?.chunks(layout.size()).map(<[u8]>::to_vec).collect()),
    }
}

/// Writes all elements of an array in C order, each given as its own bytes.
pub fn write_elements(array: &Array, elements: &[Vec<u8>]) -> Result<()> {
    write_region(array, &Region::whole(array.shape()), elements)
}

/// Writes the elements of a region in C order, each given as its own bytes.
pub fn write_region(array: &Array, region: &Region, elements: &[Vec<u8>]) -> Result<()> {
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            let text = |e: &Vec<u8>| String::from_utf8(e.clone()).map_err(|_| Error::argument("not UTF-8"));
            array.write(region, &elements.iter().map(text).collect::<Result<Vec<_>>>()?)
        }
        Layout::Variable { .. } => array.write(region, elements),
        _ => array.write_bytes(region, &elements.concat()),
    }
}

/// Those of an array's elements, given in C order, that lie in a region.
pub fn part_of<'e>(elements: &'e [Vec<u8>], shape: &[u64], region: &Region) -> Vec<&'e Vec<u8>> {
    let inside = |mut i: usize| {
        (0..shape.len()).rev().all(|d| {
            let at = i as u64 % shape[d];
            i /= shape[d] as usize;
            region.start[d] <= at && at < region.end(d)
        })
    };
    elements.iter().enumerate().filter(|(i, _)| inside(*i)).map(|(_, e)| e).collect()
}

/// The middle of an array: a part that begins and ends inside chunks where it can.
pub fn middle(shape: &[u64]) -> Region {
    let start = shape.iter().map(|n| n / 3).collect();
    Region { start, len: shape.iter().map(|n| n - n / 3 - n / 5).collect() }
}

/// True if `after` has all of `before`, in its order. A writer may add what it chose for what was left out.
pub fn is_kept(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Object(a), Json::Object(b)) => {
            let mut rest = b.iter();
            a.iter().all(|(name, v)| rest.any(|(n, w)| n == name && is_kept(v, w)))
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_kept(a, b)),
        _ => before == after,
    }
}
