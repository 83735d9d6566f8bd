//! Extensions of Zarr v3.1 as shared libraries.

pub use zarr_core as core;
pub use zarr_core::{
    Error, ErrorKind, Result,
    call::{Call, Out},
    chunk_grid::{AxisCells, ChunkGrid},
    chunk_key_encoding::ChunkKeyEncoding,
    codec::{ArrayToArray, ArrayToBytes, BytesToBytes, Encoded, PartialDecode, Plan, Update},
    data_type::{DataType, NoConfiguration},
    extension::Extension,
    json::Json,
    layout::{Layout, ScalarKind},
    registry::{Named, Site},
    representation::{Representation, Size},
    source::{ByteRange, Source},
    storage_transformer::StorageTransformer,
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, WriteableStore},
    view::{Dims, Region, View, ViewMut},
};

/// Exports extensions.
#[macro_export]
macro_rules! export_plugin {
    (id: $id:literal, $($kind:ident: [$($type:ty),+ $(,)?]),+ $(,)?) => {
        $($($crate::core::register!($kind: $type);)+)+
    };
}
