//! `ozarr resize`: changes the shape of an array.

use super::Outcome;
use crate::{
    args::Resize as Args,
    location::Location,
    output::{count, print},
    session::Session,
};
use ozarr::{
    ResizeOptions, Result,
    zarr_core::json::{Json, Object},
};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::write(&args.array, &session.context)?;
    let mut array = at.hierarchy.array(&at.path())?;
    let options =
        ResizeOptions::default().with_keep_outside(args.keep_outside).with_clear_reappearing(args.clear_reappearing);
    let done = array.resize(&args.shape.0, options)?;
    let (erased, reappeared) = (done.erased.len() as u64, done.reappeared.len() as u64);
    if args.json {
        let mut o = Object::new();
        o.set("shape", array.shape());
        o.set("removed_chunks", erased);
        o.set("reappeared_chunks", reappeared);
        print(&Json::Object(o).to_pretty())?;
        return Ok(Outcome::Done);
    }
    let mut line = format!("resized {} to {:?}", at.typed, array.shape());
    if erased > 0 {
        line += &format!(", {} removed", count(erased, "chunk"));
    }
    if reappeared > 0 {
        let what = if args.clear_reappearing { "cleared" } else { "visible again; `--clear-reappearing` clears it" };
        line += &format!(", old data of {} {what}", count(reappeared, "chunk"));
    }
    session.status.print(&line);
    Ok(Outcome::Done)
}
