//! `ozarr write`: writes elements of a file into an array.

use super::Outcome;
use crate::{args::Write as Args, location::Location, output::count, session::Session, words::Failure};
use ozarr_tools::{Format, TransferOptions, import_file};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let at = Location::write(&args.array, &session.context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let elements = selection.shape(array.shape())?.iter().product::<u64>();
    let options = TransferOptions::default();
    if let Some(file) = &args.elements {
        import_file(&array, &selection, Format::JsonLines, file, &options)?;
    }
    if let Some(file) = &args.input {
        let words = [("use the JSON format", "use --elements"), ("`data_type`", "--dtype")];
        let imported = import_file(&array, &selection, Format::Npy, file, &options);
        imported.map_err(|e| Failure::reworded(e, words))?;
    }
    session.status.print(&format!("wrote {}", count(elements, "element")));
    Ok(Outcome::Done)
}
