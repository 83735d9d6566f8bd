//! Arguments and results of system calls.

use std::{
    ffi::{CString, OsStr, c_int},
    io,
    os::unix::ffi::OsStrExt,
};

/// Returns a name as a null-terminated string.
pub(super) fn text(name: &OsStr) -> io::Result<CString> {
    Ok(CString::new(name.as_bytes())?)
}
/// Returns the error of a call that did not return zero.
pub(super) fn done(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
