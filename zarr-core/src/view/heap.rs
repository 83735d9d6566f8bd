//! Storage for elements of variable length.

use crate::error::{Error, ErrorKind, Result};
use std::sync::{Arc, RwLock};

/// The in-memory form of an element of variable length: a range of a buffer of the heap.
///
/// 16 zero bytes are the handle of an empty string, so zeroed memory is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    /// The number of the buffer in the heap.
    pub buffer: u32,
    /// The length in bytes.
    pub len: u32,
    /// The offset in the buffer.
    pub offset: u64,
}

impl Handle {
    /// The size of a handle in memory, in bytes.
    pub const SIZE: usize = 16;

    /// Returns the handle of the fill value: all of the heap's first buffer.
    pub fn of_fill(len: usize) -> Self {
        Self { buffer: 0, len: u32::try_from(len).unwrap_or(u32::MAX), offset: 0 }
    }
    /// Returns the bytes of the handle in memory.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut b = [0; Self::SIZE];
        b[..4].copy_from_slice(&self.buffer.to_ne_bytes());
        b[4..8].copy_from_slice(&self.len.to_ne_bytes());
        b[8..].copy_from_slice(&self.offset.to_ne_bytes());
        b
    }
    /// Reads a handle from its bytes in memory.
    pub fn from_bytes(b: &[u8; Self::SIZE]) -> Self {
        let [b0, b1, b2, b3, l0, l1, l2, l3, offset @ ..] = *b;
        Self {
            buffer: u32::from_ne_bytes([b0, b1, b2, b3]),
            len: u32::from_ne_bytes([l0, l1, l2, l3]),
            offset: u64::from_ne_bytes(offset),
        }
    }
}

/// Append-only buffers that contain the elements of variable length of one read or write.
///
/// Buffer 0 is the fill value.
#[derive(Debug)]
pub struct Heap(RwLock<Vec<Arc<[u8]>>>);

impl Heap {
    /// Creates a heap whose first buffer is the fill value.
    pub fn new(fill: &[u8]) -> Self {
        Self(RwLock::new(vec![fill.into()]))
    }
    /// Appends a buffer and returns its number.
    ///
    /// # Errors
    /// If the heap has 2^32 buffers.
    pub fn push(&self, bytes: impl Into<Arc<[u8]>>) -> Result<u32> {
        let mut buffers = self.0.write().map_err(|_| ErrorKind::Contract("the lock of a heap is poisoned"))?;
        let number = u32::try_from(buffers.len()).map_err(|_| Error::argument("too many buffers in one heap"))?;
        buffers.push(bytes.into());
        Ok(number)
    }
    /// Returns a snapshot of the buffers, to read many elements without locking for each.
    pub fn strings(&self) -> Strings {
        Strings(self.0.read().map(|b| b.clone()).unwrap_or_default())
    }
}

/// A snapshot of the buffers of a heap.
#[derive(Debug)]
pub struct Strings(Vec<Arc<[u8]>>);

impl Strings {
    /// Returns the bytes of an element.
    ///
    /// # Errors
    /// If the handle is outside the heap.
    pub fn get(&self, handle: Handle) -> Result<&[u8]> {
        let bytes = || {
            let start = usize::try_from(handle.offset).ok()?;
            self.0.get(handle.buffer as usize)?.get(start..start.checked_add(handle.len as usize)?)
        };
        bytes().ok_or_else(|| Error::argument("a string handle is out of bounds of its heap"))
    }
}
