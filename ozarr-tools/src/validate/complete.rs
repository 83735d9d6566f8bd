//! Finds missing chunks in memory that does not grow with their number.

use super::problem::Fault;
use ozarr::{Array, Result, zarr_core::store::Prefix};

/// The number of missing chunks that are named for each array.
const EXAMPLES: usize = 20;

/// Returns the missing chunks, if any. `stored` contains unique sorted chunk indices in the grid.
pub(super) fn check(array: &Array, stored: &[Vec<u64>]) -> Result<Option<Fault>> {
    let grid = array.chunk_grid().grid_shape(array.shape())?;
    // Chunks are not counted one by one: a grid may have more than a program can count.
    let total = grid.iter().fold(1u64, |n, len| n.saturating_mul(*len));
    let missing = total.saturating_sub(stored.len() as u64);
    if missing == 0 {
        return Ok(None);
    }
    let absent = ChunkIndices::of(&grid).filter(|chunk_index| stored.binary_search(chunk_index).is_err());
    let key = |chunk_index: Vec<u64>| Ok(format!("{}{}", Prefix::of(array.path()), array.chunk_key(&chunk_index)?));
    let examples = absent.take(EXAMPLES).map(key).collect::<Result<Vec<_>>>()?;
    Ok(Some(Fault::MissingChunks { missing, total, examples }))
}

/// The chunk indices of a grid in C order, one at a time.
struct ChunkIndices<'g> {
    grid: &'g [u64],
    next: Option<Vec<u64>>,
}

impl<'g> ChunkIndices<'g> {
    fn of(grid: &'g [u64]) -> Self {
        Self { grid, next: (!grid.contains(&0)).then(|| vec![0; grid.len()]) }
    }
}

impl Iterator for ChunkIndices<'_> {
    type Item = Vec<u64>;
    fn next(&mut self) -> Option<Vec<u64>> {
        let chunk_index = self.next.take()?;
        let mut after = chunk_index.clone();
        for d in (0..after.len()).rev() {
            after[d] += 1;
            if after[d] < self.grid[d] {
                self.next = Some(after);
                break;
            }
            after[d] = 0;
        }
        Some(chunk_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_indices_are_ordered_and_finite() {
        let all = |grid: &[u64]| ChunkIndices::of(grid).collect::<Vec<_>>();
        assert_eq!(all(&[2, 3]), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(all(&[]), [Vec::<u64>::new()]);
        assert!(all(&[2, 0]).is_empty());
        assert_eq!(ChunkIndices::of(&[u64::MAX, u64::MAX]).nth(2), Some(vec![0, 2]));
    }
}
