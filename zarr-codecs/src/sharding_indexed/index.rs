//! The index of a shard: offset and length of each inner chunk, both 2^64 - 1 if it is not stored.

use std::sync::OnceLock;
use zarr_core::{Error, ErrorKind, Result, call::CallContext, limits::zeroed, view::Dims};

/// Returns an empty vector with a capacity of exactly `n` items, so that it never uses more than was charged.
pub(super) fn with_room<T>(n: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(n).map_err(|_| ErrorKind::Memory(n.saturating_mul(size_of::<T>()) as u64))?;
    Ok(items)
}

/// A decoded shard index.
///
/// ```
/// use zarr_codecs::sharding_indexed::{Entry, Index};
///
/// let mut index = Index::new(&[2, 3])?;
/// index.set(&[1, 2], Some(Entry { offset: 0, len: 40 }))?;
/// assert_eq!(index.get(&[1, 2])?, Some(Entry { offset: 0, len: 40 }));
/// assert_eq!(index.get(&[0, 0])?, None);
/// assert_eq!(index.entries().position(|entry| entry != Entry::ABSENT), Some(5));
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Index {
    /// Offset and length of each inner chunk in C order, in native byte order.
    bytes: Vec<u8>,
    /// The first inner chunk: other than the origin only if a part of an index was read.
    start: Dims,
    /// The number of inner chunks along each dimension.
    counts: Dims,
    /// The overlap that was found, once it has been searched for.
    overlap: OnceLock<Option<String>>,
}

/// The position of an inner chunk, or of the index, in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
}

impl Entry {
    /// The entry of an inner chunk that is not stored.
    pub const ABSENT: Self = Self { offset: u64::MAX, len: u64::MAX };

    fn from_bytes(bytes: &[u8; 16]) -> Self {
        let ([offset, len], _) = bytes.as_chunks::<8>() else { return Self::ABSENT };
        Self { offset: u64::from_ne_bytes(*offset), len: u64::from_ne_bytes(*len) }
    }
}

impl Index {
    /// Creates an index of inner chunks that are not stored, with this many along each dimension.
    ///
    /// # Errors
    /// If the index does not fit in memory.
    pub fn new(counts: &[u64]) -> Result<Self> {
        let too_large = || Error::argument(format!("the shard index of {counts:?} inner chunks is too large"));
        let bytes = counts.iter().try_fold(16u64, |n, c| n.checked_mul(*c)).and_then(|n| usize::try_from(n).ok());
        let mut bytes = zeroed(bytes.ok_or_else(too_large)?)?;
        bytes.fill(0xff);
        Ok(Self::of(bytes, Dims::from_elem(0, counts.len()), counts.into()))
    }
    /// Creates an index from entries in C order. [`Entry::ABSENT`] stands for an inner chunk that is not stored.
    ///
    /// # Errors
    /// If the number of entries differs from the number of inner chunks.
    pub fn from_entries(counts: &[u64], entries: &[Entry]) -> Result<Self> {
        let mut index = Self::new(counts)?;
        if index.entries().len() != entries.len() {
            let found = entries.len();
            return Err(Error::argument(format!("{found} index entries do not match {counts:?} inner chunks")));
        }
        for (number, entry) in (0..).zip(entries) {
            index.set_number(number, *entry);
        }
        Ok(index)
    }
    pub(super) fn of(bytes: Vec<u8>, start: Dims, counts: Dims) -> Self {
        Self { bytes, start, counts, overlap: OnceLock::new() }
    }
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// Returns the number of inner chunks along each dimension.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
    /// Returns the entries of all inner chunks in C order, as stored: [`Entry::ABSENT`] for an inner chunk that is not
    /// stored, and also entries that [`get`](Self::get) rejects.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry> {
        self.bytes.as_chunks::<16>().0.iter().map(Entry::from_bytes)
    }
    /// True if this is the complete index of a shard with this many inner chunks.
    pub(super) fn is_of(&self, counts: &[u64]) -> bool {
        *self.counts == *counts && self.start.iter().all(|s| *s == 0)
    }
    fn check_inside(&self, chunk_index: &[u64]) -> Result<()> {
        let is_inside = |((c, s), n): ((&u64, &u64), &u64)| c.checked_sub(*s).is_some_and(|i| i < *n);
        let mut places = chunk_index.iter().zip(&self.start).zip(&self.counts);
        if chunk_index.len() == self.counts.len() && places.all(is_inside) {
            return Ok(());
        }
        let counts = &self.counts[..];
        Err(Error::argument(format!(
            "inner chunk {chunk_index:?} is out of bounds for a shard of {counts:?} inner chunks"
        )))
    }
    fn number(&self, chunk_index: &[u64]) -> usize {
        let place = chunk_index.iter().zip(&self.start).map(|(c, s)| c.wrapping_sub(*s));
        place.zip(&self.counts).fold(0u64, |i, (c, n)| i.wrapping_mul(*n).wrapping_add(c)) as usize
    }
    /// Returns the index of an inner chunk from its number in C order.
    fn chunk_index_at(&self, mut i: usize) -> Dims {
        let mut chunk_index = self.start.clone();
        for d in (0..chunk_index.len()).rev() {
            let n = self.counts[d] as usize;
            chunk_index[d] += (i % n) as u64;
            i /= n;
        }
        chunk_index
    }
    /// Returns the position of an inner chunk; `None` if it is not stored.
    ///
    /// # Errors
    /// If there is no such inner chunk, only one of its two numbers is 2^64 - 1, or its end exceeds 2^64.
    pub fn get(&self, chunk_index: &[u64]) -> Result<Option<Entry>> {
        let damaged = || Error::data(format!("invalid index entry of inner chunk {chunk_index:?}"));
        self.check_inside(chunk_index)?;
        let entry = self.bytes.as_chunks::<16>().0.get(self.number(chunk_index)).map(Entry::from_bytes);
        let Entry { offset, len } = entry.ok_or_else(damaged)?;
        match (offset, len) {
            (u64::MAX, u64::MAX) => Ok(None),
            (u64::MAX, _) | (_, u64::MAX) => Err(damaged()),
            _ if offset.checked_add(len).is_none() => Err(damaged()),
            _ => Ok(Some(Entry { offset, len })),
        }
    }
    /// Checks that inner chunks share no bytes with each other or with `index`, the position of the index.
    pub(super) fn check_overlaps(&self, call: &CallContext<'_>, index: Entry) -> Result<()> {
        if self.overlap.get().is_none() {
            // One more for the index.
            let places = self.bytes.len() / 16 + 1;
            let _charge = call.charge(places.saturating_mul(size_of::<(Entry, usize)>()) as u64)?;
            let _another_thread_was_first = self.overlap.set(self.overlap(index, with_room(places)?));
        }
        match self.overlap.get() {
            Some(Some(what)) => Err(Error::data(what.as_str())),
            _ => Ok(()),
        }
    }
    /// Finds an overlap. `places` has capacity for all positions.
    fn overlap(&self, index: Entry, mut places: Vec<(Entry, usize)>) -> Option<String> {
        const INDEX: usize = usize::MAX;
        let entries = self.entries().enumerate().map(|(i, entry)| (entry, i));
        // Positions outside the shard are found when they are read.
        let inside = |(e, _): &(Entry, usize)| e.len > 0 && e.offset.checked_add(e.len).is_some();
        places.extend(entries.chain([(index, INDEX)]).filter(inside));
        places.sort_unstable_by_key(|(e, i)| (e.offset, *i));
        let (a, b) = places.windows(2).find_map(|pair| match pair {
            [(a, i), (b, j)] if a.offset + a.len > b.offset => Some(((*a, *i), (*b, *j))),
            _ => None,
        })?;
        let name = |(e, i): (Entry, usize)| {
            let what =
                if i == INDEX { "the index".to_owned() } else { format!("inner chunk {:?}", self.chunk_index_at(i)) };
            format!("{what} (bytes {} to {})", e.offset, e.offset + e.len)
        };
        Some(format!("{} overlaps {}", name(b), name(a)))
    }
    /// Sets the position of an inner chunk; `None`: it is not stored.
    ///
    /// # Errors
    /// If there is no such inner chunk.
    pub fn set(&mut self, chunk_index: &[u64], entry: Option<Entry>) -> Result<()> {
        self.check_inside(chunk_index)?;
        self.set_number(self.number(chunk_index) as u64, entry.unwrap_or(Entry::ABSENT));
        Ok(())
    }
    /// Sets the position of an inner chunk by its number in C order, which must be valid.
    pub(super) fn set_number(&mut self, number: u64, entry: Entry) {
        let i = 16 * number as usize;
        self.bytes[i..i + 8].copy_from_slice(&entry.offset.to_ne_bytes());
        self.bytes[i + 8..i + 16].copy_from_slice(&entry.len.to_ne_bytes());
        self.overlap.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_where_they_were_set() {
        let mut index = Index::new(&[2, 3]).unwrap();
        assert!((0..2).all(|i| (0..3).all(|j| index.get(&[i, j]).unwrap().is_none())));
        let entry = Entry { offset: 7, len: 9 };
        index.set(&[1, 1], Some(entry)).unwrap();
        assert_eq!(index.get(&[1, 1]).unwrap(), Some(entry));
        assert_eq!(index.entries().collect::<Vec<_>>()[4], entry);
        assert_eq!(index.entries().filter(|e| *e == Entry::ABSENT).count(), 5);
        let entries: Vec<Entry> = index.entries().collect();
        assert!(Index::from_entries(&[2, 3], &entries).unwrap().entries().eq(entries.iter().copied()));
        assert!(Index::from_entries(&[2, 2], &entries).is_err());
        index.set(&[1, 1], None).unwrap();
        assert_eq!(index.get(&[1, 1]).unwrap(), None);
    }

    #[test]
    fn inner_chunks_outside_are_refused() {
        let mut index = Index::new(&[2, 3]).unwrap();
        for outside in [&[0, 3][..], &[2, 0], &[u64::MAX, 0], &[0], &[0, 0, 0]] {
            assert!(index.set(outside, None).is_err() && index.get(outside).is_err(), "{outside:?}");
        }
        assert!(Index::new(&[u64::MAX, 2]).is_err());
    }

    #[test]
    fn damaged_entries_are_refused_and_listed() {
        let mut index = Index::new(&[1]).unwrap();
        for (offset, len) in [(u64::MAX, 1), (1, u64::MAX), (u64::MAX - 1, 2)] {
            index.set(&[0], Some(Entry { offset, len })).unwrap();
            assert!(index.get(&[0]).is_err());
            assert_eq!(index.entries().next(), Some(Entry { offset, len }));
        }
    }
}
