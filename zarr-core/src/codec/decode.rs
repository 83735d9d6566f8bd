//! Decoding of whole chunks and of parts, by the same code.

use super::{Chain, DecodeStrategy, chain::BytesStage};
use crate::{
    call::{CallContext, OutputBuffer},
    error::{Error, ErrorKind, Result},
    representation::{Representation, Size},
    source::{ByteRange, Source},
    view::{Region, View, ViewMut, swap_in_place},
};
use std::borrow::Cow;

impl Chain {
    /// Decodes `region` of a chunk into memory of the region's shape. Reads only as much as the codecs need for it.
    ///
    /// # Errors
    /// If reading or decoding fails, or an element is not valid for the data type.
    /// [`KeyNotFound`](crate::ErrorKind::KeyNotFound) from the source is returned unchanged: the caller owns the
    /// memory, and fills it.
    pub fn decode(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        self.decode_from(0, call, source, region, out.reborrow())?;
        match self.decoded.data_type().check() {
            Some(check) => out.as_view().each_row(|row| check.check_elements(row)),
            None => Ok(()),
        }
    }

    fn decode_from(
        &self,
        mut i: usize,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut region = Cow::Borrowed(region);
        while let Some(order) = self.permutation(i) {
            (region, out, i) = (Cow::Owned(region.permuted(order)), out.permute(order)?, i + 1);
        }
        let region = &*region;
        let Some(array) = self.array_to_array.get(i) else {
            return self.decode_bytes(&self.bytes_to_bytes, call, source, region, out);
        };
        let codec = &array.stage.codec;
        let part = codec.encoded_region(region);
        if codec.decode_strategy() == DecodeStrategy::InPlace && part.as_ref() == Some(region) {
            self.decode_from(i + 1, call, source, region, out.reborrow())?;
            return array.stage.in_codec("decode", codec.decode_in_place(call, out));
        }
        let decoded = if i == 0 { &self.decoded } else { &self.array_to_array[i - 1].encoded };
        let is_part = part.is_some();
        let need = part.unwrap_or_else(|| Region::whole(array.encoded.shape()));
        let encoded = array.encoded.with_shape(&need.len);
        let mut scratch = call.scratch(encoded.bytes_within(call.limits)?)?;
        let into = ViewMut::new(&mut scratch, &need.len, encoded.element_size())?.with_heap(out.heap());
        self.decode_from(i + 1, call, source, &need, into)?;
        let view = View::new(&scratch, &need.len, encoded.element_size())?.with_heap(out.heap());
        if is_part || region.is_whole(decoded.shape()) {
            return array.stage.in_codec("decode", codec.decode(call, &view, out));
        }
        with_whole(call, decoded, region, out, |all| array.stage.in_codec("decode", codec.decode(call, &view, all)))
    }

    /// Decodes from a source of bytes that the bytes -> bytes codecs `stages` have encoded.
    fn decode_bytes(
        &self,
        stages: &[BytesStage],
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let Some((outer, inner)) = stages.split_last() else { return self.decode_array(call, source, region, out) };
        let whole = region.is_whole(self.innermost().shape());
        // Reading past a codec skips its checksum. That is worth it only where a part is much smaller than the whole.
        let has_parts = self.array_to_bytes.codec.inner_chunk_shape().is_some();
        if !whole
            && has_parts
            && let Some(decoded) = outer.stage.codec.decoded_source(source)
        {
            return self.decode_bytes(inner, call, &*decoded, region, out);
        }
        read_whole(call, source, self.size_after(stages.len()), &mut |bytes| {
            if whole && let Some(swap) = self.array_to_bytes.codec.raw() {
                let exact = self.bytes_to_bytes[0].decoded;
                if let Some(destination) = out.as_slice()
                    && exact == Size::Exact(destination.len() as u64)
                {
                    decode_into(stages, call, bytes, destination)?;
                    swap_in_place(destination, swap);
                    return Ok(());
                }
            }
            decode_all(stages, call, bytes, &mut |decoded| self.decode_array(call, &decoded, region, out.reborrow()))
        })
    }

    /// Decodes from a source of bytes that the array -> bytes codec has encoded.
    fn decode_array(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let (stage, encoded) = (&self.array_to_bytes, self.innermost());
        if let Some(partial) = stage.codec.partial_decode() {
            // Reading only a part would not detect that the stored bytes have the wrong size.
            let size = stage.codec.encoded_size();
            if let Size::Exact(_) = size
                && let Some(found) = source.size()?
            {
                stage.in_codec("decode", check_size(size, found))?;
            }
            return stage.in_codec("decode", partial.decode_region(call, source, region, out));
        }
        read_whole(call, source, stage.codec.encoded_size(), &mut |bytes| {
            let result = check_size(stage.codec.encoded_size(), bytes.len() as u64).and_then(|()| {
                if region.is_whole(encoded.shape()) {
                    return stage.codec.decode(call, bytes, out.reborrow());
                }
                with_whole(call, encoded, region, out.reborrow(), |all| stage.codec.decode(call, bytes, all))
            });
            stage.in_codec("decode", result)
        })
    }
}

/// Passes all bytes of a source to `each`, at most the largest chunk, or the largest encoding of an allowed chunk: a
/// limit on decoded bytes is useless if encoded bytes have none.
fn read_whole(
    call: &CallContext<'_>,
    source: &dyn Source,
    expected: Size,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let limit = call.limits.chunk_bytes.max(expected.max().unwrap_or(0));
    let check = |asked: u64| -> Result<()> {
        if asked > limit {
            return Err(ErrorKind::Limit { what: "the encoded chunk size in bytes", asked, limit }.into());
        }
        Ok(())
    };
    let size = source.size()?;
    let _read = match size {
        Some(size) => {
            check(size)?;
            source.in_memory().is_none().then(|| call.charge(size)).transpose()?
        }
        None => None,
    };
    source.read(&[ByteRange::All], &mut |_, bytes| {
        let found = bytes.len() as u64;
        check(found)?;
        let _found = size.is_none().then(|| call.charge(found)).transpose()?;
        each(bytes)
    })
}

fn check_size(expected: Size, found: u64) -> Result<()> {
    match expected {
        Size::Exact(n) if n != found => Err(Error::data(format!("expected {n} bytes, found {found}"))),
        _ => Ok(()),
    }
}

/// Decodes a whole array into scratch memory and copies a region of it.
fn with_whole(
    call: &CallContext<'_>,
    whole: &Representation,
    region: &Region,
    mut out: ViewMut<'_>,
    f: impl FnOnce(ViewMut<'_>) -> Result<()>,
) -> Result<()> {
    let mut scratch = call.scratch(whole.bytes_within(call.limits)?)?;
    f(ViewMut::new(&mut scratch, whole.shape(), whole.element_size())?.with_heap(out.heap()))?;
    let all = View::new(&scratch, whole.shape(), whole.element_size())?.with_heap(out.heap());
    out.copy_from(&all.region(region)?, 1)
}

/// Runs bytes -> bytes codecs, the last of them directly into the destination.
fn decode_into(stages: &[BytesStage], call: &CallContext<'_>, bytes: &[u8], destination: &mut [u8]) -> Result<()> {
    let Some((first, others)) = stages.split_first() else { return Ok(()) };
    decode_all(others, call, bytes, &mut |bytes| {
        let wanted = destination.len();
        let mut out = OutputBuffer::fixed(&mut *destination);
        first.stage.in_codec("decode", first.stage.codec.decode(call, bytes, &mut out))?;
        let (alias, len) = (out.alias(), out.len());
        if let Some(part) = alias {
            let part = bytes.get(part).filter(|p| p.len() == wanted);
            let part = part.ok_or_else(|| Error::data(format!("the decoded size is {len} bytes, expected {wanted}")));
            destination.copy_from_slice(first.stage.in_codec("decode", part)?);
            return Ok(());
        }
        first.stage.in_codec("decode", check_size(Size::Exact(wanted as u64), len as u64))
    })
}

/// Runs bytes -> bytes codecs and passes the result to `each`.
fn decode_all(
    stages: &[BytesStage],
    call: &CallContext<'_>,
    bytes: &[u8],
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let Some((last, others)) = stages.split_last() else { return each(bytes) };
    let codec = &last.stage.codec;
    let mut scratch;
    let (alias, len) = match last.decoded {
        Size::Exact(n) => {
            scratch = call.scratch(call.limits.chunk("the decoded size in bytes", n)?)?;
            let mut out = OutputBuffer::fixed(&mut scratch);
            last.stage.in_codec("decode", codec.decode(call, bytes, &mut out))?;
            (out.alias(), out.len())
        }
        Size::AtMost(_) | Size::Unknown => {
            scratch = call.scratch(0)?;
            let most = call.limits.intermediate(last.decoded);
            let mut out = scratch.grow(most);
            let decoded = codec.decode(call, bytes, &mut out).map_err(|e| match e.kind() {
                ErrorKind::Limit { limit, .. } if *limit == most && most < call.limits.chunk_bytes => {
                    e.with_hint("raise `Limits::intermediate_factor`")
                }
                _ => e,
            });
            last.stage.in_codec("decode", decoded)?;
            (out.alias(), out.len())
        }
    };
    last.stage.in_codec("decode", check_size(last.decoded, len as u64))?;
    match alias {
        Some(part) => {
            let part =
                bytes.get(part).ok_or_else(|| Error::data("the decoded range is out of bounds of the encoded bytes"));
            let part = last.stage.in_codec("decode", part)?;
            drop(scratch);
            decode_all(others, call, part, each)
        }
        None => {
            scratch.keep(len);
            decode_all(others, call, &scratch, each)
        }
    }
}
