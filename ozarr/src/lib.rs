//! Zarr v3.1 arrays, groups and stores: the crate that an application depends on.
//!
//! ```
//! use ozarr::{Hierarchy, NewArray};
//! # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr"); let path = path.to_str().unwrap();
//! let array = Hierarchy::create(path)?.create_array("/a", NewArray::of::<f32>([4, 6]))?;
//! array.write(.., &[1.5f32; 24])?;
//! let back: Vec<f32> = Hierarchy::open(path)?.array("/a")?.read([1..3, 0..6])?;
//! assert_eq!(back, [1.5; 12]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`Hierarchy`] | a store seen as nodes: open, create, list, walk, erase |
//! | [`Array`], [`NewArray`], [`Selection`] | creating, reading, writing and resizing |
//! | [`codecs`] | the built-in codecs, as types |
//! | [`Group`] | children and attributes |
//! | [`Context`] | registry, limits, threads: what all nodes of a hierarchy share |
//! | [`store`] | where values are kept |
//!
//! With the feature `tracing`, what a caller may want to know although nothing failed is an event of the crate `tracing` with
//! the target `ozarr`: an unknown extension was skipped, consolidated metadata was used or is stale, files cannot be locked,
//! directories cannot be exchanged, a plugin was found or refused.
//!
//! The contract that extensions implement is re-exported as [`zarr_core`]; with the feature `plugins`, how plugins are found
//! and loaded as `plugins`.

mod array;
mod attributes;
mod context;
mod element;
mod event;
mod group;
mod hierarchy;
mod location;
#[cfg(feature = "ndarray")]
mod ndarray;
mod nodes;
mod platform;
mod selection;
pub mod store;
pub mod text;
mod tree;
mod walk;

#[cfg(feature = "parallel")]
pub use crate::array::ParChunks;
pub use crate::{
    array::{
        Array, Chunk, Chunks, DimensionName, FillValue, HasDataType, IntoShape, NewArray, ResizeOptions, ResizeReport,
        StoredKeys,
    },
    context::Context,
    element::{Element, Item},
    group::{Group, Node},
    hierarchy::{Hierarchy, OpenOptions},
    location::Location,
    selection::{Indices, Selection, Slice, slice},
    tree::Tree,
    walk::{Child, Children, Walk},
};
pub use zarr_core;
pub use zarr_core::{
    Error, ErrorKind, Result,
    json::{Json, Object},
};
#[cfg(feature = "plugins")]
pub use zarr_plugin_api::load as plugins;

/// The built-in codecs as types: [`Zstd`](codecs::Zstd), [`Sharding`](codecs::Sharding) and the others.
pub use zarr_codecs as codecs;
/// What an extension needs, in one place.
///
/// An application adds its own extensions to a [`Registry`](extension::Registry), and opens hierarchies in a
/// [`Context`] with it:
///
/// ```
/// use ozarr::{
///     Context, Hierarchy, NewArray, Result,
///     extension::{BytesToBytes, CallContext, CreateContext, ExtensionType, OutputBuffer, Registration, Registry, Size},
///     store::MemoryStore,
/// };
/// use serde::{Deserialize, Serialize};
///
/// /// Combines every byte with a mask.
/// #[derive(Debug, Clone, Serialize, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Xor {
///     mask: u8,
/// }
///
/// impl ExtensionType for Xor {
///     const NAME: &'static str = "acme.xor";
///     type Configuration = Self;
///     fn create(configuration: Self, _: &CreateContext<'_>) -> Result<Self> {
///         Ok(configuration)
///     }
///     fn configuration(&self) -> Self {
///         self.clone()
///     }
/// }
///
/// impl BytesToBytes for Xor {
///     fn encoded_size(&self, decoded: Size) -> Size {
///         decoded
///     }
///     fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
///         out.extend(&decoded.iter().map(|byte| byte ^ self.mask).collect::<Vec<_>>())
///     }
///     fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
///         self.encode(call, encoded, out)
///     }
/// }
///
/// let mut registry = Registry::builtin();
/// registry.add(Registration::bytes_to_bytes::<Xor>())?;
/// let hierarchy = Hierarchy::new(MemoryStore::default(), Context::with_registry(registry));
///
/// let codec = Xor { mask: 0x5a }.to_extension()?;
/// let array = hierarchy.create_array("/a", NewArray::of::<u8>([3]).compressor(codec))?;
/// array.write(.., &[1u8, 2, 3])?;
/// assert_eq!(array.chunk(&[0])?.encoded()?, Some(vec![0x5b, 0x58, 0x59]));
/// assert_eq!(array.read::<u8>(..)?, [1, 2, 3]);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// A crate that only offers extensions depends on `zarr-core` alone, and registers them for every program that links it with
/// [`register!`](zarr_core::register).
pub mod extension {
    pub use zarr_core::{
        Error, ErrorKind, Result,
        call::{CallContext, OutputBuffer},
        chunk_grid::{AxisChunks, ChunkGrid},
        chunk_key_encoding::ChunkKeyEncoding,
        codec::{ArrayToArray, ArrayToBytes, BytesToBytes, DecodeStrategy, Encoded, PartialDecode, PartialEncode},
        data_type::DataType,
        extension::Extension,
        json::{Json, Object},
        layout::{Layout, ScalarKind},
        registry::{CreateContext, ExtensionType, NoConfiguration, Registration, Registry},
        representation::{Representation, Size},
        source::{ByteRange, Source},
        storage_transformer::StorageTransformer,
        view::{Dims, Region, View, ViewMut},
    };
}

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
