//! The extension point `chunk_grid`.
//!
//! Specification: core, "Chunk grids". Chunks cover the array without gap or overlap. They may extend beyond its edges.

use crate::{
    error::Result,
    json::Object,
    view::{Dims, Region},
};
use std::fmt::Debug;

/// A chunk grid: the division of an array into chunks.
///
/// Its methods accept any shape of the array, since arrays can be resized.
pub trait ChunkGrid: Debug + Send + Sync {
    /// Returns the number of chunks along each dimension.
    ///
    /// # Errors
    /// If the grid does not fit the array.
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims>;

    /// Returns the whole region of a chunk, which may extend beyond the array.
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region>;

    /// Returns the index of the chunk that contains an element.
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims>;

    /// Returns the configuration of the grid after a change of the array's shape. `None`: it does not change.
    ///
    /// # Errors
    /// If no grid of this kind preserves the chunks that both shapes have.
    fn resized(&self, _array_shape: &[u64], _new_shape: &[u64]) -> Result<Option<Object>> {
        Ok(None)
    }
    /// Returns the division of one dimension into chunks, if the grid divides each dimension independently.
    ///
    /// Such chunks are disjoint by construction and may be processed in parallel. `None`: chunks are processed one at a
    /// time.
    fn axis(&self, _axis: usize) -> Option<AxisChunks<'_>> {
        None
    }
}

/// The division of one dimension into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AxisChunks<'g> {
    /// Chunks of one length, greater than zero.
    Regular(u64),
    /// The lengths of consecutive chunks, each greater than zero.
    Lengths(&'g [u64]),
}

/// Returns the chunk shapes for which codecs are checked when an array is opened: each length of a dimension, combined
/// with the first lengths of the other dimensions.
///
/// For a grid that does not divide dimensions independently, the shape of its first chunk.
///
/// # Errors
/// If the grid does not fit the array.
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
