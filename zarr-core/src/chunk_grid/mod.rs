//! The extension point `chunk_grid`.
//!
//! Specification: core, "Chunk grids". Chunks tessellate the array: no gap, no overlap. They may overhang its edges.

use crate::{
    error::Result,
    json::Object,
    view::{Dims, Region},
};
use std::fmt::Debug;

/// A chunk grid. It answers for any shape of the array, since arrays are resized.
pub trait ChunkGrid: Debug + Send + Sync {
    /// How many chunks there are along each dimension. Fails if the grid does not fit the array.
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims>;

    /// The elements of a chunk, in full: it may reach beyond the array.
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region>;

    /// The index of the chunk that an element lies in.
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims>;

    /// The configuration of the grid once the array has another shape. `None`: it stays as it is.
    ///
    /// # Errors
    /// When there is no grid of this kind that keeps the chunks which both shapes have.
    fn resized(&self, _array_shape: &[u64], _new_shape: &[u64]) -> Result<Option<Object>> {
        Ok(None)
    }
    /// How the chunks cut one dimension, if they cut each dimension on its own. Then chunks are disjoint by
    /// construction and may be worked on in parallel. `None`: they do not, and are worked on one at a time.
    fn axis(&self, _axis: usize) -> Option<AxisChunks<'_>> {
        None
    }
}

/// How chunks cut one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AxisChunks<'g> {
    /// Chunks of one length, longer than zero.
    Regular(u64),
    /// The lengths of the chunks one after another, each longer than zero.
    Lengths(&'g [u64]),
}

/// The shapes of chunks for which codecs are checked when an array is opened: each length that a dimension has, with
/// the other dimensions at their first. For a grid that does not cut each dimension on its own, its first chunk.
pub fn representative_shapes(grid: &dyn ChunkGrid, array_shape: &[u64]) -> Result<Vec<Dims>> {
    let grid_shape = grid.grid_shape(array_shape)?;
    let axes: Option<Vec<AxisChunks<'_>>> = (0..array_shape.len()).map(|d| grid.axis(d)).collect();
    let Some(axes) = axes else {
        if grid_shape.contains(&0) {
            return Ok(Vec::new());
        }
        return Ok(vec![grid.chunk_region(array_shape, &vec![0; grid_shape.len()])?.len]);
    };
    let lengths = |a: &AxisChunks<'_>| match a {
        AxisChunks::Regular(n) => vec![*n],
        AxisChunks::Lengths(all) => {
            let mut distinct: Vec<u64> = Vec::new();
            all.iter().for_each(|n| {
                if !distinct.contains(n) {
                    distinct.push(*n);
                }
            });
            distinct
        }
    };
    let lengths: Vec<Vec<u64>> = axes.iter().map(lengths).collect();
    let first: Option<Dims> = lengths.iter().map(|l| l.first().copied()).collect();
    let Some(first) = first else { return Ok(Vec::new()) };
    let mut shapes = vec![first.clone()];
    for (d, l) in lengths.iter().enumerate() {
        shapes.extend(l.iter().skip(1).map(|&n| {
            let mut shape = first.clone();
            shape[d] = n;
            shape
        }));
    }
    Ok(shapes)
}
