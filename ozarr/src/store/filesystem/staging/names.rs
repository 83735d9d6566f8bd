//! Names in a directory that is staged or replaced.

use super::super::temporary::is_partial;
use std::{ffi::OsString, fs, io, path::Path};

/// The file name of a node's document.
pub(super) const DOCUMENT: &str = "zarr.json";

pub(super) fn names_in(directory: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(directory)?.map(|entry| entry.map(|e| e.file_name())).collect()
}

pub(super) fn is_reserved(name: &OsString) -> bool {
    name.to_str().is_some_and(is_partial)
}
