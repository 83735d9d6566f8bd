//! Exports data types as `zp_data_type`.

use super::{
    instance::{self, bytes, create_fn, head, run, run_without_call},
    kind,
};
use crate::{
    abi::{self, Bytes, Call, Layout, Out, Status},
    bridge::{out, representation::FfiLayout},
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    data_type,
    json::{Json, Object},
    limits::Limits,
};

type Kind = dyn data_type::DataType;
type Extra = FfiLayout;

/// A data type that a codec of this library changes elements to.
pub(super) type Instance = instance::Instance<Kind, Extra>;

pub(super) fn instance(data_type: Arc<Kind>) -> Instance {
    let layout = FfiLayout::new(&data_type.layout());
    Instance::new(data_type, &Object::new(), &Limits::default(), layout)
}

kind! {
    /// Exports data types.
    DataType, "data_type", data_type::DataType, abi::EXTENSION_DATA_TYPE, 0
}

impl<T: zarr_core::registry::ExtensionType + data_type::DataType> DataType<T> {
    const VTABLE: &'static abi::DataType =
        &abi::DataType { head: head!(abi::DataType, create::<T>, None), ..FUNCTIONS };
}

create_fn!(DataType, data_type::DataType, |object: &Arc<Kind>, _| Ok(FfiLayout::new(&object.layout())));

/// The functions for data types that a codec returns. There is no `create`: the codec owns the instance.
pub(super) static FUNCTIONS: abi::DataType = functions();

const fn functions() -> abi::DataType {
    let head = abi::Head {
        struct_size: abi::size32::<abi::DataType>(),
        reserved0: 0,
        create: None,
        destroy: None,
        configuration: Some(instance::configuration::<Kind, Extra>),
        abilities: None,
    };
    abi::DataType {
        head,
        layout: Some(layout),
        fill_from_json: Some(fill_from_json),
        fill_to_json: Some(fill_to_json),
        default_fill: Some(default_fill),
        check_elements: Some(check_elements),
    }
}

// SAFETY of the blocks below: the host passes the instance that `create` returned; every other pointer is valid until
// the function returns.

unsafe extern "C" fn layout(this: *const c_void, layout: *mut Layout) -> Status {
    // SAFETY: see above.
    unsafe {
        run_without_call::<Kind, Extra>(this, |this| {
            abi::fill(layout, *this.extra.get());
            Ok(())
        })
    }
}

unsafe extern "C" fn fill_from_json(
    this: *const c_void,
    call: *const Call,
    json: *const Bytes,
    element: *mut Out,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            let fill = this.object.fill_from_json(&Json::parse(bytes(json), c.limits)?)?;
            out::from_abi(element, call, None, |out| out.extend(&fill))
        })
    }
}

unsafe extern "C" fn fill_to_json(
    this: *const c_void,
    call: *const Call,
    element: *const Bytes,
    json: *mut Out,
) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let fill = this.object.fill_to_json(bytes(element))?.to_string();
            out::from_abi(json, call, None, |out| out.extend(fill.as_bytes()))
        })
    }
}

unsafe extern "C" fn default_fill(this: *const c_void, call: *const Call, json: *mut Out) -> Status {
    // SAFETY: see above.
    unsafe {
        run::<Kind, Extra>(this, call, |this, _| {
            let fill = this.object.default_fill().to_string();
            out::from_abi(json, call, None, |out| out.extend(fill.as_bytes()))
        })
    }
}

unsafe extern "C" fn check_elements(this: *const c_void, call: *const Call, elements: *const Bytes) -> Status {
    // SAFETY: see above.
    unsafe { run::<Kind, Extra>(this, call, |this, _| this.object.check_elements(bytes(elements))) }
}
