//! Where elements of variable length live.

use crate::error::{Error, ErrorKind, Result};
use std::sync::{Arc, RwLock};

/// An element of variable length as it lies in a view: which bytes of which buffer of the heap.
///
/// 16 bytes of zeros are the handle of an empty string, so zeroed memory is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    /// The heap's buffer.
    pub buffer: u32,
    /// Bytes.
    pub len: u32,
    /// Where they begin in the buffer.
    pub offset: u64,
}

impl Handle {
    /// Bytes of a handle in memory.
    pub const SIZE: usize = 16;

    /// The fill value: all of the heap's first buffer.
    pub fn of_fill(len: usize) -> Self {
        Self { buffer: 0, len: u32::try_from(len).unwrap_or(u32::MAX), offset: 0 }
    }
    /// As it lies in memory.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut b = [0; Self::SIZE];
        b[..4].copy_from_slice(&self.buffer.to_ne_bytes());
        b[4..8].copy_from_slice(&self.len.to_ne_bytes());
        b[8..].copy_from_slice(&self.offset.to_ne_bytes());
        b
    }
    /// Reads it back.
    pub fn from_bytes(b: &[u8; Self::SIZE]) -> Self {
        let [b0, b1, b2, b3, l0, l1, l2, l3, offset @ ..] = *b;
        Self {
            buffer: u32::from_ne_bytes([b0, b1, b2, b3]),
            len: u32::from_ne_bytes([l0, l1, l2, l3]),
            offset: u64::from_ne_bytes(offset),
        }
    }
}

/// Append-only buffers with the elements of variable length of one read or write. Buffer 0 is the fill value.
#[derive(Debug)]
pub struct Heap(RwLock<Vec<Arc<[u8]>>>);

impl Heap {
    /// A heap whose first buffer is the fill value.
    pub fn new(fill: &[u8]) -> Self {
        Self(RwLock::new(vec![fill.into()]))
    }
    /// Adds a buffer and gives its number.
    pub fn push(&self, bytes: impl Into<Arc<[u8]>>) -> Result<u32> {
        let mut buffers = self.0.write().map_err(|_| ErrorKind::Contract("a heap was poisoned"))?;
        let number = u32::try_from(buffers.len()).map_err(|_| Error::argument("too many buffers in one heap"))?;
        buffers.push(bytes.into());
        Ok(number)
    }
    /// The buffers as they are now, to look at many elements without locking for each.
    pub fn strings(&self) -> Strings {
        Strings(self.0.read().map(|b| b.clone()).unwrap_or_default())
    }
}

/// The buffers of a heap at one moment.
#[derive(Debug)]
pub struct Strings(Vec<Arc<[u8]>>);

impl Strings {
    /// The bytes of an element.
    ///
    /// # Errors
    /// When the handle reaches outside the heap.
    pub fn get(&self, handle: Handle) -> Result<&[u8]> {
        let bytes = || {
            let start = usize::try_from(handle.offset).ok()?;
            self.0.get(handle.buffer as usize)?.get(start..start.checked_add(handle.len as usize)?)
        };
        bytes().ok_or_else(|| Error::argument("a string's handle reaches outside its heap"))
    }
}
