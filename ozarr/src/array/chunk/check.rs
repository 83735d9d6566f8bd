//! Checking a stored chunk: it is decoded in parts, so that a large one needs little memory.

use super::Chunk;
use zarr_core::{
    Result,
    call::CallContext,
    representation::Representation,
    view::{Dims, Region, TileGrid, ViewMut},
};

impl Chunk<'_> {
    /// Decodes the chunk, in parts if it has parts, and discards the elements. A chunk that is not stored is valid.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, codecs::Crc32c};
    ///
    /// let new = NewArray::of::<u8>([3]).compressor(Crc32c);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// array.write(.., &[1u8, 2, 3])?;
    /// assert!(array.chunk(&[0])?.check().is_ok());
    ///
    /// let key = array.chunk_key(&[0])?;
    /// array.data_store().writer()?.set(&key, b"damaged")?;
    /// assert!(array.chunk(&[0])?.check().is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If reading the chunk would fail, or if inner chunks of a shard overlap, which readers may ignore. Also if it is
    /// an inner chunk.
    pub fn check(&self) -> Result<()> {
        let array = self.stored()?;
        let (context, chunk) = (array.hierarchy.context(), array.chunk_region(&self.index)?);
        let chain = array.chain_for(&chunk)?;
        let r = chain.decoded();
        let part = match chain.inner_chunk_shape() {
            Some(inner) => part_to_check(r, &inner)?,
            None => r.shape().into(),
        };
        let options = context.options.clone().with_strict(true);
        let call = CallContext { options: &options, ..context.call() };
        for place in TileGrid::regular(&Region::whole(r.shape()), &part)?.places() {
            let part = r.with_shape(&place.part.len);
            call.within_memory(|call| {
                let (mut scratch, heap) = (call.scratch(part.bytes_within(call.limits)?)?, part.new_heap());
                let out = ViewMut::new(&mut scratch, part.shape(), part.element_size())?.with_heap(heap.as_ref());
                array.read_chunk_part(call, &self.index, &place.part, out)
            })?;
        }
        Ok(())
    }
}

/// Returns the shape of the parts in which a chunk is checked: whole inner chunks of together 64 MiB, or a sixteenth of
/// the chunk if that is more, since a large shard index is read again for each part.
fn part_to_check(chunk: &Representation, inner: &[u64]) -> Result<Dims> {
    const LEAST: u64 = 64 << 20;
    /// About the memory that an inner chunk takes, however small it is.
    const INNER: u64 = 64;
    let each = chunk.with_shape(inner).bytes()?.max(INNER);
    let bytes = |part: &[u64]| part.iter().zip(inner).fold(each, |n, (p, i)| n.saturating_mul(p.div_ceil((*i).max(1))));
    let mut part: Dims = chunk.shape().into();
    let most = LEAST.max(bytes(&part) / 16);
    for d in 0..part.len() {
        if bytes(&part) > most {
            let all = std::mem::replace(&mut part[d], inner[d]);
            part[d] = inner[d].saturating_mul((most / bytes(&part)).max(1)).min(all);
        }
    }
    Ok(part)
}
