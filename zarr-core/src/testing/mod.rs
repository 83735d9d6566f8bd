//! A test bench for extensions, with the cargo feature `testing`: it creates them from JSON, calls them, and checks
//! properties that all extensions of a kind must have.
//!
//! ```
//! use zarr_core::testing::Bench;
//! # mod acme {
//! #     use zarr_core::{Result, call::{CallContext, OutputBuffer}, codec::BytesToBytes, registry::*, representation::Size};
//! #     #[derive(Debug)]
//! #     pub struct Invert;
//! #     impl ExtensionType for Invert {
//! #         const NAME: &'static str = "acme.invert";
//! #         type Configuration = zarr_core::registry::NoConfiguration;
//! #         fn create(_: Self::Configuration, _: &CreateContext<'_>) -> Result<Self> { Ok(Self) }
//! #         fn configuration(&self) -> Self::Configuration { Default::default() }
//! #     }
//! #     impl BytesToBytes for Invert {
//! #         fn encoded_size(&self, decoded: Size) -> Size { decoded }
//! #         fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
//! #             out.extend(&decoded.iter().map(|b| !b).collect::<Vec<_>>())
//! #         }
//! #         fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
//! #             self.encode(call, encoded, out)
//! #         }
//! #     }
//! #     zarr_core::register!(BytesToBytes: Invert);
//! # }
//! let codec = Bench::new().codec(r#"{"name": "acme.invert"}"#, "uint8", &[3, 4])?;
//! codec.assert_round_trip(b"twelve bytes");
//! codec.assert_round_trips();
//! codec.assert_survives_damage();
//! # Ok::<(), zarr_core::Error>(())
//! ```
//!
//! Extensions are given as JSON or as a bare name. A failed check panics with its findings, so that the test fails.
#![allow(clippy::panic, clippy::expect_used, reason = "a check that finds a fault fails its test")]

mod codec;
#[cfg(test)]
mod tests;

pub use codec::{Codec, CodecKind};

use crate::{
    call::{Buffers, CallContext, Executor, Options, Sequential},
    chunk_grid::ChunkGrid,
    chunk_key_encoding::ChunkKeyEncoding,
    data_type::DataType,
    error::{Error, Result},
    extension::{Extension, ExtensionPoint},
    json::{Json, Object},
    limits::Limits,
    registry::{CreateContext, Instance, Intent, Notes, Registry},
    representation::{Representation, Size},
    storage_transformer::StorageTransformer,
    view::Region,
};
use std::{fmt, ops::Deref, sync::Arc};

/// The environment in which extensions are created and called.
///
/// Copies share buffers and notes.
#[derive(Clone)]
pub struct Bench {
    registry: Arc<Registry>,
    limits: Limits,
    options: Options,
    executor: Arc<dyn Executor>,
    buffers: Arc<Buffers>,
    notes: Arc<Notes>,
    intent: Intent,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

impl Bench {
    /// Creates a bench with all linked extensions, the default limits and options and one thread, for arrays that are
    /// opened.
    pub fn new() -> Self {
        Self::of(Registry::builtin())
    }
    /// Creates a bench with the extensions of a registry.
    pub fn of(registry: Registry) -> Self {
        Self {
            registry: Arc::new(registry),
            limits: Limits::default(),
            options: Options::DEFAULT,
            executor: Arc::new(Sequential),
            buffers: Arc::default(),
            notes: Arc::default(),
            intent: Intent::Open,
        }
    }
    /// Returns the bench with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Returns the bench with other run-time options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }
    /// Returns the bench with another executor.
    #[must_use]
    pub fn with_executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = executor;
        self
    }
    /// Returns the bench for arrays that are created, where omitted members are chosen, or that are opened.
    #[must_use]
    pub fn with_intent(mut self, intent: Intent) -> Self {
        self.intent = intent;
        self
    }
    /// Returns the registry.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }
    /// Returns the notes that were recorded while extensions were created.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }
    /// Returns the context of every call of a codec.
    pub fn call(&self) -> CallContext<'_> {
        CallContext { limits: &self.limits, options: &self.options, executor: &*self.executor, buffers: &self.buffers }
    }
    /// Returns the context in which extensions are created, without an array.
    pub fn create_context(&self) -> CreateContext<'_> {
        CreateContext::new(&self.registry, &self.limits, &self.notes, self.intent).with_options(&self.options)
    }
    /// Reads an extension as metadata names it: JSON, or a bare name.
    pub fn extension(&self, text: &str) -> Result<Extension> {
        match text.trim_start().as_bytes() {
            [b'{' | b'"', ..] => Extension::parse(&Json::parse(text.as_bytes(), &self.limits)?),
            _ => Extension::parse(&text.into()),
        }
    }
    /// Creates the representation of an array with the default fill value.
    pub fn array(&self, data_type: &str, shape: &[u64]) -> Result<Representation> {
        let made = self.data_type(data_type)?;
        let fill = made.fill_from_json(&made.default_fill())?;
        Ok(Representation::new(made.object, shape, &fill))
    }
    /// Creates a data type.
    pub fn data_type(&self, text: &str) -> Result<Made<dyn DataType>> {
        self.made(text, None, |extension, cx| self.registry.data_type_at(extension, cx))
    }
    /// Creates a chunk grid for an array of `uint8`.
    pub fn chunk_grid(&self, text: &str, shape: &[u64]) -> Result<Made<dyn ChunkGrid>> {
        self.made(text, Some(shape), |extension, cx| self.registry.chunk_grid(extension, cx))
    }
    /// Creates a chunk key encoding for an array of `uint8`.
    pub fn chunk_key_encoding(&self, text: &str, shape: &[u64]) -> Result<Made<dyn ChunkKeyEncoding>> {
        self.made(text, Some(shape), |extension, cx| self.registry.chunk_key_encoding(extension, cx))
    }
    /// Creates a storage transformer for an array of `uint8`.
    pub fn storage_transformer(&self, text: &str, shape: &[u64]) -> Result<Made<dyn StorageTransformer>> {
        self.made(text, Some(shape), |extension, cx| match self.registry.storage_transformer(extension)? {
            Some(found) => found.make_storage_transformer(extension, cx),
            None => Err(self.registry.unknown(ExtensionPoint::StorageTransformer, extension.name())),
        })
    }
    fn made<T: ?Sized>(
        &self,
        text: &str,
        shape: Option<&[u64]>,
        make: impl FnOnce(&Extension, &CreateContext<'_>) -> Result<Instance<T>>,
    ) -> Result<Made<T>> {
        let extension = self.extension(text)?;
        let array = shape.map(|shape| self.array("uint8", shape)).transpose()?;
        let instance = make(&extension, &CreateContext { representation: array.as_ref(), ..self.create_context() })?;
        let (written, configuration) = (instance.extension(&extension)?, instance.configuration()?);
        Ok(Made { object: instance.object, written, configuration, shape: shape.unwrap_or_default().to_owned() })
    }
    /// Creates a codec of any kind for an array. A bytes -> bytes codec encodes the elements of the array.
    pub fn codec(&self, text: &str, data_type: &str, shape: &[u64]) -> Result<Codec> {
        self.codec_for(text, &self.array(data_type, shape)?)
    }
    /// Creates a codec of any kind for an existing array.
    pub fn codec_for(&self, text: &str, array: &Representation) -> Result<Codec> {
        let exact = if array.layout().is_variable() { None } else { array.bytes().ok() };
        self.codec_of(&self.extension(text)?, array, exact.map_or(Size::Unknown, Size::Exact))
    }
    /// Creates a codec from an existing extension, with what is known of the size of the bytes that it encodes.
    pub fn codec_of(&self, extension: &Extension, array: &Representation, size: Size) -> Result<Codec> {
        Codec::new(self, extension.clone(), array, size)
    }
    /// Creates a bytes -> bytes codec, with what is known of the size of the bytes that it encodes.
    pub fn bytes_codec(&self, text: &str, size: Size) -> Result<Codec> {
        Codec::new(self, self.extension(text)?, &self.array("uint32", &[4])?, size)
    }
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bench").field("limits", &self.limits).field("options", &self.options).finish_non_exhaustive()
    }
}

/// An extension that was created on a bench.
#[derive(Debug, Clone)]
pub struct Made<T: ?Sized> {
    /// The extension.
    pub object: Arc<T>,
    /// The extension in the form to write to metadata, including the values chosen for omitted members.
    pub written: Extension,
    /// The complete configuration, including values that metadata may omit.
    pub configuration: Object,
    shape: Vec<u64>,
}

impl<T: ?Sized> Deref for Made<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.object
    }
}

impl Made<dyn DataType> {
    /// Returns the element for a fill value, given as JSON text.
    pub fn fill(&self, text: &str) -> Result<Vec<u8>> {
        self.fill_from_json(&text.parse()?)
    }
    /// Checks that fill values, and the default one, are preserved by writing and reading, and that null is not a fill
    /// value.
    #[track_caller]
    pub fn assert_fill_values(&self, texts: &[&str]) {
        let parse = |text: &&str| text.parse::<Json>().unwrap_or_else(|e| panic!("{text}: {e}"));
        for json in texts.iter().map(parse).chain([self.default_fill()]) {
            let check = || {
                let element = self.fill_from_json(&json)?;
                Ok::<_, Error>((self.fill_from_json(&self.fill_to_json(&element)?)?, element))
            };
            let (again, element) = check().unwrap_or_else(|e| panic!("{json}: {e}"));
            assert_eq!(again, element, "{json} is not restored");
        }
        assert!(self.fill_from_json(&Json::Null).is_err(), "null is accepted as a fill value");
    }
}

impl Made<dyn ChunkGrid> {
    /// Checks that every element of the array is in the chunk that the grid returns for it.
    #[track_caller]
    pub fn assert_chunks(&self) {
        let shape = &self.shape[..];
        let check = |element: &[u64]| {
            let (index, grid) = (self.chunk_index_of(shape, element)?, self.grid_shape(shape)?);
            assert!(index.iter().zip(&grid).all(|(i, n)| i < n), "{element:?}: chunk {index:?} is beyond {grid:?}");
            let region = self.chunk_region(shape, &index)?;
            let inside = |d: usize| region.start[d] <= element[d] && element[d] < region.end(d);
            assert!((0..shape.len()).all(inside), "{element:?} is outside chunk {index:?}: {region:?}");
            Ok::<_, Error>(())
        };
        for element in elements(shape) {
            check(&element).unwrap_or_else(|e| panic!("{element:?}: {e}"));
        }
    }
}

impl Made<dyn ChunkKeyEncoding> {
    /// Checks that chunks of arrays with few and many dimensions have keys that can be decoded, and that the key of the
    /// metadata document is not one of them.
    #[track_caller]
    pub fn assert_keys(&self) {
        for index in [&[][..], &[0], &[1, 23], &[7, 0, 1], &[0, 0, u64::MAX]] {
            let key = self.encode(index).unwrap_or_else(|e| panic!("{index:?}: {e}"));
            assert_eq!(self.decode(&key, index.len()).as_deref(), Some(index), "{key}");
        }
        assert_eq!(self.decode("zarr.json", 2), None);
    }
}

/// Returns the indices of all elements, in C order.
fn elements(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let count = crate::limits::product(shape, 1).expect("an array that fits");
    (0..count).map(move |mut i| {
        let mut element = vec![0; shape.len()];
        for (e, n) in element.iter_mut().zip(shape).rev() {
            (*e, i) = (i % n, i / n);
        }
        element
    })
}

/// Returns some regions of an array: the first and the last element, those between, if any, and the whole.
fn regions(shape: &[u64]) -> Vec<Region> {
    let ones = vec![1; shape.len()];
    let last: Vec<u64> = shape.iter().map(|n| n.saturating_sub(1)).collect();
    let middle: Vec<u64> = shape.iter().map(|n| n.saturating_sub(2)).collect();
    let zeros = vec![0; shape.len()];
    let all =
        [Region::new(&zeros, &ones), Region::new(&last, &ones), Region::new(&ones, &middle), Region::new(&ones, &last)];
    let within = all.into_iter().flatten().filter(|region| region.is_within(shape));
    within.chain([Region::whole(shape)]).collect()
}
