//! Extended attributes, for which the standard library has no functions.
#![allow(unsafe_code)]

use super::system_call::{done, text};
use std::{ffi::CStr, fs::File, io, os::fd::AsRawFd, path::Path};

/// Returns an extended attribute of an open file or directory, or `None` if it does not exist or the file system has
/// none.
pub(crate) fn attribute_of(file: &File, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let (fd, name) = (file.as_raw_fd(), name.as_ptr());
    // SAFETY: the descriptor is open, the name is null-terminated, and at most `to.len()` bytes are written to `to`.
    read(|to| unsafe { libc::fgetxattr(fd, name, to.as_mut_ptr().cast(), to.len()) })
}
/// Returns an extended attribute of the file at a path, which this process may be unable to read.
pub(crate) fn attribute_at(path: &Path, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let path = text(path.as_os_str())?;
    let (path, name) = (path.as_ptr(), name.as_ptr());
    // SAFETY: both strings are null-terminated and outlive the call, and at most `to.len()` bytes are written to `to`.
    read(|to| unsafe { libc::getxattr(path, name, to.as_mut_ptr().cast(), to.len()) })
}
/// Removes an extended attribute, if it exists.
pub(crate) fn remove_attribute(file: &File, name: &CStr) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the name is null-terminated.
    match done(unsafe { libc::fremovexattr(file.as_raw_fd(), name.as_ptr()) }) {
        Err(e) if is_absent(&e) => Ok(()),
        other => other,
    }
}
fn read(get: impl Fn(&mut [u8]) -> isize) -> io::Result<Option<Vec<u8>>> {
    let mut value = Vec::new();
    loop {
        match usize::try_from(get(&mut value)) {
            // For an empty buffer the call returns the needed length, which is at most 64 KiB.
            Ok(len) if len > value.len() => value.resize(len, 0),
            Ok(len) => {
                value.truncate(len);
                return Ok(Some(value));
            }
            Err(_) => match io::Error::last_os_error() {
                // The attribute has grown since its length was read.
                e if e.raw_os_error() == Some(libc::ERANGE) => value.clear(),
                e if is_absent(&e) => return Ok(None),
                e => return Err(e),
            },
        }
    }
}
fn is_absent(e: &io::Error) -> bool {
    matches!(e.raw_os_error(), Some(libc::ENODATA | libc::ENOTSUP | libc::ENOSYS))
}
