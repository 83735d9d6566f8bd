//! Reduces a plane to fewer cells: block means, or single elements if the plane is too large to read.

use super::{
    numbers::Number,
    plane::{Part, Plane},
};
use ozarr::Result;

/// The largest number of elements that are all read. From larger planes a sample is read.
pub(crate) const MOST_READ: u64 = 1 << 26;
/// The largest number of chunks that are all read. From planes with more, a sample of the stored ones is read.
const MOST_CHUNKS: u64 = 1 << 16;

/// The fewest cells along the shorter side of a long plane, if it has that many elements.
const FEWEST: u64 = 4;

/// Cells in rows and columns, each of which represents a block of elements.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The number of elements in a block along each axis.
    pub(crate) block: [u64; 2],
    /// True if one element of each block was read instead of all.
    pub(crate) is_sampled: bool,
    cells: Vec<Cell>,
}

/// The sums over a block.
#[derive(Debug, Clone, Copy)]
struct Cell {
    sum: f64,
    count: u64,
    low: f64,
    high: f64,
    has_nan: bool,
}

impl Cell {
    const EMPTY: Self = Self { sum: 0.0, count: 0, low: f64::INFINITY, high: f64::NEG_INFINITY, has_nan: false };

    fn is_empty(&self) -> bool {
        self.count == 0 && !self.has_nan
    }
    fn add(&mut self, number: Number) {
        match number {
            Number::Value(v) => {
                self.sum += v;
                self.count += 1;
                self.low = self.low.min(v);
                self.high = self.high.max(v);
            }
            Number::Nan => self.has_nan = true,
            Number::Fill => {}
        }
    }
}

impl Grid {
    fn new(shape: [u64; 2], block: [u64; 2], is_sampled: bool) -> Self {
        let [rows, columns] = [0, 1].map(|i| shape[i].div_ceil(block[i]) as usize);
        Self { rows, columns, block, is_sampled, cells: vec![Cell::EMPTY; rows.saturating_mul(columns)] }
    }
    /// Returns the mean of the numbers in a cell. Without numbers it is NaN if the cell has one, and the fill value
    /// otherwise.
    pub(crate) fn number(&self, row: usize, column: usize) -> Number {
        let cell = &self.cells[row * self.columns + column];
        let mean = cell.sum / cell.count as f64;
        match cell.count {
            0 if cell.has_nan => Number::Nan,
            0 => Number::Fill,
            // Infinities of both signs.
            _ if mean.is_nan() => Number::Nan,
            _ => Number::Value(mean),
        }
    }
    /// Returns the lowest and the highest number in a cell.
    pub(crate) fn extent(&self, row: usize, column: usize) -> Option<(f64, f64)> {
        let cell = &self.cells[row * self.columns + column];
        (cell.count > 0).then_some((cell.low, cell.high))
    }
    /// Returns the cells in C order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Number> {
        (0..self.rows * self.columns).map(|i| self.number(i / self.columns, i % self.columns))
    }
    /// Returns the lowest and the highest finite mean.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        let finite = self.numbers().filter_map(|n| match n {
            Number::Value(v) if v.is_finite() => Some(v),
            _ => None,
        });
        finite.fold(None, |range, v| {
            range.map_or(Some((v, v)), |(low, high): (f64, f64)| Some((low.min(v), high.max(v))))
        })
    }
    /// Returns the lowest and the highest finite number of all elements.
    pub(crate) fn full_range(&self) -> Option<(f64, f64)> {
        let ends = self.cells.iter().filter(|c| c.count > 0).flat_map(|c| [c.low, c.high]).filter(|v| v.is_finite());
        ends.fold(None, |range, v| {
            range.map_or(Some((v, v)), |(low, high): (f64, f64)| Some((low.min(v), high.max(v))))
        })
    }
}

/// Returns the number of elements in a block along each axis, so that there are at most `most` cells. Blocks are
/// square, unless one side of the plane is much shorter than the other.
fn block(shape: [u64; 2], most: [u64; 2]) -> [u64; 2] {
    let side = (0..2).map(|i| shape[i].div_ceil(most[i].max(1))).max().unwrap_or(1).max(1);
    [0, 1].map(|i| {
        let own = shape[i].div_ceil(most[i].max(1));
        side.min(shape[i].div_ceil(FEWEST)).max(own).max(1)
    })
}

impl Plane<'_> {
    /// Reduces the plane to at most `most` rows and columns, reading part by part.
    ///
    /// # Errors
    /// If a chunk cannot be read.
    pub(crate) fn sample(&self, most: [u64; 2]) -> Result<Grid> {
        let shape = self.shape();
        let block = block(shape, most);
        if shape[0].saturating_mul(shape[1]) > MOST_READ || self.chunks() > MOST_CHUNKS {
            let strided = [0, 1].map(|i| shape[i].div_ceil(block[i]));
            let mut grid = Grid::new(strided, [1, 1], true);
            self.each_stored_part(strided, block, &mut |part| {
                let bytes = self.read(&part, block)?;
                self.add(&mut grid, &part, &bytes);
                Ok(())
            })?;
            let fill = self.fill();
            grid.cells.iter_mut().filter(|cell| cell.is_empty()).for_each(|cell| cell.add(fill));
            grid.block = block;
            return Ok(grid);
        }
        let mut grid = Grid::new(shape, block, false);
        for part in self.parts(shape, [1, 1]) {
            let bytes = self.read(&part, [1, 1])?;
            self.add(&mut grid, &part, &bytes);
        }
        Ok(grid)
    }
    fn add(&self, grid: &mut Grid, part: &Part, bytes: &[u8]) {
        let size = self.numbers.size();
        let width = (part.columns.end - part.columns.start) as usize;
        for (row, line) in (part.rows.clone()).zip(bytes.chunks_exact(size * width)) {
            let first = (row / grid.block[0]) as usize * grid.columns;
            for (column, element) in (part.columns.clone()).zip(line.chunks_exact(size)) {
                grid.cells[first + (column / grid.block[1]) as usize].add(self.numbers.number(element));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Array, Hierarchy, NewArray};

    fn array(shape: [u64; 2], chunks: [u64; 2], values: &[f32]) -> Array {
        let new = NewArray::new(shape, "float32").chunks(chunks).fill_value(-1.0f32);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write(.., values).unwrap();
        array
    }

    /// Computes the means of blocks one after another.
    fn slowly(values: &[f32], shape: [usize; 2], block: [usize; 2]) -> Vec<Number> {
        let mut out = Vec::new();
        for top in (0..shape[0]).step_by(block[0]) {
            for left in (0..shape[1]).step_by(block[1]) {
                let (mut numbers, mut has_nan) = (Vec::new(), false);
                for i in top..(top + block[0]).min(shape[0]) {
                    for v in &values[i * shape[1]..][left..(left + block[1]).min(shape[1])] {
                        has_nan |= v.is_nan();
                        numbers.extend((!v.is_nan() && *v != -1.0).then_some(f64::from(*v)));
                    }
                }
                out.push(match numbers.len() {
                    0 if has_nan => Number::Nan,
                    0 => Number::Fill,
                    n => Number::Value(numbers.iter().sum::<f64>() / n as f64),
                });
            }
        }
        out
    }

    #[test]
    fn block_means_match_a_slow_reference() {
        for shape in [[1, 1], [7, 5], [48, 100], [64, 33], [1, 300], [200, 2]] {
            let count = shape[0] * shape[1];
            let value = |i: usize| match i % 7 {
                3 => f32::NAN,
                5 => -1.0,
                _ => (i * 37 % 101) as f32,
            };
            let mut values: Vec<f32> = (0..count).map(value).collect();
            values[..count / 8].fill(-1.0);
            values[count / 2..count / 2 + count / 8].fill(f32::NAN);
            let a = array(shape.map(|n| n as u64), [4, 16], &values);
            let plane = Plane::new(&a, &(..).into()).unwrap();
            for most in [[1000, 1000], [20, 20], [30, 17], [1, 1]] {
                let grid = plane.sample(most).unwrap();
                assert!(grid.rows as u64 <= most[0] && grid.columns as u64 <= most[1] && !grid.is_sampled);
                let wanted = slowly(&values, shape, grid.block.map(|n| n as usize));
                assert_eq!(grid.numbers().collect::<Vec<_>>(), wanted, "{shape:?} {most:?}");
            }
        }
    }

    #[test]
    fn blocks_are_square_except_in_long_planes() {
        assert_eq!(block([100, 200], [50, 50]), [4, 4]);
        assert_eq!(block([100, 200], [500, 500]), [1, 1]);
        assert_eq!(block([2, 1 << 40], [1024, 1024]), [1, 1 << 30]);
        assert_eq!(block([1 << 40, 64], [1024, 1024]), [1 << 30, 16]);
        assert_eq!(block([0, 5], [10, 10]), [1, 1]);
    }

    #[test]
    fn a_huge_plane_is_sampled() {
        let new = NewArray::new([1 << 20, 1 << 20], "uint8").chunks([1 << 10, 1 << 10]).fill_value(0);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write([0..1, 0..1], &[9u8]).unwrap();
        let plane = Plane::new(&array, &(..).into()).unwrap();
        let grid = plane.sample([64, 64]).unwrap();
        assert!(grid.is_sampled && grid.rows == 64 && grid.columns == 64 && grid.block == [1 << 14, 1 << 14]);
        assert_eq!(grid.number(0, 0), Number::Value(9.0));
        assert!(grid.numbers().skip(1).all(|n| n == Number::Fill));
        assert_eq!(grid.range(), Some((9.0, 9.0)));
    }

    #[test]
    fn many_tiny_chunks_are_sampled() {
        let new = NewArray::new([8192, 8192], "uint8").chunks([1, 1]);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write([0..1, 0..1], &[9u8]).unwrap();
        let plane = Plane::new(&array, &(..).into()).unwrap();
        let grid = plane.sample([64, 64]).unwrap();
        assert!(grid.is_sampled);
        assert_eq!((grid.number(0, 0), grid.number(63, 63)), (Number::Value(9.0), Number::Fill));
        let few = Plane::new(&array, &(..200, ..200).into()).unwrap();
        assert!(!few.sample([64, 64]).unwrap().is_sampled);
    }

    #[test]
    fn extents_and_ranges_ignore_nan_and_infinity() {
        let a = array([1, 4], [1, 4], &[2.0, f32::NAN, 8.0, f32::INFINITY]);
        let plane = Plane::new(&a, &(0, ..).into()).unwrap();
        let grid = plane.sample([1, 4]).unwrap();
        assert_eq!((grid.range(), grid.full_range()), (Some((2.0, 8.0)), Some((2.0, 8.0))));
        assert_eq!([grid.extent(0, 1), grid.extent(0, 2)], [None, Some((8.0, 8.0))]);
        let coarse = plane.sample([1, 2]).unwrap();
        assert_eq!((coarse.extent(0, 0), coarse.number(0, 1)), (Some((2.0, 2.0)), Number::Value(f64::INFINITY)));
    }
}
