//! The 16-byte header of a Blosc 1 container and the starts of its blocks, checked before any of them is used.

use zarr_core::{Error, Result};

const HEADER: usize = 16;
/// The version of the container format.
const FORMAT: u8 = 2;
const MEMCPYED: u8 = 0b0000_0010;
/// A flag that only Blosc 2 sets.
const RESERVED: u8 = 0b0000_1000;

/// The contents of a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    /// The size after decompression, in bytes.
    pub(super) decoded: u64,
}

impl Header {
    /// Reads the header, and checks all its fields and the start of each block against `encoded`.
    pub(super) fn check(encoded: &[u8]) -> Result<Self> {
        let Some(h) = encoded.first_chunk::<HEADER>() else {
            return Err(Error::data(format!("{} bytes are too few for a blosc header", encoded.len())));
        };
        let number = |at: usize| u32::from_le_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]) as usize;
        let (flags, decoded, block, total) = (h[2], number(4), number(8), number(12));
        let wrong = |what: &str| Err(Error::data(format!("invalid blosc header: {what}")));
        if h[0] != FORMAT {
            return wrong("unsupported version");
        }
        if flags & RESERVED != 0 {
            return wrong("unknown flag");
        }
        if h[3] == 0 {
            return wrong("element size is zero");
        }
        if total != encoded.len() {
            return wrong("encoded size does not match the length of the data");
        }
        if decoded > i32::MAX as usize - HEADER || block > i32::MAX as usize {
            return wrong("size is too large");
        }
        if flags & MEMCPYED != 0 {
            if total != decoded + HEADER {
                return wrong("encoded size does not match the decoded size");
            }
            return Ok(Self { decoded: decoded as u64 });
        }
        if decoded > 0 {
            if block == 0 || block > decoded.max(h[3] as usize) {
                return wrong("invalid block size");
            }
            let blocks = decoded.div_ceil(block);
            let data = HEADER + 4 * blocks;
            let Some(starts) = encoded.get(HEADER..data) else {
                return wrong("too many blocks for the length of the data");
            };
            for start in starts.as_chunks::<4>().0 {
                let start = u32::from_le_bytes(*start) as usize;
                // Each block begins with the length of its first part.
                if start < data || start.checked_add(4).is_none_or(|end| end > total) {
                    return wrong("block offset is out of bounds");
                }
            }
        }
        Ok(Self { decoded: decoded as u64 })
    }
}
