//! The metadata document of an array. Specification: core, "Array metadata".

use super::{check_attributes, check_unknown, required, set_attributes};
use crate::{
    error::{Error, ErrorKind, Result},
    extension::Extension,
    json::{Json, Object},
    limits::Limits,
};

const KNOWN: &[&str] = &[
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
];

/// The metadata document of an array, with its members validated one by one.
///
/// Whether its extensions are known and fit together is checked when it is [resolved](super::ResolvedArray).
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayMetadata {
    document: Object,
    shape: Vec<u64>,
    data_type: Extension,
    chunk_grid: Extension,
    chunk_key_encoding: Extension,
    codecs: Vec<Extension>,
    storage_transformers: Vec<Extension>,
    dimension_names: Option<Vec<Option<String>>>,
}

impl ArrayMetadata {
    /// Validates the members of a document and creates the metadata.
    ///
    /// # Errors
    /// If a member is missing, unknown or invalid, with its path in the document.
    pub fn from_object(document: Object, limits: &Limits) -> Result<Self> {
        let extension = |member: &str| Extension::parse(required(&document, member)?).map_err(|e| e.within(member));
        let shape = shape(required(&document, "shape")?, limits).map_err(|e| e.within("shape"))?;
        let (data_type, chunk_grid) = (extension("data_type")?, extension("chunk_grid")?);
        let chunk_key_encoding = extension("chunk_key_encoding")?;
        required(&document, "fill_value")?;
        let codecs = extensions(required(&document, "codecs")?).map_err(|e| e.within("codecs"))?;
        let storage_transformers = match document.get("storage_transformers") {
            None => Vec::new(),
            Some(list) => extensions(list).map_err(|e| e.within("storage_transformers"))?,
        };
        let dimension_names = match document.get("dimension_names") {
            None => None,
            Some(names) => Some(dimension_names(names, shape.len()).map_err(|e| e.within("dimension_names"))?),
        };
        check_attributes(&document)?;
        check_unknown(&document, KNOWN)?;
        Ok(Self {
            document,
            shape,
            data_type,
            chunk_grid,
            chunk_key_encoding,
            codecs,
            storage_transformers,
            dimension_names,
        })
    }
    /// Returns the document.
    pub fn document(&self) -> &Object {
        &self.document
    }
    /// Returns the number of elements along each dimension.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }
    /// Returns the data type.
    pub fn data_type(&self) -> &Extension {
        &self.data_type
    }
    /// Returns the chunk grid.
    pub fn chunk_grid(&self) -> &Extension {
        &self.chunk_grid
    }
    /// Returns the chunk key encoding.
    pub fn chunk_key_encoding(&self) -> &Extension {
        &self.chunk_key_encoding
    }
    /// Returns the fill value, in the form in which it was written.
    pub fn fill_value(&self) -> &Json {
        self.document.get("fill_value").unwrap_or(&Json::Null)
    }
    /// Returns the codecs.
    pub fn codecs(&self) -> &[Extension] {
        &self.codecs
    }
    /// Returns the storage transformers.
    pub fn storage_transformers(&self) -> &[Extension] {
        &self.storage_transformers
    }
    /// Returns the names of the dimensions, if the document has them.
    pub fn dimension_names(&self) -> Option<&[Option<String>]> {
        self.dimension_names.as_deref()
    }
    /// Returns the user's attributes.
    pub fn attributes(&self) -> Option<&Object> {
        self.document.get("attributes")?.as_object()
    }
    /// Replaces the user's attributes.
    pub fn set_attributes(&mut self, attributes: Object) {
        set_attributes(&mut self.document, attributes);
    }
    /// Replaces the shape.
    ///
    /// # Errors
    /// If the number of dimensions differs.
    pub fn set_shape(&mut self, shape: &[u64]) -> Result<()> {
        if shape.len() != self.shape.len() {
            return Err(Error::argument(format!("cannot resize {:?} to {shape:?}: the rank differs", self.shape)));
        }
        self.shape = shape.to_vec();
        self.document.set("shape", shape);
        Ok(())
    }
    /// Replaces the configuration of the chunk grid by the result of
    /// [`resized`](crate::chunk_grid::ChunkGrid::resized).
    pub fn set_chunk_grid_configuration(&mut self, configuration: Object) -> Result<()> {
        self.chunk_grid = self.chunk_grid.with_configuration(configuration)?;
        self.document.set("chunk_grid", self.chunk_grid.to_json().clone());
        Ok(())
    }
    /// Replaces the codecs by the same codecs with all chosen values.
    pub(super) fn set_codecs(&mut self, codecs: &[Extension]) {
        self.codecs = codecs.to_vec();
        self.document.set("codecs", codecs.iter().map(|c| c.to_json().clone()).collect::<Json>());
    }
    /// Returns all extensions that the document names, with their extension points.
    pub fn extensions(&self) -> impl Iterator<Item = (crate::extension::ExtensionPoint, &Extension)> {
        use crate::extension::ExtensionPoint as P;
        [
            (P::DataType, &self.data_type),
            (P::ChunkGrid, &self.chunk_grid),
            (P::ChunkKeyEncoding, &self.chunk_key_encoding),
        ]
        .into_iter()
        .chain(self.codecs.iter().map(|c| (P::Codec, c)))
        .chain(self.storage_transformers.iter().map(|t| (P::StorageTransformer, t)))
    }
}

fn list(value: &Json) -> Result<&[Json]> {
    value.as_array().ok_or_else(|| Error::metadata(format!("expected an array, found {}", value.kind())))
}

fn shape(value: &Json, limits: &Limits) -> Result<Vec<u64>> {
    let items = list(value)?;
    let (asked, limit) = (items.len() as u64, u64::from(limits.rank));
    if asked > limit {
        return Err(ErrorKind::Limit { what: "the number of dimensions", asked, limit }.into());
    }
    let length = |(i, v): (usize, &Json)| {
        let wrong =
            || Error::metadata(format!("expected an integer from 0 to 2^64 - 1, found {v}")).within(format!("[{i}]"));
        v.as_u64().ok_or_else(wrong)
    };
    items.iter().enumerate().map(length).collect()
}

fn extensions(value: &Json) -> Result<Vec<Extension>> {
    let one = |(i, v)| Extension::parse(v).map_err(|e| e.within(format!("[{i}]")));
    list(value)?.iter().enumerate().map(one).collect()
}

fn dimension_names(value: &Json, rank: usize) -> Result<Vec<Option<String>>> {
    let items = list(value)?;
    if items.len() != rank {
        return Err(Error::metadata(format!("the number of names is {}, but the array has rank {rank}", items.len())));
    }
    let one = |(i, v): (usize, &Json)| match v {
        Json::Null => Ok(None),
        Json::String(name) => Ok(Some(name.to_string())),
        other => {
            Err(Error::metadata(format!("expected a string or null, found {}", other.kind())).within(format!("[{i}]")))
        }
    };
    items.iter().enumerate().map(one).collect()
}
