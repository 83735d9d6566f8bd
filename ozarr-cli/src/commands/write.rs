//! `ozarr write`: elements of a file into an array.

use super::Outcome;
use crate::{args::Write as Args, location::Location, output::print_status, words::Failure};
use ozarr::Context;
use ozarr_tools::{Format, TransferOptions, import_file};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome, Failure> {
    let at = Location::write(&args.array, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let count = selection.shape(array.shape())?.iter().product::<u64>();
    let options = TransferOptions::default();
    if let Some(file) = &args.elements {
        import_file(&array, &selection, Format::JsonLines, file, &options)?;
    }
    if let Some(file) = &args.input {
        let words = [("take the JSON format", "use --format json"), ("`data_type`", "--data-type")];
        import_file(&array, &selection, Format::Npy, file, &options).map_err(|e| Failure::reworded(e, words))?;
    }
    print_status(&format!("wrote {count} elements"));
    Ok(Outcome::Done)
}
