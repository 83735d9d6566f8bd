//! Options of the commands that draw.

use super::values::region;
use crate::picture::{Colormap, Rgb, color};
use clap::Args;
use ozarr::Selection;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct View {
    /// Path or URL of an array
    pub(crate) array: String,
    /// Region to draw, of one or two dimensions: `INDEX`, `START:STOP`, `START:STOP:STEP` or `:` per dimension, separated by
    /// commas; `...` stands for any number of whole dimensions
    #[arg(long, value_parser = region, allow_hyphen_values = true)]
    pub(crate) region: Option<Selection>,
    /// Write a PNG to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colormap
    #[arg(long, value_enum, default_value = "viridis")]
    pub(crate) colormap: Colormap,
    /// Values of the first and last color, each optional [default: minimum and maximum of the region]
    #[arg(long, value_name = "MIN:MAX", value_parser = range, allow_hyphen_values = true)]
    pub(crate) range: Option<ValueRange>,
    /// Color of NaN: `#RRGGBB` or a name
    #[arg(long, value_name = "COLOR", value_parser = color)]
    pub(crate) nan: Option<Rgb>,
    /// Color of elements that equal the fill value, or `none` to draw them like other numbers [default: none if the fill
    /// value is zero]
    #[arg(long, value_name = "COLOR", value_parser = fill)]
    pub(crate) fill: Option<FillColor>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Path or URL of a store, or of a node in it
    pub(crate) location: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Decode every stored chunk to find damaged ones
    #[arg(long)]
    pub(crate) data: bool,
    /// Print the facts of the report as JSON; HTML is written only with --output
    #[arg(long)]
    pub(crate) json: bool,
}

/// The lowest and the highest number, where they are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueRange {
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
}

fn range(text: &str) -> Result<ValueRange, String> {
    let wrong = || "expected MIN:MAX, for example -5:5".to_owned();
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        digits => digits.parse().ok().filter(|v: &f64| v.is_finite()).map(Some).ok_or_else(wrong),
    };
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let range = ValueRange { low: number(low)?, high: number(high)? };
    match (range.low, range.high) {
        (Some(low), Some(high)) if low > high => Err(format!("minimum {low} is greater than maximum {high}")),
        _ => Ok(range),
    }
}

/// How elements that are the fill value are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FillColor {
    /// As numbers.
    None,
    Of(Rgb),
}

fn fill(text: &str) -> Result<FillColor, String> {
    if text.eq_ignore_ascii_case("none") { Ok(FillColor::None) } else { color(text).map(FillColor::Of) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_a_low_and_a_high_number() {
        assert_eq!(range("-5:5.5"), Ok(ValueRange { low: Some(-5.0), high: Some(5.5) }));
        assert_eq!(range(":1e3"), Ok(ValueRange { low: None, high: Some(1000.0) }));
        assert_eq!(range(":"), Ok(ValueRange { low: None, high: None }));
        for wrong in ["", "1", "a:b", "NaN:1", "0:inf", "2:1", "1:2:3"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_fill_value_may_have_no_color() {
        assert_eq!([fill("none"), fill("black")], [Ok(FillColor::None), Ok(FillColor::Of([0, 0, 0]))]);
        assert!(fill("nothing").is_err());
    }
}
