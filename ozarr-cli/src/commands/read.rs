//! `ozarr read`: prints elements of an array as JSON, bytes, or a NumPy file.

use super::{Outcome, summary};
use crate::{args::Read as Args, location::Location, output::print, session::Session, words::Failure};
use ozarr::{Array, Error, Selection};
use ozarr_tools::{Format, OutputFile, TransferOptions, export};
use std::io::{self, BufWriter, IsTerminal, Write};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let at = Location::read(&args.array, &session.context)?;
    let array = at.hierarchy.array(&at.path())?;
    let selection = args.region.clone().unwrap_or_else(|| (..).into());
    let count = selection.shape(array.shape())?.iter().fold(1u64, |count, n| count.saturating_mul(*n));
    let is_seen = args.output.is_none() && args.format == Format::Json && io::stdout().is_terminal();
    if is_seen
        && !args.all
        && count > summary::MOST
        && let Some(text) = summary::summary(&array, &selection)?
    {
        print(&text)?;
        session.status.print(&format!("{count} elements; `--all` prints all of them"));
        return Ok(Outcome::Done);
    }
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
    let typed = "use --format json";
    let words = [("use the JSON format", typed), ("read them as `String` or `Vec<u8>`", typed)];
    exported.map_err(|e| Failure::reworded(e, words))?;
    if format == Format::Json {
        writeln!(out).map_err(Error::from)?;
    }
    Ok(out.flush().map_err(Error::from)?)
}
