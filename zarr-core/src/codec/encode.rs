//! Encoding of whole chunks, and updates of parts of encoded chunks.

use super::{Chain, DecodeStrategy, Encoded};
use crate::{
    call::{CallContext, OutputBuffer, Scratch},
    error::{ErrorKind, Result},
    source::Source,
    view::{Region, View, ViewMut},
};
use std::borrow::Cow;

impl Chain {
    /// Fails if a codec was skipped.
    fn check_writable(&self) -> Result<()> {
        match &self.skipped {
            Some(name) => Err(ErrorKind::Skipped(name.clone()).into()),
            None => Ok(()),
        }
    }

    /// Appends the encoded chunk, or nothing if every element is the fill value and such chunks are not stored.
    ///
    /// # Errors
    /// If a codec was skipped or fails, or a limit is exceeded.
    pub fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<Encoded> {
        self.check_writable()?;
        if !call.options.store_fill && self.decoded.is_fill(decoded) {
            return Ok(Encoded::Fill);
        }
        self.encode_from(0, call, decoded, out)?;
        Ok(Encoded::Bytes)
    }

    fn encode_from(
        &self,
        mut i: usize,
        call: &CallContext<'_>,
        decoded: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let mut decoded = Cow::Borrowed(decoded);
        while let Some(order) = self.permutation(i) {
            (decoded, i) = (Cow::Owned(decoded.into_owned().permute(order)?), i + 1);
        }
        let decoded = &*decoded;
        let Some(array) = self.array_to_array.get(i) else { return self.encode_bytes(call, decoded, out) };
        let r = &array.encoded;
        let mut scratch = call.scratch(r.bytes_within(call.limits)?)?;
        let encoded = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(decoded.heap());
        array.stage.in_codec("encode", array.stage.codec.encode(call, decoded, encoded))?;
        let encoded = View::new(&scratch, r.shape(), r.element_size())?.with_heap(decoded.heap());
        self.encode_from(i + 1, call, &encoded, out)
    }

    fn encode_bytes(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let array = &self.array_to_bytes;
        let Some((last, before)) = self.bytes_to_bytes.split_last() else {
            return array.in_codec("encode", array.codec.encode(call, decoded, out).and_then(|()| not_aliased(out)));
        };
        let mut input = call.scratch(0)?;
        encode_into(&mut input, |out| array.in_codec("encode", array.codec.encode(call, decoded, out)))?;
        for bytes in before {
            let mut output = call.scratch(0)?;
            encode_into(&mut output, |out| {
                bytes.stage.in_codec("encode", bytes.stage.codec.encode(call, &input, out))
            })?;
            input = output;
        }
        last.stage.in_codec("encode", last.stage.codec.encode(call, &input, out).and_then(|()| not_aliased(out)))
    }

    /// Appends the chunk `old` (`None`: nothing is stored) with `region` replaced by `new`.
    ///
    /// # Errors
    /// If a codec was skipped or fails, `old` cannot be read, or a limit is exceeded.
    pub fn update(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        self.check_writable()?;
        match self.update_in_parts(call, old, region, new, out)? {
            Some(encoded) => Ok(encoded),
            None => self.update_whole(call, old, region, new, out),
        }
    }

    /// Updates only the part, if the array -> bytes codec supports it and no other codec prevents it.
    fn update_in_parts(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Option<Encoded>> {
        let (true, Some(update)) = (self.bytes_to_bytes.is_empty(), self.array_to_bytes.codec.partial_encode()) else {
            return Ok(None);
        };
        let (mut region, mut new) = (region.clone(), new.clone());
        for array in &self.array_to_array {
            let DecodeStrategy::Permute(order) = array.stage.codec.decode_strategy() else { return Ok(None) };
            (region, new) = (region.permuted(order), new.permute(order)?);
        }
        self.array_to_bytes.in_codec("update", update.update_region(call, old, &region, &new, out)).map(Some)
    }

    fn update_whole(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        let r = &self.decoded;
        let mut scratch = call.scratch(r.bytes_within(call.limits)?)?;
        let mut chunk = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(new.heap());
        match old {
            Some(old) => self.decode(call, old, &Region::whole(r.shape()), chunk.reborrow())?,
            None => chunk.fill(&r.fill_element())?,
        }
        chunk.reborrow().region(region)?.copy_from(new, 1)?;
        self.encode(call, &chunk.as_view(), out)
    }
}

fn encode_into(scratch: &mut Scratch<'_>, f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<()>) -> Result<()> {
    let mut out = scratch.grow(u64::MAX);
    f(&mut out)?;
    not_aliased(&out)?;
    let len = out.len();
    scratch.keep(len);
    Ok(())
}

fn not_aliased(out: &OutputBuffer<'_>) -> Result<()> {
    match out.alias() {
        Some(_) => Err(ErrorKind::Contract("a codec aliased its input while encoding").into()),
        None => Ok(()),
    }
}
