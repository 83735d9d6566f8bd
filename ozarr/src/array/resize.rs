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

/// What happens to chunks when an array is resized.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ResizeOptions {
    /// Keep chunks that this cuts off. By default those that lie wholly outside the new shape are removed.
    pub keep_outside: bool,
    /// Replace data that becomes visible again by the fill value. By default it is shown, and reported.
    pub clear_reappearing: bool,
}

impl ResizeOptions {
    /// The same with another [`keep_outside`](Self::keep_outside).
    #[must_use]
    pub fn with_keep_outside(mut self, keep_outside: bool) -> Self {
        self.keep_outside = keep_outside;
        self
    }
    /// The same with another [`clear_reappearing`](Self::clear_reappearing).
    #[must_use]
    pub fn with_clear_reappearing(mut self, clear_reappearing: bool) -> Self {
        self.clear_reappearing = clear_reappearing;
        self
    }
}

/// What resizing an array did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResizeReport {
    /// Chunks that were removed because they were wholly cut off.
    pub erased: Vec<Vec<u64>>,
    /// Chunks with data, stored before, in the part that became visible. Cleared if that was asked for.
    pub reappeared: Vec<Vec<u64>>,
}

/// The shape that was stored before a change.
struct Before {
    region: Region,
    grid: Dims,
    /// Whether copies of the document were renewed: an error to be returned once all else is done.
    renewed: Result<()>,
}

impl Array {
    /// Changes the shape, whatever shape this handle knew: what is removed is what this call cuts off from the shape that
    /// is stored. Elements inside both shapes stay. Chunks that straddle the new edge are not rewritten: what is stored
    /// beyond it shows again when the array grows, and is reported then.
    ///
    /// An array must not shrink while others write to what is cut off: what they store may be removed. Where another
    /// shape is seen in time, nothing more is removed. With [`clear_reappearing`](ResizeOptions::clear_reappearing) nobody
    /// should write to what becomes visible before this returns.
    ///
    /// # Errors
    /// When the rank differs, the grid does not fit the new shape, the store cannot list or write, or somebody else
    /// changes the shape before all chunks outside are removed. [`StaleCopies`](ErrorKind::StaleCopies) after all of it is
    /// done: this handle has the new shape then.
    pub fn resize(&mut self, shape: &[u64], options: ResizeOptions) -> Result<ResizeReport> {
        self.resolved.check_writable().map_err(|e| e.at_node(&self.path))?;
        let stored = self.stored_chunks()?;
        // The document first: if this stops half way, no data is lost, and growing again reports what is left.
        let before = self.change_shape(options, |_| Ok(shape.to_vec()))?;
        let mut report = ResizeReport::default();
        let grid = self.resolved.chunk_grid.grid_shape(shape)?;
        let is_within = |chunk_index: &[u64], grid: &[u64]| chunk_index.iter().zip(grid).all(|(c, n)| c < n);
        for chunk_index in stored {
            if is_within(&chunk_index, &grid) {
                if self.reappears(&chunk_index, &before.region)? {
                    if options.clear_reappearing {
                        self.clear_outside(&chunk_index, &before.region)?;
                    }
                    report.reappeared.push(chunk_index);
                }
            } else if is_within(&chunk_index, &before.grid) && !options.keep_outside {
                let mut outside = Outside { array: self, before: &before.region };
                self.data.writer()?.update(&self.chunk_key(&chunk_index)?, &mut outside)?;
                report.erased.push(chunk_index);
            }
        }
        before.renewed.map(|()| report)
    }

    /// Gives the stored document another shape.
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
                // Data that cannot be written, behind a storage transformer, must not keep the document from being right.
                data.writer()?;
            }
            let grid = stored.chunk_grid.grid_shape(m.shape())?;
            before = Some((Region::whole(m.shape()), grid));
            if let Some(grid) = stored.chunk_grid.resized(m.shape(), &shape)? {
                m.set_chunk_grid_configuration(grid)?;
            }
            m.set_shape(&shape)
        })?;
        let (region, grid) = before.ok_or(ErrorKind::Contract("a store changed a value without asking how"))?;
        Ok(Before { region, grid, renewed })
    }

    /// The parts of a chunk that are visible now and were not before: one for each dimension that grew there.
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
    /// True if a stored chunk has anything but the fill value where the array was not before.
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

    /// Makes the array longer along a dimension and writes elements there: whole slabs of the array as it is stored, which
    /// others may have made longer since it was opened. Gives where along the dimension they are. Of several that append at
    /// the same time each gets a place of its own. Nothing that is stored is removed.
    ///
    /// # Errors
    /// When the type is not the data type's or the elements are no whole slabs: nothing is changed then. When a chunk
    /// cannot be written: the array is longer then, and what was not written is the fill value.
    /// [`StaleCopies`](ErrorKind::StaleCopies) after all elements are written: they are the last of the shape that this handle
    /// has then, and must not be appended again.
    pub fn append<T: Item>(&mut self, axis: usize, elements: &[T]) -> Result<Range<u64>> {
        if axis >= self.shape().len() {
            let e = Error::argument(format!("no dimension {axis} in an array of shape {:?}", self.shape()));
            return Err(e.at_node(&self.path));
        }
        // Elements of another type, and an array that cannot be written, are refused before anything is changed.
        let nothing: Selection = self.shape().iter().map(|_| 0..0).collect();
        self.write(nothing, &elements[..0])?;
        self.data.writer().map_err(|e| e.at_node(&self.path))?;
        let (data_type, mut place) = (self.metadata.data_type().clone(), 0..0);
        let options = ResizeOptions::default().with_keep_outside(true);
        let changed = self.change_shape(options, |stored| {
            if *stored.data_type() != data_type {
                let now = stored.data_type().name();
                return Err(Error::argument(format!("expected elements of `{}`, found `{now}`", data_type.name())));
            }
            place = appended(stored.shape(), axis, elements.len() as u64)?;
            let with = |(d, n): (usize, &u64)| if d == axis { place.end } else { *n };
            Ok(stored.shape().iter().enumerate().map(with).collect())
        })?;
        let in_all = |(d, n): (usize, &u64)| if d == axis { place.clone() } else { 0..*n };
        let selection: Selection = self.shape().iter().enumerate().map(in_all).collect();
        let written = self.write(selection, elements);
        written.map_err(|e| e.with_hint(format!("the array is longer: write {place:?} of dimension {axis} again")))?;
        changed.renewed.map(|()| place)
    }
}

/// Where along a dimension elements go that are appended to an array of a shape.
fn appended(shape: &[u64], axis: usize, elements: u64) -> Result<Range<u64>> {
    let mut slab = shape.to_vec();
    let start = match slab.get_mut(axis) {
        Some(n) => std::mem::replace(n, 1),
        None => return Err(Error::argument(format!("no dimension {axis} in an array of shape {shape:?}"))),
    };
    let slab = product(&slab, 1)?;
    if slab == 0 || !elements.is_multiple_of(slab) {
        let e = format!("expected a multiple of {slab} elements for dimension {axis} of {shape:?}, found {elements}");
        return Err(Error::argument(e));
    }
    let end = start.checked_add(elements / slab);
    end.map(|end| start..end).ok_or_else(|| Error::argument("the array would be longer than 2^64"))
}

/// Removes a chunk that lies outside, unless the array has another shape meanwhile, or was overwritten. A writer that makes
/// it grow and then writes the chunk waits for this, or is seen here.
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
        let e = Error::metadata(format!("while it shrank to {:?} somebody else changed it", array.shape()));
        Err(e.at_node(&array.path).with_hint(format!(
            "some chunks outside are still stored: to remove them let it grow to {:?} and shrink again, alone",
            &self.before.len[..]
        )))
    }
}

/// Clears a part of a chunk, unless the array was overwritten meanwhile.
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
