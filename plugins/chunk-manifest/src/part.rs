//! A byte range of an open file as a stored value.

use crate::read_at::ReadAt;
use std::fs::File;
use zarr_plugin_api::{
    ByteRange, Error, ErrorKind, Key, Result, Source,
    zarr_core::{limits::zeroed, source::RangeCallback},
};

/// A part of an open file. It stays the same if the file's name is given to another file.
pub(crate) struct Part {
    file: ReadAt,
    start: u64,
    len: u64,
    key: Key,
}

impl Part {
    /// Creates the value of `len` bytes from `start`. The file must have them.
    pub(crate) fn new(file: File, start: u64, len: u64, key: Key) -> Self {
        Self { file: ReadAt::new(file), start, len, key }
    }
    /// Reads the whole value.
    pub(crate) fn get(&self) -> Result<Vec<u8>> {
        let mut value = self.memory(self.len)?;
        self.fill(&mut value, 0)?;
        Ok(value)
    }
    fn located(&self, e: impl Into<Error>) -> Error {
        e.into().at_key(&self.key)
    }
    fn within(&self, range: ByteRange) -> Result<(u64, u64)> {
        range.within(self.len).map_err(|e| self.located(e))
    }
    fn memory(&self, len: u64) -> Result<Vec<u8>> {
        let len = usize::try_from(len).map_err(|_| self.located(ErrorKind::Memory(len)))?;
        zeroed(len).map_err(|e| self.located(e))
    }
    fn fill(&self, out: &mut [u8], at: u64) -> Result<()> {
        self.file.read_exact_at(out, self.start.saturating_add(at)).map_err(|e| self.located(e))
    }
}

impl Source for Part {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let places = ranges.iter().map(|r| self.within(*r)).collect::<Result<Vec<_>>>()?;
        let mut buffer = self.memory(places.iter().map(|(_, len)| *len).max().unwrap_or(0))?;
        for (i, (at, len)) in places.into_iter().enumerate() {
            // The length fits: the buffer is as long as the longest range.
            let out = &mut buffer[..len as usize];
            self.fill(out, at)?;
            each(i, out)?;
        }
        Ok(())
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        let (at, len) = self.within(range)?;
        if len != out.len() as u64 {
            return Err(self.located(Error::data(format!("expected {} bytes, found {len}", out.len()))));
        }
        self.fill(out, at)
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.len))
    }
}
