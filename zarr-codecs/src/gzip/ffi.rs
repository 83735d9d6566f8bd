//! Bindings to libdeflate, which processes whole members in the caller's memory.
#![allow(unsafe_code)]

use libdeflate_sys as sys;
use std::{ffi::c_void, ptr::NonNull};
use zarr_core::{Error, ErrorKind, Result};

/// The approximate size of the larger of both contexts, in bytes.
const CONTEXT: u64 = 1 << 20;

/// A context for decompression.
pub(super) struct Decompressor(NonNull<sys::libdeflate_decompressor>);
// SAFETY: the context is owned by this value alone, and the library does not depend on the calling thread.
unsafe impl Send for Decompressor {}

/// The sizes of a member.
pub(super) struct Member {
    /// The size of the member in bytes.
    pub(super) encoded: usize,
    /// The number of decompressed bytes.
    pub(super) decoded: usize,
}

impl Decompressor {
    pub(super) fn new() -> Result<Self> {
        // SAFETY: the function only allocates; it returns null on failure.
        let made = NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() });
        made.map(Self).ok_or_else(|| ErrorKind::Memory(CONTEXT).into())
    }
    /// Decompresses the member at the start of `encoded` to the start of `out`, and verifies its checksums.
    pub(super) fn member(&mut self, encoded: &[u8], out: &mut [u8]) -> Result<Member> {
        let mut member = Member { encoded: 0, decoded: 0 };
        // SAFETY: the context is alive and borrowed exclusively; both buffers are valid for the given lengths, and do
        // not overlap since one of them is exclusive.
        let outcome = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                encoded.as_ptr().cast::<c_void>(),
                encoded.len(),
                out.as_mut_ptr().cast::<c_void>(),
                out.len(),
                &raw mut member.encoded,
                &raw mut member.decoded,
            )
        };
        match outcome {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(member),
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => {
                Err(Error::data(format!("the decoded size is more than the expected {} bytes", out.len())))
            }
            _ => Err(Error::data("invalid gzip member")),
        }
    }
}
impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, and freed only here.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// A context for compression with one level.
pub(super) struct Compressor(NonNull<sys::libdeflate_compressor>);
// SAFETY: as for `Decompressor`.
unsafe impl Send for Compressor {}

impl Compressor {
    /// Creates a context for a level from 0 to 9.
    pub(super) fn new(level: i16) -> Result<Self> {
        // SAFETY: the function only allocates; it returns null on failure.
        let made = NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level.into()) });
        made.map(Self).ok_or_else(|| ErrorKind::Memory(CONTEXT).into())
    }
    /// Compresses to one member, into at least [`bound`] bytes. Returns the number of bytes written.
    pub(super) fn member(&mut self, input: &[u8], out: &mut [u8]) -> Result<usize> {
        // SAFETY: as for `Decompressor::member`.
        let written = unsafe {
            sys::libdeflate_gzip_compress(
                self.0.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                out.as_mut_ptr().cast::<c_void>(),
                out.len(),
            )
        };
        if written == 0 {
            return Err(ErrorKind::Contract("libdeflate exceeded its own size bound").into());
        }
        Ok(written)
    }
}
impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, and freed only here.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// Returns the maximum size of a member for `decoded` bytes; `None` if it would exceed the address space.
pub(super) fn bound(decoded: usize) -> Option<usize> {
    // SAFETY: without a compressor the function returns the bound for all compressors, and accesses no memory.
    let bound = unsafe { sys::libdeflate_gzip_compress_bound(std::ptr::null_mut(), decoded) };
    // The function does not check for overflow.
    (isize::try_from(decoded).is_ok() && bound >= decoded).then_some(bound)
}
