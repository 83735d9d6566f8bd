//! Where codecs write.

use super::buffers::Budget;
use crate::{
    error::{Error, ErrorKind, Result},
    limits::zeroed,
};
use std::{io, ops::Range};

/// Where a codec puts its bytes: the destination itself, or memory that grows up to a limit.
pub struct OutputBuffer<'a>(pub(super) Target<'a>);

/// Output memory that somebody else makes grow: the host of a plugin.
pub trait Sink<'a> {
    /// Gives at least `capacity` bytes of memory, the first `keep` of which are as they were, in place of what it gave
    /// before.
    fn reserve(&mut self, keep: usize, capacity: usize) -> Result<&'a mut [u8]>;
}

pub(super) enum Target<'a> {
    Fixed { buffer: &'a mut [u8], len: usize },
    Grow { buffer: &'a mut Vec<u8>, len: usize, max: u64, budget: Option<Budget<'a>> },
    Sink { memory: &'a mut [u8], sink: &'a mut dyn Sink<'a>, len: usize, max: u64 },
    Alias(Range<usize>),
}

impl<'a> OutputBuffer<'a> {
    /// Exactly this memory.
    #[inline]
    pub fn fixed(buffer: &'a mut [u8]) -> Self {
        Self(Target::Fixed { buffer, len: 0 })
    }
    /// Memory of somebody else, which grows up to `max` bytes.
    #[inline]
    pub fn sink(memory: &'a mut [u8], sink: &'a mut dyn Sink<'a>, max: u64) -> Self {
        Self(Target::Sink { memory, sink, len: 0, max })
    }
    /// What can be written after what is written without growing.
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
    /// `n` writable bytes, with any contents, after what is written.
    ///
    /// # Errors
    /// More than the decoded size allows.
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
        space.ok_or_else(|| ErrorKind::Contract("output memory did not grow").into())
    }
    /// The error of a codec that has at least `n` bytes more than the output takes.
    #[cold]
    pub fn excess(&self, n: u64) -> Error {
        let asked = (self.len() as u64).saturating_add(n);
        let most = (self.len() as u64).saturating_add(self.left());
        match &self.0 {
            Target::Grow { max, .. } => {
                ErrorKind::Limit { what: "the decoded output of a codec", asked, limit: *max }.into()
            }
            _ => Error::data(format!("decodes to at least {asked} bytes, expected at most {most}")),
        }
    }
    /// Makes room for `n` more bytes.
    #[cold]
    fn grow(&mut self, n: usize) -> Result<()> {
        let asked = (self.len() as u64).saturating_add(n as u64);
        match &mut self.0 {
            Target::Fixed { .. } => Err(self.excess(n as u64)),
            Target::Grow { max, .. } | Target::Sink { max, .. } if asked > *max => Err(self.excess(n as u64)),
            Target::Grow { buffer, len, budget, .. } => {
                let end = *len + n;
                // The system's memory is zero as it comes: where nothing is to be kept, new memory costs less.
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
                    return Err(ErrorKind::Contract("output memory did not grow").into());
                }
                Ok(())
            }
            Target::Alias(_) => Err(ErrorKind::Contract("output after `alias_input`").into()),
        }
    }
    /// What `f` writes, in memory of its own.
    pub fn collect<R>(f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<R>) -> Result<(R, Vec<u8>)> {
        Self::collect_within(u64::MAX, f)
    }
    /// As [`collect`](Self::collect), at most `max` bytes.
    pub fn collect_within<R>(max: u64, f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<R>) -> Result<(R, Vec<u8>)> {
        let mut buffer = Vec::new();
        let mut out = OutputBuffer(Target::Grow { buffer: &mut buffer, len: 0, max, budget: None });
        let result = f(&mut out)?;
        let len = out.len();
        buffer.truncate(len);
        Ok((result, buffer))
    }
    /// Appends bytes.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        self.space(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }
    /// Appends all that a decoder gives. `read` fills its space unless it comes to the end; `first` bytes are asked for
    /// to begin with, then ever more.
    ///
    /// # Errors
    /// More than the decoded size allows.
    pub fn read_all(&mut self, first: u64, mut read: impl FnMut(&mut [u8]) -> Result<usize>) -> Result<()> {
        let mut piece = first.max(64);
        loop {
            let wanted = piece.min(self.left()) as usize;
            if wanted == 0 {
                // Also reads the sums at the end.
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
    /// What is written so far.
    pub fn written(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Target::Fixed { buffer, len } => &mut buffer[..*len],
            Target::Grow { buffer, len, .. } => &mut buffer[..*len],
            Target::Sink { memory, len, .. } => memory.get_mut(..*len).unwrap_or_default(),
            Target::Alias(_) => &mut [],
        }
    }
    /// How many more bytes are allowed.
    #[inline]
    pub fn left(&self) -> u64 {
        match &self.0 {
            Target::Fixed { buffer, len } => (buffer.len() - len) as u64,
            Target::Grow { len, max, .. } | Target::Sink { len, max, .. } => max.saturating_sub(*len as u64),
            Target::Alias(_) => 0,
        }
    }
    /// Takes back the last `n` bytes of space.
    #[inline]
    pub fn unused(&mut self, n: usize) {
        if let Target::Fixed { len, .. } | Target::Grow { len, .. } | Target::Sink { len, .. } = &mut self.0 {
            *len = len.saturating_sub(n);
        }
    }
    /// The result of decoding is this part of the input: nothing is copied. Not for encoding.
    #[inline]
    pub fn alias_input(&mut self, range: Range<usize>) {
        self.0 = Target::Alias(range);
    }
    /// How many bytes the result has.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Target::Fixed { len, .. } | Target::Grow { len, .. } | Target::Sink { len, .. } => *len,
            Target::Alias(range) => range.len(),
        }
    }
    /// True if the result has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The part of the input that is the result, if the codec said so.
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
