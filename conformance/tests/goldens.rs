//! Every golden array is read bit for bit as its writer intended, whole and in part, and is the same after it is
//! written by this project.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Array, Context, ErrorKind, Hierarchy,
    zarr_core::{extension::ExtensionPoint, json::Json, view::Region},
};
use std::collections::BTreeMap;
use zarr_conformance::{
    cases::{Cases, Golden},
    elements::{is_preserved, middle, part_of, read_elements, read_region, write_elements, write_region},
};

/// The number of golden arrays.
const ALL: usize = 561;
/// The extensions that are registered or written by peers but not built in, and the number of arrays that are refused
/// because of each.
const UNKNOWN: [(ExtensionPoint, &str, usize); 37] = [
    (ExtensionPoint::DataType, "bfloat16", 2),
    (ExtensionPoint::DataType, "fixed_length_utf32", 2),
    (ExtensionPoint::DataType, "float4_e2m1fn", 1),
    (ExtensionPoint::DataType, "float8_e3m4", 1),
    (ExtensionPoint::DataType, "float8_e4m3b11fnuz", 1),
    (ExtensionPoint::DataType, "float8_e4m3fn", 1),
    (ExtensionPoint::DataType, "float8_e4m3fnuz", 1),
    (ExtensionPoint::DataType, "float8_e5m2", 1),
    (ExtensionPoint::DataType, "float8_e5m2fnuz", 1),
    (ExtensionPoint::DataType, "int2", 1),
    (ExtensionPoint::DataType, "int4", 1),
    (ExtensionPoint::DataType, "null_terminated_bytes", 1),
    (ExtensionPoint::DataType, "numpy.datetime64", 2),
    (ExtensionPoint::DataType, "numpy.timedelta64", 2),
    (ExtensionPoint::DataType, "raw_bytes", 4),
    (ExtensionPoint::DataType, "structured", 1),
    (ExtensionPoint::Codec, "numcodecs.adler32", 2),
    (ExtensionPoint::Codec, "numcodecs.astype", 1),
    (ExtensionPoint::Codec, "numcodecs.bitround", 2),
    (ExtensionPoint::Codec, "numcodecs.blosc", 7),
    (ExtensionPoint::Codec, "numcodecs.bz2", 2),
    (ExtensionPoint::Codec, "numcodecs.crc32", 3),
    (ExtensionPoint::Codec, "numcodecs.crc32c", 2),
    (ExtensionPoint::Codec, "numcodecs.delta", 5),
    (ExtensionPoint::Codec, "numcodecs.fixedscaleoffset", 2),
    (ExtensionPoint::Codec, "numcodecs.fletcher32", 2),
    (ExtensionPoint::Codec, "numcodecs.gzip", 3),
    (ExtensionPoint::Codec, "numcodecs.jenkins_lookup3", 2),
    (ExtensionPoint::Codec, "numcodecs.lz4", 4),
    (ExtensionPoint::Codec, "numcodecs.lzma", 3),
    (ExtensionPoint::Codec, "numcodecs.packbits", 1),
    (ExtensionPoint::Codec, "numcodecs.pcodec", 5),
    (ExtensionPoint::Codec, "numcodecs.quantize", 2),
    (ExtensionPoint::Codec, "numcodecs.shuffle", 7),
    (ExtensionPoint::Codec, "numcodecs.zfpy", 3),
    (ExtensionPoint::Codec, "numcodecs.zlib", 4),
    (ExtensionPoint::Codec, "numcodecs.zstd", 4),
];

fn check_read(array: &Array, want: &[Vec<u8>]) -> Result<(), String> {
    let got = read_elements(array).map_err(|e| e.to_string())?;
    if got.len() != want.len() {
        return Err(format!("{} elements, not {}", got.len(), want.len()));
    }
    if let Some(at) = got.iter().zip(want).position(|(a, b)| a != b) {
        return Err(format!("element {at} is {:x?}, not {:x?}", got[at], want[at]));
    }
    let part = middle(array.shape());
    let got = read_region(array, &part).map_err(|e| format!("a part: {e}"))?;
    if got.iter().ne(part_of(want, array.shape(), &part)) { Err("a part of it differs".into()) } else { Ok(()) }
}

/// Creates an array with the metadata document of another.
fn create_like(array: &Array, dir: &tempfile::TempDir) -> Result<Array, String> {
    let hierarchy = Hierarchy::create(dir.path()).unwrap();
    hierarchy.create_array_from("/", array.metadata().clone(), false).map_err(|e| format!("created again: {e}"))
}

fn check_written(array: &Array, want: &[Vec<u8>], write: impl Fn(&Array) -> ozarr::Result<()>) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let ours = create_like(array, &dir)?;
    write(&ours).map_err(|e| format!("written again: {e}"))?;
    let reopened = Hierarchy::options().read_only().open(dir.path()).and_then(|h| h.array("/"));
    let reopened = reopened.map_err(|e| format!("written again and opened: {e}"))?;
    check_read(&reopened, want).map_err(|e| format!("written again and read: {e}"))?;
    let document = |a: &Array| Json::Object(a.metadata().document().clone());
    if is_preserved(&document(array), &document(&reopened)) { Ok(()) } else { Err("the document changed".into()) }
}

/// Writes in two parts, the second first, so that chunks with elements of both are updated.
fn write_halves(array: &Array, elements: &[Vec<u8>]) -> ozarr::Result<()> {
    let Some(n) = array.shape().first().copied() else { return write_elements(array, elements) };
    let at = n.div_ceil(2);
    for (start, len) in [(at, n - at), (0, at)] {
        let mut half = Region::whole(array.shape());
        (half.start[0], half.len[0]) = (start, len);
        let part: Vec<_> = part_of(elements, array.shape(), &half).into_iter().cloned().collect();
        write_region(array, &half, &part)?;
    }
    Ok(())
}

fn check(array: &Array, golden: &Golden) -> Result<(), String> {
    let want =
        golden.element_bytes(&**array.representation().data_type()).map_err(|e| format!("elements.json: {e}"))?;
    check_read(array, &want)?;
    check_written(array, &want, |a| write_elements(a, &want))?;
    check_written(array, &want, |a| write_halves(a, &want)).map_err(|e| format!("in halves: {e}"))
}

#[test]
fn every_golden_array_is_read_or_refused_by_name() {
    let (mut failures, mut read, mut unknown) = (Vec::new(), 0, BTreeMap::new());
    let (all, context) = (Cases::embedded().goldens().unwrap(), Context::new());
    for golden in &all {
        match golden.array.open(&context) {
            Ok(array) => match check(&array, golden) {
                Ok(()) => read += 1,
                Err(reason) => failures.push(format!("{}: {reason}", golden.id)),
            },
            Err(e) => match e.kind() {
                ErrorKind::UnknownExtension { point, name }
                    if UNKNOWN.iter().any(|(p, n, _)| p == point && n == name) =>
                {
                    *unknown.entry((*point, name.clone())).or_insert(0) += 1;
                }
                _ => failures.push(format!("{}: {e}", golden.id)),
            },
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(unknown.iter().map(|((point, name), n)| (*point, name.as_str(), *n)).eq(UNKNOWN), "{unknown:?}");
    assert_eq!((all.len(), read), (ALL, ALL - UNKNOWN.iter().map(|(_, _, n)| n).sum::<usize>()));
}
