//! Draws one dimension as a line.

use super::{
    colormap::Rgb,
    numbers::Number,
    pixels::{Palette, Pixels},
    sample::Grid,
};
use std::ops::RangeInclusive;

/// The background of a line.
const PAPER: Rgb = [255, 255, 255];

/// A line over columns: each covers the rows from its lowest to its highest number, and is connected to the previous
/// one.
#[derive(Debug, PartialEq)]
pub(crate) struct Chart {
    height: usize,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// Rows, counted from the top.
    Line(RangeInclusive<usize>),
    /// No number: NaN or the fill value.
    Missing(Number),
}

impl Chart {
    /// Draws the first row of a grid, `width` columns wide.
    pub(crate) fn new(grid: &Grid, palette: &Palette, width: usize, height: usize) -> Self {
        let last = height.max(1) - 1;
        let row = |v: f64| ((1.0 - palette.share(v)) * last as f64).round() as usize;
        let (mut columns, mut before): (Vec<Column>, Option<(usize, usize)>) = (Vec::with_capacity(width), None);
        for x in 0..width {
            let cell = x * grid.columns / width;
            let Some((low, high)) = grid.extent(0, cell) else {
                columns.push(Column::Missing(grid.number(0, cell)));
                before = None;
                continue;
            };
            let (own_top, own_bottom) = (row(high), row(low));
            // Connected to the previous column.
            let (top, bottom) = match before {
                Some((_, above)) if above < own_top => (above + 1, own_bottom),
                Some((below, _)) if below > own_bottom => (own_top, below - 1),
                _ => (own_top, own_bottom),
            };
            columns.push(Column::Line(top..=bottom));
            before = Some((own_top, own_bottom));
        }
        Self { height: last + 1, columns }
    }
    fn is_line(&self, x: usize, y: usize) -> bool {
        matches!(self.columns.get(x), Some(Column::Line(rows)) if rows.contains(&y))
    }
    /// Returns the chart as pixels. Columns without numbers have the colors of NaN and the fill value.
    pub(crate) fn pixels(&self, palette: &Palette) -> Pixels {
        let mut pixels = Pixels::new(self.columns.len(), self.height, PAPER);
        for (x, column) in self.columns.iter().enumerate() {
            for y in 0..self.height {
                let color = match column {
                    Column::Line(rows) if rows.contains(&y) => palette.map.at(0.25),
                    Column::Line(_) => continue,
                    Column::Missing(number) => palette.color(*number),
                };
                pixels.colors[y * self.columns.len() + x] = color;
            }
        }
        pixels
    }
    /// Returns the chart as lines of Braille characters, each with two columns and four rows.
    pub(crate) fn braille(&self) -> Vec<String> {
        /// The bits of the dots of a character: for each column those of its rows.
        const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let character = |left: usize, top: usize| {
            let mut bits = 0;
            for (dx, rows) in DOTS.iter().enumerate() {
                for (dy, dot) in rows.iter().enumerate() {
                    if self.is_line(left + dx, top + dy) {
                        bits |= dot;
                    }
                }
            }
            char::from_u32(0x2800 + bits).unwrap_or(' ')
        };
        let line = |top: usize| (0..self.columns.len()).step_by(2).map(|left| character(left, top)).collect();
        (0..self.height).step_by(4).map(line).collect()
    }
    /// Returns the numbers of columns with NaN and with the fill value.
    pub(crate) fn missing(&self) -> [usize; 2] {
        let count = |number: Number| self.columns.iter().filter(|c| **c == Column::Missing(number)).count();
        [Number::Nan, Number::Fill].map(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Colormap, Plane};
    use ozarr::{Hierarchy, NewArray};

    fn chart(values: &[f64], width: usize, height: usize) -> Chart {
        let new = NewArray::new([values.len() as u64], "float64").fill_value(-1.0);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write(.., values).unwrap();
        let grid = Plane::new(&array, &(..).into()).unwrap().sample([1, width as u64]).unwrap();
        let range = grid.full_range().unwrap_or_default();
        let palette = Palette { map: Colormap::Gray, range, nan: [1, 2, 3], fill: [4, 5, 6] };
        Chart::new(&grid, &palette, width, height)
    }

    #[test]
    fn a_line_is_connected() {
        let columns = chart(&[0.0, 3.0, 3.0, 1.0], 4, 4).columns;
        let line = |rows| Column::Line(rows);
        assert_eq!(columns, [line(3..=3), line(0..=2), line(0..=0), line(1..=2)]);
    }

    #[test]
    fn a_column_has_the_lowest_and_the_highest_number() {
        let columns = chart(&[0.0, 4.0, 2.0, 2.0], 2, 5).columns;
        assert_eq!(columns, [Column::Line(0..=4), Column::Line(2..=2)]);
    }

    #[test]
    fn columns_without_numbers_have_their_colors() {
        let chart = chart(&[0.0, f64::NAN, -1.0, 1.0], 4, 2);
        assert_eq!(chart.missing(), [1, 1]);
        let palette = Palette { map: Colormap::Gray, range: (0.0, 1.0), nan: [1, 2, 3], fill: [4, 5, 6] };
        let pixels = chart.pixels(&palette);
        let line = Colormap::Gray.at(0.25);
        let rows: Vec<Rgb> = (0..2).flat_map(|y| (0..4).map(move |x| (x, y))).map(|(x, y)| pixels.get(x, y)).collect();
        assert_eq!(rows, [PAPER, [1, 2, 3], [4, 5, 6], line, line, [1, 2, 3], [4, 5, 6], PAPER]);
    }

    #[test]
    fn braille_has_two_columns_and_four_rows_a_character() {
        let lines = chart(&[0.0, 1.0, 2.0, 3.0], 4, 4).braille();
        assert_eq!(lines, ["\u{2860}\u{280a}"]);
    }
}
