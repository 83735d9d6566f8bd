//! A map of the stored chunks of a grid, with a bounded number of cells.

use std::fmt::Write;

/// The most cells along each axis, for a grid with several dimensions and for one with a single dimension.
const MOST_ROWS: u128 = 32;
const MOST_COLUMNS: u128 = 64;
const MOST_OF_LINE: u128 = 256;
/// The side of a cell without the gap to the next, in units of the map.
const SIDE: &str = ".9";
/// The largest size of a map, and of a cell, in pixels.
const WIDTH: usize = 480;
const MOST_SIDE: usize = 14;

/// The states of chunks, as classes and labels of the page.
pub(super) const STATES: [(&str, &str); 4] =
    [("stored", "stored"), ("partly", "some stored"), ("missing", "not stored"), ("damaged", "damaged")];

/// A map of the chunks of an array. Rows are the chunk indices of all dimensions but the last in C order, columns those
/// of the last dimension.
#[derive(Debug)]
pub(super) struct Map {
    /// The number of chunks in the grid, at most `u64::MAX`.
    pub(super) total: u64,
    pub(super) stored: u64,
    pub(super) damaged: u64,
    /// The most rows and columns of chunks in a cell.
    pub(super) block: [u128; 2],
    shape: [u128; 2],
    rows: usize,
    columns: usize,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    stored: u128,
    is_damaged: bool,
}

impl Map {
    /// Builds the map. `stored` and `damaged` contain unique chunk indices; those outside the grid are ignored. Damaged
    /// chunks are also stored.
    pub(super) fn new(grid: &[u64], stored: &[Vec<u64>], damaged: &[Vec<u64>]) -> Self {
        let (last, leading) = grid.split_last().map_or((1, grid), |(last, leading)| (u128::from(*last), leading));
        let rows = leading.iter().fold(1u128, |n, len| n.saturating_mul((*len).into()));
        let shape = [rows, last];
        let most = if leading.is_empty() { [1, MOST_OF_LINE] } else { [MOST_ROWS, MOST_COLUMNS] };
        let block = [0, 1].map(|i| shape[i].div_ceil(most[i]).max(1));
        let [rows, columns] = [0, 1].map(|i| shape[i].div_ceil(block[i]) as usize);
        let total = grid.iter().fold(1u64, |n, len| n.saturating_mul(*len));
        let mut map = Self {
            total,
            stored: 0,
            damaged: 0,
            block,
            shape,
            rows,
            columns,
            cells: vec![Cell::default(); rows * columns],
        };
        for index in stored {
            if let Some(cell) = map.cell_of(grid, index) {
                map.cells[cell].stored += 1;
                map.stored += 1;
            }
        }
        for index in damaged {
            if let Some(cell) = map.cell_of(grid, index) {
                map.cells[cell].is_damaged = true;
                map.damaged += 1;
            }
        }
        map
    }
    /// Returns the number of chunks that are not stored.
    pub(super) fn missing(&self) -> u64 {
        self.total.saturating_sub(self.stored)
    }
    fn cell_of(&self, grid: &[u64], index: &[u64]) -> Option<usize> {
        if index.len() != grid.len() || index.iter().zip(grid).any(|(i, n)| i >= n) {
            return None;
        }
        let (last, leading) = index.split_last().map_or((0, index), |(last, leading)| (u128::from(*last), leading));
        let row = leading
            .iter()
            .zip(grid)
            .fold(0u128, |row, (i, n)| row.saturating_mul((*n).into()).saturating_add((*i).into()));
        // Rows of a grid beyond 128 bits are counted with the last row.
        let row = (row / self.block[0]).min(self.rows as u128 - 1);
        Some(row as usize * self.columns + (last / self.block[1]) as usize)
    }
    /// Returns the state of a cell as an index into [`STATES`].
    fn state(&self, row: usize, column: usize) -> usize {
        let cell = self.cells[row * self.columns + column];
        let size = |i: usize, at: usize| self.block[i].min(self.shape[i] - at as u128 * self.block[i]);
        match cell.stored {
            _ if cell.is_damaged => 3,
            0 => 2,
            n if n < size(0, row).saturating_mul(size(1, column)) => 1,
            _ => 0,
        }
    }
    /// Returns the map as SVG for HTML.
    pub(super) fn svg(&self) -> String {
        let mut paths: [String; 4] = Default::default();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let path = &mut paths[self.state(row, column)];
                let _text_takes_all = write!(path, "M{column} {row}h{SIDE}v{SIDE}h-{SIDE}z");
            }
        }
        let side = (WIDTH / self.columns.max(1)).clamp(2, MOST_SIDE);
        let (width, height) = (self.columns * side, self.rows * side);
        let label = format!("{} of {} chunks are stored, {} are damaged", self.stored, self.total, self.damaged);
        let mut out = format!(
            "<svg class=\"map\" role=\"img\" aria-label=\"{label}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\">",
            self.columns, self.rows
        );
        for ((class, _), path) in STATES.iter().zip(&paths).filter(|(_, path)| !path.is_empty()) {
            let _text_takes_all = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        out + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(map: &Map) -> Vec<usize> {
        (0..map.rows * map.columns).map(|i| map.state(i / map.columns, i % map.columns)).collect()
    }

    #[test]
    fn each_chunk_of_a_small_grid_has_a_cell() {
        let stored = [vec![0, 0, 0], vec![0, 1, 2], vec![1, 1, 2], vec![9, 0, 0]];
        let map = Map::new(&[2, 2, 3], &stored, &[vec![1, 1, 2]]);
        assert_eq!((map.total, map.stored, map.missing(), map.damaged), (12, 3, 9, 1));
        assert_eq!((map.rows, map.columns), (4, 3));
        assert_eq!(states(&map), [0, 2, 2, 2, 2, 0, 2, 2, 2, 2, 2, 3]);
        let svg = map.svg();
        assert!(svg.contains("<path class=\"damaged\" d=\"M2 3h.9v.9h-.9z\"/>") && !svg.contains("partly"), "{svg}");
    }

    #[test]
    fn maps_of_large_grids_are_bounded() {
        let stored: Vec<Vec<u64>> = (0..600).map(|i| vec![i]).collect();
        let map = Map::new(&[1001], &stored, &[]);
        assert_eq!((map.rows, map.columns, map.block), (1, 251, [1, 4]));
        let states = states(&map);
        assert!(states[..150].iter().all(|s| *s == 0) && states[150..].iter().all(|s| *s == 2), "{states:?}");
        let partly = Map::new(&[1001], &stored[..599], &[]);
        assert_eq!([partly.state(0, 149), partly.state(0, 150)], [1, 2]);
        let huge = Map::new(&[1 << 40, 1 << 40, u64::MAX], &[vec![(1 << 40) - 1, (1 << 40) - 1, u64::MAX - 1]], &[]);
        assert_eq!((huge.total, huge.stored, huge.state(31, 63)), (u64::MAX, 1, 1));
        assert!(huge.svg().len() < 100_000);
        let beyond = Map::new(&[u64::MAX; 5], &[vec![u64::MAX - 1; 5]], &[]);
        assert_eq!(beyond.stored, 1);
    }

    #[test]
    fn grids_without_chunks_or_dimensions_have_maps() {
        let none = Map::new(&[0, 3], &[vec![0, 0]], &[]);
        assert_eq!((none.total, none.stored, none.svg().contains("path")), (0, 0, false));
        let one = Map::new(&[], &[vec![]], &[]);
        assert_eq!((one.total, one.stored, one.state(0, 0)), (1, 1, 0));
    }
}
