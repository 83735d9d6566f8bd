//! Draws cells as pixels.

use super::{
    colormap::{Colormap, Rgb},
    numbers::Number,
    sample::Grid,
};

/// The colors of a picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    pub(crate) map: Colormap,
    /// The numbers of the first and the last color of the map.
    pub(crate) range: (f64, f64),
    pub(crate) nan: Rgb,
    pub(crate) fill: Rgb,
}

impl Palette {
    /// Returns the position of a number in the range: 0 for its lowest number, 1 for its highest.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        if low == high {
            return if value < low {
                0.0
            } else if value > high {
                1.0
            } else {
                0.5
            };
        }
        // The difference of two numbers may be infinite; that of their halves is not.
        ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
    }
    /// Returns the color of a number.
    pub(crate) fn color(&self, number: Number) -> Rgb {
        match number {
            Number::Value(v) => self.map.at(self.share(v)),
            Number::Nan => self.nan,
            Number::Fill => self.fill,
        }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The pixels row by row from the top.
    pub(crate) colors: Vec<Rgb>,
}

impl Pixels {
    /// Creates a picture of one color.
    pub(crate) fn new(width: usize, height: usize, color: Rgb) -> Self {
        Self { width, height, colors: vec![color; width.saturating_mul(height)] }
    }
    /// Draws each cell as a square of `side` pixels.
    pub(crate) fn of(grid: &Grid, palette: &Palette, side: usize) -> Self {
        let side = side.max(1);
        let mut pixels = Self::new(grid.columns * side, grid.rows * side, palette.fill);
        for (i, number) in grid.numbers().enumerate() {
            let (row, column) = (i / grid.columns * side, i % grid.columns * side);
            let color = palette.color(number);
            for y in row..row + side {
                let line = y * pixels.width;
                pixels.colors[line + column..line + column + side].fill(color);
            }
        }
        pixels
    }
    /// Returns the color of a pixel.
    pub(crate) fn get(&self, x: usize, y: usize) -> Rgb {
        self.colors[y * self.width + x]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette(range: (f64, f64)) -> Palette {
        Palette { map: Colormap::Gray, range, nan: [1, 2, 3], fill: [4, 5, 6] }
    }

    #[test]
    fn colors_span_the_range() {
        let p = palette((-1.0, 1.0));
        assert_eq!([-1.0, 1.0, 9.0, f64::NEG_INFINITY].map(|v| p.color(Number::Value(v))[0]), [0, 255, 255, 0]);
        assert_eq!([p.color(Number::Nan), p.color(Number::Fill)], [[1, 2, 3], [4, 5, 6]]);
        let wide = palette((f64::MIN, f64::MAX));
        assert_eq!([f64::MIN, 0.0, f64::MAX].map(|v| wide.share(v)), [0.0, 0.5, 1.0]);
        let point = palette((2.0, 2.0));
        assert_eq!([1.0, 2.0, 3.0].map(|v| point.share(v)), [0.0, 0.5, 1.0]);
    }
}
