//! `ozarr copy`: an array or a hierarchy, with other codecs, chunks or data type if asked.

use super::Outcome;
use crate::{
    args::Copy as Args,
    location::Location,
    output::{bytes, print, print_status},
    progress::Bar,
    words::reworded,
};
use ozarr::{
    Context, Result,
    zarr_core::{
        json::{Json, Object},
        limits::Limits,
    },
};
use ozarr_tools::{CopyOptions, CopyReport, KeptLengths, Lengths, copy};
use std::time::Instant;

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let start = Instant::now();
    let from = Location::read(&args.source, context)?;
    // What is wrong with the source is told before what is wrong with the destination.
    from.hierarchy.node(&from.path())?;
    let to = Location::create(&args.destination, context)?;
    let bar = Bar::default();
    let copied = copy(&from.hierarchy, &from.path(), &to.hierarchy, &to.path(), &options(args, &bar));
    drop(bar);
    let places = format!("{} and {}", from.typed, to.typed);
    let words = [
        ("`chunk_shape`", "--chunk-shape"),
        ("`shard_shape`", "--shard-shape"),
        ("`lossy`", "--lossy"),
        ("the source and the destination", &places),
    ];
    report(&copied.map_err(|e| reworded(e, &words))?, start, args)
}

fn options<'a>(args: &Args, bar: &'a Bar) -> CopyOptions<'a> {
    let mut options = CopyOptions::default().with_lossy(args.lossy).with_overwrite(args.overwrite);
    options.codecs = args.codecs.as_ref().map(|codecs| codecs.0.iter().cloned().map(Into::into).collect());
    options.chunk_shape = args.chunk_shape.clone();
    options.shard_shape = args.shard_shape.clone();
    options.data_type = args.data_type.as_deref().map(|text| data_type(text).into());
    options.with_progress(bar).with_notes(&note)
}

/// A name, or an extension as JSON.
fn data_type(text: &str) -> Json {
    Json::parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|_| text.into())
}

fn note(kept: &KeptLengths) {
    let option = match kept.option {
        Lengths::Shards => "--shard-shape",
        _ => "--chunk-shape",
    };
    let (given, path, rank) = (kept.given, &kept.node, kept.dimensions);
    print_status(&format!("note: {option} has {given} lengths; {path} has {rank} dimensions and keeps its own"));
}

fn report(copied: &CopyReport, start: Instant, args: &Args) -> Result<Outcome> {
    let seconds = start.elapsed().as_secs_f64();
    let (before, after) = (copied.bytes_before, copied.bytes_after);
    if args.json {
        let mut o = Object::new();
        o.set("arrays", copied.arrays);
        o.set("groups", copied.groups);
        o.set("bytes_before", before);
        o.set("bytes_after", after);
        o.set("ratio", Json::from_f64(after as f64 / before.max(1) as f64).unwrap_or(Json::Null));
        o.set("seconds", Json::from_f64(seconds).unwrap_or(Json::Null));
        print(&Json::Object(o).to_pretty())?;
    } else {
        let share = 100.0 * after as f64 / before.max(1) as f64;
        print_status(&format!(
            "copied {} arrays and {} groups: {} before, {} after ({share:.0}%), {seconds:.2} s",
            copied.arrays,
            copied.groups,
            bytes(before),
            bytes(after)
        ));
    }
    Ok(Outcome::Done)
}
