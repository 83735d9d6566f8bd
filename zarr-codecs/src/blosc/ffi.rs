//! Bindings to the context functions of c-blosc, on one thread, in the caller's memory.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use zarr_core::{Error, Result};

/// The maximum growth by compression, in bytes.
pub(super) const OVERHEAD: usize = blosc_src::BLOSC_MAX_OVERHEAD as usize;
/// The maximum number of bytes in a container.
pub(super) const MAX_BYTES: usize = i32::MAX as usize - OVERHEAD;

/// The parameters of compression.
pub(super) struct Parameters<'c> {
    pub(super) compressor: &'c CStr,
    pub(super) level: u8,
    pub(super) shuffle: c_int,
    pub(super) type_size: usize,
    pub(super) block_size: usize,
}

/// Compresses into `out`, which has [`OVERHEAD`] more bytes than `input`. Returns the number of bytes written.
pub(super) fn compress(parameters: &Parameters<'_>, input: &[u8], out: &mut [u8]) -> Result<usize> {
    // SAFETY: both buffers are valid for the given lengths, and do not overlap since one of them is exclusive; the name
    // is a C string. The function uses no global state.
    let written = unsafe {
        blosc_src::blosc_compress_ctx(
            c_int::from(parameters.level),
            parameters.shuffle,
            parameters.type_size,
            input.len(),
            input.as_ptr().cast::<c_void>(),
            out.as_mut_ptr().cast::<c_void>(),
            out.len(),
            parameters.compressor.as_ptr(),
            parameters.block_size,
            1,
        )
    };
    match usize::try_from(written) {
        Ok(n) if n > 0 && n <= out.len() => Ok(n),
        _ => Err(Error::data(format!("c-blosc failed to compress {} bytes: error {written}", input.len()))),
    }
}

/// Decompresses a container whose header was checked against `encoded` and `out`. Returns the number of bytes written.
pub(super) fn decompress(encoded: &[u8], out: &mut [u8]) -> Result<usize> {
    // SAFETY: the caller has checked that the header states a container of `encoded.len()` bytes, so the function reads
    // no further; it writes no more than `out.len()` bytes. The buffers do not overlap since one of them is exclusive.
    let written = unsafe {
        blosc_src::blosc_decompress_ctx(
            encoded.as_ptr().cast::<c_void>(),
            out.as_mut_ptr().cast::<c_void>(),
            out.len(),
            1,
        )
    };
    usize::try_from(written).map_err(|_| Error::data(format!("c-blosc failed to decompress: error {written}")))
}
