//! `ozarr read`: elements of an array as JSON, bytes, or a NumPy file.

use super::Outcome;
use crate::{args::Read as Args, location::Location, words::Failure};
use ozarr::{Array, Context, Error, Selection};
use ozarr_tools::{Format, OutputFile, TransferOptions, export};
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome, Failure> {
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

fn write(array: &Array, selection: &Selection, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    let exported = export(array, selection, format, out, &TransferOptions::default());
    exported.map_err(|e| Failure::reworded(e, [("take the JSON format", "use --format json")]))?;
    if format == Format::Json {
        writeln!(out).map_err(Error::from)?;
    }
    Ok(out.flush().map_err(Error::from)?)
}
