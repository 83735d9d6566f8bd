//! Exports chunk grids as `zp_chunk_grid`.

use super::{
    instance::{create_fn, head, run, run_without_call},
    kind,
};
use crate::{
    abi::{self, Axis, Call, Out, Status},
    bridge::out,
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    ErrorKind, Result,
    chunk_grid::{self, AxisChunks},
    json::Json,
};

type Kind = dyn chunk_grid::ChunkGrid;
type Extra = ();

kind! {
    /// Exports chunk grids.
    ChunkGrid, "chunk_grid", chunk_grid::ChunkGrid, abi::EXTENSION_CHUNK_GRID, 0
}

impl<T: zarr_core::registry::ExtensionType + chunk_grid::ChunkGrid> ChunkGrid<T> {
    const VTABLE: &'static abi::ChunkGrid = &abi::ChunkGrid {
        head: head!(abi::ChunkGrid, create::<T>, None),
        grid_shape: Some(grid_shape),
        cell: Some(chunk_region),
        cell_of: Some(chunk_index_of),
        axis: Some(axis),
        resized: Some(resized),
    };
}

create_fn!(ChunkGrid, chunk_grid::ChunkGrid, |_: &Arc<Kind>, _| Ok(()));

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns, and pointers to arrays are valid for `rank` numbers.

/// Writes one number for each dimension.
///
/// # Safety
/// `to` has room for `rank` numbers.
unsafe fn write_numbers(from: &[u64], to: *mut u64, rank: u32) -> Result<()> {
    if from.len() != rank as usize {
        return Err(ErrorKind::Contract("a chunk grid returned the wrong number of dimensions").into());
    }
    // SAFETY: the caller's promise.
    unsafe { abi::slice_mut(to, from.len()) }.copy_from_slice(from);
    Ok(())
}

unsafe extern "C" fn grid_shape(
    this: *const c_void,
    call: *const Call,
    array_shape: *const u64,
    rank: u32,
    found: *mut u64,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            write_numbers(&this.object.grid_shape(abi::slice(array_shape, rank as usize))?, found, rank)
        })
    }
}

unsafe extern "C" fn chunk_region(
    this: *const c_void,
    call: *const Call,
    array_shape: *const u64,
    rank: u32,
    chunk_index: *const u64,
    start: *mut u64,
    len: *mut u64,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let n = rank as usize;
            let region = this.object.chunk_region(abi::slice(array_shape, n), abi::slice(chunk_index, n))?;
            write_numbers(&region.start, start, rank)?;
            write_numbers(&region.len, len, rank)
        })
    }
}

unsafe extern "C" fn chunk_index_of(
    this: *const c_void,
    call: *const Call,
    array_shape: *const u64,
    rank: u32,
    element: *const u64,
    chunk_index: *mut u64,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let n = rank as usize;
            write_numbers(
                &this.object.chunk_index_of(abi::slice(array_shape, n), abi::slice(element, n))?,
                chunk_index,
                rank,
            )
        })
    }
}

unsafe extern "C" fn axis(this: *const c_void, axis: u32, chunks: *mut Axis) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            let found = this.object.axis(axis as usize);
            let (kind, regular, lengths) = match found {
                Some(AxisChunks::Regular(n)) => (abi::AXIS_REGULAR, n, &[][..]),
                Some(AxisChunks::Lengths(all)) => (abi::AXIS_LENGTHS, 0, all),
                _ => (abi::AXIS_NONE, 0, &[][..]),
            };
            let struct_size = abi::size32::<Axis>();
            let (lengths, n_lengths) = (lengths.as_ptr(), lengths.len());
            abi::fill(chunks, Axis { struct_size, kind, regular, lengths, n_lengths });
            Ok(())
        })
    }
}

unsafe extern "C" fn resized(
    this: *const c_void,
    call: *const Call,
    array_shape: *const u64,
    new_shape: *const u64,
    rank: u32,
    json: *mut Out,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let n = rank as usize;
            let new = this.object.resized(abi::slice(array_shape, n), abi::slice(new_shape, n))?;
            let text = new.map(|members| Json::Object(members).to_string()).unwrap_or_default();
            out::from_abi(json, call, None, |out| out.extend(text.as_bytes()))
        })
    }
}
