//! `zarr write`: elements of a NumPy file into an array.

use super::Outcome;
use crate::{args::Write as Args, elements::selection, location::Location, npy, output::say};
use zarr_array::{Context, Error, Result};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::write(&args.array, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = selection(args.region.as_deref(), array.shape())?;
    let file = std::fs::read(&args.input).map_err(|e| Error::from(e).at_key(args.input.display()))?;
    let (shape, elements) =
        npy::read(&file, array.representation().layout()).map_err(|e| e.at_key(args.input.display()))?;
    let wanted = selection.shape(array.shape())?;
    if shape != wanted {
        let e = Error::argument(format!("the file has the shape {shape:?}, the region {wanted:?}"));
        return Err(e.at_key(args.input.display()));
    }
    array.representation().data_type().check_elements(&elements)?;
    array.write_bytes(selection, &elements)?;
    say(&format!("wrote {} elements", wanted.iter().product::<u64>()));
    Ok(Outcome::Done)
}
