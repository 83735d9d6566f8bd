//! `ozarr create`: an array from its metadata document, and its elements if they are given.

use super::Outcome;
use crate::{args::Create as Args, location::Location, output::print_status};
use ozarr::{
    Context, Error, Result,
    zarr_core::{limits::Limits, metadata::NodeMetadata},
};
use ozarr_tools::{Format, TransferOptions, import_file};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let text = std::fs::read(&args.metadata).map_err(|e| Error::from(e).at_key(args.metadata.display()))?;
    let metadata = NodeMetadata::parse(&text, &Limits::default()).map_err(|e| e.at_key(args.metadata.display()))?;
    let NodeMetadata::Array(metadata) = metadata else {
        return Err(Error::argument("the document describes a group, not an array").at_key(args.metadata.display()));
    };
    let at = Location::create(&args.array, context)?;
    let (path, shape) = (at.path(), metadata.shape().to_vec());
    match &args.elements {
        None => _ = at.hierarchy.create_array_from(&path, metadata, args.overwrite)?,
        Some(file) => at.hierarchy.build(&path, args.overwrite, |staged| {
            let array = staged.create_array_from(&path, metadata, false)?;
            import_file(&array, .., Format::JsonLines, file, &TransferOptions::default())
        })?,
    }
    print_status(&format!("created {} with shape {shape:?}", at.typed));
    Ok(Outcome::Done)
}
