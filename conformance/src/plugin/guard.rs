//! Memory between guard pages: an access beyond it ends the process.

#![allow(unsafe_code, reason = "only the system can guard memory")]

use std::io;

/// Memory that begins, or ends, at a guard page.
#[derive(Debug)]
pub(super) struct Guarded {
    map: *mut u8,
    mapped: usize,
    /// The offset of the pages between the guards, and their length.
    inner: (usize, usize),
    at: usize,
    len: usize,
}

/// The end of the memory that touches a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Before,
    Behind,
}

impl Guarded {
    /// Allocates memory of zeros that can be written.
    pub(super) fn new(len: usize, edge: Edge) -> io::Result<Self> {
        // SAFETY: it only returns a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096);
        let inner = len.div_ceil(page).max(1).checked_mul(page);
        let sizes = inner.and_then(|inner| Some((inner, inner.checked_add(2 * page)?)));
        let (inner, mapped) = sizes.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let (none, private) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it maps new memory at an address that the system chooses.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), mapped, none, private, -1, 0) };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let at = if edge == Edge::Before { page } else { page + inner - len };
        let guarded = Self { map: map.cast(), mapped, inner: (page, inner), at, len };
        guarded.protect(libc::PROT_READ | libc::PROT_WRITE)?;
        Ok(guarded)
    }
    fn protect(&self, how: libc::c_int) -> io::Result<()> {
        // SAFETY: the pages between the guards lie within the map, which this value owns.
        let done = unsafe { libc::mprotect(self.map.add(self.inner.0).cast(), self.inner.1, how) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: this part of the map can be read and written, and `self` is mutably borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.at), self.len) }
    }
}

/// A read-only copy of bytes between guard pages.
#[derive(Debug)]
pub(super) struct Locked(Guarded);

impl Locked {
    pub(super) fn new(bytes: &[u8], edge: Edge) -> io::Result<Self> {
        let mut guarded = Guarded::new(bytes.len(), edge)?;
        guarded.bytes_mut().copy_from_slice(bytes);
        guarded.protect(libc::PROT_READ)?;
        Ok(Self(guarded))
    }
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: this part of the map can be read, and is never written.
        unsafe { std::slice::from_raw_parts(self.0.map.add(self.0.at), self.0.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this value owns the map, and no borrow of it is left.
        unsafe { libc::munmap(self.map.cast(), self.mapped) };
    }
}
