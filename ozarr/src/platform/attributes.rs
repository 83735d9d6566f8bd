//! Extended attributes, which only the system's own calls read.
#![allow(unsafe_code)]

use super::system_call::{done, text};
use std::{ffi::CStr, fs::File, io, os::fd::AsRawFd, path::Path};

/// An extended attribute of an open file or directory. `None`: there is none of that name, or the file system has none.
pub(crate) fn attribute_of(file: &File, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let (fd, name) = (file.as_raw_fd(), name.as_ptr());
    // SAFETY: the descriptor is open, the name ends with a null byte, and no more is written than there is room for.
    read(|to| unsafe { libc::fgetxattr(fd, name, to.as_mut_ptr().cast(), to.len()) })
}
/// The same of what a path leads to, which need not be readable.
pub(crate) fn attribute_at(path: &Path, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let path = text(path.as_os_str())?;
    let (path, name) = (path.as_ptr(), name.as_ptr());
    // SAFETY: both texts end with a null byte and live until it returns; the room is as above.
    read(|to| unsafe { libc::getxattr(path, name, to.as_mut_ptr().cast(), to.len()) })
}
/// Removes an extended attribute, if it is there.
pub(crate) fn remove_attribute(file: &File, name: &CStr) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the name ends with a null byte.
    match done(unsafe { libc::fremovexattr(file.as_raw_fd(), name.as_ptr()) }) {
        Err(e) if is_absent(&e) => Ok(()),
        other => other,
    }
}
fn read(get: impl Fn(&mut [u8]) -> isize) -> io::Result<Option<Vec<u8>>> {
    let mut value = Vec::new();
    loop {
        match usize::try_from(get(&mut value)) {
            // Where there is no room it says how much is needed: 64 KiB at most.
            Ok(len) if len > value.len() => value.resize(len, 0),
            Ok(len) => {
                value.truncate(len);
                return Ok(Some(value));
            }
            Err(_) => match io::Error::last_os_error() {
                // It has grown meanwhile.
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
