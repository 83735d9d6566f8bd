//! Draws pictures in a terminal.

use super::{
    chart::Chart,
    colormap::Rgb,
    numbers::Number,
    pixels::{Palette, Pixels},
    plane::Plane,
    sample::Grid,
};
use crate::output::has_colors;
use std::fmt::Write;

/// Characters for numbers from the lowest to the highest, if there are no colors.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// The characters for NaN and the fill value.
const NAN: char = '×';
const FILL: char = '·';
/// The height of a chart in lines of text.
const CHART_LINES: usize = 16;
/// The width of the scale in columns.
const SCALE: usize = 16;
/// The largest side of an element of a small array in half blocks.
const MOST_SIDE: usize = 4;

/// The terminal that a picture is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// The number of characters in a line.
    pub(crate) columns: usize,
    /// The number of lines of text.
    pub(crate) lines: usize,
    pub(crate) has_colors: bool,
}

impl Screen {
    /// Returns the terminal of standard output. Its size is 80 columns and 24 lines if the system does not know it.
    pub(crate) fn of_stdout() -> Self {
        let (columns, lines) = size().unwrap_or((80, 24));
        Self { columns: columns.clamp(10, 1000), lines: lines.clamp(8, 1000), has_colors: has_colors() }
    }
    /// Returns the number of rows and columns of cells that fit.
    pub(crate) fn cells(&self, is_line: bool) -> [u64; 2] {
        if is_line { [1, 2 * self.columns as u64] } else { [2 * (self.lines - 4) as u64, self.columns as u64] }
    }
}

#[cfg(unix)]
fn size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col.into(), size.ws_row.into()))
}
#[cfg(not(unix))]
fn size() -> Option<(usize, usize)> {
    None
}

/// Draws a plane as text, with a scale below it.
pub(crate) fn picture(plane: &Plane, grid: &Grid, palette: &Palette, screen: &Screen) -> String {
    let mut out = String::new();
    let _text_takes_all = if plane.is_line() {
        line(&mut out, grid, palette, screen)
    } else if screen.has_colors {
        let fits = (screen.columns / grid.columns.max(1)).min(2 * (screen.lines - 4) / grid.rows.max(1));
        half_blocks(&mut out, &Pixels::of(grid, palette, fits.clamp(1, MOST_SIDE)))
            .and_then(|()| scale(&mut out, grid.numbers(), palette, true))
    } else {
        shades(&mut out, grid, palette).and_then(|()| scale(&mut out, grid.numbers(), palette, false))
    };
    out
}

fn foreground(out: &mut String, [r, g, b]: Rgb) -> std::fmt::Result {
    write!(out, "\x1b[38;2;{r};{g};{b}m")
}
fn background(out: &mut String, [r, g, b]: Rgb) -> std::fmt::Result {
    write!(out, "\x1b[48;2;{r};{g};{b}m")
}

/// Draws two rows of pixels per line of text: the upper one in the foreground color, the lower one in the background
/// color.
fn half_blocks(out: &mut String, pixels: &Pixels) -> std::fmt::Result {
    for y in (0..pixels.height).step_by(2) {
        let mut before = None;
        for x in 0..pixels.width {
            let (top, bottom) = (pixels.get(x, y), (y + 1 < pixels.height).then(|| pixels.get(x, y + 1)));
            if before != Some((top, bottom)) {
                foreground(out, top)?;
                bottom.map_or(Ok(()), |bottom| background(out, bottom))?;
                before = Some((top, bottom));
            }
            out.push('▀');
        }
        out.push_str("\x1b[0m\n");
    }
    Ok(())
}

/// Draws two rows of cells per line of text, without colors.
fn shades(out: &mut String, grid: &Grid, palette: &Palette) -> std::fmt::Result {
    for row in (0..grid.rows).step_by(2) {
        for column in 0..grid.columns {
            let both = [Some(row), (row + 1 < grid.rows).then_some(row + 1)].map(|row| Some(grid.number(row?, column)));
            out.push(shade(both, palette));
        }
        out.push('\n');
    }
    Ok(())
}

/// Returns the character for the mean of numbers.
fn shade(numbers: [Option<Number>; 2], palette: &Palette) -> char {
    let shares: Vec<f64> = numbers
        .iter()
        .flatten()
        .filter_map(|n| match n {
            Number::Value(v) => Some(palette.share(*v)),
            _ => None,
        })
        .collect();
    if shares.is_empty() {
        return if numbers.contains(&Some(Number::Nan)) { NAN } else { FILL };
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    SHADES[((mean * SHADES.len() as f64) as usize).min(SHADES.len() - 1)]
}

/// Draws the numbers of the first and the last color, and the colors of NaN and the fill value.
fn scale(
    out: &mut String,
    numbers: impl Iterator<Item = Number>,
    palette: &Palette,
    has_colors: bool,
) -> std::fmt::Result {
    let (mut has_nan, mut has_fill) = (false, false);
    numbers.for_each(|n| match n {
        Number::Nan => has_nan = true,
        Number::Fill => has_fill = true,
        Number::Value(_) => {}
    });
    write!(out, "{} ", short(palette.range.0))?;
    for i in 0..SCALE {
        let share = i as f64 / (SCALE - 1) as f64;
        if has_colors {
            background(out, palette.map.at(share))?;
            out.push(' ');
        } else {
            out.push(SHADES[((share * SHADES.len() as f64) as usize).min(SHADES.len() - 1)]);
        }
    }
    out.push_str(if has_colors { "\x1b[0m " } else { " " });
    out.push_str(&short(palette.range.1));
    for (_, name, color, character) in
        [(has_nan, "NaN", palette.nan, NAN), (has_fill, "fill value", palette.fill, FILL)]
            .into_iter()
            .filter(|(is_there, ..)| *is_there)
    {
        if has_colors {
            write!(out, "  ")?;
            foreground(out, color)?;
            write!(out, "█\x1b[0m {name}")?;
        } else {
            write!(out, "  {character} {name}")?;
        }
    }
    out.push('\n');
    Ok(())
}

/// Draws a chart, with the highest number above and the lowest below it.
fn line(out: &mut String, grid: &Grid, palette: &Palette, screen: &Screen) -> std::fmt::Result {
    let lines = CHART_LINES.min(screen.lines - 4);
    let chart = Chart::new(grid, palette, 2 * screen.columns, 4 * lines);
    writeln!(out, "{}", short(palette.range.1))?;
    for line in chart.braille() {
        if screen.has_colors {
            foreground(out, palette.map.at(0.6))?;
            writeln!(out, "{line}\x1b[0m")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    write!(out, "{}", short(palette.range.0))?;
    for (columns, name) in chart.missing().into_iter().zip(["NaN", "the fill value"]) {
        if columns > 0 {
            write!(out, "  ({:.0}% {name})", 100.0 * columns as f64 / (2 * screen.columns) as f64)?;
        }
    }
    out.push('\n');
    Ok(())
}

/// Formats a number in a few characters.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Colormap;
    use ozarr::{Array, Hierarchy, NewArray};

    fn array(shape: &[u64], values: &[f32]) -> Array {
        let new = NewArray::new(shape, "float32").fill_value(-1.0f32);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write(.., values).unwrap();
        array
    }

    fn drawn(array: &Array, has_colors: bool) -> String {
        let screen = Screen { columns: 20, lines: 8, has_colors };
        let plane = Plane::new(array, &(..).into()).unwrap();
        let grid = plane.sample(screen.cells(plane.is_line())).unwrap();
        let palette = Palette { map: Colormap::Gray, range: (0.0, 4.0), nan: [255, 0, 0], fill: [0, 0, 255] };
        picture(&plane, &grid, &palette, &screen)
    }

    #[test]
    fn half_blocks_have_two_colors() {
        let values: Vec<f32> = (0..30 * 20).map(|i| if i < 20 { 0.0 } else { 4.0 }).collect();
        let text = drawn(&array(&[30, 20], &values), true);
        // Blocks of 4 x 4 elements; a quarter of the first row are zeros.
        let first = "\u{1b}[38;2;191;191;191m\u{1b}[48;2;255;255;255m▀▀▀▀▀";
        assert!(text.starts_with(first), "{text:?}");
        let single = drawn(&array(&[1, 2], &[0.0, f32::NAN]), true);
        assert!(
            single.starts_with(
                "\u{1b}[38;2;0;0;0m\u{1b}[48;2;0;0;0m▀▀▀▀\u{1b}[38;2;255;0;0m\u{1b}[48;2;255;0;0m▀▀▀▀\u{1b}[0m\n"
            ),
            "{single:?}"
        );
    }

    #[test]
    fn without_colors_there_are_no_escapes() {
        let text = drawn(&array(&[2, 4], &[0.0, 4.0, f32::NAN, -1.0, 0.0, 4.0, f32::NAN, -1.0]), false);
        let (picture, scale) = text.split_once('\n').unwrap();
        assert_eq!((picture, scale.contains('\u{1b}')), (" █×·", false));
        assert!(scale.starts_with("0 ") && scale.ends_with(" 4  × NaN  · fill value\n"), "{scale:?}");
    }

    #[test]
    fn a_line_is_a_chart() {
        let text = drawn(&array(&[4], &[0.0, 2.0, 4.0, f32::NAN]), false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[5]), (6, "4", "0  (25% NaN)"));
        assert!(lines[1..5].iter().all(|line| line.chars().count() == 20), "{text}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, -2.5, 1.0 / 3.0, 1e9, -2e-7].map(short), ["0", "-2.5", "0.3333", "1.000e9", "-2.000e-7"]);
    }
}
