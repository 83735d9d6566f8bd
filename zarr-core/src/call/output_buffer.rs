//! The output of codecs.

use super::buffers::Budget;
use crate::{
    error::{Error, ErrorKind, Result},
    limits::zeroed,
};
use std::{io, ops::Range};

/// The output of a codec: either the destination itself, or memory that grows up to a limit.
pub struct OutputBuffer<'a>(pub(super) Target<'a>);

/// Output memory that another party grows: the host of a plugin.
pub trait Sink<'a> {
    /// Replaces the memory by at least `capacity` bytes, of which the first `keep` are unchanged.
    fn reserve(&mut self, keep: usize, capacity: usize) -> Result<&'a mut [u8]>;
}

pub(super) enum Target<'a> {
    Fixed { buffer: &'a mut [u8], len: usize },
    Grow { buffer: &'a mut Vec<u8>, len: usize, max: u64, budget: Option<Budget<'a>> },
    Sink { memory: &'a mut [u8], sink: &'a mut dyn Sink<'a>, len: usize, max: u64 },
    Alias(Range<usize>),
}

impl<'a> OutputBuffer<'a> {
    /// Creates an output of exactly this memory.
    #[inline]
    pub fn fixed(buffer: &'a mut [u8]) -> Self {
        Self(Target::Fixed { buffer, len: 0 })
    }
    /// Creates an output in memory of a sink, which grows up to `max` bytes.
    #[inline]
    pub fn sink(memory: &'a mut [u8], sink: &'a mut dyn Sink<'a>, max: u64) -> Self {
        Self(Target::Sink { memory, sink, len: 0, max })
    }
    /// Returns the space after the written bytes that is available without growing.
    #[inline]
    pub fn spare(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Target::Fixed { buffer, len } => buffer.get_mut(*len..).unwrap_or_default(),
            Target::Grow { buffer, len, max, .. } => {
                let end = buffer.len().min(usize::try_from(*max).unwrap_or(usize::MAX)).max(*len);
                &mut buffer[*len..end]
            }
            Target::Sink { memory, len, .. } => memory.get_mut(*len..).unwrap_or_default(),
            Target::Alias(_) => &mut [],
        }
    }
    /// Returns `n` writable bytes, with unspecified contents, after the written bytes. They count as written.
    ///
    /// # Errors
    /// If that exceeds the limit of the output, or memory cannot be allocated.
    #[inline]
    pub fn space(&mut self, n: usize) -> Result<&mut [u8]> {
        let (room, len) = match &self.0 {
            Target::Fixed { buffer, len } => (buffer.len(), *len),
            Target::Grow { buffer, len, max, .. } => {
                (buffer.len().min(usize::try_from(*max).unwrap_or(usize::MAX)), *len)
            }
            Target::Sink { memory, len, max, .. } => {
                (memory.len().min(usize::try_from(*max).unwrap_or(usize::MAX)), *len)
            }
            Target::Alias(_) => (0, 0),
        };
        if room.checked_sub(len).is_none_or(|left| left < n) || matches!(self.0, Target::Alias(_)) {
            self.grow(n)?;
        }
        let space = match &mut self.0 {
            Target::Fixed { buffer, len } | Target::Sink { memory: buffer, len, .. } => {
                let start = std::mem::replace(len, *len + n);
                buffer.get_mut(start..*len)
            }
            Target::Grow { buffer, len, .. } => {
                let start = std::mem::replace(len, *len + n);
                buffer.get_mut(start..*len)
            }
            Target::Alias(_) => None,
        };
        space.ok_or_else(|| ErrorKind::Contract("the output memory did not grow").into())
    }
    /// Returns the error for a codec that has at least `n` bytes more than the output accepts.
    #[cold]
    pub fn excess(&self, n: u64) -> Error {
        let asked = (self.len() as u64).saturating_add(n);
        let most = (self.len() as u64).saturating_add(self.left());
        match &self.0 {
            Target::Grow { max, .. } => {
                ErrorKind::Limit { what: "the decoded size in bytes", asked, limit: *max }.into()
            }
            _ => Error::data(format!("the decoded size is at least {asked} bytes, expected at most {most}")),
        }
    }
    /// Grows the memory for `n` more bytes.
    #[cold]
    fn grow(&mut self, n: usize) -> Result<()> {
        let asked = (self.len() as u64).saturating_add(n as u64);
        match &mut self.0 {
            Target::Fixed { .. } => Err(self.excess(n as u64)),
            Target::Grow { max, .. } | Target::Sink { max, .. } if asked > *max => Err(self.excess(n as u64)),
            Target::Grow { buffer, len, budget, .. } => {
                let end = *len + n;
                // New memory from the system is zero: if no bytes need to be preserved, allocating is cheaper than
                // growing.
                match (*len == 0 && buffer.capacity() < end, budget) {
                    (true, Some(budget)) => return budget.replace(buffer, end),
                    (true, None) => {
                        **buffer = zeroed(end)?;
                        return Ok(());
                    }
                    (false, Some(budget)) => budget.reserve(buffer, end)?,
                    (false, None) => {
                        let more = end - buffer.len();
                        let reserved = buffer.try_reserve(more).or_else(|_| buffer.try_reserve_exact(more));
                        reserved.map_err(|_| ErrorKind::Memory(end as u64))?;
                    }
                }
                buffer.resize(end, 0);
                Ok(())
            }
            Target::Sink { memory, sink, len, .. } => {
                let end = *len + n;
                *memory = sink.reserve(*len, end)?;
                if memory.len() < end {
                    return Err(ErrorKind::Contract("the output memory did not grow").into());
                }
                Ok(())
            }
            Target::Alias(_) => Err(ErrorKind::Contract("a codec wrote output after `alias_input`").into()),
        }
    }
    /// Runs `f` with an output of its own, and returns the result of `f` and the bytes that it wrote.
    pub fn collect<R>(f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<R>) -> Result<(R, Vec<u8>)> {
        Self::collect_within(u64::MAX, f)
    }
    /// Like [`collect`](Self::collect), for at most `max` bytes.
    ///
    /// # Errors
    /// If `f` fails, or writes more than `max` bytes.
    pub fn collect_within<R>(max: u64, f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<R>) -> Result<(R, Vec<u8>)> {
        let mut buffer = Vec::new();
        let mut out = OutputBuffer(Target::Grow { buffer: &mut buffer, len: 0, max, budget: None });
        let result = f(&mut out)?;
        let len = out.len();
        buffer.truncate(len);
        Ok((result, buffer))
    }
    /// Appends bytes.
    ///
    /// # Errors
    /// As for [`space`](Self::space).
    pub fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        self.space(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }
    /// Appends the whole output of a decoder.
    ///
    /// `read` fills the buffer that it gets, or less at the end of its output. The first buffer has about `first`
    /// bytes, and each further one twice as many.
    ///
    /// # Errors
    /// If the output exceeds its limit, or `read` fails.
    pub fn read_all(&mut self, first: u64, mut read: impl FnMut(&mut [u8]) -> Result<usize>) -> Result<()> {
        let mut piece = first.max(64);
        loop {
            let wanted = piece.min(self.left()) as usize;
            if wanted == 0 {
                // This also makes the decoder read the checksums at the end.
                return match read(&mut [0])? {
                    0 => Ok(()),
                    n => Err(self.excess(n as u64)),
                };
            }
            let read = read(self.space(wanted)?)?;
            self.unused(wanted.saturating_sub(read));
            if read < wanted {
                return Ok(());
            }
            piece = piece.saturating_mul(2);
        }
    }
    /// Returns the bytes written so far.
    pub fn written(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Target::Fixed { buffer, len } => &mut buffer[..*len],
            Target::Grow { buffer, len, .. } => &mut buffer[..*len],
            Target::Sink { memory, len, .. } => memory.get_mut(..*len).unwrap_or_default(),
            Target::Alias(_) => &mut [],
        }
    }
    /// Returns how many more bytes the output accepts.
    #[inline]
    pub fn left(&self) -> u64 {
        match &self.0 {
            Target::Fixed { buffer, len } => (buffer.len() - len) as u64,
            Target::Grow { len, max, .. } | Target::Sink { len, max, .. } => max.saturating_sub(*len as u64),
            Target::Alias(_) => 0,
        }
    }
    /// Removes the last `n` bytes, which were reserved by [`space`](Self::space) but not used.
    #[inline]
    pub fn unused(&mut self, n: usize) {
        if let Target::Fixed { len, .. } | Target::Grow { len, .. } | Target::Sink { len, .. } = &mut self.0 {
            *len = len.saturating_sub(n);
        }
    }
    /// Declares a range of the input to be the result of decoding, so that nothing is copied. Not allowed for encoding.
    #[inline]
    pub fn alias_input(&mut self, range: Range<usize>) {
        self.0 = Target::Alias(range);
    }
    /// Returns the length of the result in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Target::Fixed { len, .. } | Target::Grow { len, .. } | Target::Sink { len, .. } => *len,
            Target::Alias(range) => range.len(),
        }
    }
    /// True if the result is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the range of the input that is the result, if the codec declared one.
    #[inline]
    pub fn alias(&self) -> Option<Range<usize>> {
        match &self.0 {
            Target::Alias(range) => Some(range.clone()),
            _ => None,
        }
    }
}

impl io::Write for OutputBuffer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.extend(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
