//! Golden arrays that are refused without a plugin are read with it.

use super::{context, interop::PLUGINS};
use ozarr::{Context, ErrorKind, Result};
use std::collections::BTreeMap;
use zarr_conformance::{
    cases::{Cases, Golden},
    elements::{middle, part_of, read_elements, read_region},
};

/// The extensions of plugins, and the number of golden arrays that are refused without each.
const READ: [(&str, usize); 8] = [
    ("numcodecs.bitround", 2),
    ("numcodecs.fletcher32", 2),
    ("numcodecs.lz4", 4),
    ("numcodecs.pcodec", 5),
    ("numcodecs.shuffle", 7),
    ("numcodecs.zlib", 4),
    ("numpy.datetime64", 2),
    ("numpy.timedelta64", 2),
];

/// Returns the name of the missing extension, if that is why the array is refused.
fn missing(golden: &Golden, context: &Context) -> Option<String> {
    match golden.array.open(context).err()?.kind() {
        ErrorKind::UnknownExtension { name, .. } => Some(name.clone()),
        _ => None,
    }
}

fn is_read(golden: &Golden, context: &Context) -> Result<bool> {
    let array = golden.array.open(context)?;
    let want = golden.element_bytes(&**array.representation().data_type())?;
    let part = middle(array.shape());
    let got = read_region(&array, &part)?;
    Ok(read_elements(&array)? == want && got.iter().eq(part_of(&want, array.shape(), &part)))
}

#[test]
fn plugins_read_golden_arrays_of_other_writers() {
    let (plain, with_plugins) = (Context::new(), context(&PLUGINS));
    let (mut failures, mut read) = (Vec::new(), BTreeMap::new());
    for golden in Cases::embedded().goldens().unwrap() {
        let Some(name) = missing(&golden, &plain) else { continue };
        if missing(&golden, &with_plugins).is_some() {
            continue;
        }
        match is_read(&golden, &with_plugins) {
            Ok(true) => *read.entry(name).or_insert(0) += 1,
            Ok(false) => failures.push(format!("{}: read as other data", golden.id)),
            Err(e) => failures.push(format!("{}: {e}", golden.id)),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(read.iter().map(|(name, n)| (name.as_str(), *n)).eq(READ), "{read:?}");
}
