//! One chunk: its elements, and its bytes as they are stored.

use super::{Array, chunks::Chunks};
use crate::element::{Element, Item};
use zarr_core::{
    Error, Result,
    call::CallContext,
    limits::zeroed,
    representation::Representation,
    store::Key,
    view::{Dims, Region, TileGrid, ViewMut},
};

/// A chunk of an [`Array`], or an inner chunk of one of its shards: found by [`Array::chunk`] and [`Array::chunks`].
#[derive(Debug, Clone)]
pub struct Chunk<'a> {
    array: &'a Array,
    index: Dims,
    /// Within the array.
    region: Region,
    is_inner: bool,
}

impl Array {
    /// The chunk (the shard, where chunks are sharded) of an index of the chunk grid.
    ///
    /// # Errors
    /// When it lies outside the grid.
    pub fn chunk(&self, index: &[u64]) -> Result<Chunk<'_>> {
        let region = self.chunk_region(index).map_err(|e| e.at_node(&self.path))?;
        let region = region.intersection(&Region::whole(self.shape())).unwrap_or(region);
        Ok(Chunk { array: self, index: index.into(), region, is_inner: false })
    }
    /// All chunks (shards, where chunks are sharded), in C order. Nothing is read to find them.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::new([10, 10], "uint8").chunks([4, 4]))?;
    /// array.write(.., &[1u8; 100])?;
    /// let mut total = 0;
    /// for chunk in array.chunks() {
    ///     total += chunk.read::<u8>()?.len();
    /// }
    /// assert_eq!((array.chunks().len(), total), (9, 100));
    /// assert_eq!(array.chunks().within((..4, 5..))?.len(), 2);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// With the feature `parallel` it is a parallel iterator of the crate `rayon` too:
    ///
    /// ```
    /// # #[cfg(feature = "parallel")] {
    /// use rayon::prelude::*;
    /// # use ozarr::{Hierarchy, NewArray};
    /// # let array = Hierarchy::in_memory().create_array("/a", NewArray::new([10, 10], "uint8").chunks([4, 4]))?;
    /// let sum = array.chunks().into_par_iter().map(|chunk| {
    ///     chunk.read::<u8>().map(|elements| elements.into_iter().map(u64::from).sum::<u64>())
    /// });
    /// assert_eq!(sum.try_reduce(|| 0, |a, b| Ok(a + b))?, 0);
    /// # }
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks::of(self)
    }
}

impl<'a> Chunk<'a> {
    /// The chunk of an index that is in the grid. A grid that has no answer for it, which only one that is not regular may do,
    /// says so when the chunk is used.
    pub(super) fn at(array: &'a Array, index: Dims, is_inner: bool) -> Self {
        let inner = array.inner.as_ref().filter(|_| is_inner);
        let whole = match inner {
            Some(shape) => {
                let start = index.iter().zip(shape.iter()).map(|(i, n)| i.saturating_mul(*n)).collect();
                Ok(Region { start, len: shape.clone() })
            }
            None => array.chunk_region(&index),
        };
        let region = whole.ok().and_then(|whole| whole.intersection(&Region::whole(array.shape())));
        let region = region.unwrap_or_else(|| {
            let none = Dims::from_elem(0, index.len());
            Region { start: none.clone(), len: none }
        });
        Self { array, index, region, is_inner }
    }
    /// Its index in the chunk grid; that of an inner chunk counts inner chunks from the origin of the array.
    pub fn index(&self) -> &[u64] {
        &self.index
    }
    /// The elements of the array that are in it, without what lies beyond the array.
    pub fn region(&self) -> &Region {
        &self.region
    }
    /// Elements along each dimension, without what lies beyond the array.
    pub fn shape(&self) -> &[u64] {
        &self.region.len
    }
    /// True for an inner chunk, which is a part of a stored one.
    pub fn is_inner(&self) -> bool {
        self.is_inner
    }
    /// The key of the chunk, relative to the array.
    ///
    /// # Errors
    /// When it is an inner chunk, which has no key of its own.
    pub fn key(&self) -> Result<Key> {
        self.stored()?;
        self.array.chunk_key(&self.index)
    }
    /// Reads its elements in C order, without what lies beyond the array.
    ///
    /// # Errors
    /// When the type is not the data type's, or the chunk cannot be read.
    pub fn read<T: Item>(&self) -> Result<Vec<T>> {
        self.check_grid()?;
        self.array.read(&self.region)
    }
    /// The same into memory of the caller.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when `out` has not as many elements.
    pub fn read_into<T: Element>(&self, out: &mut [T]) -> Result<()> {
        self.check_grid()?;
        self.array.read_into(&self.region, out)
    }
    /// Writes its elements in C order, without what lies beyond the array.
    ///
    /// # Errors
    /// As [`Array::write`].
    pub fn write<T: Item>(&self, elements: &[T]) -> Result<()> {
        self.check_grid()?;
        self.array.write(&self.region, elements)
    }
    /// True if something is stored under its key. Elements of a chunk that is not stored are the fill value.
    ///
    /// # Errors
    /// When the store fails, or it is an inner chunk.
    pub fn is_stored(&self) -> Result<bool> {
        let (array, key) = (self.stored()?, self.key()?);
        let found = array.data.reader()?.open(&key).map_err(|e| array.in_chunk(e, &self.index))?;
        Ok(found.is_some())
    }
    /// Its bytes as they are stored.
    ///
    /// # Errors
    /// When the store fails, or it is an inner chunk.
    pub fn encoded(&self) -> Result<Option<Vec<u8>>> {
        let (array, key) = (self.stored()?, self.key()?);
        array.data.reader()?.get(&key).map_err(|e| array.in_chunk(e, &self.index))
    }
    /// Stores bytes as they are. They are decoded once, so that nothing is stored that cannot be read.
    ///
    /// # Errors
    /// When they cannot be decoded or stored, or it is an inner chunk.
    pub fn write_encoded(&self, bytes: &[u8]) -> Result<()> {
        let array = self.stored()?;
        let write = || {
            array.resolved.check_writable()?;
            let (call, chunk) = (array.hierarchy.context().call(), array.chunk_region(&self.index)?);
            let chain = array.chain_for(&chunk)?;
            let r = chain.decoded();
            call.within_memory(|call| {
                let (mut scratch, heap) = (call.scratch(r.bytes_within(call.limits)?)?, r.new_heap());
                let out = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(heap.as_ref());
                chain.decode(call, &bytes, &Region::whole(r.shape()), out)
            })?;
            array.data.writer()?.set(&self.key()?, bytes)
        };
        write().map_err(|e| array.in_chunk(e, &self.index))
    }
    /// Removes it: its elements are the fill value then.
    ///
    /// # Errors
    /// When the store fails, or it is an inner chunk.
    pub fn erase(&self) -> Result<()> {
        let (array, key) = (self.stored()?, self.key()?);
        array.resolved.check_writable()?;
        array.data.writer()?.erase(&key).map_err(|e| array.in_chunk(e, &self.index))
    }
    /// The bytes of all its elements in the machine's order and C order, also of those beyond the array.
    ///
    /// # Errors
    /// When elements have no fixed size, the chunk cannot be read, or it is an inner chunk.
    pub fn read_padded_bytes(&self) -> Result<Vec<u8>> {
        let array = self.stored()?;
        let (call, chunk) = (array.hierarchy.context().call(), array.chunk_region(&self.index)?);
        let r = array.representation().with_shape(&chunk.len);
        if r.layout().is_variable() {
            return Err(Error::argument("elements of variable length are read as `String` or `Vec<u8>`"));
        }
        let mut bytes = zeroed(r.bytes_within(call.limits)?)?;
        let mut out = ViewMut::new(&mut bytes, r.shape(), r.element_size())?;
        let whole = Region::whole(&chunk.len);
        call.within_memory(|call| array.read_chunk_part(call, &self.index, &whole, out.reborrow()))?;
        Ok(bytes)
    }
    /// Decodes it, in parts if it has parts, and keeps nothing. A chunk that is not stored is in order.
    ///
    /// # Errors
    /// Whatever reading would find, and what readers need not notice: inner chunks of a shard that overlap. Also when it is
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
    /// The array, if this is a chunk of its grid.
    fn stored(&self) -> Result<&'a Array> {
        if self.is_inner {
            let e = Error::argument("an inner chunk has no key of its own").at_chunk(&self.index);
            return Err(e.at_node(&self.array.path));
        }
        Ok(self.array)
    }
    fn check_grid(&self) -> Result<()> {
        if self.region.is_empty() && !self.is_inner {
            self.array.chunk_region(&self.index).map_err(|e| e.at_node(&self.array.path))?;
        }
        Ok(())
    }
}

/// The shape of the parts in which a chunk is checked: whole inner chunks, so many that they take 64 MiB, or a sixteenth of
/// the chunk if that is more, since an index that is large is read again for each.
fn part_to_check(chunk: &Representation, inner: &[u64]) -> Result<Dims> {
    const LEAST: u64 = 64 << 20;
    /// About what an inner chunk takes however small it is.
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
