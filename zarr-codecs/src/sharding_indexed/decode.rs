//! Reading of shards: the index first, then only the inner chunks that a region touches, in parallel.

use super::{Index, ShardingCodec};
use std::sync::Arc;
use zarr_core::{
    Error, ErrorKind, Result,
    call::CallContext,
    codec::PartialDecode,
    source::{ByteRange, Cached, Source, Window},
    view::{Dims, Region, TileGrid, ViewMut},
};

/// Indexes up to this size are cached.
///
/// Of a larger one only the needed entries are read, each time, if its codecs permit it.
const LARGE_INDEX: u64 = 16 << 20;
/// Stores do not cache indexes that are larger than this.
const MOST_CACHED: u64 = 64 << 20;

impl PartialDecode for ShardingCodec {
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        out: ViewMut<'_>,
    ) -> Result<()> {
        if region.is_empty() {
            return Ok(());
        }
        let inner_chunks = self.inner_chunks_of(region);
        let in_part = self.reads_index_in_part(source);
        let _charge = self.index.charge(call, if in_part { &inner_chunks.len } else { self.index.counts() })?;
        let index = self.index_of(call, source, &inner_chunks)?;
        let fill = self.shard.fill_element();
        let grid = TileGrid::regular(region, self.chunk_shape())?;
        let size = source.size()?;
        if let (true, Some(size)) = (call.options.strict, size) {
            index.check_overlaps(call, self.index.place(size)?)?;
        }
        call.tiles(out.tiles(&grid)?, 1, &|mut tile| {
            let place = &tile.place;
            let Some(entry) = index.get(&place.chunk_index)? else { return tile.out.fill(&fill) };
            if size.is_some_and(|size| entry.offset > size || entry.len > size - entry.offset) {
                return Err(inner_error(
                    Error::data("the index entry points beyond the end of the shard"),
                    &place.chunk_index,
                ));
            }
            let chunk = Window::Slice { of: source, start: entry.offset, len: entry.len };
            let decoded = match source.in_memory() {
                // A slice of memory is more direct than a window of a window.
                Some(bytes) => {
                    let bytes = ByteRange::Slice { start: entry.offset, len: entry.len }.of(bytes);
                    bytes.and_then(|b| self.inner.decode(call, &b, &place.within, tile.out))
                }
                None => self.inner.decode(call, &chunk, &place.within, tile.out),
            };
            decoded.map_err(|e| inner_error(e, &place.chunk_index))
        })
    }
}

impl ShardingCodec {
    /// True if only the needed entries are decoded.
    ///
    /// Decoding all of a large index is worth the memory only if the index must be read as a whole from a store, and
    /// may be cached.
    fn reads_index_in_part(&self, source: &dyn Source) -> bool {
        let large = LARGE_INDEX < self.index.encoded_len();
        large && (self.index.reads_parts() || self.index.encoded_len() > MOST_CACHED || source.in_memory().is_some())
    }
    /// Returns the inner chunks that a region touches.
    fn inner_chunks_of(&self, region: &Region) -> Region {
        let start: Dims = region.start.iter().zip(self.chunk_shape()).map(|(s, n)| s / n).collect();
        let ends =
            region.start.iter().zip(&region.len).zip(self.chunk_shape()).map(|((s, len), n)| (s + len).div_ceil(*n));
        let len = ends.zip(&start).map(|(end, start)| end - start).collect();
        Region { start, len }
    }
    /// Returns the index of a shard, which the source may have cached, or the entries of some inner chunks.
    fn index_of(&self, call: &CallContext<'_>, source: &dyn Source, inner_chunks: &Region) -> Result<Arc<Index>> {
        if self.reads_index_in_part(source) {
            return self.index.read_entries(call, source, inner_chunks).map(Arc::new);
        }
        let bytes = self.index.decoded_len(call.limits)? as u64;
        let mut read = || Ok(Arc::new(self.index.read_from(call, source)?) as Cached);
        let cached = source.cached((self.index.id(), 0), bytes, &mut read)?;
        // Another index may have the same hash.
        match cached.downcast::<Index>().ok().filter(|index| index.is_of(self.index.counts())) {
            Some(index) => Ok(index),
            None => self.index.read_from(call, source).map(Arc::new),
        }
    }
}

/// Adds the inner chunk to an error about damaged data, unless the error already names an extension.
pub(super) fn inner_error(e: Error, chunk_index: &[u64]) -> Error {
    match e.kind() {
        ErrorKind::Data(reason) if e.extension().is_none() => {
            Error::data(format!("inner chunk {chunk_index:?}: {reason}"))
        }
        _ => e,
    }
}
