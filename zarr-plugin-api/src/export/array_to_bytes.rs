//! Exports array -> bytes codecs as `zp_array_to_bytes`.

use super::{
    instance::{bytes, create_fn, head, representation, run, run_without_call},
    kind,
};
use crate::{
    abi::{self, Array, Bytes, Call, Out, Reader, Size, Status},
    bridge::{array, out, representation::size_to, source::ImportedSource},
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    codec::{self, Encoded},
    representation::Representation,
    source::Source,
    view::Region,
};

type Kind = dyn codec::ArrayToBytes;
/// The representation that the codec was created for.
type Extra = Representation;

kind! {
    /// Exports codecs from arrays to bytes.
    ArrayToBytes, "array_to_bytes", codec::ArrayToBytes, abi::EXTENSION_ARRAY_TO_BYTES, abi::CAP_STRIDED
}

impl<T: zarr_core::registry::ExtensionType + codec::ArrayToBytes> ArrayToBytes<T> {
    const VTABLE: &'static abi::ArrayToBytes = &abi::ArrayToBytes {
        head: head!(abi::ArrayToBytes, create::<T>, Some(abilities)),
        encoded_size: Some(encoded_size),
        encode: Some(encode),
        decode: Some(decode),
        partial_decode: Some(partial_decode),
        update: Some(update),
        raw: Some(raw),
        inner_chunk_shape: Some(inner_chunk_shape),
    };
}

create_fn!(Codec, codec::ArrayToBytes, |_: &Arc<Kind>, cx| representation(cx));

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns.

unsafe extern "C" fn abilities(this: *const c_void, abilities: *mut u64) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            let partial = this.object.partial_decode().map_or(0, |_| abi::ABILITY_PARTIAL);
            *abilities = partial | this.object.partial_encode().map_or(0, |_| abi::ABILITY_UPDATE);
            Ok(())
        })
    }
}

unsafe extern "C" fn encoded_size(this: *const c_void, encoded: *mut Size) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            *encoded = size_to(this.object.encoded_size());
            Ok(())
        })
    }
}

unsafe extern "C" fn encode(
    this: *const c_void,
    call: *const Call,
    decoded: *const Array,
    encoded: *mut Out,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            array::from_abi(decoded, &this.extra, |view| {
                out::from_abi(encoded, call, None, |out| this.object.encode(c, view, out))
            })
        })
    }
}

unsafe extern "C" fn decode(
    this: *const c_void,
    call: *const Call,
    encoded: *const Bytes,
    decoded: *const Array,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            array::from_abi_mut(decoded, call, &this.extra, |view| this.object.decode(c, bytes(encoded), view))
        })
    }
}

/// # Safety
/// `start` and `len` each point to one number for each dimension of the representation.
pub(super) unsafe fn region(start: *const u64, len: *const u64, of: &Representation) -> Result<Region> {
    let rank = of.shape().len();
    // SAFETY: the caller's promise.
    unsafe { Region::new(abi::slice(start, rank), abi::slice(len, rank)) }
}

fn lacks() -> Error {
    ErrorKind::Contract("the codec does not support this operation").into()
}

unsafe extern "C" fn partial_decode(
    this: *const c_void,
    call: *const Call,
    encoded: *const Reader,
    start: *const u64,
    len: *const u64,
    decoded: *const Array,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            let source = ImportedSource::borrowed(encoded, call)
                .ok_or_else(|| Error::argument("the pointer to a reader is null"))?;
            let region = region(start, len, &this.extra)?;
            let partial = this.object.partial_decode().ok_or_else(lacks)?;
            array::from_abi_mut(decoded, call, &this.extra, |view| partial.decode_region(c, &source, &region, view))
        })
    }
}

unsafe extern "C" fn update(
    this: *const c_void,
    call: *const Call,
    old: *const Reader,
    start: *const u64,
    len: *const u64,
    new: *const Array,
    encoded: *mut Out,
    is_fill: *mut u32,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            let old = ImportedSource::borrowed(old, call);
            let old = old.as_ref().map(|s| s as &dyn Source);
            let region = region(start, len, &this.extra)?;
            let update = this.object.partial_encode().ok_or_else(lacks)?;
            *is_fill = 0;
            array::from_abi(new, &this.extra, |view| {
                out::from_abi(encoded, call, None, |out| {
                    let encoded = update.update_region(c, old, &region, view, out)?;
                    *is_fill = u32::from(encoded == Encoded::Fill);
                    Ok(())
                })
            })
        })
    }
}

unsafe extern "C" fn raw(this: *const c_void, width: *mut u64) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            *width = this.object.raw().unwrap_or(0) as u64;
            Ok(())
        })
    }
}

unsafe extern "C" fn inner_chunk_shape(this: *const c_void, shape: *mut *const u64) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            let inner = this.object.inner_chunk_shape();
            if inner.is_some_and(|inner| inner.len() != this.extra.shape().len()) {
                return Err(ErrorKind::Contract(
                    "a codec returned an inner chunk shape with the wrong number of dimensions",
                )
                .into());
            }
            *shape = inner.map_or(std::ptr::null(), <[u64]>::as_ptr);
            Ok(())
        })
    }
}
