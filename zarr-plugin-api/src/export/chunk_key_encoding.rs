//! Exports chunk key encodings as `zp_chunk_key_encoding`.

use super::{
    instance::{create_fn, head, run},
    kind,
};
use crate::{
    abi::{self, Call, Out, Status, Str},
    bridge::out,
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::chunk_key_encoding;

type Kind = dyn chunk_key_encoding::ChunkKeyEncoding;
type Extra = ();

kind! {
    /// Exports chunk key encodings.
    ChunkKeyEncoding, "chunk_key_encoding", chunk_key_encoding::ChunkKeyEncoding, abi::EXTENSION_CHUNK_KEY_ENCODING, 0
}

impl<T: zarr_core::registry::ExtensionType + chunk_key_encoding::ChunkKeyEncoding> ChunkKeyEncoding<T> {
    const VTABLE: &'static abi::ChunkKeyEncoding = &abi::ChunkKeyEncoding {
        head: head!(abi::ChunkKeyEncoding, create::<T>, None),
        encode: Some(encode),
        decode: Some(decode),
    };
}

create_fn!(ChunkKeyEncoding, chunk_key_encoding::ChunkKeyEncoding, |_: &Arc<Kind>, _| Ok(()));

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns, and pointers to arrays are valid for `rank` numbers.

unsafe extern "C" fn encode(
    this: *const c_void,
    call: *const Call,
    chunk_index: *const u64,
    rank: u32,
    key: *mut Out,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let text = this.object.encode(abi::slice(chunk_index, rank as usize))?;
            out::from_abi(key, call, None, |out| out.extend(text.as_bytes()))
        })
    }
}

unsafe extern "C" fn decode(
    this: *const c_void,
    call: *const Call,
    key: *const Str,
    rank: u32,
    chunk_index: *mut u64,
    found: *mut u32,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let decoded = abi::text(key).and_then(|key| this.object.decode(key, rank as usize));
            let decoded = decoded.filter(|d| d.len() == rank as usize);
            *found = u32::from(decoded.is_some());
            if let Some(decoded) = decoded {
                abi::slice_mut(chunk_index, decoded.len()).copy_from_slice(&decoded);
            }
            Ok(())
        })
    }
}
