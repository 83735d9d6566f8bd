//! Writing: inner chunks in the order that the writer chose, and changing a few of them.

use super::{
    Index, Location, ShardingIndexed,
    decode::inner_error,
    index::{Entry, with_room},
};
use zarr_core::{
    Error, Result,
    call::{CallContext, Charge, InnerChunkOrder, OutputBuffer, Scratch},
    codec::{ArrayToBytes, Encoded, PartialEncode},
    limits::zeroed,
    source::{ByteRange, Source},
    view::{Dims, Region, View},
};

/// Each thread encodes so many bytes of inner chunks before all are put together.
const WAVE: usize = 1 << 20;

/// Inner chunks that one thread encodes one after another.
#[derive(Default)]
struct Group<'a> {
    cells: &'a [u64],
    bytes: Option<Scratch<'a>>,
    /// Where each lies in `bytes`.
    entries: Vec<Option<Entry>>,
}

impl Group<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }
}

impl ShardingIndexed {
    pub(super) fn encode_shard(
        &self,
        call: &CallContext<'_>,
        decoded: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let cells = ordered(&self.counts, call.options.inner_chunk_order)?;
        let mut index = Index::empty(&self.counts)?;
        // Growing would copy what is written. A system that does not give so much at once may give it bit by bit.
        let most = self.encoded_size().max().and_then(|n| usize::try_from(n.min(out.left())).ok());
        if let Some(most) = most
            && out.space(most).is_ok()
        {
            out.unused(most);
        }
        let start = self.begin(out)?;
        let threads = call.executor.threads();
        if threads <= 1 || cells.len() < 2 {
            for i in cells {
                let chunk_index = &chunk_index_at(&self.counts, i);
                let offset = (out.len() - start) as u64;
                if self.encode_inner(call, decoded, chunk_index, out)? == Encoded::Bytes {
                    index.set(chunk_index, Entry { offset, len: (out.len() - start) as u64 - offset });
                }
            }
            return self.finish(call, &index, start, out);
        }
        // Wave after wave of groups that stay in the processor's cache until they are put together.
        let size = usize::try_from(self.inner.decoded().bytes()?).unwrap_or(usize::MAX);
        let mut groups: Vec<Group<'_>> = (0..threads * 2).map(|_| Group::default()).collect();
        for wave in cells.chunks((WAVE / size.max(1)).max(1) * threads) {
            let mut parts = wave.chunks(wave.len().div_ceil(groups.len()));
            groups.iter_mut().for_each(|group| group.cells = parts.next().unwrap_or_default());
            call.each_mut(&mut groups, 0, &|_, group| self.encode_group(call, decoded, group))?;
            put_together(call, &groups, start, &mut index, out)?;
        }
        self.finish(call, &index, start, out)
    }

    fn encode_group<'a>(&self, call: &CallContext<'a>, decoded: &View<'_>, group: &mut Group<'a>) -> Result<()> {
        // The memory of the wave before.
        let mut scratch = match group.bytes.take() {
            Some(scratch) => scratch,
            None => call.scratch(0)?,
        };
        group.entries.clear();
        let mut out = scratch.grow(u64::MAX);
        for i in group.cells {
            let chunk_index = &chunk_index_at(&self.counts, *i);
            let offset = out.len() as u64;
            let encoded = self.encode_inner(call, decoded, chunk_index, &mut out)?;
            let entry = Entry { offset, len: out.len() as u64 - offset };
            group.entries.push((encoded == Encoded::Bytes).then_some(entry));
        }
        let len = out.len();
        scratch.keep(len);
        group.bytes = Some(scratch);
        Ok(())
    }

    fn encode_inner(
        &self,
        call: &CallContext<'_>,
        decoded: &View<'_>,
        chunk_index: &[u64],
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        let chunk = decoded.clone().region(&self.region_of(chunk_index))?;
        self.inner.encode(call, &chunk, out).map_err(|e| inner_error(e, chunk_index))
    }

    /// Leaves room for an index in front. Gives where the shard begins.
    fn begin(&self, out: &mut OutputBuffer<'_>) -> Result<usize> {
        let start = out.len();
        if self.location == Location::Start {
            out.space(self.index_size as usize)?;
        }
        Ok(start)
    }
    fn finish(&self, call: &CallContext<'_>, index: &Index, start: usize, out: &mut OutputBuffer<'_>) -> Result<()> {
        if self.location == Location::End {
            return self.write_index(call, index, out);
        }
        let mut bytes = zeroed(self.index_size as usize)?;
        self.write_index(call, index, &mut OutputBuffer::fixed(&mut bytes))?;
        out.written()[start..start + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }
}

impl PartialEncode for ShardingIndexed {
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        // The index before and after, and the order of the inner chunks.
        let total = self.counts.iter().product::<u64>();
        let _charge = call.charge(total.saturating_mul(16 + 16 + 8))?;
        let before = match old {
            Some(source) => self.read_index(call, source)?,
            None => Index::empty(&self.counts)?,
        };
        let mut index = Index::empty(&self.counts)?;
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
        for i in ordered(&self.counts, call.options.inner_chunk_order)? {
            let chunk_index = chunk_index_at(&self.counts, i);
            let (entry, chunk) = (before.get(&chunk_index)?, self.region_of(&chunk_index));
            let Some(part) = chunk.intersection(region) else {
                if let (Some(entry), Some(copied)) = (entry, &mut copied) {
                    any = true;
                    let offset = match &shared {
                        Some(shared) => shared.place(entry.offset),
                        None => copied.add(entry, out)? + (out.len() - start) as u64,
                    };
                    index.set(&chunk_index, Entry { offset, len: entry.len });
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
                index.set(&chunk_index, Entry { offset, len: (out.len() - start) as u64 - offset });
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

/// The bytes of stored inner chunks that overlap. They are copied once, and go on being shared: with bytes of its own for
/// each inner chunk a small shard could become a large one.
struct Shared<'c> {
    /// Without gap or overlap, by where they were.
    pieces: Vec<Piece>,
    _charge: Charge<'c>,
}

struct Piece {
    from: u64,
    len: u64,
    /// Where it is in the new shard.
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
    /// Where a byte is that was at `offset`.
    fn place(&self, offset: u64) -> u64 {
        let i = self.pieces.partition_point(|p| p.from <= offset);
        self.pieces[..i].last().map_or(0, |p| p.at + (offset - p.from))
    }
}

impl ShardingIndexed {
    /// What inner chunks share that an update of `region` does not touch. `None`: nothing.
    fn shared<'c>(&self, call: &CallContext<'c>, before: &Index, region: &Region) -> Result<Option<Shared<'c>>> {
        let total = self.counts.iter().product::<u64>();
        let charge = call.charge(total.saturating_mul(size_of::<Piece>() as u64))?;
        let mut pieces = with_room(total as usize)?;
        for i in 0..total {
            let chunk_index = chunk_index_at(&self.counts, i);
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
                let chunk = zarr_core::source::Window::Slice { of, start: entry.offset, len: entry.len };
                self.inner.update(call, Some(&chunk), within, new, out)
            }
        }
    }
}

/// Appends what groups encoded, by all threads, and notes where it is.
fn put_together(
    call: &CallContext<'_>,
    groups: &[Group<'_>],
    start: usize,
    index: &mut Index,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let mut offset = (out.len() - start) as u64;
    let mut space = out.space(groups.iter().map(|group| group.bytes().len()).sum())?;
    let mut places = Vec::with_capacity(groups.len());
    for group in groups {
        for (i, entry) in group.cells.iter().zip(&group.entries) {
            if let Some(e) = entry {
                index.set_number(*i, Entry { offset: offset + e.offset, len: e.len });
            }
        }
        let (place, rest) = space.split_at_mut(group.bytes().len());
        offset += place.len() as u64;
        places.push((group.bytes(), place));
        space = rest;
    }
    call.each_mut(&mut places, 0, &|_, (bytes, place)| {
        place.copy_from_slice(bytes);
        Ok(())
    })
}

/// Stored inner chunks that are copied as they are: those that follow one another are one.
struct Copied<'s> {
    call: &'s CallContext<'s>,
    source: &'s dyn Source,
    from: u64,
    len: u64,
    /// So many bytes may still be copied.
    left: u64,
}

impl<'s> Copied<'s> {
    /// Inner chunks may share their bytes, and take more when each gets its own: no more than a shard's inner chunks take,
    /// or than there was and a chunk may have.
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
        self.left = left.ok_or_else(|| Error::data("the inner chunks of the index are larger than a shard may be"))?;
        Ok(())
    }
    /// Adds an inner chunk. Gives where it will be, counted from what is written.
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
            // Only what is there gets memory.
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

/// All cells of a grid in the order in which a writer puts them, by their numbers in C order.
fn ordered(counts: &[u64], order: InnerChunkOrder) -> Result<Vec<u64>> {
    let total: u64 = counts.iter().product();
    let mut cells = with_room(total as usize)?;
    cells.extend(0..total);
    match order {
        InnerChunkOrder::RowMajor => {}
        InnerChunkOrder::ColumnMajor => cells.sort_by(|a, b| {
            let [a, b] = [*a, *b].map(|i| chunk_index_at(counts, i));
            a.iter().rev().cmp(b.iter().rev())
        }),
        InnerChunkOrder::Morton => {
            cells.sort_by(|a, b| morton(&chunk_index_at(counts, *a), &chunk_index_at(counts, *b)))
        }
    }
    Ok(cells)
}

/// A cell by its number in C order.
fn chunk_index_at(counts: &[u64], mut i: u64) -> Dims {
    let mut chunk_index = Dims::from_elem(0, counts.len());
    for d in (0..counts.len()).rev() {
        chunk_index[d] = i % counts[d];
        i /= counts[d];
    }
    chunk_index
}

/// Compares two cells by their interleaved bits, the first dimension most significant within each bit.
fn morton(a: &[u64], b: &[u64]) -> std::cmp::Ordering {
    let differing = a.iter().zip(b).map(|(x, y)| x ^ y);
    let mut highest = (0, 0);
    for (d, bits) in differing.enumerate() {
        // Only a strictly higher bit takes over: at one bit the earlier dimension decides.
        if bits > highest.1 && (bits ^ highest.1) > highest.1 {
            highest = (d, bits);
        }
    }
    a.get(highest.0).cmp(&b.get(highest.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_inner_chunks() {
        let flat = |o| ordered(&[2, 4], o).unwrap().iter().map(|i| (i / 4, i % 4)).collect::<Vec<_>>();
        let row = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)];
        let column = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)];
        let morton = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)];
        assert_eq!(flat(InnerChunkOrder::RowMajor), row);
        assert_eq!(flat(InnerChunkOrder::ColumnMajor), column);
        assert_eq!(flat(InnerChunkOrder::Morton), morton);
        assert_eq!(ordered(&[], InnerChunkOrder::Morton).unwrap(), [0]);
        assert_eq!(chunk_index_at(&[], 0), Dims::new());
    }
    /// What is charged for the inner chunks that share bytes is what is allocated.
    #[test]
    fn pieces_take_what_is_charged() {
        use super::super::Configuration;
        use zarr_core::{call::*, extension::Extension, json::*, limits::Limits, registry::*, representation::*};
        let (registry, limits, notes) = (Registry::builtin().unwrap(), Limits::default(), Notes::default());
        let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap().object;
        let shard = Representation::new(uint8, &[9], &[0]);
        let little = [("endian", Json::from("little"))].into_iter().collect();
        let configuration = Configuration {
            chunk_shape: vec![1],
            codecs: vec![Extension::new("bytes", Object::new())],
            index_codecs: Some(vec![Extension::new("bytes", little)]),
            index_location: Location::Start,
        };
        let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&shard);
        let codec = ShardingIndexed::create(configuration, &cx).unwrap();
        let mut before = Index::empty(&codec.counts).unwrap();
        (0..9).for_each(|i| before.set_number(i, Entry { offset: 144, len: 1 }));
        let (options, buffers) = (Options::default(), Buffers::default());
        let call = CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers };
        let region = Region { start: [8][..].into(), len: [1][..].into() };
        let shared = codec.shared(&call, &before, &region).unwrap().unwrap();
        assert_eq!((shared.pieces.len(), shared.pieces.capacity()), (1, 9));
    }
}
