//! An array -> bytes codec of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::{
    abi::{self, Bytes},
    bridge::{
        array::Form,
        guard::Fault,
        out,
        representation::{size_from, size_to},
        source,
    },
};
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::{ArrayToBytes, Encoded, PartialDecode, PartialEncode},
    extension::Extension,
    json::Json,
    registry::{CreateContext, Instance},
    representation::{Representation, Size},
    source::Source,
    view::{Region, View, ViewMut},
};

#[derive(Debug)]
struct Codec {
    handle: Handle,
    table: abi::ArrayToBytes,
    abilities: u64,
    form: Form,
    size: Size,
    raw: Option<usize>,
    inner: Option<Vec<u64>>,
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::ArrayToBytes,
    strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn ArrayToBytes>> {
    let decoded = cx.representation()?;
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let mut codec = Codec {
        handle,
        table: *table,
        abilities: u64::MAX,
        form: Form { layout: decoded.layout().clone(), strided },
        size: Size::Unknown,
        raw: None,
        inner: None,
    };
    codec.learn(decoded)?;
    Ok(Instance::new(Arc::new(codec), Box::new(Json::Object(configuration))))
}

// SAFETY of the blocks below: the instance is alive, required functions are not null, and everything that is borrowed
// lives until the function returns.

impl Codec {
    /// Queries and checks the properties that do not change.
    fn learn(&mut self, decoded: &Representation) -> Result<()> {
        self.abilities = self.handle.abilities(&self.table.head)?;
        let mut size = size_to(Size::Unknown);
        if let Some(f) = self.table.encoded_size {
            // SAFETY: see above.
            self.handle.without_call(|this| unsafe { f(this, &raw mut size) })?;
        }
        self.size = size_from(&size);
        let mut width = 0;
        if let Some(f) = self.table.raw {
            // SAFETY: see above.
            self.handle.without_call(|this| unsafe { f(this, &raw mut width) })?;
        }
        let element = decoded.element_size();
        self.raw = usize::try_from(width).ok().filter(|w| *w > 0);
        if let Some(width) = self.raw {
            let fits = !decoded.layout().is_variable() && element.is_multiple_of(width);
            if !fits || self.size != Size::Exact(decoded.bytes()?) {
                return Err(self.handle.fault("it claims to store raw elements, which does not match the array"));
            }
        }
        let mut shape = std::ptr::null();
        if let Some(f) = self.table.inner_chunk_shape {
            // SAFETY: see above.
            self.handle.without_call(|this| unsafe { f(this, &raw mut shape) })?;
        }
        if !shape.is_null() {
            // SAFETY: the shape has one number for each dimension of the array.
            let shape = unsafe { abi::slice(shape, decoded.shape().len()) };
            if shape.contains(&0) {
                return Err(self.handle.fault("it returned an inner chunk shape without elements"));
            }
            self.inner = Some(shape.to_vec());
        }
        Ok(())
    }
    /// Checks stored bytes against the exact size that the codec promises, if it does. Not every codec checks this
    /// itself.
    fn check_stored(&self, found: u64) -> Result<()> {
        match self.size {
            Size::Exact(n) if n != found => Err(Error::data(format!("expected {n} bytes, found {found}"))),
            _ => Ok(()),
        }
    }
    fn check_size(&self, encoded: usize) -> Option<Fault> {
        (!self.size.allows(encoded as u64)).then_some(Fault("its encoded size is not the size that it returned"))
    }
}

impl ArrayToBytes for Codec {
    fn encoded_size(&self) -> Size {
        self.size
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let f = self.table.encode.ok_or_else(missing)?;
        let before = out.len();
        self.handle.checked(call, |this, ffi| {
            let (status, fault) = self.form.to_abi(call, decoded, |array| {
                // SAFETY: see above.
                out::to_abi(out, None, |out| unsafe { f(this, ffi, array, out) })
            })?;
            let broken = if status == abi::OK { self.check_size(out.len() - before) } else { None };
            Ok((status, fault.or(broken)))
        })
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        let f = self.table.decode.ok_or_else(missing)?;
        self.check_stored(encoded.len() as u64)?;
        let input = Bytes::new(encoded);
        self.handle.checked(call, |this, ffi| {
            // SAFETY: see above.
            self.form.destination_to_abi(call, out, false, |array| unsafe { f(this, ffi, &raw const input, array) })
        })
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        let has = self.table.partial_decode.is_some() && self.abilities & abi::ABILITY_PARTIAL != 0;
        has.then_some(self)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        let has = self.table.update.is_some() && self.abilities & abi::ABILITY_UPDATE != 0;
        has.then_some(self)
    }
    fn raw(&self) -> Option<usize> {
        self.raw
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        self.inner.as_deref()
    }
}

impl PartialDecode for Codec {
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let f = self.table.partial_decode.ok_or_else(missing)?;
        if let Some(found) = source.size()? {
            self.check_stored(found)?;
        }
        let (start, len) = (region.start.as_ptr(), region.len.as_ptr());
        self.handle.checked(call, |this, ffi| {
            source::to_abi::<false, _>(source, |reader| {
                // SAFETY: see above.
                self.form
                    .destination_to_abi(call, out, false, |array| unsafe { f(this, ffi, reader, start, len, array) })
            })
        })
    }
}

impl PartialEncode for Codec {
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        let f = self.table.update.ok_or_else(missing)?;
        let (start, len) = (region.start.as_ptr(), region.len.as_ptr());
        let (mut is_fill, before) = (0, out.len());
        self.handle.checked(call, |this, ffi| {
            let mut with = |reader| {
                self.form.to_abi(call, new, |array| {
                    // SAFETY: see above.
                    let run = |out| unsafe { f(this, ffi, reader, start, len, array, out, &raw mut is_fill) };
                    out::to_abi(out, None, run)
                })
            };
            let (status, fault) = match old {
                Some(old) => source::to_abi::<false, _>(old, with),
                None => with(std::ptr::null()),
            }?;
            let broken = if status == abi::OK && is_fill == 0 { self.check_size(out.len() - before) } else { None };
            Ok((status, fault.or(broken)))
        })?;
        Ok(if is_fill == 0 { Encoded::Bytes } else { Encoded::Fill })
    }
}
