//! Memory for the duration of a call.

use super::{
    CallContext,
    buffers::{Budget, Buffers},
    output_buffer::{OutputBuffer, Target},
};
use crate::error::Result;
use std::ops::{Deref, DerefMut};

impl<'a> CallContext<'a> {
    /// Returns `len` bytes of memory with unspecified contents, which are returned to the pool on drop.
    ///
    /// # Errors
    /// If `len` exceeds the size of the largest chunk or what is left of
    /// [`Limits::memory`](crate::limits::Limits::memory), or memory cannot be allocated.
    pub fn scratch(&self, len: usize) -> Result<Scratch<'a>> {
        self.limits.chunk("the scratch memory in bytes", len as u64)?;
        // The smallest buffer that is large enough; for memory that is yet to grow, the largest.
        let fits = |b: &Vec<u8>| (b.capacity() < len, if len == 0 { usize::MAX - b.capacity() } else { b.capacity() });
        let (spare, limit) = (self.buffers.spare.take_by(fits).unwrap_or_default(), self.buffers.limit(self.limits));
        let mut scratch = Scratch { buffer: spare, len: 0, buffers: self.buffers, limit };
        if scratch.buffer.capacity() < len {
            // Growing would copy bytes that are not needed.
            scratch.replace(len)?;
        } else if scratch.buffer.len() < len {
            scratch.buffer.resize(len, 0);
        }
        scratch.len = len;
        Ok(scratch)
    }
}

/// Memory from a [`CallContext`]: `len` bytes with unspecified contents.
pub struct Scratch<'a> {
    // As long as its longest use so far: everything below its length is initialized. Its capacity is charged.
    pub(super) buffer: Vec<u8>,
    len: usize,
    buffers: &'a Buffers,
    limit: u64,
}
impl Scratch<'_> {
    /// Returns an empty output that grows up to `max` bytes; see [`Scratch::keep`].
    pub fn grow(&mut self, max: u64) -> OutputBuffer<'_> {
        let budget = Some(Budget { buffers: self.buffers, limit: self.limit });
        OutputBuffer(Target::Grow { buffer: &mut self.buffer, len: 0, max, budget })
    }
    /// Makes the first `len` bytes written through [`Scratch::grow`] the contents of this memory.
    pub fn keep(&mut self, len: usize) {
        self.len = len.min(self.buffer.len());
    }
    fn replace(&mut self, len: usize) -> Result<()> {
        Budget { buffers: self.buffers, limit: self.limit }.replace(&mut self.buffer, len)
    }
}
impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffers.spare.offer(std::mem::take(&mut self.buffer)) {
            self.buffers.give_back(buffer.capacity() as u64);
        }
    }
}
impl Deref for Scratch<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}
impl DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.len]
    }
}
