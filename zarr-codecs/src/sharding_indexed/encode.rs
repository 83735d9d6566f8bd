//! Writing of all inner chunks, in the order that the writer chose.

use super::{
    Entry, Index, IndexLocation, ShardingCodec,
    decode::inner_error,
    order::{chunk_index_at, ordered},
};
use zarr_core::{
    Result,
    call::{CallContext, OutputBuffer, Scratch},
    codec::{ArrayToBytes, Encoded},
    limits::zeroed,
    view::View,
};

/// The bytes of inner chunks that each thread encodes before all are appended to the shard.
const WAVE: usize = 1 << 20;

/// Inner chunks that one thread encodes one after another.
#[derive(Default)]
struct Group<'a> {
    chunk_indices: &'a [u64],
    bytes: Option<Scratch<'a>>,
    /// The position of each inner chunk in `bytes`.
    entries: Vec<Option<Entry>>,
}

impl Group<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }
}

impl ShardingCodec {
    pub(super) fn encode_shard(
        &self,
        call: &CallContext<'_>,
        decoded: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let chunk_indices = ordered(self.index.counts(), call.options.inner_chunk_order)?;
        let mut index = Index::new(self.index.counts())?;
        // Reserves all space at once, since growing copies the bytes written so far. If that fails, smaller steps may
        // still work.
        let most = self.encoded_size().max().and_then(|n| usize::try_from(n.min(out.left())).ok());
        if let Some(most) = most
            && out.space(most).is_ok()
        {
            out.unused(most);
        }
        let start = self.begin(out)?;
        let threads = call.executor.threads();
        if threads <= 1 || chunk_indices.len() < 2 {
            for i in chunk_indices {
                let chunk_index = &chunk_index_at(self.index.counts(), i);
                let offset = (out.len() - start) as u64;
                if self.encode_inner(call, decoded, chunk_index, out)? == Encoded::Bytes {
                    index.set_number(i, Entry { offset, len: (out.len() - start) as u64 - offset });
                }
            }
            return self.finish(call, &index, start, out);
        }
        // Encodes waves of groups that stay in the processor's cache until they are appended.
        let size = usize::try_from(self.inner.decoded().bytes()?).unwrap_or(usize::MAX);
        let mut groups: Vec<Group<'_>> = (0..threads * 2).map(|_| Group::default()).collect();
        for wave in chunk_indices.chunks((WAVE / size.max(1)).max(1) * threads) {
            let mut parts = wave.chunks(wave.len().div_ceil(groups.len()));
            groups.iter_mut().for_each(|group| group.chunk_indices = parts.next().unwrap_or_default());
            call.each_mut(&mut groups, 0, &|_, group| self.encode_group(call, decoded, group))?;
            put_together(call, &groups, start, &mut index, out)?;
        }
        self.finish(call, &index, start, out)
    }

    fn encode_group<'a>(&self, call: &CallContext<'a>, decoded: &View<'_>, group: &mut Group<'a>) -> Result<()> {
        // Reuses the memory of the previous wave.
        let mut scratch = match group.bytes.take() {
            Some(scratch) => scratch,
            None => call.scratch(0)?,
        };
        group.entries.clear();
        let mut out = scratch.grow(u64::MAX);
        for i in group.chunk_indices {
            let chunk_index = &chunk_index_at(self.index.counts(), *i);
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

    /// Reserves space for an index at the start. Returns the offset at which the shard begins.
    pub(super) fn begin(&self, out: &mut OutputBuffer<'_>) -> Result<usize> {
        let start = out.len();
        if self.index.location() == IndexLocation::Start {
            out.space(self.index.encoded_len() as usize)?;
        }
        Ok(start)
    }
    pub(super) fn finish(
        &self,
        call: &CallContext<'_>,
        index: &Index,
        start: usize,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        if self.index.location() == IndexLocation::End {
            return self.index.write(call, index, out);
        }
        let mut bytes = zeroed(self.index.encoded_len() as usize)?;
        self.index.write(call, index, &mut OutputBuffer::fixed(&mut bytes))?;
        out.written()[start..start + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }
}

/// Appends the encoded groups, on all threads, and records their positions in the index.
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
        for (i, entry) in group.chunk_indices.iter().zip(&group.entries) {
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
