//! Updates of a few inner chunks: the others are copied in their encoded form.

use super::{
    Entry, Index, ShardingCodec,
    decode::inner_error,
    index::with_room,
    order::{chunk_index_at, ordered},
};
use zarr_core::{
    Error, Result,
    call::{CallContext, Charge, OutputBuffer},
    codec::{ArrayToBytes, Encoded, PartialEncode},
    source::{ByteRange, Source, Window},
    view::{Region, View},
};

impl PartialEncode for ShardingCodec {
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        // The index before and after, and the order of the inner chunks.
        let total = self.index.counts().iter().product::<u64>();
        let _charge = call.charge(total.saturating_mul(16 + 16 + 8))?;
        let before = match old {
            Some(source) => self.index.read_from(call, source)?,
            None => Index::new(self.index.counts())?,
        };
        let mut index = Index::new(self.index.counts())?;
        let start = self.begin(out)?;
        let mut shared = match old {
            Some(_) => self.shared(call, &before, region)?,
            None => None,
        };
        let mut copied = old.map(|source| Copied::new(call, source, self.encoded_size().max())).transpose()?;
        if let (Some(shared), Some(copied)) = (&mut shared, &mut copied) {
            shared.copy(copied, start, out)?;
        }
        let mut any = false;
        for i in ordered(self.index.counts(), call.options.inner_chunk_order)? {
            let chunk_index = chunk_index_at(self.index.counts(), i);
            let (entry, chunk) = (before.get(&chunk_index)?, self.region_of(&chunk_index));
            let Some(part) = chunk.intersection(region) else {
                if let (Some(entry), Some(copied)) = (entry, &mut copied) {
                    any = true;
                    let offset = match &shared {
                        Some(shared) => shared.place(entry.offset),
                        None => copied.add(entry, out)? + (out.len() - start) as u64,
                    };
                    index.set_number(i, Entry { offset, len: entry.len });
                }
                continue;
            };
            if let Some(copied) = &mut copied {
                copied.flush(out)?;
            }
            let offset = (out.len() - start) as u64;
            let within = part.relative_to(&chunk.start);
            let new = new.clone().region(&part.relative_to(&region.start))?;
            let written = self.update_inner(call, entry.zip(old), &within, &new, out);
            if written.map_err(|e| inner_error(e, &chunk_index))? == Encoded::Bytes {
                any = true;
                index.set_number(i, Entry { offset, len: (out.len() - start) as u64 - offset });
            }
        }
        if let Some(copied) = &mut copied {
            copied.flush(out)?;
        }
        if !any && !call.options.store_fill {
            out.unused(out.len() - start);
            return Ok(Encoded::Fill);
        }
        self.finish(call, &index, start, out)?;
        Ok(Encoded::Bytes)
    }
}

/// The bytes of overlapping stored inner chunks. They are copied once and remain shared: copying them for each inner
/// chunk could turn a small shard into a large one.
struct Shared<'c> {
    /// Pieces without gap or overlap, sorted by their old position.
    pieces: Vec<Piece>,
    _charge: Charge<'c>,
}

struct Piece {
    from: u64,
    len: u64,
    /// The position in the new shard.
    at: u64,
}

impl Shared<'_> {
    fn copy(&mut self, copied: &mut Copied<'_>, start: usize, out: &mut OutputBuffer<'_>) -> Result<()> {
        for piece in &mut self.pieces {
            copied.count(piece.len)?;
            (copied.from, copied.len, piece.at) = (piece.from, piece.len, (out.len() - start) as u64);
            copied.flush(out)?;
        }
        Ok(())
    }
    /// Returns the new position of the byte at the old position `offset`.
    fn place(&self, offset: u64) -> u64 {
        let i = self.pieces.partition_point(|p| p.from <= offset);
        self.pieces[..i].last().map_or(0, |p| p.at + (offset - p.from))
    }
}

impl ShardingCodec {
    /// Returns the shared bytes of the inner chunks that an update of `region` does not touch; `None` if none overlap.
    fn shared<'c>(&self, call: &CallContext<'c>, before: &Index, region: &Region) -> Result<Option<Shared<'c>>> {
        let total = self.index.counts().iter().product::<u64>();
        let charge = call.charge(total.saturating_mul(size_of::<Piece>() as u64))?;
        let mut pieces = with_room(total as usize)?;
        for i in 0..total {
            let chunk_index = chunk_index_at(self.index.counts(), i);
            if let Some(Entry { offset, len }) = before.get(&chunk_index)?
                && self.region_of(&chunk_index).intersection(region).is_none()
            {
                pieces.push(Piece { from: offset, len, at: 0 });
            }
        }
        pieces.sort_unstable_by_key(|p| (p.from, p.len));
        let overlap = |pair: &[Piece]| matches!(pair, [a, b] if a.from + a.len > b.from);
        if !pieces.windows(2).any(overlap) {
            return Ok(None);
        }
        pieces.dedup_by(|next, last| {
            let joins = next.from <= last.from + last.len;
            if joins {
                last.len = last.len.max(next.from + next.len - last.from);
            }
            joins
        });
        Ok(Some(Shared { pieces, _charge: charge }))
    }
    fn update_inner(
        &self,
        call: &CallContext<'_>,
        stored: Option<(Entry, &dyn Source)>,
        within: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        if within.is_whole(self.chunk_shape()) {
            return self.inner.encode(call, new, out);
        }
        match stored {
            None => self.inner.update(call, None, within, new, out),
            Some((entry, of)) => {
                let chunk = Window::Slice { of, start: entry.offset, len: entry.len };
                self.inner.update(call, Some(&chunk), within, new, out)
            }
        }
    }
}

/// Copies stored inner chunks in their encoded form, and joins consecutive ones.
struct Copied<'s> {
    call: &'s CallContext<'s>,
    source: &'s dyn Source,
    from: u64,
    len: u64,
    /// The number of bytes that may still be copied.
    left: u64,
}

impl<'s> Copied<'s> {
    /// Limits the bytes to copy.
    ///
    /// Inner chunks that share bytes need more space when each gets a copy, but not more than the inner chunks of a
    /// shard may have, nor more than the old shard had and a chunk may have.
    fn new(call: &'s CallContext<'s>, source: &'s dyn Source, most: Option<u64>) -> Result<Self> {
        let left = match (source.size()?, most) {
            (Some(size), Some(most)) => size.max(most),
            (size, most) => size.or(most).unwrap_or(u64::MAX),
        };
        let left = left.min(call.limits.chunk_bytes.max(most.unwrap_or(0)));
        Ok(Self { call, source, from: 0, len: 0, left })
    }
    fn count(&mut self, len: u64) -> Result<()> {
        let left = self.left.checked_sub(len);
        self.left =
            left.ok_or_else(|| Error::data("the inner chunks in the index exceed the maximum size of a shard"))?;
        Ok(())
    }
    /// Adds an inner chunk. Returns its future position, counted from the end of the bytes written so far.
    fn add(&mut self, entry: Entry, out: &mut OutputBuffer<'_>) -> Result<u64> {
        self.count(entry.len)?;
        if self.from.checked_add(self.len) != Some(entry.offset) {
            self.flush(out)?;
            self.from = entry.offset;
        }
        let at = self.len;
        self.len += entry.len;
        Ok(at)
    }
    fn flush(&mut self, out: &mut OutputBuffer<'_>) -> Result<()> {
        let range = ByteRange::Slice { start: self.from, len: std::mem::take(&mut self.len) };
        match self.source.size()? {
            // Allocates memory only for bytes that exist.
            Some(size) => match range.within(size)? {
                (_, 0) => Ok(()),
                (_, len) => self.source.read_into(range, out.space(len as usize)?),
            },
            None => self.source.read(&[range], &mut |_, bytes| {
                let _read = self.call.charge(bytes.len() as u64)?;
                out.extend(bytes)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The allocation for shared bytes matches its charge.
    #[test]
    fn allocated_memory_matches_the_charge() {
        use crate::{Bytes, IndexLocation, Sharding};
        use zarr_core::{call::*, extension::Extension, limits::Limits, registry::*, representation::*};
        let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
        let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap().object;
        let shard = Representation::new(uint8, &[9], &[0]);
        let configuration =
            Sharding::new([1]).codecs(["bytes"]).index_codecs([Bytes::little()]).index_location(IndexLocation::Start);
        let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&shard);
        let codec = ShardingCodec::create(configuration, &cx).unwrap();
        let mut before = Index::new(codec.index.counts()).unwrap();
        (0..9).for_each(|i| before.set_number(i, Entry { offset: 144, len: 1 }));
        let (options, buffers) = (Options::default(), Buffers::default());
        let call = CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers };
        let region = Region { start: [8][..].into(), len: [1][..].into() };
        let shared = codec.shared(&call, &before, &region).unwrap().unwrap();
        assert_eq!((shared.pieces.len(), shared.pieces.capacity()), (1, 9));
    }
}
