//! `ozarr elements`: each element in C order as its fill-value JSON, one a line.

use super::Outcome;
use crate::{
    args::Elements as Args,
    elements::{each_as_json, parts},
    location::Location,
};
use ozarr::{Context, Result};
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.array_path, context)?;
    let array = at.hierarchy.array(&at.path())?;
    let mut out = BufWriter::new(io::stdout().lock());
    for part in parts(&array, &(..).into(), 1 << 20)? {
        each_as_json(&array, &part, &mut |element| Ok(writeln!(out, "{element}")?))?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}
