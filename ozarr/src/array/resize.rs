//! Changing an array's shape. Specification: core, "Resizing".

use super::{Array, write::Part};
use crate::{element::Item, selection::Selection};
use std::ops::Range;
use zarr_core::{
    Error, ErrorKind, Result,
    limits::{product, zeroed},
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    source::Source,
    store::Update,
    view::{Dims, Region, TilePlace, View, ViewMut},
};

/// Options for [`Array::resize`].
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ResizeOptions {
    /// Keeps chunks that are cut off. By default, chunks that are entirely outside the new shape are removed.
    pub keep_outside: bool,
    /// Overwrites data that becomes visible again with the fill value. By default it stays visible and is reported.
    pub clear_reappearing: bool,
}

impl ResizeOptions {
    /// Sets [`keep_outside`](Self::keep_outside).
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, ResizeOptions};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([4]).chunks([2]))?;
    /// array.write(.., &[1u8, 2, 3, 4])?;
    /// array.resize(&[2], ResizeOptions::default().with_keep_outside(true))?;
    /// let report = array.resize(&[4], ResizeOptions::default())?;
    /// assert_eq!(report.reappeared, [[1]]);
    /// assert_eq!(array.read::<u8>(..)?, [1, 2, 3, 4]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    #[must_use]
    pub fn with_keep_outside(mut self, keep_outside: bool) -> Self {
        self.keep_outside = keep_outside;
        self
    }
    /// Sets [`clear_reappearing`](Self::clear_reappearing).
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, ResizeOptions};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([4]).chunks([4]))?;
    /// array.write(.., &[1u8, 2, 3, 4])?;
    /// array.resize(&[2], ResizeOptions::default())?;
    /// let report = array.resize(&[4], ResizeOptions::default().with_clear_reappearing(true))?;
    /// assert_eq!(report.reappeared, [[0]]);
    /// assert_eq!(array.read::<u8>(..)?, [1, 2, 0, 0]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    #[must_use]
    pub fn with_clear_reappearing(mut self, clear_reappearing: bool) -> Self {
        self.clear_reappearing = clear_reappearing;
        self
    }
}

/// The chunks that [`Array::resize`] removed or made visible again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResizeReport {
    /// Chunks that were removed because they are entirely outside the new shape.
    pub erased: Vec<Vec<u64>>,
    /// Chunks with older data in the part that became visible. The data was overwritten if
    /// [`clear_reappearing`](ResizeOptions::clear_reappearing) was set.
    pub reappeared: Vec<Vec<u64>>,
}

/// The shape that was stored before a change.
struct Before {
    region: Region,
    grid: Dims,
    /// The outcome of updating copies of the document, returned once everything else is done.
    renewed: Result<()>,
}

impl Array {
    /// Changes the shape of the array.
    ///
    /// The change starts from the shape that is stored, which may differ from the one of this handle. `resize` removes
    /// only chunks that it cuts off from the stored shape. Elements inside both shapes stay. Chunks that straddle the
    /// new edge are not rewritten: the data beyond the edge becomes visible again when the array grows, and is then
    /// reported.
    ///
    /// While an array shrinks, do not write to the part that is cut off: such data may be removed. If `resize` notices
    /// that another writer has changed the shape, it removes no more chunks. With
    /// [`clear_reappearing`](ResizeOptions::clear_reappearing), do not write to the part that becomes visible before
    /// `resize` returns.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, ResizeOptions};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([4]).chunks([2]))?;
    /// array.write(.., &[1u8, 2, 3, 4])?;
    /// let report = array.resize(&[2], ResizeOptions::default())?;
    /// assert_eq!(report.erased, [[1]]);
    /// assert_eq!(array.read::<u8>(..)?, [1, 2]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the rank differs, or the grid does not fit the new shape.
    /// - If the store cannot list or write.
    /// - If another writer changes the shape before all chunks outside are removed.
    /// - If a chunk that becomes visible cannot be read or cleared. The array has the new shape and old data is visible
    ///   in that chunk: with [`clear_reappearing`](ResizeOptions::clear_reappearing), resize to the old shape and repeat
    ///   the change, also after the process was killed.
    /// - [`StaleCopies`](ErrorKind::StaleCopies) if everything is done and this handle has the new shape, but copies of
    ///   metadata in the groups above could not be updated.
    pub fn resize(&mut self, shape: &[u64], options: ResizeOptions) -> Result<ResizeReport> {
        self.resolved.check_writable().map_err(|e| e.at_node(&self.path))?;
        let stored = self.stored_chunks()?;
        // The document comes first, so that an interruption loses no data that is visible. Growing again reports the
        // chunks that were not removed. Data that was not cleared is visible: the same change has to be repeated from the
        // old shape.
        let before = self.change_shape(options, |_| Ok(shape.to_vec()))?;
        let (mut report, mut cleared) = (ResizeReport::default(), Ok(()));
        let grid = self.resolved.chunk_grid.grid_shape(shape)?;
        let is_within = |chunk_index: &[u64], grid: &[u64]| chunk_index.iter().zip(grid).all(|(c, n)| c < n);
        for chunk_index in stored {
            if is_within(&chunk_index, &grid) {
                if options.clear_reappearing {
                    // A chunk that cannot be read does not keep the others from being cleared.
                    match self.clear_if_reappearing(&chunk_index, &before.region) {
                        Ok(true) => report.reappeared.push(chunk_index),
                        Ok(false) => {}
                        Err(e) => cleared = cleared.and(Err(e)),
                    }
                } else if self.reappears(&chunk_index, &before.region)? {
                    report.reappeared.push(chunk_index);
                }
            } else if is_within(&chunk_index, &before.grid) && !options.keep_outside {
                let mut outside = Outside { array: self, before: &before.region };
                self.data.writer()?.update(&self.chunk_key(&chunk_index)?, &mut outside)?;
                report.erased.push(chunk_index);
            }
        }
        cleared.map_err(|e| {
            e.with_hint(format!(
                "old data of this chunk was not cleared: resolve the problem, resize to {:?}, and resize again",
                &before.region.len[..]
            ))
        })?;
        before.renewed.map(|()| report)
    }

    /// Changes the shape in the stored document.
    fn change_shape(
        &mut self,
        options: ResizeOptions,
        mut new: impl FnMut(&ArrayMetadata) -> Result<Vec<u64>>,
    ) -> Result<Before> {
        let (context, data, mut before) = (self.hierarchy.context().clone(), self.data.clone(), None);
        let renewed = self.change_metadata(|m| {
            let stored = ResolvedArray::open(m, &context.registry, &context.limits, &context.options)?;
            stored.check_writable()?;
            let shape = new(m)?;
            let shrinks = shape.iter().zip(m.shape()).any(|(new, old)| new < old);
            if shrinks && !options.keep_outside || options.clear_reappearing {
                // If a storage transformer makes the data read-only, fail before the document changes.
                data.writer()?;
            }
            let grid = stored.chunk_grid.grid_shape(m.shape())?;
            before = Some((Region::whole(m.shape()), grid));
            if let Some(grid) = stored.chunk_grid.resized(m.shape(), &shape)? {
                m.set_chunk_grid_configuration(grid)?;
            }
            m.set_shape(&shape)
        })?;
        let (region, grid) = before.ok_or(ErrorKind::Contract("a store updated a value without calling the update"))?;
        Ok(Before { region, grid, renewed })
    }

    /// Returns the parts of a chunk that are visible now and were not before: one for each dimension that grew there.
    fn newly_visible(&self, chunk_index: &[u64], before: &Region) -> Result<Vec<Region>> {
        let chunk = self.chunk_region(chunk_index)?;
        let Some(visible) = chunk.intersection(&Region::whole(self.shape())) else { return Ok(Vec::new()) };
        let mut parts = Vec::new();
        for d in 0..visible.rank() {
            let (start, end) = (visible.start[d].max(before.end(d)), visible.end(d));
            if start < end {
                let mut part = visible.clone();
                (part.start[d], part.len[d]) = (start, end - start);
                parts.push(part);
            }
        }
        Ok(parts)
    }
    /// Returns true if a stored chunk has anything but the fill value in the part that became visible.
    fn reappears(&self, chunk_index: &[u64], before: &Region) -> Result<bool> {
        let (r, call) = (self.representation(), self.hierarchy.context().call());
        for part in self.newly_visible(chunk_index, before)? {
            let part_r = r.with_shape(&part.len);
            let mut bytes = zeroed(part_r.bytes_within(call.limits)?)?;
            let heap = r.new_heap();
            let out = ViewMut::new(&mut bytes, &part.len, r.element_size())?.with_heap(heap.as_ref());
            self.read_view(&part, out)?;
            if !r.is_fill(&View::new(&bytes, &part.len, r.element_size())?.with_heap(heap.as_ref())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Clears the part of a stored chunk that became visible, and returns true, if that has anything but the fill value.
    fn clear_if_reappearing(&self, chunk_index: &[u64], before: &Region) -> Result<bool> {
        let reappears = self.reappears(chunk_index, before)?;
        if reappears {
            self.clear_outside(chunk_index, before)?;
        }
        Ok(reappears)
    }
    fn clear_outside(&self, chunk_index: &[u64], before: &Region) -> Result<()> {
        let (r, call) = (self.representation(), self.hierarchy.context().call());
        let (chunk, key) = (self.chunk_region(chunk_index)?, self.chunk_key(chunk_index)?);
        let chain = self.chain_for(&chunk)?;
        for part in self.newly_visible(chunk_index, before)? {
            let mut bytes = zeroed(r.with_shape(&part.len).bytes_within(call.limits)?)?;
            let heap = r.new_heap();
            let mut fill = ViewMut::new(&mut bytes, &part.len, r.element_size())?.with_heap(heap.as_ref());
            fill.fill(&r.fill_element())?;
            let place = TilePlace {
                chunk_index: chunk_index.into(),
                within: part.relative_to(&chunk.start),
                steps: chunk_index.iter().map(|_| 1).collect(),
                part: Region::whole(&part.len),
            };
            call.within_memory(|call| {
                let call = &call.sequential();
                let new = &fill.as_view();
                let part = Part { call, chain: &chain, place: &place, new, encoded: call.scratch(0)? };
                let mut cleared = Cleared { array: self, chunk: &chunk, part };
                self.data.writer()?.update(&key, &mut cleared).map_err(|e| self.in_chunk(e, chunk_index))
            })?;
        }
        Ok(())
    }

    /// Extends the array along a dimension, writes `elements` there, and returns their range along that dimension.
    ///
    /// `elements` are whole slabs of the array as it is stored, which other writers may have extended since this handle
    /// was opened. If several writers append at the same time, each gets a range of its own. Nothing that is stored is
    /// removed.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let mut array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([0, 3]).chunks([2, 3]))?;
    /// assert_eq!(array.append(0, &[1u8, 2, 3])?, 0..1);
    /// assert_eq!(array.append(0, &[4u8, 5, 6, 7, 8, 9])?, 1..3);
    /// assert_eq!(array.shape(), [3, 3]);
    /// assert_eq!(array.read::<u8>(1)?, [4, 5, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the array's data type cannot be written as `T`, or `elements` are not whole slabs. Nothing has changed.
    /// - If a chunk cannot be written. The array is longer, and the elements that were not written are the fill value.
    /// - [`StaleCopies`](ErrorKind::StaleCopies) if all elements are written, but copies of metadata in the groups
    ///   above could not be updated. The elements are the last ones of this handle's new shape: do not append them
    ///   again.
    pub fn append<T: Item>(&mut self, axis: usize, elements: &[T]) -> Result<Range<u64>> {
        if axis >= self.shape().len() {
            let e = Error::argument(format!("axis {axis} is out of bounds for array shape {:?}", self.shape()));
            return Err(e.at_node(&self.path));
        }
        // Refuse elements of another type and an array that cannot be written before anything changes.
        let nothing: Selection = self.shape().iter().map(|_| 0..0).collect();
        self.write(nothing, &elements[..0])?;
        self.data.writer().map_err(|e| e.at_node(&self.path))?;
        let (data_type, mut place) = (self.metadata.data_type().clone(), 0..0);
        let options = ResizeOptions::default().with_keep_outside(true);
        let changed = self.change_shape(options, |stored| {
            if *stored.data_type() != data_type {
                let now = stored.data_type().name();
                return Err(Error::argument(format!("expected data type `{}`, found `{now}`", data_type.name())));
            }
            place = appended(stored.shape(), axis, elements.len() as u64)?;
            let with = |(d, n): (usize, &u64)| if d == axis { place.end } else { *n };
            Ok(stored.shape().iter().enumerate().map(with).collect())
        })?;
        let in_all = |(d, n): (usize, &u64)| if d == axis { place.clone() } else { 0..*n };
        let selection: Selection = self.shape().iter().enumerate().map(in_all).collect();
        let written = self.write(selection, elements);
        written.map_err(|e| {
            e.with_hint(format!("the array was extended but not filled: write {place:?} along axis {axis} again"))
        })?;
        changed.renewed.map(|()| place)
    }
}

/// Returns the range that appended elements get along a dimension.
fn appended(shape: &[u64], axis: usize, elements: u64) -> Result<Range<u64>> {
    let mut slab = shape.to_vec();
    let start = match slab.get_mut(axis) {
        Some(n) => std::mem::replace(n, 1),
        None => return Err(Error::argument(format!("axis {axis} is out of bounds for array shape {shape:?}"))),
    };
    let slab = product(&slab, 1)?;
    if slab == 0 || !elements.is_multiple_of(slab) {
        let e = format!(
            "expected a multiple of {slab} elements to append along axis {axis} of {shape:?}, found {elements}"
        );
        return Err(Error::argument(e));
    }
    let end = start.checked_add(elements / slab);
    end.map(|end| start..end).ok_or_else(|| Error::argument("the new length is 2^64 or more"))
}

/// Removes a chunk that is outside, unless another writer has changed the shape or overwritten the array. A writer that
/// extends the array and then writes the chunk waits for this update, or its new shape is seen here.
struct Outside<'a> {
    array: &'a Array,
    before: &'a Region,
}

impl Update for Outside<'_> {
    fn apply(&mut self, _: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let array = self.array;
        let stored = array.hierarchy.nodes().stored_metadata(&array.path)?;
        if let NodeMetadata::Array(stored) = &stored
            && stored.shape() == array.shape()
        {
            array.check_same(stored, None)?;
            return Ok(None);
        }
        let e =
            Error::metadata(format!("the array was modified concurrently while it was resized to {:?}", array.shape()));
        Err(e.at_node(&array.path).with_hint(format!(
            "to remove the chunks outside the new shape, resize to {:?} and back without other writers",
            &self.before.len[..]
        )))
    }
}

/// Clears a part of a chunk, unless the array was overwritten in the meantime.
struct Cleared<'a> {
    array: &'a Array,
    chunk: &'a Region,
    part: Part<'a>,
}

impl Update for Cleared<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let array = self.array;
        match array.hierarchy.nodes().stored_metadata(&array.path)? {
            NodeMetadata::Array(stored) => {
                array.check_same(&stored, Some((&self.part.place.chunk_index, self.chunk)))?;
            }
            NodeMetadata::Group(_) => return Err(array.overwritten()),
        }
        self.part.apply(old)
    }
}
