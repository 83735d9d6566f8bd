//! Calls of libdeflate, which works on whole members in memory of the caller.
#![allow(unsafe_code)]

use libdeflate_sys as sys;
use std::{ffi::c_void, ptr::NonNull};
use zarr_core::{Error, ErrorKind, Result};

/// About what the larger of both takes.
const CONTEXT: u64 = 1 << 20;

/// Memory for decompressing.
pub(super) struct Decompressor(NonNull<sys::libdeflate_decompressor>);
// SAFETY: it belongs to whoever has it; the library knows no threads.
unsafe impl Send for Decompressor {}

/// What one member was.
pub(super) struct Member {
    /// How many bytes it has.
    pub(super) encoded: usize,
    /// How many bytes it gave.
    pub(super) decoded: usize,
}

impl Decompressor {
    pub(super) fn new() -> Result<Self> {
        // SAFETY: it allocates; null means that it could not.
        let made = NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() });
        made.map(Self).ok_or_else(|| ErrorKind::Memory(CONTEXT).into())
    }
    /// Decompresses the member at the start of `encoded` to the start of `out`, and verifies its sums.
    pub(super) fn member(&mut self, encoded: &[u8], out: &mut [u8]) -> Result<Member> {
        let mut member = Member { encoded: 0, decoded: 0 };
        // SAFETY: the context is alive and ours alone; both buffers are valid for the lengths given, and do not overlap
        // since one of them is exclusive.
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
                Err(Error::data(format!("decodes to more than the {} bytes that are expected", out.len())))
            }
            _ => Err(Error::data("no valid gzip member")),
        }
    }
}
impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// Memory for compressing at one level.
pub(super) struct Compressor(NonNull<sys::libdeflate_compressor>);
// SAFETY: as for `Decompressor`.
unsafe impl Send for Compressor {}

impl Compressor {
    /// `level`: 0 to 9.
    pub(super) fn new(level: i16) -> Result<Self> {
        // SAFETY: it allocates; null means that it could not.
        let made = NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level.into()) });
        made.map(Self).ok_or_else(|| ErrorKind::Memory(CONTEXT).into())
    }
    /// Compresses to one member, in space of at least [`bound`]. Gives the bytes written.
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
            return Err(ErrorKind::Contract("libdeflate found its own bound too small").into());
        }
        Ok(written)
    }
}
impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// The most bytes that a member of so many bytes takes; `None` if no memory is that large.
pub(super) fn bound(decoded: usize) -> Option<usize> {
    // SAFETY: without a compressor it gives the bound for all of them, and touches no memory.
    let bound = unsafe { sys::libdeflate_gzip_compress_bound(std::ptr::null_mut(), decoded) };
    // It does not look out for the end of numbers.
    (isize::try_from(decoded).is_ok() && bound >= decoded).then_some(bound)
}
