//! Memory with guards around it: a step beyond it ends the process.

#![allow(unsafe_code, reason = "only the system can guard memory")]

use std::io;

/// Memory that ends, or begins, where nothing may be touched.
#[derive(Debug)]
pub(super) struct Guarded {
    map: *mut u8,
    mapped: usize,
    /// Where the pages between the guards begin, and how long they are.
    inner: (usize, usize),
    at: usize,
    len: usize,
}

/// Where the guard is that touches the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Before,
    Behind,
}

impl Guarded {
    /// Zeros, to be written.
    pub(super) fn new(len: usize, edge: Edge) -> io::Result<Self> {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096);
        let inner = len.div_ceil(page).max(1).checked_mul(page);
        let sizes = inner.and_then(|inner| Some((inner, inner.checked_add(2 * page)?)));
        let (inner, mapped) = sizes.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let (none, private) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory at a place that the system chooses.
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
        // SAFETY: the pages between the guards lie within the map, which is ours.
        let done = unsafe { libc::mprotect(self.map.add(self.inner.0).cast(), self.inner.1, how) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: this part of the map can be read and written, and is borrowed once.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.at), self.len) }
    }
}

/// A copy that can only be read, with guards around it.
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
        // SAFETY: this part of the map can be read, and nobody can write it.
        unsafe { std::slice::from_raw_parts(self.0.map.add(self.0.at), self.0.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the map is ours, and no borrow of it is left.
        unsafe { libc::munmap(self.map.cast(), self.mapped) };
    }
}
