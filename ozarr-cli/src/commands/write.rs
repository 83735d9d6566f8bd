//! `ozarr write`: elements of a file into an array.

use super::Outcome;
use crate::{args::Write as Args, location::Location, output::print_status, words::reworded};
use ozarr::{Context, Result};
use ozarr_tools::{Format, import_file};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::write(&args.array, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let count = selection.shape(array.shape())?.iter().product::<u64>();
    if let Some(file) = &args.elements {
        import_file(&array, &selection, Format::JsonLines, file)?;
    }
    if let Some(file) = &args.input {
        let words = [("take the JSON format", "use --format json"), ("`data_type`", "--data-type")];
        import_file(&array, &selection, Format::Npy, file).map_err(|e| reworded(e, &words))?;
    }
    print_status(&format!("wrote {count} elements"));
    Ok(Outcome::Done)
}
