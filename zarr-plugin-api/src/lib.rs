//! Extensions of Zarr v3.1 in shared libraries, behind a stable C ABI.
//!
//! Authors of plugins implement the traits of zarr-core, which this crate re-exports, and export them with
//! [`export_plugin!`]. A host loads plugins with the module `load` (cargo feature `load`). The header
//! `include/zarr_plugin.h` is the contract between the two sides, and the only file that a plugin in C needs; [`abi`]
//! is the same header in Rust.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(unsafe_code)]

pub mod abi;
mod bridge;
pub mod export;
#[cfg(feature = "load")]
pub mod load;

pub use zarr_core;
#[cfg(feature = "testing")]
pub use zarr_core::testing;
pub use zarr_core::{
    Error, ErrorKind, Result,
    call::{CallContext, OutputBuffer},
    chunk_grid::{AxisChunks, ChunkGrid},
    chunk_key_encoding::ChunkKeyEncoding,
    codec::{ArrayToArray, ArrayToBytes, BytesToBytes, DecodeStrategy, Encoded, PartialDecode, PartialEncode},
    data_type::DataType,
    extension::Extension,
    json::Json,
    layout::{Layout, ScalarKind},
    registry::{CreateContext, ExtensionType, Intent, NoConfiguration},
    representation::{Representation, Size},
    source::{ByteRange, Source},
    storage_transformer::StorageTransformer,
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, Update, WriteableStore},
    view::{Dims, Region, View, ViewMut},
};
