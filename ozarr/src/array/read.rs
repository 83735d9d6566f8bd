//! Reading: chunks decode directly into their parts of the destination, in parallel.

use super::Array;
use crate::{
    element::{self, Element, Item, check_count},
    platform,
    selection::{Selected, Selection},
};
use zarr_core::{
    Error, ErrorKind, Result,
    call::CallContext,
    chunk_grid::AxisChunks,
    limits::{product, zeroed},
    view::{AxisParts, Dims, Region, TileGrid, TilePlace, View, ViewMut},
};

impl Array {
    /// Reads the selected elements in C order.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2, 3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.read::<u8>((.., 1..))?, [2, 3, 5, 6]);
    /// let row: Vec<u8> = array.read(1)?;
    /// assert_eq!(row, [4, 5, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the array's data type cannot be read as `T`.
    /// - If the selection does not fit the array.
    /// - If a chunk cannot be read.
    pub fn read<T: Item>(&self, selection: impl Into<Selection>) -> Result<Vec<T>> {
        let (selection, r) = (selection.into(), self.representation());
        let read = || {
            self.check_item::<T>()?;
            let count = self.element_count(&selection)?;
            T::read(r, &selection.shape(self.shape())?, count, &|out| self.read_view(&selection, out))
        };
        read().map_err(|e| e.at_node(&self.path))
    }
    /// Checks that elements of the array are of type `T`.
    pub(crate) fn check_item<T: Item>(&self) -> Result<()> {
        T::check(self.representation(), self.metadata.data_type().name())
    }
    /// Reads the selected elements in C order into `out`.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2, 3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5, 6])?;
    /// let mut row = [0u8; 3];
    /// array.read_into(1, &mut row)?;
    /// assert_eq!(row, [4, 5, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if `out` does not have as many elements as the selection.
    pub fn read_into<T: Element>(&self, selection: impl Into<Selection>, out: &mut [T]) -> Result<()> {
        self.check_item::<T>()?;
        let selection = selection.into();
        let bytes = bytemuck::cast_slice_mut(out);
        platform::huge_pages::advise(bytes);
        let shape = selection.shape(self.shape())?;
        check_count(&shape, bytes.len(), size_of::<T>())?;
        self.read_view(selection, ViewMut::new(bytes, &shape, size_of::<T>())?)
    }
    /// Reads the selected elements, which must have a fixed size, as bytes in C order and the machine's byte order.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([3]))?;
    /// array.write(.., &[1u16, 2, 3])?;
    /// assert_eq!(array.read_bytes(1..)?, [2u16.to_ne_bytes(), 3u16.to_ne_bytes()].concat());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if elements have variable length.
    pub fn read_bytes(&self, selection: impl Into<Selection>) -> Result<Vec<u8>> {
        let (selection, r) = (selection.into(), self.representation());
        if r.layout().is_variable() {
            return Err(Error::argument("cannot read variable-length elements as bytes")
                .with_hint("read them as `String` or `Vec<u8>`"));
        }
        let count = self.element_count(&selection)?;
        element::read_bytes(r, &selection.shape(self.shape())?, count, &|out| self.read_view(&selection, out))
    }
    /// Returns the number of selected elements, if they fit in memory.
    fn element_count(&self, selection: &Selection) -> Result<usize> {
        let count = product(&selection.shape(self.shape())?, 1)?;
        let bytes = count.checked_mul(self.representation().element_size() as u64);
        let fits = bytes.and_then(|b| isize::try_from(b).ok()).and_then(|_| usize::try_from(count).ok());
        fits.ok_or_else(|| ErrorKind::Memory(count).into())
    }
    /// Reads the selected elements into memory with any strides.
    ///
    /// `out` must have the selection's shape. Elements of variable length go to the heap of `out`, whose first buffer
    /// must be the fill value.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, extension::ViewMut};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2, 3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5, 6])?;
    /// let mut columns = [0; 6];
    /// array.read_view(.., ViewMut::strided(&mut columns, 0, &[2, 3], &[1, 2], 1)?)?;
    /// assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if `out` has another shape or elements of another size.
    pub fn read_view(&self, selection: impl Into<Selection>, out: ViewMut<'_>) -> Result<()> {
        let selected = selection.into().within(self.shape())?;
        self.check_view(&selected, &out.shape(), out.element_size(), "the destination")?;
        let out = if selected.dropped.is_empty() { out } else { out.with_unit_axes(&selected.dropped)? };
        let call = self.hierarchy.context().call();
        match self.tile_grid(&selected)? {
            Some(grid) => call.tiles(out.tiles(&grid)?, 1, &|mut t| {
                call.within_memory(|call| self.read_tile(call, &t.place, t.out.reborrow()))
            }),
            None => self.read_any_grid(&call, &selected, out),
        }
    }
    /// Checks that a view has the selection's shape and the array's element size.
    pub(super) fn check_view(&self, selected: &Selected, shape: &[u64], element: usize, what: &str) -> Result<()> {
        let (wanted, size) = (selected.kept_shape(), self.representation().element_size());
        if *shape != *wanted {
            return Err(Error::argument(format!(
                "{what} has shape {shape:?}, but the selection has shape {:?}",
                &wanted[..]
            )));
        }
        if element != size {
            return Err(Error::argument(format!(
                "{what} has elements of {element} bytes, but the array has elements of {size} bytes"
            )));
        }
        Ok(())
    }
    /// Returns the chunks that a selection touches, if the grid divides each dimension on its own.
    pub(super) fn tile_grid(&self, selected: &Selected) -> Result<Option<TileGrid>> {
        let grid = &self.resolved.chunk_grid;
        let mut axes = Vec::with_capacity(selected.shape.len());
        for d in 0..selected.shape.len() {
            let (start, count, step) = (selected.bounds.start[d], selected.shape[d], selected.steps[d]);
            axes.push(match grid.axis(d) {
                Some(AxisChunks::Regular(n)) => AxisParts::regular(n, start, count, step)?,
                Some(AxisChunks::Lengths(lengths)) => parts_of(lengths, start, count, step)?,
                // Reading chunk by chunk is correct for any grid.
                _ => return Ok(None),
            });
        }
        TileGrid::new(axes, &selected.steps).map(Some)
    }

    fn read_tile(&self, call: &CallContext<'_>, place: &TilePlace, mut out: ViewMut<'_>) -> Result<()> {
        if place.is_dense() {
            return self.read_chunk_part(call, &place.chunk_index, &place.within, out);
        }
        let r = self.representation().with_shape(&place.within.len);
        let mut scratch = call.scratch(r.bytes_within(call.limits)?)?;
        let all = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(out.heap());
        self.read_chunk_part(call, &place.chunk_index, &place.within, all)?;
        let all = View::new(&scratch, r.shape(), r.element_size())?.with_heap(out.heap());
        out.copy_from(&all.step(&place.steps)?, 1)
    }

    /// Reads a part of one chunk. Elements of a chunk that is not stored are the fill value, or an error if the context
    /// says so.
    pub(super) fn read_chunk_part(
        &self,
        call: &CallContext<'_>,
        chunk_index: &[u64],
        within: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let read = |mut out: ViewMut<'_>| {
            let chunk = self.chunk_region(chunk_index)?;
            let chain = self.chain_for(&chunk)?;
            let Some(source) = self.data.reader()?.open(&self.chunk_key(chunk_index)?)? else {
                return Err(ErrorKind::KeyNotFound.into());
            };
            let visible = chunk.intersection(&Region::whole(self.shape()));
            let all_visible = visible.is_some_and(|v| v.relative_to(&chunk.start) == *within);
            if !(all_visible && chain.has_unchecked_parts() && !within.is_whole(&chunk.len)) {
                return chain.decode(call, &*source, within, out);
            }
            // The caller reads every element of the chunk that is in the array. So read the whole chunk, and verify its
            // checksums.
            let r = chain.decoded();
            let mut scratch = call.scratch(r.bytes_within(call.limits)?)?;
            let whole = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(out.heap());
            chain.decode(call, &*source, &Region::whole(r.shape()), whole)?;
            let whole = View::new(&scratch, r.shape(), r.element_size())?.with_heap(out.heap());
            out.copy_from(&whole.region(within)?, 1)
        };
        match read(out.reborrow()) {
            Err(e) if e.is_not_found() && !self.hierarchy.context().missing_chunk_is_error => {
                out.fill(&self.representation().fill_element())
            }
            Err(e) if e.is_not_found() => {
                let key = self.chunk_key(chunk_index)?;
                Err(e.at_key(key).at_chunk(chunk_index).at_node(&self.path))
            }
            other => other.map_err(|e| self.in_chunk(e, chunk_index)),
        }
    }

    /// Reads one chunk after another, for grids whose chunks may overlap.
    fn read_any_grid(&self, call: &CallContext<'_>, selected: &Selected, mut out: ViewMut<'_>) -> Result<()> {
        let r = self.representation().with_shape(&selected.bounds.len);
        let mut scratch = zeroed(r.bytes_within(call.limits)?)?;
        let mut all = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(out.heap());
        for chunk_index in self.all_chunk_indices()? {
            let chunk = self.chunk_region(&chunk_index)?;
            let Some(part) = chunk.intersection(&selected.bounds) else { continue };
            let mut into = all.reborrow().region(&part.relative_to(&selected.bounds.start))?;
            let within = part.relative_to(&chunk.start);
            call.within_memory(|call| self.read_chunk_part(call, &chunk_index, &within, into.reborrow()))?;
        }
        let all = View::new(&scratch, r.shape(), r.element_size())?.with_heap(out.heap());
        out.copy_from(&all.step(&selected.steps)?, 1)
    }
    /// Returns the indices of all chunks of the grid, in C order.
    pub(super) fn all_chunk_indices(&self) -> Result<Vec<Dims>> {
        let shape = self.resolved.chunk_grid.grid_shape(self.shape())?;
        let ones = Dims::from_elem(1, shape.len());
        Ok(TileGrid::regular(&Region::whole(&shape), &ones)?.places().map(|p| p.chunk_index).collect())
    }
}

/// Returns the parts of chunks of the given lengths.
fn parts_of(lengths: &[u64], start: u64, count: u64, step: u64) -> Result<AxisParts> {
    let (mut parts, mut begin, mut at, mut left) = (AxisParts::default(), 0u64, start, count);
    for (chunk_index, n) in lengths.iter().enumerate() {
        let end = begin.checked_add(*n).ok_or_else(|| Error::argument("the chunk grid ends beyond 2^64"))?;
        if left > 0 && at < end {
            let here = (end - at).div_ceil(step).min(left);
            parts.push(chunk_index as u64, at - begin, here);
            left -= here;
            at = at.saturating_add(here.saturating_mul(step));
        }
        begin = end;
    }
    if left > 0 { Err(Error::argument("the chunk grid does not cover the array")) } else { Ok(parts) }
}
