//! `ozarr write`: elements of a file into an array.

use super::Outcome;
use crate::{args::Write as Args, elements::write_lines, location::Location, npy, output::say};
use ozarr::{Array, Context, Error, Result, Selection};
use std::path::Path;

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::write(&args.array, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let count = selection.shape(array.shape())?.iter().product::<u64>();
    if let Some(file) = &args.elements {
        write_lines(&array, &selection, file)?;
    }
    if let Some(file) = &args.input {
        write_npy(&array, selection, file)?;
    }
    say(&format!("wrote {count} elements"));
    Ok(Outcome::Done)
}

fn write_npy(array: &Array, selection: Selection, path: &Path) -> Result<()> {
    let file = std::fs::read(path).map_err(|e| Error::from(e).at_key(path.display()))?;
    let (shape, elements) = npy::read(&file, array.representation().layout()).map_err(|e| e.at_key(path.display()))?;
    let wanted = selection.shape(array.shape())?;
    if shape != wanted {
        let e = Error::argument(format!("the file has the shape {shape:?}, the region {wanted:?}"));
        return Err(e.at_key(path.display()));
    }
    array.representation().data_type().check_elements(&elements)?;
    array.write_bytes(selection, &elements)
}
