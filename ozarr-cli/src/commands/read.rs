//! `ozarr read`: elements of an array as JSON, bytes, or a NumPy file.

use super::Outcome;
use crate::{
    args::{Format, Read as Args},
    elements::{each_as_json, parts},
    location::Location,
    npy,
    output_file::OutputFile,
};
use ozarr::{Array, Context, Error, Result, Selection, zarr_core::limits::product};
use std::io::{self, BufWriter, Write};

/// Elements that are in memory at a time.
const SLAB: u64 = 1 << 22;

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.array, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    selection.shape(array.shape())?;
    match &args.output {
        None => write(&array, &selection, args.format, &mut BufWriter::new(io::stdout().lock()))?,
        Some(path) => {
            let whole = OutputFile::create(path)?;
            let mut out = BufWriter::new(whole.file());
            write(&array, &selection, args.format, &mut out)?;
            out.into_inner().map_err(|e| Error::from(e.into_error()))?;
            whole.commit()?;
        }
    }
    Ok(Outcome::Done)
}

fn write(array: &Array, selection: &Selection, format: Format, out: &mut dyn Write) -> Result<()> {
    let (shape, layout) = (selection.shape(array.shape())?, array.representation().layout());
    match format {
        Format::Json => {
            nested(array, selection, &shape, out)?;
            writeln!(out)?;
        }
        Format::Raw | Format::Npy => {
            if format == Format::Npy {
                out.write_all(&npy::header(layout, &shape)?)?;
            }
            for part in parts(array, selection, SLAB)? {
                let mut bytes = array.read_bytes(part)?;
                npy::swap_to_little(&mut bytes, layout);
                out.write_all(&bytes)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Lists in lists, one for each dimension.
fn nested(array: &Array, selection: &Selection, shape: &[u64], out: &mut dyn Write) -> Result<()> {
    // Behind a dimension without elements there is nothing: the lists before it are empty.
    let depth = shape.iter().position(|n| *n == 0);
    let mut brackets = Brackets { sizes: sizes(&shape[..depth.unwrap_or(shape.len())]), at: 0 };
    if let Some(depth) = depth {
        let count = product(&shape[..depth], 1)?;
        return (0..count).try_for_each(|_| brackets.print("[]", out));
    }
    for part in parts(array, selection, SLAB)? {
        each_as_json(array, &part, &mut |element| brackets.print(&element.to_string(), out))?;
    }
    Ok(())
}

/// How many elements a list of each depth holds, the innermost first.
fn sizes(shape: &[u64]) -> Vec<u64> {
    let products = shape.iter().rev().scan(1, |product, n| {
        *product *= n;
        Some(*product)
    });
    products.collect()
}

/// Prints elements with the brackets that open before and close after each.
struct Brackets {
    sizes: Vec<u64>,
    at: u64,
}
impl Brackets {
    fn print(&mut self, element: &str, out: &mut dyn Write) -> Result<()> {
        let edges = |at: u64| self.sizes.iter().filter(|s| at.is_multiple_of(**s)).count();
        let (before, after) = (edges(self.at), edges(self.at + 1));
        let comma = if self.at > 0 { "," } else { "" };
        write!(out, "{comma}{}{element}{}", "[".repeat(before), "]".repeat(after))?;
        self.at += 1;
        Ok(())
    }
}
