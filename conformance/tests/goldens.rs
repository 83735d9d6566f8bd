//! Every golden array reads as its writer meant it, bit for bit, and survives being written by us.

use std::collections::BTreeSet;
use zarr_array::{
    ErrorKind, Hierarchy,
    core::{extension::ExtensionPoint, json::Json},
};
use zarr_conformance::cases::{Golden, read_elements, write_elements};

/// Data types that are registered or written by peers and are not among ours.
const UNKNOWN: [&str; 13] = [
    "bfloat16", "fixed_length_utf32", "float4_e2m1fn", "float8_e3m4", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "int2", "int4", "numpy.datetime64", "numpy.timedelta64", "raw_bytes",
];

/// True if `after` has all of `before`, in its order. A writer may add what it chose for what was left out.
fn is_kept(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Object(a), Json::Object(b)) => {
            let mut rest = b.iter();
            a.iter().all(|(name, v)| rest.any(|(n, w)| n == name && is_kept(v, w)))
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_kept(a, b)),
        _ => before == after,
    }
}

#[test]
fn every_golden_array() {
    let (mut failures, mut read, mut unknown) = (Vec::new(), 0, BTreeSet::new());
    for golden in Golden::all().unwrap() {
        let array = match golden.open() {
            Ok(array) => array,
            Err(e) => {
                match e.kind() {
                    ErrorKind::UnknownExtension { point: ExtensionPoint::DataType, name }
                        if UNKNOWN.contains(&name.as_str()) =>
                    {
                        unknown.insert(name.clone());
                    }
                    _ => failures.push(format!("{}: {e}", golden.id)),
                }
                continue;
            }
        };
        let want = golden.element_bytes(&**array.representation().data_type()).unwrap();
        match read_elements(&array) {
            Ok(got) if got == want => read += 1,
            Ok(got) => {
                let at = got.iter().zip(&want).position(|(a, b)| a != b);
                failures.push(format!("{}: element {at:?} of {} differs", golden.id, want.len()));
                continue;
            }
            Err(e) => {
                failures.push(format!("{}: {e}", golden.id));
                continue;
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let ours = Hierarchy::create(&dir.path().to_string_lossy()).unwrap();
        let again = ours.create_array_from("/", array.metadata().clone(), false).and_then(|a| write_elements(&a, &want));
        if let Err(e) = again {
            failures.push(format!("{}: written again: {e}", golden.id));
            continue;
        }
        let reopened = Hierarchy::open(&dir.path().to_string_lossy()).unwrap().array("/").unwrap();
        if read_elements(&reopened).unwrap() != want {
            failures.push(format!("{}: written again, and read differently", golden.id));
        }
        let (before, after) = (array.metadata().document().clone(), reopened.metadata().document().clone());
        if !is_kept(&Json::Object(before), &Json::Object(after)) {
            failures.push(format!("{}: the document changed", golden.id));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(unknown.len(), UNKNOWN.len(), "{unknown:?}");
    assert!(read > 280, "{read}");
}
