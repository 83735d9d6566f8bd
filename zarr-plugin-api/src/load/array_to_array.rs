//! An array -> array codec of a plugin.

use super::{
    data_type::PluginType,
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::{
    abi,
    bridge::{
        array::Form,
        representation::{FfiRepresentation, Parts},
    },
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Result,
    call::CallContext,
    codec::{ArrayToArray, DecodeStrategy},
    extension::Extension,
    json::Json,
    registry::{CreateContext, Instance},
    representation::Representation,
    view::{Dims, Region, View, ViewMut},
};

#[derive(Debug)]
struct Codec {
    handle: Arc<Handle>,
    table: abi::ArrayToArray,
    encoded: Representation,
    decoded_form: Form,
    encoded_form: Form,
    plan: Strategy,
}

#[derive(Debug)]
enum Strategy {
    Copy,
    Permute(Vec<usize>),
    InPlace,
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::ArrayToArray,
    strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn ArrayToArray>> {
    let decoded = cx.representation()?;
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let handle = Arc::new(handle);
    let encoded = encoded(&handle, table, decoded, cx)?;
    let plan = plan(&handle, table, decoded, &encoded)?;
    let form = |of: &Representation| Form { layout: of.layout().clone(), strided };
    let (decoded_form, encoded_form) = (form(decoded), form(&encoded));
    let codec = Codec { handle, table: *table, encoded, decoded_form, encoded_form, plan };
    Ok(Instance::new(Arc::new(codec), Box::new(Json::Object(configuration))))
}

// SAFETY of the blocks below: the instance is alive, required functions are not null, and everything that is borrowed
// lives until the function returns.

fn encoded(
    handle: &Arc<Handle>,
    table: &abi::ArrayToArray,
    decoded: &Representation,
    cx: &CreateContext<'_>,
) -> Result<Representation> {
    let mut ffi: abi::Representation = abi::blank();
    handle.plain(cx.limits, |this, call| {
        let f = table.encoded_representation.ok_or_else(missing)?;
        // SAFETY: see above.
        Ok((unsafe { f(this, call, &raw mut ffi) }, None))
    })?;
    let unchanged = FfiRepresentation::new(decoded);
    ffi.fill_in(unchanged.get());
    // SAFETY: everything that it points to lives as long as the instance, or until this function returns.
    let parts = unsafe { Parts::new(&raw const ffi, cx.limits.rank) }?;
    let ffi = parts.ffi;
    // SAFETY: as above.
    let data_type = if let Some(table) = unsafe { abi::copied(ffi.data_type) } {
        if table.layout.is_none() || table.fill_from_json.is_none() || table.fill_to_json.is_none() {
            return Err(handle.fault("it returned a data type with missing functions"));
        }
        let (part, whole) = handle.part(ffi.data_type_self);
        let made = PluginType::new(part, Some(whole), &table, &parts.label, cx.limits)?;
        Arc::new(made) as Arc<dyn zarr_core::data_type::DataType>
    // SAFETY: as above.
    } else if let Some(json) = unsafe { abi::bytes(ffi.data_type_json) } {
        let json = Json::parse(json, cx.limits)?;
        cx.registry.data_type_at(&Extension::parse(&json)?, cx)?.object
    } else {
        decoded.data_type().clone()
    };
    if data_type.layout() != parts.layout {
        return Err(handle.fault("the layouts of its encoded array and data type differ"));
    }
    Ok(parts.with(data_type))
}

fn plan(
    handle: &Handle,
    table: &abi::ArrayToArray,
    decoded: &Representation,
    encoded: &Representation,
) -> Result<Strategy> {
    let Some(f) = table.plan else { return Ok(Strategy::Copy) };
    let (mut plan, mut order) = (abi::PLAN_COPY, std::ptr::null());
    // SAFETY: see above.
    handle.without_call(|this: *const c_void| unsafe { f(this, &raw mut plan, &raw mut order) })?;
    let same_elements = decoded.layout().size() == encoded.layout().size()
        && decoded.layout().is_variable() == encoded.layout().is_variable();
    match plan {
        abi::PLAN_COPY => Ok(Strategy::Copy),
        abi::PLAN_IN_PLACE => {
            let fits = same_elements
                && !decoded.layout().is_variable()
                && decoded.shape() == encoded.shape()
                && table.decode_in_place.is_some();
            if fits {
                Ok(Strategy::InPlace)
            } else {
                Err(handle.fault("it returned the plan to decode in place but cannot do so"))
            }
        }
        abi::PLAN_PERMUTE => {
            let rank = decoded.shape().len();
            // SAFETY: the order has one number for each dimension of the array.
            let order: Dims = unsafe { abi::slice(order, rank) }.into();
            let order: Vec<usize> = order.iter().map(|&o| usize::try_from(o).unwrap_or(usize::MAX)).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            let fits = sorted.iter().copied().eq(0..rank)
                && same_elements
                && encoded.shape().iter().copied().eq(order.iter().map(|&o| decoded.shape()[o]));
            if fits {
                Ok(Strategy::Permute(order))
            } else {
                Err(handle.fault("it returned an order that is not a permutation"))
            }
        }
        _ => Err(handle.fault("it returned an unknown plan")),
    }
}

impl Codec {
    fn both(
        &self,
        call: &CallContext<'_>,
        (from_form, from): (&Form, &View<'_>),
        (to_form, to): (&Form, ViewMut<'_>),
        f: impl FnOnce(*const c_void, *const abi::Call, *const abi::Array, *const abi::Array) -> abi::Status,
    ) -> Result<()> {
        self.handle.checked(call, |this, ffi| {
            from_form
                .to_abi(call, from, |from| to_form.destination_to_abi(call, to, false, |to| f(this, ffi, from, to)))
        })
    }
}

impl ArrayToArray for Codec {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()> {
        let f = self.table.encode.ok_or_else(missing)?;
        let (from, to) = ((&self.decoded_form, decoded), (&self.encoded_form, encoded));
        // SAFETY: see above.
        self.both(call, from, to, |this, call, from, to| unsafe { f(this, call, from, to) })
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        let f = self.table.decode.ok_or_else(missing)?;
        let (from, to) = ((&self.encoded_form, encoded), (&self.decoded_form, decoded));
        // SAFETY: see above.
        self.both(call, from, to, |this, call, from, to| unsafe { f(this, call, from, to) })
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        match &self.plan {
            Strategy::Copy => DecodeStrategy::Copy,
            Strategy::Permute(order) => DecodeStrategy::Permute(order),
            Strategy::InPlace => DecodeStrategy::InPlace,
        }
    }
    fn decode_in_place(&self, call: &CallContext<'_>, elements: ViewMut<'_>) -> Result<()> {
        let f = self.table.decode_in_place.ok_or_else(missing)?;
        self.handle.checked(call, |this, ffi| {
            // SAFETY: see above.
            self.decoded_form.destination_to_abi(call, elements, true, |array| unsafe { f(this, ffi, array) })
        })
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        let f = self.table.encoded_region?;
        let rank = self.encoded.shape().len();
        let mut start = Dims::from_elem(0, rank);
        let (mut len, mut found) = (start.clone(), 0);
        // SAFETY: see above; both arrays have one number for each dimension of the encoded array.
        let done = self.handle.without_call(|this| unsafe {
            let (from, n) = (decoded.start.as_ptr(), decoded.len.as_ptr());
            f(this, from, n, start.as_mut_ptr(), len.as_mut_ptr(), &raw mut found)
        });
        done.ok()?;
        // A region that does not fit is ignored: without one, the whole array is decoded.
        let part = Region::new(&start, &len).ok().filter(|_| found != 0)?;
        (part.is_within(self.encoded.shape()) && part.len == decoded.len).then_some(part)
    }
}
