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
//! With the feature `tracing`, decisions that are not errors are events of the crate `tracing` with the target `ozarr`: an
//! unknown extension that was skipped, consolidated metadata that is stale or was used, files that cannot be locked,
//! directories that cannot be exchanged, plugins that were found or refused.
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
/// What an extension implements, in one place: an extension of an application is registered with
/// [`Registry::add`](extension::Registry::add).
pub mod extension {
    pub use zarr_core::{
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
