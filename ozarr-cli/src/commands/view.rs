//! `ozarr view`: draws one or two dimensions of an array.

use super::Outcome;
use crate::{
    args::{FillColor, View as Args},
    location::Location,
    output::{Status, print, put},
    picture::{
        Chart, Grid, NAN, Palette, Pixels, Plane, encode, summary,
        terminal::{Screen, picture},
    },
    session::Session,
    words::Failure,
};
use ozarr::{Error, Result};
use ozarr_tools::OutputFile;
use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

/// The most cells of a PNG along each axis.
const MOST: u64 = 1024;
/// The longer side of a PNG in pixels, if the elements of a small array fit as larger squares.
const WANTED: usize = 256;
/// The size of a chart in pixels.
const CHART: (usize, usize) = (1024, 256);

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let at = Location::read(&args.array, &session.context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let mut plane = Plane::new(&array, &selection)?;
    plane.numbers = match args.fill {
        Some(FillColor::Of(_)) => plane.numbers,
        Some(FillColor::None) => plane.numbers.without_fill(),
        None => plane.numbers.without_zero_fill(),
    };
    match &args.output {
        Some(path) => write_png(&plane, args, path, session.status)?,
        None if io::stdout().is_terminal() && !plane.is_empty() => {
            let screen = Screen::of_stdout();
            let grid = sample(&plane, screen.cells(plane.is_line()), session.status)?;
            put(&picture(&plane, &grid, &palette(&plane, &grid, args), &screen))?;
        }
        None => print(&summary(&plane)?)?,
    }
    Ok(Outcome::Done)
}

/// Reduces a plane to at most this many cells. Prints a note if not all elements were read.
fn sample(plane: &Plane, most: [u64; 2], status: Status) -> Result<Grid> {
    let grid = plane.sample(most)?;
    if grid.is_sampled {
        let [rows, columns] = grid.block;
        let part = if plane.is_line() {
            format!("one of {columns} is shown")
        } else {
            format!("one row of {rows} and one column of {columns} are shown")
        };
        let count = plane.shape().iter().map(|n| u128::from(*n)).product::<u128>();
        status.print(&format!("note: {count} elements are too many to read: {part}"));
    }
    Ok(grid)
}

/// Returns the colors that the options select.
fn palette(plane: &Plane, grid: &Grid, args: &Args) -> Palette {
    let found = if plane.is_line() { grid.full_range() } else { grid.range() };
    // Both values of a boolean have a color, even if only one occurs.
    let found = if plane.numbers.is_bool() { (0.0, 1.0) } else { found.unwrap_or((0.0, 0.0)) };
    let asked = |end: fn(crate::args::ValueRange) -> Option<f64>| args.range.and_then(end);
    let range = match (asked(|r| r.low), asked(|r| r.high)) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, found.1.max(low)),
        (None, Some(high)) => (found.0.min(high), high),
        (None, None) => found,
    };
    let fill = match args.fill {
        Some(FillColor::Of(color)) => color,
        _ => args.colormap.fill_color(),
    };
    Palette { map: args.colormap, range, nan: args.nan.unwrap_or(NAN), fill }
}

fn write_png(plane: &Plane, args: &Args, path: &Path, status: Status) -> Result<()> {
    if plane.is_empty() {
        return Err(Error::argument("the selection has no elements: there is nothing to draw"));
    }
    let pixels = if plane.is_line() {
        let (width, height) = CHART;
        let grid = sample(plane, [1, width as u64], status)?;
        let palette = palette(plane, &grid, args);
        Chart::new(&grid, &palette, width, height).pixels(&palette)
    } else {
        let grid = sample(plane, [MOST; 2], status)?;
        let side = WANTED / grid.rows.max(grid.columns).max(1);
        Pixels::of(&grid, &palette(plane, &grid, args), side)
    };
    let bytes = encode(&pixels)?;
    let whole = OutputFile::create(path)?;
    let mut file = whole.file();
    file.write_all(&bytes)?;
    whole.commit()
}
