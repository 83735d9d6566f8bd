//! `ozarr read`: elements of an array as JSON, bytes, or a NumPy file.

use super::Outcome;
use crate::{
    args::{Format, Read as Args},
    location::Location,
    output_file::OutputFile,
    words::reworded,
};
use ozarr::{Array, Context, Error, Result, Selection};
use ozarr_tools::export;
use std::io::{self, BufWriter, Write};

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
    let form = match format {
        Format::Json => ozarr_tools::Format::Json,
        Format::Raw => ozarr_tools::Format::Raw,
        Format::Npy => ozarr_tools::Format::Npy,
    };
    export(array, selection, form, out).map_err(|e| reworded(e, &[("take the JSON format", "use --format json")]))?;
    if format == Format::Json {
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}
