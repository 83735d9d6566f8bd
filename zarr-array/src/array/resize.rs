//! Changing an array's shape. Specification: core, "Resizing".

use super::Array;
use crate::{element::Element, selection::Selection};
use zarr_core::{
    Error, Result,
    metadata::{NodeMetadata, ResolvedArray},
    view::{Region, View, ViewMut},
};

/// What happens to chunks when an array is resized.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResizeOptions {
    /// Keep chunks that lie wholly outside the new shape. By default they are removed.
    pub keep_outside: bool,
    /// Replace data that becomes visible again by the fill value. By default it is shown, and reported.
    pub clear_reappearing: bool,
}

/// What resizing an array did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResizeReport {
    /// Chunks that were removed because they lay wholly outside.
    pub erased: Vec<Vec<u64>>,
    /// Chunks with data, stored before, in the part that became visible. Cleared if that was asked for.
    pub reappeared: Vec<Vec<u64>>,
}

impl Array {
    /// Changes the shape. Elements inside both shapes stay. Chunks that straddle the new edge are not rewritten: what
    /// they hold beyond it shows again when the array grows, and is reported then.
    ///
    /// An array must not shrink beside writers of what is cut off, nor while another handle makes it grow again: what they
    /// store may be removed. Where another shape is seen in time, nothing more is removed.
    ///
    /// # Errors
    /// When the rank differs, the grid does not fit the new shape, the store cannot list or write, or somebody else
    /// changes the shape before all chunks outside are removed.
    pub fn resize(&mut self, shape: &[u64], options: ResizeOptions) -> Result<ResizeReport> {
        self.resolved.check_writable().map_err(|e| e.at_node(&self.path))?;
        let shrinks = shape.iter().zip(self.shape()).any(|(new, old)| new < old);
        if shrinks && !options.keep_outside || options.clear_reappearing {
            // Data that cannot be written, behind a storage transformer, must not keep the document from being right.
            self.data.writer().map_err(|e| e.at_node(&self.path))?;
        }
        let stored = self.stored_chunks()?;
        // The document first: if this stops half way, no data is lost, and growing again reports what is left.
        let mut before = Region::whole(self.shape());
        let context = self.hierarchy.context().clone();
        self.change_metadata(|m| {
            before = Region::whole(m.shape());
            let stored = ResolvedArray::open(m, &context.registry, &context.limits, &context.options)?;
            if let Some(grid) = stored.chunk_grid.resized(m.shape(), shape)? {
                m.set_chunk_grid_configuration(grid)?;
            }
            m.set_shape(shape)
        })?;
        let mut report = ResizeReport::default();
        let grid = self.resolved.chunk_grid.grid_shape(shape)?;
        for cell in stored {
            if cell.iter().zip(&grid).any(|(c, n)| c >= n) {
                if !options.keep_outside {
                    self.check_shape_is_stored()?;
                    self.data.writer()?.erase(&self.chunk_key(&cell)?)?;
                    report.erased.push(cell);
                }
            } else if self.reappears(&cell, &before)? {
                if options.clear_reappearing {
                    self.clear_outside(&cell, &before)?;
                }
                report.reappeared.push(cell);
            }
        }
        Ok(report)
    }

    /// Refuses to go on where somebody else gave the array another shape meanwhile.
    fn check_shape_is_stored(&self) -> Result<()> {
        match self.hierarchy.stored_metadata(&self.path)? {
            NodeMetadata::Array(stored) if stored.shape() == self.shape() => Ok(()),
            _ => {
                let e = Error::metadata(format!("while it shrank to {:?} somebody else changed it", self.shape()));
                Err(e.at_node(&self.path).with_hint("chunks outside are still stored: resize it once more, alone"))
            }
        }
    }

    /// The parts of a chunk that are visible now and were not before: one for each dimension that grew there.
    fn newly_visible(&self, cell: &[u64], before: &Region) -> Result<Vec<Region>> {
        let chunk = self.chunk_region(cell)?;
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
    fn reappears(&self, cell: &[u64], before: &Region) -> Result<bool> {
        let (r, call) = (self.representation(), self.hierarchy.context().call());
        for part in self.newly_visible(cell, before)? {
            let part_r = r.with_shape(&part.len);
            let mut bytes = call.scratch(part_r.bytes_within(call.limits)?)?;
            let heap = r.new_heap();
            let out = ViewMut::new(&mut bytes, &part.len, r.element_size())?.with_heap(heap.as_ref());
            self.read_view(&part, out)?;
            if !r.is_fill(&View::new(&bytes, &part.len, r.element_size())?.with_heap(heap.as_ref())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
    fn clear_outside(&self, cell: &[u64], before: &Region) -> Result<()> {
        let (r, call) = (self.representation(), self.hierarchy.context().call());
        for part in self.newly_visible(cell, before)? {
            let mut bytes = call.scratch(r.with_shape(&part.len).bytes_within(call.limits)?)?;
            let heap = r.new_heap();
            let mut fill = ViewMut::new(&mut bytes, &part.len, r.element_size())?.with_heap(heap.as_ref());
            fill.fill(&r.fill_element())?;
            self.write_view(&part, &fill.as_view())?;
        }
        Ok(())
    }

    /// Makes the array longer along a dimension and writes elements there. `elements` fills whole slabs.
    pub fn append<T: Element>(&mut self, axis: usize, elements: &[T]) -> Result<ResizeReport> {
        let mut shape = self.shape().to_vec();
        let slab: u64 = shape.iter().enumerate().filter(|(d, _)| *d != axis).map(|(_, n)| *n).product();
        if axis >= shape.len() || slab == 0 || !(elements.len() as u64).is_multiple_of(slab) {
            let n = elements.len();
            return Err(Error::argument(format!("{n} elements are no slabs along dimension {axis} of {shape:?}")));
        }
        let start = shape[axis];
        shape[axis] = start
            .checked_add(elements.len() as u64 / slab)
            .ok_or_else(|| Error::argument("the array would be longer than 2^64"))?;
        let report = self.resize(&shape, ResizeOptions::default())?;
        let region: Selection =
            shape.iter().enumerate().map(|(d, n)| if d == axis { start..*n } else { 0..*n }).collect();
        self.write(region, elements)?;
        Ok(report)
    }
}
