//! `ozarr create`: creates an array from options or a metadata document, with elements if they are given.

use super::{Outcome, attrs};
use crate::{args::Create as Args, location::Location, output::print, session::Session, words::Failure};
use ozarr::{
    Context, Error, FillValue, NewArray, Result,
    zarr_core::{
        extension::Extension,
        json::{Json, Object},
        limits::Limits,
        metadata::{ArrayMetadata, NodeMetadata},
    },
};
use ozarr_tools::{Format, TransferOptions, import_file};
use std::path::Path;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let metadata = match &args.metadata {
        Some(file) => {
            let metadata = from_file(file, &session.context);
            metadata.map_err(|e| Failure::from(e.at_key(file.display())).in_file(file))?
        }
        None => from_options(args, &session.context)?,
    };
    let at = Location::create(&args.array, &session.context)?;
    let path = at.path();
    let array = match &args.elements {
        None => at.hierarchy.create_array_from(&path, metadata, args.overwrite)?,
        Some(file) => at.hierarchy.build(&path, args.overwrite, |staged| {
            let array = staged.create_array_from(&path, metadata, false)?;
            import_file(&array, .., Format::JsonLines, file, &TransferOptions::default())?;
            Ok(array)
        })?,
    };
    match args.json {
        true => print(&array.metadata().document().to_pretty())?,
        false => session.status.print(&format!("created {} with shape {:?}", at.typed, array.shape())),
    }
    Ok(Outcome::Done)
}

/// The document in a file, with the defaults of a new array for members that it lacks.
fn from_file(file: &Path, context: &Context) -> Result<ArrayMetadata> {
    let limits = Limits::default();
    let document = match Json::parse(&std::fs::read(file)?, &limits)? {
        Json::Object(given) => with_defaults(given, context)?,
        other => other,
    };
    match NodeMetadata::parse(document.to_string().as_bytes(), &limits)? {
        NodeMetadata::Array(metadata) => Ok(metadata),
        NodeMetadata::Group(_) => Err(Error::argument("the document describes a group, not an array")),
    }
}

fn with_defaults(given: Object, context: &Context) -> Result<Json> {
    let shape = given.get("shape").and_then(|shape| shape.deserialize::<Vec<u64>>().ok());
    let data_type = given.get("data_type").and_then(|json| Extension::parse(json).ok());
    let (Some(shape), Some(data_type)) = (shape, data_type) else { return Ok(Json::Object(given)) };
    let mut document = NewArray::new(shape, data_type).metadata(context)?.document().clone();
    for (name, value) in given.iter() {
        document.set(name, value.clone());
    }
    Ok(Json::Object(document))
}

fn from_options(args: &Args, context: &Context) -> Result<ArrayMetadata, Failure> {
    let (Some(shape), Some(data_type)) = (&args.shape, &args.dtype) else {
        return Err(Error::argument("an array needs `--shape` and `--dtype`, or `--metadata`").into());
    };
    let mut new = NewArray::new(&shape.0, data_type);
    if let Some(chunks) = &args.chunks {
        new = new.chunks(&chunks.0);
    }
    if let Some(shards) = &args.shards {
        new = new.shards(&shards.0);
    }
    if !args.filters.is_empty() {
        new = new.filters(&args.filters);
    }
    if let Some(serializer) = &args.serializer {
        new = new.serializer(serializer);
    }
    if !args.compressors.is_empty() {
        new = new.compressors(args.compressors.iter().filter_map(|compressor| compressor.0.as_ref()));
    }
    if let Some(value) = &args.fill_value {
        new = new.fill_value(fill_value(value, data_type));
    }
    if let Some(names) = &args.dims {
        new = new.dimension_names(names.iter().map(|name| Some(name.as_str()).filter(|name| !name.is_empty())));
    }
    if let Some(attributes) = &args.attrs {
        new = new.attributes(attrs::given(attributes)?);
    }
    Ok(new.metadata(context)?)
}

/// Parses JSON or text: `NaN` and `-Infinity` are text in metadata. The fill value of a string array is always text.
fn fill_value(text: &str, data_type: &Extension) -> FillValue {
    match Json::parse(text.as_bytes(), &Limits::default()) {
        Ok(value) if data_type.name() != "string" || matches!(value, Json::String(_)) => value.into(),
        _ => text.into(),
    }
}
