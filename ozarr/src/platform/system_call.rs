//! What calls of the system take and answer.

use std::{
    ffi::{CString, OsStr, c_int},
    io,
    os::unix::ffi::OsStrExt,
};

/// A name as the system takes it.
pub(super) fn text(name: &OsStr) -> io::Result<CString> {
    Ok(CString::new(name.as_bytes())?)
}
/// The error of a call that did not answer zero.
pub(super) fn done(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
