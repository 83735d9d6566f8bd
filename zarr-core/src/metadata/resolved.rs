//! The metadata of an array, with all its extensions created and checked against each other.

use super::ArrayMetadata;
use crate::{
    call::Options,
    chunk_grid::{ChunkGrid, representative_shapes},
    chunk_key_encoding::ChunkKeyEncoding,
    codec::Chain,
    data_type::DataType,
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
    limits::Limits,
    registry::{CreateContext, Intent, Notes, Registry},
    representation::Representation,
    storage_transformer::{self, StorageTransformer},
    view::Dims,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Everything that is needed to read and write the chunks of an array.
///
/// Once it is created, reading fails only because of stored data or the store.
#[derive(Debug)]
pub struct ResolvedArray {
    /// The array as a whole: data type, shape and fill value.
    pub representation: Representation,
    /// The chunk grid.
    pub chunk_grid: Arc<dyn ChunkGrid>,
    /// The chunk key encoding.
    pub chunk_key_encoding: Arc<dyn ChunkKeyEncoding>,
    /// The codec chains, one for each shape of a chunk.
    pub chains: Chains,
    /// The storage transformers, of which the first is nearest to the array.
    pub storage_transformers: Vec<Arc<dyn StorageTransformer>>,
    /// Unknown extensions that need not be understood. If there are any, chunks cannot be written.
    pub skipped: Vec<(ExtensionPoint, String)>,
}

impl ResolvedArray {
    /// Creates and checks all extensions of stored metadata.
    ///
    /// # Errors
    /// If an extension is unknown and must be understood, rejects its configuration, or does not fit the array, or the
    /// array exceeds the limits. The error has the path in the document.
    pub fn open(
        metadata: &ArrayMetadata,
        registry: &Arc<Registry>,
        limits: &Limits,
        options: &Options,
    ) -> Result<Self> {
        Self::new(metadata, registry, limits, options, Intent::Open)
    }
    /// Creates and checks all extensions of new metadata, and adds to the metadata the values chosen for omitted
    /// members.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn create(
        metadata: &mut ArrayMetadata,
        registry: &Arc<Registry>,
        limits: &Limits,
        options: &Options,
    ) -> Result<Self> {
        let mut made = Self::new(metadata, registry, limits, options, Intent::Create)?;
        if let Some(chain) = made.chains.any() {
            metadata.set_codecs(chain.extensions());
            // Chains for other shapes are created later, from the values chosen now.
            made.chains.codecs = chain.extensions().to_vec();
        }
        Ok(made)
    }
    fn new(
        metadata: &ArrayMetadata,
        registry: &Arc<Registry>,
        limits: &Limits,
        options: &Options,
        intent: Intent,
    ) -> Result<Self> {
        let notes = Notes::default();
        let cx = CreateContext::new(registry, limits, &notes, intent).with_options(options);
        let data_type = registry.data_type_at(metadata.data_type(), &cx).map_err(|e| e.within("data_type"))?.object;
        let representation = array_representation(metadata, data_type)?;
        let cx = cx.with(&representation);
        let chunk_grid = registry.chunk_grid(metadata.chunk_grid(), &cx).map_err(|e| e.within("chunk_grid"))?.object;
        let chunk_key_encoding = registry
            .chunk_key_encoding(metadata.chunk_key_encoding(), &cx)
            .map_err(|e| e.within("chunk_key_encoding"))?
            .object;
        let chains = Chains {
            codecs: metadata.codecs().to_vec(),
            array: representation.clone(),
            registry: registry.clone(),
            limits: limits.clone(),
            options: options.clone(),
            made: Mutex::default(),
        };
        let shapes = representative_shapes(&*chunk_grid, metadata.shape()).map_err(|e| e.within("chunk_grid"))?;
        for shape in &shapes {
            let chain = chains.make(shape, &cx).map_err(|e| e.within("codecs"))?;
            chains.keep(shape.clone(), chain);
        }
        let storage_transformers = storage_transformer::create(metadata.storage_transformers(), &cx)
            .map_err(|e| e.within("storage_transformers"))?;
        let skipped = notes.skipped();
        Ok(Self { representation, chunk_grid, chunk_key_encoding, chains, storage_transformers, skipped })
    }
    /// Checks that no extension was skipped: the changes that it makes to chunks are unknown.
    ///
    /// # Errors
    /// [`Skipped`](ErrorKind::Skipped), with the extension.
    pub fn check_writable(&self) -> Result<()> {
        match self.skipped.first() {
            None => Ok(()),
            Some((point, name)) => Err(Error::new(ErrorKind::Skipped(name.clone())).at_extension(*point, name)),
        }
    }
}

fn array_representation(metadata: &ArrayMetadata, data_type: Arc<dyn DataType>) -> Result<Representation> {
    let fill = data_type.fill_from_json(metadata.fill_value()).map_err(|e| e.within("fill_value"))?;
    let representation = Representation::new(data_type, metadata.shape(), &fill);
    representation.elements().map_err(|e| e.within("shape"))?;
    Ok(representation)
}

/// The codec chains of an array: one for each shape of its chunks.
#[derive(Debug)]
pub struct Chains {
    codecs: Vec<Extension>,
    array: Representation,
    registry: Arc<Registry>,
    limits: Limits,
    options: Options,
    made: Mutex<HashMap<Dims, Arc<Chain>>>,
}

impl Chains {
    /// Returns the chain for chunks of a shape, and creates it on first use.
    ///
    /// # Errors
    /// If a codec does not support this shape.
    pub fn get(&self, chunk_shape: &[u64]) -> Result<Arc<Chain>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chain) = made.get(chunk_shape) {
            return Ok(chain.clone());
        }
        drop(made);
        let notes = Notes::default();
        let cx = CreateContext::new(&self.registry, &self.limits, &notes, Intent::Open).with_options(&self.options);
        let chain = self.make(chunk_shape, &cx)?;
        Ok(self.keep(chunk_shape.into(), chain))
    }
    /// Returns one of the chains, of any shape.
    pub fn any(&self) -> Option<Arc<Chain>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).values().next().cloned()
    }
    fn make(&self, chunk_shape: &[u64], cx: &CreateContext<'_>) -> Result<Chain> {
        let chunk = self.array.with_shape(chunk_shape);
        Chain::new(&self.codecs, &cx.with(&chunk))
    }
    fn keep(&self, shape: Dims, chain: Chain) -> Arc<Chain> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(shape).or_insert_with(|| Arc::new(chain)).clone()
    }
}
