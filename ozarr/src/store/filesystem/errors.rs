//! The meaning of operating system errors for the store.

use std::{
    io::{self, ErrorKind},
    path::Path,
};
use zarr_core::{Error, Result};

/// Errors of directories above the root that mean there is nothing to wait for.
pub(super) const NOT_OURS: [ErrorKind; 4] =
    [ErrorKind::PermissionDenied, ErrorKind::InvalidInput, ErrorKind::Unsupported, ErrorKind::ReadOnlyFilesystem];

/// Returns the error of a place that has something other than a file.
pub(super) fn no_file(is_dir: bool) -> io::Error {
    if is_dir {
        return ErrorKind::IsADirectory.into();
    }
    io::Error::other("not a regular file (dangling symlink, pipe, socket or device)")
}

pub(super) fn io_error(e: io::Error, path: &Path) -> Error {
    match e.kind() {
        ErrorKind::NotFound => {
            let e = Error::new(zarr_core::ErrorKind::NodeNotFound).at_node(path.display());
            e.with_hint("the directory does not exist; check the path")
        }
        _ => Error::from(e).at_key(path.display()),
    }
}
pub(super) fn is_absent(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
pub(super) fn unless_absent<T>(found: io::Result<T>) -> Result<Option<T>> {
    match found {
        Err(e) if is_absent(&e) => Ok(None),
        other => Ok(Some(other?)),
    }
}
