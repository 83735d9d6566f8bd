//! Copies elements.

use super::convert::Converter;
use crate::{progress::Listener, transfer::string_handles};
use ozarr::{
    Array, Error, ErrorKind, Result, Selection,
    zarr_core::view::{Handle, Heap, Region, View, ViewMut},
};
use std::collections::BTreeSet;

/// The number of elements in memory at a time, unless a chunk has more.
const BLOCK: u64 = 1 << 23;

/// Returns regions of whole chunks of the copy, so that each is encoded once, and only of those that stored chunks of
/// the source overlap: runs of chunks along the last dimension.
fn blocks(from: &Array, to: &Array) -> Result<Vec<Region>> {
    let whole = Region::whole(from.shape());
    let mut indices = BTreeSet::new();
    for chunk_index in from.stored_chunks()? {
        if let Some(part) = from.chunk_region(&chunk_index).ok().and_then(|chunk| chunk.intersection(&whole)) {
            indices.extend(to.chunks().within(&part)?.map(|c| c.index().to_vec()));
        }
    }
    let mut blocks: Vec<(Vec<u64>, Region)> = Vec::new();
    for chunk_index in indices {
        let Some(region) = to.chunk_region(&chunk_index)?.intersection(&whole) else { continue };
        if let (Some((before, block)), Some(last)) = (blocks.last_mut(), chunk_index.len().checked_sub(1)) {
            let follows =
                before[..last] == chunk_index[..last] && before[last].checked_add(1) == Some(chunk_index[last]);
            let joined =
                block.len.iter().take(last).product::<u64>().saturating_mul(region.end(last) - block.start[last]);
            if follows && joined <= BLOCK {
                block.len[last] = region.end(last) - block.start[last];
                *before = chunk_index;
                continue;
            }
        }
        blocks.push((chunk_index, region));
    }
    Ok(blocks.into_iter().map(|(_, region)| region).collect())
}

pub(super) fn copy_elements(from: &Array, to: &Array, lossy: bool, progress: Listener<'_>) -> Result<()> {
    let (r, w) = (from.representation(), to.representation());
    let mut left = r.elements().unwrap_or(0);
    for region in blocks(from, to)? {
        progress.check()?;
        let (shape, selection) = (region.len.to_vec(), Selection::from(&region));
        if r.layout().is_variable() {
            let (mut handles, heap) = (string_handles(&shape)?, Heap::new(r.fill()));
            from.read_view(
                selection.clone(),
                ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)),
            )?;
            to.write_view(selection, &View::new(&handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
        } else {
            let mut elements = from.read_bytes(selection.clone())?;
            if from.metadata().data_type() != to.metadata().data_type() {
                let converter = Converter { from: &**r.data_type(), to: &**w.data_type(), lossy };
                let converted = converter.elements(&elements);
                elements = converted.map_err(|(i, e)| at_position(e, i, &selection, to.shape()))?;
            }
            to.write_bytes(selection, &elements)?;
        }
        let copied = shape.iter().product();
        progress.add(copied);
        left = left.saturating_sub(copied);
    }
    // Elements without a stored chunk need not be copied.
    progress.add(left);
    Ok(())
}

/// Adds the index of the element to the error.
fn at_position(e: Error, mut i: usize, selection: &Selection, shape: &[u64]) -> Error {
    let ErrorKind::Conversion(what) = e.kind() else { return e };
    let selected = selection.indices(shape).unwrap_or_default();
    let mut index = vec![0; selected.len()];
    for (d, s) in selected.iter().enumerate().rev() {
        let n = s.len.max(1) as usize;
        index[d] = s.start + (i % n) as u64 * s.step;
        i /= n;
    }
    let kind = ErrorKind::Conversion(format!("element {index:?}: {what}"));
    Error::new(kind).with_hint(e.hint().unwrap_or_default())
}
