//! `ozarr copy`: copies an array or a hierarchy, with other codecs, chunks or data type if requested.

use super::Outcome;
use crate::{
    args::{Copy as Args, Lengths},
    location::Location,
    output::{Status, bytes, count, print},
    progress::Bar,
    session::Session,
    words::Failure,
};
use ozarr::{
    Error, Node, Result,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{CopyOptions, CopyReport, KeptLengths, copy, stored_bytes};
use std::time::Instant;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let (start, status) = (Instant::now(), session.status);
    let from = Location::read(&args.source, &session.context)?;
    // Problems of the source are reported before those of the destination.
    if let Node::Array(array) = from.hierarchy.node(&from.path())? {
        check_lengths(array.shape(), args)?;
    }
    let to = Location::create(&args.destination, &session.context)?;
    let (bar, note) = (status.bar(), |kept: &KeptLengths| note(kept, status));
    let copied = copy(&from.hierarchy, &from.path(), &to.hierarchy, &to.path(), &options(args, &bar, &note));
    drop(bar);
    let places = format!("{} and {}", from.typed, to.typed);
    let words = [
        ("`chunks`", "--chunks"),
        ("`shards`", "--shards"),
        ("`lossy`", "--lossy"),
        ("the source and the destination", &places),
    ];
    let copied = copied.map_err(|e| Failure::reworded(e, words))?;
    // The copy is complete: sizes that cannot be measured are left out.
    let size = |at: &Location| stored_bytes(&at.hierarchy, &at.path()).ok();
    Ok(report(&copied, [size(&from), size(&to)], start, args, status)?)
}

/// For a single array, lengths with another number of dimensions are a mistake.
fn check_lengths(shape: &[u64], args: &Args) -> Result<()> {
    for (option, lengths) in [("--chunks", &args.chunk_shape), ("--shards", &args.shard_shape)] {
        if let Some(given) = lengths.as_ref().map(|lengths| lengths.0.len()).filter(|n| *n != shape.len()) {
            let [given, dimensions] =
                [(given, "length"), (shape.len(), "dimension")].map(|(n, of)| count(n as u64, of));
            let e = Error::argument(format!("{option} has {given} for an array with {dimensions}"));
            return Err(e.with_hint(format!("pass one length for each dimension of shape {shape:?}")));
        }
    }
    Ok(())
}

fn options<'a>(args: &Args, bar: &'a Bar, note: &'a (dyn Fn(&KeptLengths) + Sync)) -> CopyOptions<'a> {
    let mut options = CopyOptions::default().with_lossy(args.lossy).with_overwrite(args.overwrite);
    options.codecs = match &args.codecs {
        Some(codecs) => Some(codecs.0.iter().cloned().map(Into::into).collect()),
        None if args.compressors.is_empty() => None,
        None => Some(args.compressors.iter().filter_map(|compressor| compressor.0.clone()).collect()),
    };
    let lengths = |given: &Option<Lengths>| given.as_ref().map(|lengths| lengths.0.clone());
    options.chunks = lengths(&args.chunk_shape);
    options.shards = lengths(&args.shard_shape);
    options.data_type = args.data_type.clone();
    options.with_progress(bar).with_notes(note)
}

fn note(kept: &KeptLengths, status: Status) {
    let option = match kept.option {
        ozarr_tools::Lengths::Shards => "--shards",
        _ => "--chunks",
    };
    let [given, rank] = [(kept.given, "length"), (kept.dimensions, "dimension")].map(|(n, of)| count(n as u64, of));
    status.print(&format!("note: {option} has {given}; {} has {rank} and keeps its own", kept.node));
}

fn report(
    copied: &CopyReport,
    sizes: [Option<u64>; 2],
    start: Instant,
    args: &Args,
    status: Status,
) -> Result<Outcome> {
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
        let (arrays, groups) = (count(copied.arrays, "array"), count(copied.groups, "group"));
        status.print(&format!("copied {arrays} and {groups}: {}{seconds:.2} s", in_words(sizes)));
    }
    Ok(Outcome::Done)
}

/// Returns the size of the copy relative to its source.
fn ratio([before, after]: [Option<u64>; 2]) -> Option<f64> {
    Some(after? as f64 / before.filter(|before| *before > 0)? as f64)
}

/// Formats the known sizes, before the time. Two zeros are left out.
fn in_words(sizes: [Option<u64>; 2]) -> String {
    if sizes == [Some(0); 2] {
        return String::new();
    }
    let share = ratio(sizes).map_or(String::new(), |ratio| format!(" ({:.0}%)", 100.0 * ratio));
    let [before, after] = sizes.map(|size| size.map(bytes));
    let before = before.map_or(String::new(), |size| format!("{size} before, "));
    before + &after.map_or(String::new(), |size| format!("{size} after{share}, "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_sizes_are_left_out() {
        assert_eq!(in_words([Some(2000), Some(500)]), "2.0 KiB before, 500 B after (25%), ");
        assert_eq!(in_words([None, Some(500)]), "500 B after, ");
        assert_eq!(in_words([Some(2000), None]), "2.0 KiB before, ");
        assert_eq!(in_words([None, None]), "");
        assert_eq!(in_words([Some(0), Some(500)]), "0 B before, 500 B after, ");
        assert_eq!(in_words([Some(0), Some(0)]), "");
    }
}
