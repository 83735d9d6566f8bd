//! `ozarr copy`: an array or a hierarchy, with other codecs, chunks or data type if asked.

use super::Outcome;
use crate::{
    args::Copy as Args,
    location::Location,
    output::{bytes, print, print_status},
    progress::Bar,
    words::Failure,
};
use ozarr::{
    Context, Result,
    zarr_core::{
        json::{Json, Object},
        limits::Limits,
    },
};
use ozarr_tools::{CopyOptions, CopyReport, KeptLengths, Lengths, copy, stored_bytes};
use std::time::Instant;

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome, Failure> {
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
        ("`chunks`", "--chunk-shape"),
        ("`shards`", "--shard-shape"),
        ("`lossy`", "--lossy"),
        ("the source and the destination", &places),
    ];
    let copied = copied.map_err(|e| Failure::reworded(e, words))?;
    // The copy is there: sizes that cannot be measured are left out.
    let size = |at: &Location| stored_bytes(&at.hierarchy, &at.path()).ok();
    Ok(report(&copied, [size(&from), size(&to)], start, args)?)
}

fn options<'a>(args: &Args, bar: &'a Bar) -> CopyOptions<'a> {
    let mut options = CopyOptions::default().with_lossy(args.lossy).with_overwrite(args.overwrite);
    options.codecs = args.codecs.as_ref().map(|codecs| codecs.0.iter().cloned().map(Into::into).collect());
    options.chunks = args.chunk_shape.clone();
    options.shards = args.shard_shape.clone();
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

fn report(copied: &CopyReport, sizes: [Option<u64>; 2], start: Instant, args: &Args) -> Result<Outcome> {
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        let mut o = Object::new();
        o.set("arrays", copied.arrays);
        o.set("groups", copied.groups);
        let [before, after] = sizes.map(|size| size.map_or(Json::Null, Json::from));
        o.set("bytes_before", before);
        o.set("bytes_after", after);
        o.set("ratio", ratio(sizes).and_then(Json::from_f64).unwrap_or(Json::Null));
        o.set("seconds", Json::from_f64(seconds).unwrap_or(Json::Null));
        print(&Json::Object(o).to_pretty())?;
    } else {
        let (arrays, groups) = (copied.arrays, copied.groups);
        print_status(&format!("copied {arrays} arrays and {groups} groups: {}{seconds:.2} s", in_words(sizes)));
    }
    Ok(Outcome::Done)
}

/// How large the copy is, if its source were 1.
fn ratio([before, after]: [Option<u64>; 2]) -> Option<f64> {
    Some(after? as f64 / before?.max(1) as f64)
}

/// The sizes that are known, before the time.
fn in_words(sizes: [Option<u64>; 2]) -> String {
    let share = ratio(sizes).map_or(String::new(), |ratio| format!(" ({:.0}%)", 100.0 * ratio));
    let [before, after] = sizes.map(|size| size.map(bytes));
    let before = before.map_or(String::new(), |size| format!("{size} before, "));
    before + &after.map_or(String::new(), |size| format!("{size} after{share}, "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_are_not_known_are_left_out() {
        assert_eq!(in_words([Some(2000), Some(500)]), "2.0 KiB before, 500 B after (25%), ");
        assert_eq!(in_words([None, Some(500)]), "500 B after, ");
        assert_eq!(in_words([Some(2000), None]), "2.0 KiB before, ");
        assert_eq!(in_words([None, None]), "");
    }
}
