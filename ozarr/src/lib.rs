//! Zarr v3.1 arrays, groups and stores: the crate that an application depends on.
//!
//! ```
//! use ozarr::{Hierarchy, NewArray};
//! # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
//!
//! let array = Hierarchy::create(&path)?.create_array("/a", NewArray::of::<f32>([4, 6]))?;
//! array.write(.., &[1.5f32; 24])?;
//! let back: Vec<f32> = Hierarchy::open(&path)?.array("/a")?.read([1..3, 0..6])?;
//! assert_eq!(back, [1.5; 12]);
//! # Ok::<(), ozarr::Error>(())
//! ```
//!
//! | type or module | purpose |
//! |---|---|
//! | [`Hierarchy`] | opens a store and creates, lists, walks and erases its nodes |
//! | [`Array`], [`NewArray`], [`Selection`] | create, read, write and resize arrays |
//! | [`Group`] | children and attributes |
//! | [`Context`] | registry, limits and threads, shared by all nodes of a hierarchy |
//! | [`codecs`] | the built-in codecs as types |
//! | [`extension`] | everything that an extension needs, and a codec from registration to reading |
//! | [`store`] | stores in memory and in directories, and URI schemes |
//! | [`zarr_core`] | the traits that extensions and stores implement, re-exported |
//!
//! # Attributes and other JSON
//!
//! Attributes are any value that serializes to a JSON object: a type of the application, a map, or an [`Object`]. They
//! are read by name, or deserialized with [`attributes_as`](Array::attributes_as):
//!
//! ```
//! use ozarr::{Hierarchy, Json, Object};
//!
//! let mut attributes = Object::from([("units", "K")]);
//! attributes.set("version", 2);
//! attributes.set("valid_range", [180.0, 330.0]);
//! attributes.set("source", r#"{"station": 7, "names": ["Zürich", null]}"#.parse::<Json>()?);
//!
//! let group = Hierarchy::in_memory().create_group("/weather", &attributes)?;
//! assert_eq!(group.attributes()["units"].as_str(), Some("K"));
//! assert_eq!(group.attributes()["valid_range"][1].as_f64(), Some(330.0));
//! assert_eq!(group.attributes()["source"]["station"].as_u64(), Some(7));
//! # Ok::<(), ozarr::Error>(())
//! ```
//!
//! [`Json`] converts from numbers, text, `bool`, `Option`, arrays, vectors and the values of `serde_json`.
//!
//! # Codecs of your own
//!
//! An application registers its codecs, data types and other extensions in the [`Context`] in which it opens
//! hierarchies. The module [`extension`] shows a codec from its definition to reading an array with it. Codecs in
//! shared libraries are loaded by `Context::with_plugins`, with the `plugins` feature.
//!
//! # Cargo features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `bytes`, `transpose`, `crc32c`, `vlen-utf8`, `vlen-bytes`, `sharding_indexed` | yes | the codec of that name |
//! | `gzip`, `zstd`, `blosc` | yes | the codec of that name; needs a C compiler |
//! | `snappy` | no | snappy within blosc; implies `blosc`, and needs a C and a C++ compiler |
//! | `parallel` | yes | all threads of the machine, and [`Chunks`] as a parallel iterator of `rayon` |
//! | `plugins` | yes | the module `plugins`, which finds and loads plugins when the program asks for it |
//! | `ndarray` | no | reading into and writing from arrays of the crate `ndarray` |
//! | `tracing` | no | events for conditions that are not errors |
//!
//! An array that needs a codec that was left out is refused, and the error names the feature.
//!
//! With the `tracing` feature, these conditions are reported as events of the `tracing` crate with the target `ozarr`:
//! an unknown extension was skipped, consolidated metadata was used or is stale, files cannot be locked, directories
//! cannot be exchanged, a plugin was found or refused.
#![cfg_attr(docsrs, feature(doc_cfg))]

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

/// The built-in codecs as types: `Zstd`, `Sharding` and the others, each with the feature of its name.
pub use zarr_codecs as codecs;
/// Everything that an extension needs, re-exported in one module.
///
/// An application adds its own extensions to a [`Registry`](extension::Registry) and opens hierarchies in a [`Context`]
/// with that registry:
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
/// A crate that only provides extensions depends on `zarr-core` alone. It registers them for every program that links
/// it with [`register!`](zarr_core::register).
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

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
