//! Exports bytes -> bytes codecs as `zp_bytes_to_bytes`.

use super::{
    instance::{bytes, create_fn, head, run, run_without_call},
    kind,
};
use crate::{
    abi::{self, Bytes, Call, Each, Out, Range, Reader, Size, Status},
    bridge::{
        out,
        representation::{size_from, size_to},
        source::{ImportedSource, deliver, ranges_from},
    },
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{Error, codec};

type Kind = dyn codec::BytesToBytes;
/// The abilities of the codec.
type Extra = u64;

kind! {
    /// Exports codecs from bytes to bytes.
    BytesToBytes, "bytes_to_bytes", codec::BytesToBytes, abi::EXTENSION_BYTES_TO_BYTES, 0
}

impl<T: zarr_core::registry::ExtensionType + codec::BytesToBytes> BytesToBytes<T> {
    const VTABLE: &'static abi::BytesToBytes = &abi::BytesToBytes {
        head: head!(abi::BytesToBytes, create::<T>, Some(abilities)),
        encoded_size: Some(encoded_size),
        encode: Some(encode),
        decode: Some(decode),
        decoded_read: Some(decoded_read),
    };
}

create_fn!(Codec, codec::BytesToBytes, |object: &Arc<Kind>, _| {
    // Whether the codec has such a source does not depend on the bytes.
    let nothing: &[u8] = &[];
    Ok(if object.decoded_source(&nothing).is_some() { abi::ABILITY_DECODED_READ } else { 0 })
});

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns.

unsafe extern "C" fn abilities(this: *const c_void, abilities: *mut u64) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            *abilities = this.extra;
            Ok(())
        })
    }
}

unsafe extern "C" fn encoded_size(this: *const c_void, decoded: *const Size, encoded: *mut Size) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            *encoded = size_to(this.object.encoded_size(size_from(&*decoded)));
            Ok(())
        })
    }
}

unsafe extern "C" fn encode(this: *const c_void, call: *const Call, input: *const Bytes, output: *mut Out) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            out::from_abi(output, call, None, |out| this.object.encode(c, bytes(input), out))
        })
    }
}

unsafe extern "C" fn decode(this: *const c_void, call: *const Call, input: *const Bytes, output: *mut Out) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            out::from_abi(output, call, Some(bytes(input)), |out| this.object.decode(c, bytes(input), out))
        })
    }
}

unsafe extern "C" fn decoded_read(
    this: *const c_void,
    call: *const Call,
    reader: *const Reader,
    ranges: *const Range,
    n: usize,
    each: Each,
    context: *mut c_void,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let encoded = ImportedSource::borrowed(reader, call)
                .ok_or_else(|| Error::argument("the pointer to a reader is null"))?;
            let ranges = ranges_from(ranges, n)?;
            let decoded = this.object.decoded_source(&encoded);
            let decoded = decoded.ok_or_else(|| Error::argument("the codec does not support partial reads"))?;
            decoded.read(&ranges, &mut |i, bytes| deliver(each, context, i, bytes))
        })
    }
}
