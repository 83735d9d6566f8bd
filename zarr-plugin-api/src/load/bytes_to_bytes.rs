//! A bytes -> bytes codec of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::{
    abi::{self, Bytes},
    bridge::{
        callback,
        guard::Fault,
        out,
        representation::{size_from, size_to},
        source,
    },
};
use std::sync::Arc;
use zarr_core::{
    Result,
    call::{CallContext, OutputBuffer},
    codec::BytesToBytes,
    extension::Extension,
    limits::Limits,
    registry::{CreateContext, Instance},
    representation::Size,
    source::{ByteRange, RangeCallback, Source},
};

#[derive(Debug)]
struct Codec {
    handle: Handle,
    table: abi::BytesToBytes,
    abilities: u64,
    /// The known size of the usual input, and the size of the output for it.
    usual: (Size, Size),
    limits: Limits,
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::BytesToBytes,
    _strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn BytesToBytes>> {
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let abilities = handle.abilities(&table.head)?;
    let (table, limits) = (*table, cx.limits.clone());
    let mut codec = Codec { handle, table, abilities, usual: (Size::Unknown, Size::Unknown), limits };
    codec.usual = (cx.size, codec.encoded_size(cx.size));
    Ok(Instance::new(Arc::new(codec), Box::new(zarr_core::json::Json::Object(configuration))))
}

impl Codec {
    /// Returns whether the codec's own statement of sizes allows this encoded size for this decoded size.
    fn is_expected_size(&self, decoded: usize, encoded: usize) -> bool {
        let decoded = Size::Exact(decoded as u64);
        let expected = if decoded == self.usual.0 { self.usual.1 } else { self.encoded_size(decoded) };
        expected.allows(encoded as u64)
    }
}

// SAFETY of the blocks below: the instance is alive, required functions are not null, and everything that is borrowed
// lives until the function returns.

impl BytesToBytes for Codec {
    fn encoded_size(&self, decoded: Size) -> Size {
        let (decoded, mut encoded) = (size_to(decoded), size_to(Size::Unknown));
        let done = self.handle.without_call(|this| match self.table.encoded_size {
            // SAFETY: see above.
            Some(f) => unsafe { f(this, &raw const decoded, &raw mut encoded) },
            None => abi::E_INTERNAL,
        });
        done.map_or(Size::Unknown, |()| size_from(&encoded))
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let f = self.table.encode.ok_or_else(missing)?;
        let (input, before) = (Bytes::new(decoded), out.len());
        self.handle.checked(call, |this, call| {
            // SAFETY: see above.
            let (status, fault) = out::to_abi(out, None, |out| unsafe { f(this, call, &raw const input, out) })?;
            let broken = status == abi::OK && !self.is_expected_size(decoded.len(), out.len() - before);
            Ok((status, fault.or(broken.then_some(Fault("its encoded size is not the size that it returned")))))
        })
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let f = self.table.decode.ok_or_else(missing)?;
        let input = Bytes::new(encoded);
        self.handle.checked(call, |this, call| {
            // SAFETY: see above.
            out::to_abi(out, Some(encoded), |out| unsafe { f(this, call, &raw const input, out) })
        })
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        let has = self.table.decoded_read.is_some() && self.abilities & abi::ABILITY_DECODED_READ != 0;
        has.then(|| Box::new(Decoded { codec: self, encoded }) as Box<dyn Source>)
    }
}

/// A source of decoded bytes that reads encoded bytes through the codec.
struct Decoded<'s> {
    codec: &'s Codec,
    encoded: &'s dyn Source,
}

impl Source for Decoded<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let f = self.codec.table.decoded_read.ok_or_else(missing)?;
        let ffi: callback::Ranges<abi::Range> = ranges.iter().copied().map(source::range_to).collect();
        self.codec.handle.plain(&self.codec.limits, |this, call| {
            callback::checked_ranges(ranges, each, |each, context| {
                source::to_abi::<false, _>(self.encoded, |reader| {
                    // SAFETY: see above.
                    unsafe { f(this, call, reader, ffi.as_ptr(), ffi.len(), each, context) }
                })
            })
        })
    }
    fn gap(&self) -> u64 {
        self.encoded.gap()
    }
}
