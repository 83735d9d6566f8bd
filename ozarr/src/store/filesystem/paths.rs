//! Splits paths.

use std::{
    ffi::OsStr,
    io::{self, ErrorKind},
    path::Path,
};

/// Splits a path into its directory and the name in it.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| ErrorKind::InvalidInput.into())
}
