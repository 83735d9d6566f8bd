//! `zarr create`: an array from its metadata document, and its elements if they are given.

use super::Outcome;
use crate::{args::Create as Args, elements::write_lines, location::Location, output::say};
use zarr_array::{
    Context, Error, Result,
    core::{limits::Limits, metadata::NodeMetadata},
};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let text = std::fs::read(&args.metadata).map_err(|e| Error::from(e).at_key(args.metadata.display()))?;
    let metadata = NodeMetadata::parse(&text, &Limits::default()).map_err(|e| e.at_key(args.metadata.display()))?;
    let NodeMetadata::Array(metadata) = metadata else {
        return Err(Error::argument("the document describes a group, not an array").at_key(args.metadata.display()));
    };
    let at = Location::create(&args.array, context)?;
    let array = at.hierarchy.create_array_from(&at.path(), metadata, args.overwrite)?;
    say(&format!("created {} with shape {:?}", at.typed, array.shape()));
    if let Some(file) = &args.elements {
        write_lines(&array, &(..).into(), file)?;
    }
    Ok(Outcome::Done)
}
