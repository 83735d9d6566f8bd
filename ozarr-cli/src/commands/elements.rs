//! `ozarr elements`: prints each element in C order as fill-value JSON, one per line.

use super::Outcome;
use crate::{args::Elements as Args, location::Location};
use ozarr::{Context, Result};
use ozarr_tools::{Format, TransferOptions, export};
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.array_path, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let mut out = BufWriter::new(io::stdout().lock());
    export(&array, .., Format::JsonLines, &mut out, &TransferOptions::default())?;
    out.flush()?;
    Ok(Outcome::Done)
}
