//! A single chunk: its elements, and its stored bytes.

mod check;

use super::{Array, chunks::Chunks};
use crate::element::{Element, Item};
use zarr_core::{
    Error, Result,
    limits::zeroed,
    store::Key,
    view::{Dims, Region, ViewMut},
};

/// A chunk of an [`Array`], or an inner chunk of one of its shards.
///
/// Created by [`Array::chunk`] and [`Array::chunks`].
#[derive(Debug, Clone)]
pub struct Chunk<'a> {
    array: &'a Array,
    index: Dims,
    /// The elements within the array.
    region: Region,
    is_inner: bool,
}

impl Array {
    /// Returns the chunk (the shard, if the array is sharded) with an index in the chunk grid.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// let corner = array.chunk(&[2, 2])?;
    /// assert_eq!(corner.shape(), [2, 2]);
    /// assert!(array.chunk(&[3, 0]).is_err(), "there are three chunks along each dimension");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is outside the grid.
    pub fn chunk(&self, index: &[u64]) -> Result<Chunk<'_>> {
        let region = self.chunk_region(index).map_err(|e| e.at_node(&self.path))?;
        let region = region.intersection(&Region::whole(self.shape())).unwrap_or(region);
        Ok(Chunk { array: self, index: index.into(), region, is_inner: false })
    }
    /// Returns an iterator over all chunks, in C order. Nothing is read to find them.
    ///
    /// If the array is sharded, these are the shards. [`Chunks::inner`] iterates over their inner chunks instead, and
    /// [`Chunks::within`] limits the iterator to a selection.
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
    /// With the `parallel` feature, the chunks are also a parallel iterator from the `rayon` crate:
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
    /// Returns the chunk of an index in the grid. If a grid that is not regular does not know the chunk, using it is an
    /// error.
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
    /// Returns the index in the chunk grid. For an inner chunk, counts inner chunks from the origin of the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// let touched = array.chunks().within((5, 3..5))?;
    /// assert_eq!(touched.map(|chunk| chunk.index().to_vec()).collect::<Vec<_>>(), [[1, 0], [1, 1]]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn index(&self) -> &[u64] {
        &self.index
    }
    /// Returns the region of the array that the chunk covers, without elements beyond the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// array.write((8.., 8..), &[1u8, 2, 3, 4])?;
    /// let corner = array.chunk(&[2, 2])?;
    /// assert_eq!(corner.region().start[..], [8, 8]);
    /// assert_eq!(array.read::<u8>(corner.region())?, [1, 2, 3, 4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn region(&self) -> &Region {
        &self.region
    }
    /// Returns the number of elements along each dimension, without elements beyond the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10]).chunks([4]))?;
    /// let lengths: Vec<u64> = array.chunks().map(|chunk| chunk.shape()[0]).collect();
    /// assert_eq!(lengths, [4, 4, 2]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn shape(&self) -> &[u64] {
        &self.region.len
    }
    /// Returns true for an inner chunk, which is a part of a stored chunk.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<u8>([8]).chunks([2]).shards([4]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert!(array.chunks().all(|shard| !shard.is_inner()));
    /// assert!(array.chunks().inner().all(|chunk| chunk.is_inner()));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn is_inner(&self) -> bool {
        self.is_inner
    }
    /// Returns the key of the chunk, relative to the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// assert_eq!(array.chunk(&[0, 2])?.key()?.as_str(), "c/0/2");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is an inner chunk, which has no key of its own.
    pub fn key(&self) -> Result<Key> {
        self.stored()?;
        self.array.chunk_key(&self.index)
    }
    /// Reads the elements of the chunk in C order, without those beyond the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([5]).chunks([3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5])?;
    /// assert_eq!(array.chunk(&[1])?.read::<u8>()?, [4, 5]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the array's data type cannot be read as `T`, or the chunk cannot be read.
    pub fn read<T: Item>(&self) -> Result<Vec<T>> {
        self.check_grid()?;
        self.array.read(&self.region)
    }
    /// Reads the elements of the chunk into `out`, as [`read`](Self::read) does.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([9]).chunks([3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5, 6, 7, 8, 9])?;
    /// let (mut elements, mut sum) = ([0u8; 3], 0);
    /// for chunk in array.chunks() {
    ///     chunk.read_into(&mut elements)?;
    ///     sum += elements.iter().sum::<u8>();
    /// }
    /// assert_eq!(sum, 45);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if `out` has another number of elements.
    pub fn read_into<T: Element>(&self, out: &mut [T]) -> Result<()> {
        self.check_grid()?;
        self.array.read_into(&self.region, out)
    }
    /// Writes the elements of the chunk in C order, without those beyond the array.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([5]).chunks([3]))?;
    /// array.chunk(&[1])?.write(&[4u8, 5])?;
    /// assert_eq!(array.read::<u8>(..)?, [0, 0, 0, 4, 5]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::write`].
    pub fn write<T: Item>(&self, elements: &[T]) -> Result<()> {
        self.check_grid()?;
        self.array.write(&self.region, elements)
    }
    /// Returns true if the chunk is stored. The elements of a chunk that is not stored are the fill value.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([6]).chunks([3]))?;
    /// array.write(3.., &[4u8, 5, 6])?;
    /// assert!(!array.chunk(&[0])?.is_stored()?);
    /// assert!(array.chunk(&[1])?.is_stored()?);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store fails, or if it is an inner chunk.
    pub fn is_stored(&self) -> Result<bool> {
        let (array, key) = (self.stored()?, self.key()?);
        let found = array.data.reader()?.open(&key).map_err(|e| array.in_chunk(e, &self.index))?;
        Ok(found.is_some())
    }
    /// Returns the stored bytes, or `None` if the chunk is not stored.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([2]).codecs(["bytes"]))?;
    /// array.write(.., &[1u16, 2])?;
    /// assert_eq!(array.chunk(&[0])?.encoded()?, Some(vec![1, 0, 2, 0]));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store fails, or if it is an inner chunk.
    pub fn encoded(&self) -> Result<Option<Vec<u8>>> {
        let (array, key) = (self.stored()?, self.key()?);
        array.data.reader()?.get(&key).map_err(|e| array.in_chunk(e, &self.index))
    }
    /// Stores encoded bytes as they are. They are decoded first, so that a chunk that cannot be read is never stored.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([2]).codecs(["bytes"]))?;
    /// array.chunk(&[0])?.write_encoded(&[1, 0, 2, 0])?;
    /// assert_eq!(array.read::<u16>(..)?, [1, 2]);
    /// assert!(array.chunk(&[0])?.write_encoded(&[1, 0, 2]).is_err(), "a byte is missing");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes cannot be decoded or stored, or if it is an inner chunk.
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
    /// Removes the stored chunk. Its elements are then the fill value.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2]).fill_value(9))?;
    /// array.write(.., &[1u8, 2])?;
    /// array.chunk(&[0])?.erase()?;
    /// assert_eq!(array.read::<u8>(..)?, [9, 9]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store fails, or if it is an inner chunk.
    pub fn erase(&self) -> Result<()> {
        let (array, key) = (self.stored()?, self.key()?);
        array.resolved.check_writable()?;
        array.data.writer()?.erase(&key).map_err(|e| array.in_chunk(e, &self.index))
    }
    /// Returns the bytes of all elements of the chunk, including those beyond the array, in C order and the machine's
    /// byte order.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([5]).chunks([3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5])?;
    /// assert_eq!(array.chunk(&[1])?.read_padded_bytes()?, [4, 5, 0]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If elements have variable length, if the chunk cannot be read, or if it is an inner chunk.
    pub fn read_padded_bytes(&self) -> Result<Vec<u8>> {
        let array = self.stored()?;
        let (call, chunk) = (array.hierarchy.context().call(), array.chunk_region(&self.index)?);
        let r = array.representation().with_shape(&chunk.len);
        if r.layout().is_variable() {
            return Err(Error::argument("cannot read variable-length elements as bytes")
                .with_hint("read them as `String` or `Vec<u8>`"));
        }
        let mut bytes = zeroed(r.bytes_within(call.limits)?)?;
        let mut out = ViewMut::new(&mut bytes, r.shape(), r.element_size())?;
        let whole = Region::whole(&chunk.len);
        call.within_memory(|call| array.read_chunk_part(call, &self.index, &whole, out.reborrow()))?;
        Ok(bytes)
    }
    /// Returns the array, unless this is an inner chunk.
    fn stored(&self) -> Result<&'a Array> {
        if self.is_inner {
            let e = Error::argument("an inner chunk has no key").at_chunk(&self.index);
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
