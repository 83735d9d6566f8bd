//! `ozarr report`: a page that shows what a store contains.

mod array;
mod escape;
mod histogram;
mod html;
mod map;
mod overview;
mod thumbnail;

use super::Outcome;
use crate::{args::Report as Args, location::Location, output::print, session::Session};
use array::Facts;
use overview::{MOST_ARRAYS, Overview, all_arrays};
use ozarr::{
    Error, Result,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::OutputFile;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::read(&args.location, &session.context)?;
    let overview = Overview::new(&at, session, args)?;
    let arrays = match &args.output {
        Some(path) => {
            let whole = OutputFile::create(path)?;
            let mut out = BufWriter::new(whole.file());
            let arrays = write(Some(&mut out), &at, &overview, args)?;
            out.into_inner().map_err(|e| Error::from(e.into_error()))?;
            whole.commit()?;
            arrays
        }
        None if args.json => write(None, &at, &overview, args)?,
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            let arrays = write(Some(&mut out), &at, &overview, args)?;
            out.flush()?;
            arrays
        }
    };
    if args.json {
        let mut facts = overview.to_json();
        facts.set("arrays", arrays.into_iter().collect::<Json>());
        print(&facts.to_pretty())?;
    }
    Ok(if overview.problems.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// Writes the page, one array after another. Returns the facts about each array if they are printed as JSON.
fn write(mut out: Option<&mut dyn Write>, at: &Location, overview: &Overview, args: &Args) -> Result<Vec<Object>> {
    if let Some(out) = &mut out {
        html::begin(*out, overview)?;
    }
    let (mut printed, mut count) = (Vec::new(), 0);
    for array in all_arrays(&at.hierarchy, &at.path())? {
        if count < MOST_ARRAYS {
            let facts = Facts::new(&array, overview.damaged_of(&array));
            if let Some(out) = &mut out {
                html::array(*out, count, &facts)?;
            }
            printed.extend(args.json.then(|| facts.to_json()));
        }
        count += 1;
    }
    if let Some(out) = &mut out {
        html::end(*out, count)?;
    }
    Ok(printed)
}
