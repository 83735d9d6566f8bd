//! The source of a codec's encoded bytes: ranges of one value, borrowed for the duration of a call.
//!
//! Codecs read as if reads blocked. The synchronous driver passes a file; an asynchronous driver passes a [`Replay`] of
//! the bytes fetched so far. One implementation of a codec serves both.

mod replay;

pub use replay::Replay;

use crate::error::{Error, Result};
use std::{
    any::Any,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// A range of the bytes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ByteRange {
    /// `len` bytes from `start`.
    Slice {
        /// The first byte.
        start: u64,
        /// The number of bytes.
        len: u64,
    },
    /// All bytes from this one on.
    From(u64),
    /// This many bytes at the end.
    Suffix(u64),
    /// All bytes.
    All,
}

impl ByteRange {
    /// Returns the start and length of the range within a value of `size` bytes.
    ///
    /// # Errors
    /// If the range is not inside the value: ranges are never shortened.
    pub fn within(self, size: u64) -> Result<(u64, u64)> {
        let outside = || {
            let range = match self {
                ByteRange::All => "..".to_owned(),
                ByteRange::From(start) => format!("{start}.."),
                ByteRange::Suffix(len) => format!("(the last {len} bytes)"),
                ByteRange::Slice { start, len } => format!("{start}..{}", start.saturating_add(len)),
            };
            Error::data(format!("byte range {range} is out of bounds for a value of {size} bytes"))
        };
        match self {
            ByteRange::All => Ok((0, size)),
            ByteRange::From(start) => Ok((start, size.checked_sub(start).ok_or_else(outside)?)),
            ByteRange::Suffix(len) => Ok((size.checked_sub(len).ok_or_else(outside)?, len)),
            ByteRange::Slice { start, len } => {
                start.checked_add(len).filter(|end| *end <= size).map(|_| (start, len)).ok_or_else(outside)
            }
        }
    }
    /// Returns this range of a slice.
    ///
    /// # Errors
    /// If the range is not inside the slice.
    pub fn of(self, bytes: &[u8]) -> Result<&[u8]> {
        let (start, len) = self.within(bytes.len() as u64)?;
        Ok(&bytes[start as usize..(start + len) as usize])
    }
}

/// An object that is expensive to create from a value's bytes, for instance a decoded shard index.
pub type Cached = Arc<dyn Any + Send + Sync>;

/// A callback that receives the number of a range and its bytes.
///
/// Ranges may arrive in any order.
pub type RangeCallback<'e> = &'e mut dyn FnMut(usize, &[u8]) -> Result<()>;

/// One version of one stored value, so that an index and its data always belong to the same version.
///
/// A range outside the value is an error, detected before memory is allocated. A codec that gets an error from a source
/// returns at once. It may then be called again, and must request the same ranges if it gets the same bytes.
pub trait Source: Send + Sync {
    /// Passes the bytes of each range to `each`, once. If `each` fails, the read stops and returns its error.
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()>;

    /// Reads a range directly into `out`, which has the length of the range.
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        self.read(&[range], &mut |_, bytes| {
            if bytes.len() != out.len() {
                return Err(Error::data(format!("expected {} bytes, found {}", out.len(), bytes.len())));
            }
            out.copy_from_slice(bytes);
            Ok(())
        })
    }
    /// Returns the whole value, if it is already in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }
    /// Returns the length of the value, if it is known without reading the value.
    fn size(&self) -> Result<Option<u64>> {
        Ok(self.in_memory().map(|b| b.len() as u64))
    }
    /// Returns the result of `make`, which the source may cache: not at all, or for longer than this call and this
    /// codec.
    ///
    /// `key` is a hash, and the offset of a window in the value. The hash identifies the kind of object and all of its
    /// parameters: callers with the same hash create the same object from the same bytes. Hashes may collide, so check
    /// that the result is the expected object, and otherwise create it yourself. Never use an address as a hash:
    /// another codec may have the same address later. `bytes` is the approximate memory that the object needs.
    fn cached(&self, _key: (usize, u64), _bytes: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
        make()
    }
    /// Returns the gap in bytes below which two ranges are better read as one.
    fn gap(&self) -> u64 {
        4096
    }
}

impl Source for &[u8] {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        ranges.iter().enumerate().try_for_each(|(i, r)| each(i, r.of(self)?))
    }
    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A source that is a part of another source.
pub enum Window<'s> {
    /// `len` bytes from `start`.
    Slice {
        /// The other source.
        of: &'s dyn Source,
        /// The first byte of the window.
        start: u64,
        /// The length of the window.
        len: u64,
    },
    /// All bytes except the last `end`.
    Trim {
        /// The other source.
        of: &'s dyn Source,
        /// The number of bytes at the end that are excluded.
        end: u64,
    },
}

impl Window<'_> {
    fn outer(&self, range: ByteRange) -> Result<ByteRange> {
        match self {
            Window::Slice { start, len, .. } => {
                let (inner, n) = range.within(*len)?;
                let start = start.checked_add(inner).ok_or_else(|| Error::data("the byte range ends beyond 2^64"))?;
                Ok(ByteRange::Slice { start, len: n })
            }
            Window::Trim { end, .. } => Ok(match range {
                ByteRange::Suffix(k) => ByteRange::Suffix(k.saturating_add(*end)),
                other => other,
            }),
        }
    }
    fn of(&self) -> &dyn Source {
        match self {
            Window::Slice { of, .. } | Window::Trim { of, .. } => *of,
        }
    }
}

impl Source for Window<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let outer = ranges.iter().map(|r| self.outer(*r)).collect::<Result<Vec<_>>>()?;
        self.of().read(&outer, &mut |i, bytes| match (self, ranges[i]) {
            (Window::Trim { end, .. }, ByteRange::Suffix(_) | ByteRange::From(_) | ByteRange::All) => {
                let kept = (bytes.len() as u64).checked_sub(*end);
                let kept =
                    kept.ok_or_else(|| Error::data(format!("expected at least {end} bytes, found {}", bytes.len())))?;
                each(i, &bytes[..kept as usize])
            }
            _ => each(i, bytes),
        })
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        match self {
            Window::Slice { of, .. } => of.read_into(self.outer(range)?, out),
            Window::Trim { of, .. } => match range {
                ByteRange::Slice { .. } => of.read_into(range, out),
                _ => self.read(&[range], &mut |_, bytes| {
                    if bytes.len() != out.len() {
                        return Err(Error::data(format!("expected {} bytes, found {}", out.len(), bytes.len())));
                    }
                    out.copy_from_slice(bytes);
                    Ok(())
                }),
            },
        }
    }
    fn in_memory(&self) -> Option<&[u8]> {
        let outer = self.of().in_memory()?;
        match self {
            Window::Slice { start, len, .. } => ByteRange::Slice { start: *start, len: *len }.of(outer).ok(),
            Window::Trim { end, .. } => outer.get(..usize::try_from((outer.len() as u64).checked_sub(*end)?).ok()?),
        }
    }
    fn size(&self) -> Result<Option<u64>> {
        match self {
            Window::Slice { len, .. } => Ok(Some(*len)),
            Window::Trim { of, end } => {
                let kept = |size: u64| {
                    size.checked_sub(*end)
                        .ok_or_else(|| Error::data(format!("expected at least {end} bytes, found {size}")))
                };
                of.size()?.map(kept).transpose()
            }
        }
    }
    fn cached(&self, key: (usize, u64), bytes: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
        // Several windows may begin at the same offset.
        let (start, cut) = match self {
            Window::Slice { start, len, .. } => (*start, (0, *len)),
            Window::Trim { end, .. } => (0, (1, *end)),
        };
        let mut hasher = DefaultHasher::new();
        (key.0, cut).hash(&mut hasher);
        self.of().cached((hasher.finish() as usize, key.1.saturating_add(start)), bytes, make)
    }
    fn gap(&self) -> u64 {
        self.of().gap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(source: &dyn Source, range: ByteRange) -> Result<Vec<u8>> {
        let mut got = Vec::new();
        source.read(&[range], &mut |_, b| {
            got = b.to_vec();
            Ok(())
        })?;
        let mut into = vec![0; got.len()];
        source.read_into(range, &mut into)?;
        assert_eq!(got, into);
        Ok(got)
    }

    #[test]
    fn cached_values_belong_to_one_window() {
        let (replay, made) = (Replay::default(), std::sync::atomic::AtomicU64::new(0));
        let cached = |source: &dyn Source, id| {
            let mut make = || Ok(Arc::new(made.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) as Cached);
            *source.cached((id, 0), 8, &mut make).unwrap().downcast::<u64>().unwrap()
        };
        let slice = |of, start, len| Window::Slice { of, start, len };
        let (outer, shorter, later) = (slice(&replay, 0, 8), slice(&replay, 0, 4), slice(&replay, 4, 4));
        let nested = slice(&outer, 0, 8);
        let [trimmed, more] = [4, 8].map(|end| Window::Trim { of: &replay, end });
        let all: [&dyn Source; 7] = [&replay, &outer, &shorter, &later, &nested, &trimmed, &more];
        let first: Vec<u64> = all.iter().flat_map(|s| [cached(*s, 1), cached(*s, 2)]).collect();
        assert_eq!(first, (0..14).collect::<Vec<u64>>(), "each has its own");
        let again: Vec<u64> = all.iter().flat_map(|s| [cached(*s, 1), cached(*s, 2)]).collect();
        assert_eq!(first, again);
        let same = slice(&replay, 4, 4);
        assert_eq!(cached(&same, 1), cached(&later, 1), "the same bytes");
    }

    #[test]
    fn windows_read_only_their_part() {
        let bytes: &[u8] = b"0123456789";
        let slice = Window::Slice { of: &bytes, start: 2, len: 5 };
        let trim = Window::Trim { of: &slice, end: 2 };
        let cut = |start, len| ByteRange::Slice { start, len };
        assert_eq!((slice.size().unwrap(), trim.size().unwrap()), (Some(5), Some(3)));
        assert_eq!(all(&slice, ByteRange::All).unwrap(), b"23456");
        assert_eq!(all(&slice, ByteRange::Suffix(2)).unwrap(), b"56");
        assert_eq!(all(&slice, cut(1, 4)).unwrap(), b"3456");
        assert_eq!(all(&trim, ByteRange::All).unwrap(), b"234");
        assert_eq!(all(&trim, ByteRange::Suffix(1)).unwrap(), b"4");
        assert_eq!(all(&trim, ByteRange::From(1)).unwrap(), b"34");
        assert_eq!(all(&slice, ByteRange::From(4)).unwrap(), b"6");
        assert_eq!(all(&trim, cut(0, 2)).unwrap(), b"23");
        assert_eq!((slice.in_memory(), trim.in_memory()), (Some(&b"23456"[..]), Some(&b"234"[..])));
        for bad in [cut(1, 5), cut(u64::MAX, 2), ByteRange::Suffix(6)] {
            assert!(all(&slice, bad).is_err(), "{bad:?}");
        }
        assert!(all(&Window::Slice { of: &bytes, start: 8, len: 5 }, ByteRange::All).is_err());
        assert!(all(&Window::Slice { of: &bytes, start: u64::MAX, len: 5 }, cut(3, 1)).is_err());
    }
}
