//! Exports array -> array codecs as `zp_array_to_array`.

use super::{
    array_to_bytes::region,
    data_type,
    instance::{create_fn, head, representation, run, run_without_call},
    kind,
};
use crate::{
    abi::{self, Array, Call, Status},
    bridge::{array, representation::FfiRepresentation},
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    ErrorKind, Result,
    codec::{self, DecodeStrategy},
    representation::Representation,
};

type Kind = dyn codec::ArrayToArray;

struct Extra {
    decoded: Representation,
    encoded: Representation,
    ffi: FfiRepresentation,
    /// The order of the dimensions for [`DecodeStrategy::Permute`].
    order: Vec<u64>,
    /// The data type that `ffi` points to, if the codec changes the data type.
    _data_type: Option<Box<data_type::Instance>>,
}

kind! {
    /// Exports codecs from arrays to arrays.
    ArrayToArray, "array_to_array", codec::ArrayToArray, abi::EXTENSION_ARRAY_TO_ARRAY, abi::CAP_STRIDED
}

impl<T: zarr_core::registry::ExtensionType + codec::ArrayToArray> ArrayToArray<T> {
    const VTABLE: &'static abi::ArrayToArray = &abi::ArrayToArray {
        head: head!(abi::ArrayToArray, create::<T>, None),
        encoded_representation: Some(encoded_representation),
        encode: Some(encode),
        decode: Some(decode),
        plan: Some(plan),
        decode_in_place: Some(decode_in_place),
        encoded_region: Some(encoded_region),
    };
}

create_fn!(Codec, codec::ArrayToArray, |object: &Arc<Kind>, cx| extra(object, representation(cx)?));

fn extra(object: &Arc<Kind>, decoded: Representation) -> Result<Extra> {
    let encoded = object.encoded_representation().clone();
    let order: Vec<u64> = match object.decode_strategy() {
        DecodeStrategy::Permute(order) => order.iter().map(|&o| o as u64).collect(),
        _ => (0..decoded.shape().len() as u64).collect(),
    };
    if order.len() != decoded.shape().len() {
        return Err(ErrorKind::Contract("a codec returned an order with the wrong number of dimensions").into());
    }
    let mut ffi = FfiRepresentation::new(&encoded);
    let mut data_type = None;
    if !Arc::ptr_eq(encoded.data_type(), decoded.data_type()) {
        let instance = Box::new(data_type::instance(encoded.data_type().clone()));
        ffi = ffi.with_data_type(&data_type::FUNCTIONS, (&raw const *instance).cast());
        data_type = Some(instance);
    }
    Ok(Extra { decoded, encoded, ffi, order, _data_type: data_type })
}

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns.

unsafe extern "C" fn encoded_representation(
    this: *const c_void,
    _: *const Call,
    encoded: *mut abi::Representation,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            abi::fill(encoded, *this.extra.ffi.get());
            Ok(())
        })
    }
}

unsafe extern "C" fn encode(
    this: *const c_void,
    call: *const Call,
    decoded: *const Array,
    encoded: *const Array,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            array::from_abi(decoded, &this.extra.decoded, |from| {
                array::from_abi_mut(encoded, call, &this.extra.encoded, |to| this.object.encode(c, from, to))
            })
        })
    }
}

unsafe extern "C" fn decode(
    this: *const c_void,
    call: *const Call,
    encoded: *const Array,
    decoded: *const Array,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            array::from_abi(encoded, &this.extra.encoded, |from| {
                array::from_abi_mut(decoded, call, &this.extra.decoded, |to| this.object.decode(c, from, to))
            })
        })
    }
}

unsafe extern "C" fn plan(this: *const c_void, plan: *mut u32, order: *mut *const u64) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            *plan = match this.object.decode_strategy() {
                // Elements of variable length are not stored in the memory that would be modified.
                DecodeStrategy::InPlace if this.extra.decoded.layout().is_variable() => abi::PLAN_COPY,
                DecodeStrategy::InPlace => abi::PLAN_IN_PLACE,
                DecodeStrategy::Permute(_) => abi::PLAN_PERMUTE,
                _ => abi::PLAN_COPY,
            };
            *order = this.extra.order.as_ptr();
            Ok(())
        })
    }
}

unsafe extern "C" fn decode_in_place(this: *const c_void, call: *const Call, elements: *const Array) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            array::from_abi_mut(elements, call, &this.extra.decoded, |view| this.object.decode_in_place(c, view))
        })
    }
}

unsafe extern "C" fn encoded_region(
    this: *const c_void,
    start: *const u64,
    len: *const u64,
    encoded_start: *mut u64,
    encoded_len: *mut u64,
    found: *mut u32,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            let part = this.object.encoded_region(&region(start, len, &this.extra.decoded)?);
            let rank = this.extra.encoded.shape().len();
            if part.as_ref().is_some_and(|part| part.rank() != rank) {
                return Err(ErrorKind::Contract("a codec returned a region with the wrong number of dimensions").into());
            }
            *found = u32::from(part.is_some());
            if let Some(part) = part {
                abi::slice_mut(encoded_start, part.rank()).copy_from_slice(&part.start);
                abi::slice_mut(encoded_len, part.rank()).copy_from_slice(&part.len);
            }
            Ok(())
        })
    }
}
