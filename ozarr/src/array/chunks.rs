//! An iterator over the chunks of an array, which computes each chunk when it is reached.

use super::{Array, chunk::Chunk};
use crate::selection::{Indices, Selection};
use std::{iter::FusedIterator, ops::Range, sync::Arc};
use zarr_core::{Result, chunk_grid::AxisChunks, view::Dims};

/// An iterator over the chunks of an [`Array`], in C order. Created by [`Array::chunks`].
///
/// It computes chunks one by one, so it takes no memory for those to come, even if the grid has more chunks than memory
/// could list. Its length is at most `usize::MAX`.
#[derive(Debug, Clone)]
pub struct Chunks<'a> {
    array: &'a Array,
    selection: Option<Selection>,
    grid: Grid,
    left: Range<usize>,
    is_inner: bool,
}

#[derive(Debug, Clone)]
enum Grid {
    /// All combinations of indices along each dimension.
    Product(Arc<[Axis]>),
    /// Chunks of a grid that does not divide each dimension on its own.
    List(Arc<[Dims]>),
}

/// Chunk indices along one dimension.
#[derive(Debug, Clone)]
enum Axis {
    Range(Range<u64>),
    /// The selected elements are further apart than the chunk length `chunk`, so each is in a chunk of its own.
    Apart {
        selected: Indices,
        chunk: u64,
    },
    List(Vec<u64>),
}

impl Axis {
    /// Chunks of one length.
    fn regular(selected: Indices, chunk: u64) -> Self {
        let Indices { start, len, step, .. } = selected;
        let chunk = chunk.max(1);
        if len > 0 && step > chunk {
            return Axis::Apart { selected, chunk };
        }
        let last = start.saturating_add(len.saturating_sub(1).saturating_mul(step));
        Axis::Range(if len == 0 { 0..0 } else { start / chunk..last / chunk + 1 })
    }
    /// Chunks of the given lengths.
    fn of_lengths(selected: Indices, lengths: &[u64]) -> Self {
        let (mut found, mut begin) = (Vec::new(), 0u64);
        for (i, length) in lengths.iter().enumerate() {
            let end = begin.saturating_add(*length);
            // The first selected element at or after the beginning of the chunk.
            let first = begin.saturating_sub(selected.start).div_ceil(selected.step.max(1));
            if first < selected.len && selected.start.saturating_add(first.saturating_mul(selected.step)) < end {
                found.push(i as u64);
            }
            begin = end;
        }
        Axis::List(found)
    }
    fn len(&self) -> u64 {
        match self {
            Axis::Range(r) => r.end - r.start,
            Axis::Apart { selected, .. } => selected.len,
            Axis::List(list) => list.len() as u64,
        }
    }
    fn get(&self, i: u64) -> u64 {
        match self {
            Axis::Range(r) => r.start + i,
            Axis::Apart { selected, chunk } => (selected.start + i * selected.step) / chunk,
            Axis::List(list) => list[i as usize],
        }
    }
}

impl Grid {
    /// Chunks of one shape.
    fn regular(selected: &[Indices], chunk_shape: &[u64]) -> Self {
        Grid::Product(selected.iter().zip(chunk_shape).map(|(s, n)| Axis::regular(*s, *n)).collect())
    }
    fn len(&self) -> usize {
        match self {
            Grid::Product(axes) if axes.iter().any(|a| a.len() == 0) => 0,
            Grid::Product(axes) => {
                axes.iter().fold(1usize, |n, a| n.saturating_mul(usize::try_from(a.len()).unwrap_or(usize::MAX)))
            }
            Grid::List(list) => list.len(),
        }
    }
    fn get(&self, i: usize) -> Dims {
        match self {
            Grid::Product(axes) => {
                let (mut i, mut index) = (i as u64, Dims::from_elem(0, axes.len()));
                for (d, axis) in axes.iter().enumerate().rev() {
                    index[d] = axis.get(i % axis.len());
                    i /= axis.len();
                }
                index
            }
            Grid::List(list) => list[i].clone(),
        }
    }
}

impl<'a> Chunks<'a> {
    pub(super) fn of(array: &'a Array) -> Self {
        let axes = array.grid_shape.iter().map(|n| Axis::Range(0..*n)).collect();
        Self::with(array, None, Grid::Product(axes), false)
    }
    fn with(array: &'a Array, selection: Option<Selection>, grid: Grid, is_inner: bool) -> Self {
        let left = 0..grid.len();
        Self { array, selection, grid, left, is_inner }
    }
    /// Limits the iterator to the chunks that a selection touches, and restarts it at the first of these.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([10, 10]).chunks([4, 4]))?;
    /// let left = array.chunks().within((.., ..4))?;
    /// assert_eq!(left.len(), 3);
    /// assert!(left.into_iter().all(|chunk| chunk.index()[1] == 0));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the selection does not fit the array.
    pub fn within(self, selection: impl Into<Selection>) -> Result<Self> {
        let selection = selection.into();
        let grid = self.grid_of(&selection, self.is_inner)?;
        Ok(Self::with(self.array, Some(selection), grid, self.is_inner))
    }
    /// Iterates over the inner chunks of the shards in place of the shards, from the first.
    ///
    /// Returns the same chunks if the array is not sharded. Inner chunks are in C order over the whole array, so two
    /// consecutive ones may be in different shards.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let new = NewArray::of::<u8>([8, 8]).chunks([2, 2]).shards([4, 4]);
    /// let array = Hierarchy::in_memory().create_array("/a", new)?;
    /// assert_eq!((array.chunks().len(), array.chunks().inner().len()), (4, 16));
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn inner(self) -> Self {
        let Some(shape) = &self.array.inner else { return self };
        let selected = self.selection.as_ref().map(|s| s.indices(self.array.shape()));
        let whole = || self.array.shape().iter().map(|n| Indices::all(*n)).collect();
        let selected: Vec<Indices> = selected.and_then(Result::ok).unwrap_or_else(whole);
        let grid = Grid::regular(&selected, shape);
        Self::with(self.array, self.selection, grid, true)
    }
    fn grid_of(&self, selection: &Selection, is_inner: bool) -> Result<Grid> {
        let (array, selected) = (self.array, selection.indices(self.array.shape())?);
        if let Some(inner) = array.inner.as_ref().filter(|_| is_inner) {
            return Ok(Grid::regular(&selected, inner));
        }
        let axis = |(d, s): (usize, &Indices)| match array.resolved.chunk_grid.axis(d)? {
            AxisChunks::Regular(n) => Some(Axis::regular(*s, n)),
            AxisChunks::Lengths(lengths) => Some(Axis::of_lengths(*s, lengths)),
            _ => None,
        };
        if let Some(axes) = selected.iter().enumerate().map(axis).collect::<Option<Vec<_>>>() {
            return Ok(Grid::Product(axes.into()));
        }
        let bounds = selection.within(array.shape())?.bounds;
        let mut touched = Vec::new();
        for index in array.all_chunk_indices()? {
            if array.chunk_region(&index)?.intersection(&bounds).is_some() {
                touched.push(index);
            }
        }
        Ok(Grid::List(touched.into()))
    }
    fn get(&self, i: usize) -> Chunk<'a> {
        Chunk::at(self.array, self.grid.get(i), self.is_inner)
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;
    fn next(&mut self) -> Option<Chunk<'a>> {
        self.left.next().map(|i| self.get(i))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.len(), Some(self.left.len()))
    }
    fn nth(&mut self, n: usize) -> Option<Chunk<'a>> {
        self.left.nth(n).map(|i| self.get(i))
    }
}
impl DoubleEndedIterator for Chunks<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|i| self.get(i))
    }
}
impl ExactSizeIterator for Chunks<'_> {}
impl FusedIterator for Chunks<'_> {}

#[cfg(feature = "parallel")]
mod parallel {
    use super::{Chunk, Chunks};
    use rayon::iter::{
        IndexedParallelIterator, IntoParallelIterator, ParallelIterator,
        plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
    };

    /// [`Chunks`] as a parallel iterator.
    #[derive(Debug, Clone)]
    pub struct ParChunks<'a>(Chunks<'a>);

    impl<'a> IntoParallelIterator for Chunks<'a> {
        type Item = Chunk<'a>;
        type Iter = ParChunks<'a>;
        fn into_par_iter(self) -> ParChunks<'a> {
            ParChunks(self)
        }
    }
    impl<'a> ParallelIterator for ParChunks<'a> {
        type Item = Chunk<'a>;
        fn drive_unindexed<C: UnindexedConsumer<Chunk<'a>>>(self, consumer: C) -> C::Result {
            bridge(self, consumer)
        }
        fn opt_len(&self) -> Option<usize> {
            Some(self.0.len())
        }
    }
    impl IndexedParallelIterator for ParChunks<'_> {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
            bridge(self, consumer)
        }
        fn with_producer<P: ProducerCallback<Self::Item>>(self, callback: P) -> P::Output {
            callback.callback(self.0)
        }
    }
    impl<'a> Producer for Chunks<'a> {
        type Item = Chunk<'a>;
        type IntoIter = Self;
        fn into_iter(self) -> Self {
            self
        }
        fn split_at(self, index: usize) -> (Self, Self) {
            let middle = self.left.start.saturating_add(index);
            let (first, second) = (self.left.start..middle, middle..self.left.end);
            (Self { left: first, ..self.clone() }, Self { left: second, ..self })
        }
    }
}
#[cfg(feature = "parallel")]
pub use parallel::ParChunks;
