//! A chunk grid of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::abi;
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    chunk_grid::{AxisChunks, ChunkGrid},
    extension::Extension,
    json::{Json, Object},
    limits::{Limits, product},
    registry::{CreateContext, Instance},
    view::{Dims, Region},
};

#[derive(Debug)]
struct Grid {
    handle: Handle,
    table: abi::ChunkGrid,
    axes: Vec<Option<Axis>>,
    limits: Limits,
}

#[derive(Debug)]
enum Axis {
    Regular(u64),
    /// The lengths of the chunks, and the index at which each begins.
    Lengths(Vec<u64>, Vec<u64>),
}

impl Axis {
    /// Returns the number of chunks that begin before `end`.
    fn count(&self, end: u64) -> u64 {
        match self {
            Self::Regular(n) => end.div_ceil(*n),
            Self::Lengths(_, starts) => starts.partition_point(|s| *s < end) as u64,
        }
    }
    fn extent(&self, i: u64) -> Option<(u64, u64)> {
        match self {
            Self::Regular(n) => Some((i.checked_mul(*n)?, *n)),
            Self::Lengths(lengths, starts) => {
                let i = usize::try_from(i).ok()?;
                Some((*starts.get(i)?, *lengths.get(i)?))
            }
        }
    }
}

/// The maximum number of chunks that a dimension may list.
const MAX_CHUNKS: usize = 1 << 28;

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::ChunkGrid,
    _strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn ChunkGrid>> {
    let rank = cx.representation()?.shape().len();
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let mut grid = Grid { handle, table: *table, axes: Vec::new(), limits: cx.limits.clone() };
    grid.axes = (0..rank).map(|axis| grid.learn(axis)).collect::<Result<_>>()?;
    Ok(Instance::new(Arc::new(grid), Box::new(Json::Object(configuration))))
}

// SAFETY of the blocks below: the instance is alive, required functions are not null, arrays of numbers have as many
// elements as the rank that is passed, and everything that is borrowed lives until the function returns.

impl Grid {
    fn learn(&self, axis: usize) -> Result<Option<Axis>> {
        let Some(f) = self.table.axis else { return Ok(None) };
        let mut chunks: abi::Axis = abi::blank();
        // SAFETY: see above.
        self.handle.without_call(|this| unsafe { f(this, axis as u32, &raw mut chunks) })?;
        match chunks.kind {
            abi::AXIS_NONE => Ok(None),
            abi::AXIS_REGULAR if chunks.regular > 0 => Ok(Some(Axis::Regular(chunks.regular))),
            abi::AXIS_LENGTHS if chunks.n_lengths <= MAX_CHUNKS => {
                // SAFETY: the lengths live as long as the instance.
                let lengths = unsafe { abi::slice(chunks.lengths, chunks.n_lengths) }.to_vec();
                let mut end = Some(0u64);
                let starts: Option<Vec<u64>> = lengths
                    .iter()
                    .map(|n| {
                        let start = end?;
                        end = start.checked_add(*n);
                        Some(start)
                    })
                    .collect();
                match starts {
                    Some(starts) if end.is_some() && !lengths.contains(&0) => Ok(Some(Axis::Lengths(lengths, starts))),
                    _ => Err(self.handle.fault("a dimension of its grid has empty chunks or ends beyond 2^64")),
                }
            }
            _ => Err(self.handle.fault("it returned an unknown kind of axis")),
        }
    }
    fn numbers(
        &self,
        rank: usize,
        f: impl FnOnce(*const std::ffi::c_void, *const abi::Call, *mut u64) -> abi::Status,
    ) -> Result<Dims> {
        let mut numbers = Dims::from_elem(0, rank);
        let at = numbers.as_mut_ptr();
        self.handle.plain(&self.limits, |this, call| Ok((f(this, call, at), None)))?;
        Ok(numbers)
    }
    fn check_rank(&self, what: &str, numbers: &[u64]) -> Result<()> {
        if numbers.len() == self.axes.len() {
            return Ok(());
        }
        let (found, wanted) = (numbers.len(), self.axes.len());
        Err(Error::argument(format!("{what} has rank {found}, expected {wanted}")))
    }
}

impl ChunkGrid for Grid {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.check_rank("the array", array_shape)?;
        let f = self.table.grid_shape.ok_or_else(missing)?;
        let (shape, rank) = (array_shape.as_ptr(), array_shape.len());
        // SAFETY: see above.
        let found = self.numbers(rank, |this, call, found| unsafe { f(this, call, shape, rank as u32, found) })?;
        let agrees = self.axes.iter().enumerate().all(|(d, axis)| match axis {
            Some(chunks) => chunks.count(array_shape[d]) == found[d],
            None => true,
        });
        // Every chunk contains an element that is in no other chunk, so there are at most as many chunks as elements.
        // If the elements cannot be counted, that is not the plugin's fault.
        let most = product(array_shape, 1)?;
        if agrees && product(&found, 1).is_ok_and(|n| n <= most) {
            Ok(found)
        } else {
            Err(self.handle.fault("it returned an impossible number of chunks"))
        }
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        self.check_rank("the array", array_shape)?;
        self.check_rank("the chunk index", chunk_index)?;
        let f = self.table.cell.ok_or_else(missing)?;
        let (shape, rank) = (array_shape.as_ptr(), array_shape.len());
        let mut len = Dims::from_elem(0, rank);
        let len_at = len.as_mut_ptr();
        // SAFETY: see above.
        let start = self.numbers(rank, |this, call, start| unsafe {
            f(this, call, shape, rank as u32, chunk_index.as_ptr(), start, len_at)
        })?;
        let agrees = self.axes.iter().enumerate().all(|(d, axis)| match axis {
            Some(chunks) => chunks.extent(chunk_index[d]) == Some((start[d], len[d])),
            None => len[d] > 0,
        });
        let region = Region::new(&start, &len);
        match region {
            Ok(region) if agrees => Ok(region),
            _ => Err(self.handle.fault("it returned a chunk that contradicts its axes")),
        }
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        self.check_rank("the array", array_shape)?;
        self.check_rank("the element", element)?;
        let f = self.table.cell_of.ok_or_else(missing)?;
        let (shape, rank) = (array_shape.as_ptr(), array_shape.len());
        // SAFETY: see above.
        let chunk_index = self.numbers(rank, |this, call, chunk_index| unsafe {
            f(this, call, shape, rank as u32, element.as_ptr(), chunk_index)
        })?;
        let region = self.chunk_region(array_shape, &chunk_index)?;
        let contains = (0..rank).all(|d| region.start[d] <= element[d] && element[d] < region.end(d));
        if contains {
            Ok(chunk_index)
        } else {
            Err(self.handle.fault("it returned a chunk that does not contain the element"))
        }
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        self.check_rank("the array", array_shape)?;
        self.check_rank("the new shape", new_shape)?;
        let Some(f) = self.table.resized else { return Ok(None) };
        let (shape, new, rank) = (array_shape.as_ptr(), new_shape.as_ptr(), array_shape.len() as u32);
        // SAFETY: see above.
        let text = self.handle.text(&self.limits, |this, call, out| unsafe { f(this, call, shape, new, rank, out) })?;
        if text.is_empty() {
            return Ok(None);
        }
        match Json::parse(&text, &self.limits) {
            Ok(Json::Object(members)) => Ok(Some(members)),
            _ => Err(self.handle.fault("it returned a configuration that is not a JSON object")),
        }
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        Some(match self.axes.get(axis)?.as_ref()? {
            Axis::Regular(n) => AxisChunks::Regular(*n),
            Axis::Lengths(lengths, _) => AxisChunks::Lengths(lengths),
        })
    }
}
