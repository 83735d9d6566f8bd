//! The index of a shard: offset and length of each inner chunk, both 2^64 - 1 where there is none.

use super::{Location, ShardingIndexed};
use std::hash::{DefaultHasher, Hash, Hasher};
use zarr_core::{
    Error, Result,
    call::{Call, Out},
    codec::Chain,
    limits::zeroed,
    source::Source,
    view::{Dims, Region, View, ViewMut},
};

/// The array that an index is: two numbers for each inner chunk.
pub(super) fn shape(counts: &[u64]) -> Dims {
    counts.iter().copied().chain([2]).collect()
}

/// A number for all that the index depends on, given the bytes of a shard: two codecs with one number find the same.
pub(super) fn id(location: Location, counts: &[u64], codecs: &Chain) -> usize {
    let mut hasher = DefaultHasher::new();
    (location, counts).hash(&mut hasher);
    for codec in codecs.extensions() {
        codec.to_json().to_string().hash(&mut hasher);
    }
    hasher.finish() as usize
}

/// A decoded index.
#[derive(Debug)]
pub(super) struct Index {
    /// Offset and length of each inner chunk in C order, in the machine's byte order.
    bytes: Vec<u8>,
    counts: Dims,
}

/// Where an inner chunk lies in the shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) len: u64,
}

impl Index {
    /// An index without inner chunks.
    pub(super) fn empty(counts: &Dims) -> Result<Self> {
        let entries = counts.iter().product::<u64>() as usize;
        let mut bytes = zeroed(entries * 16)?;
        bytes.fill(0xff);
        Ok(Self { bytes, counts: counts.clone() })
    }
    /// True if it is of a shard with so many inner chunks.
    pub(super) fn is_of(&self, counts: &Dims) -> bool {
        self.counts == *counts
    }
    fn number(&self, cell: &[u64]) -> usize {
        cell.iter().zip(&self.counts).fold(0, |i, (c, n)| i * n + c) as usize
    }
    /// Where an inner chunk is; `None` if it is not stored.
    ///
    /// # Errors
    /// When only one of the two numbers says that it is not stored, or the end lies beyond 2^64.
    pub(super) fn get(&self, cell: &[u64]) -> Result<Option<Entry>> {
        let damaged = || Error::data(format!("the index entry of inner chunk {cell:?} is damaged"));
        let at = |i: usize| self.bytes.as_chunks::<8>().0.get(i).map(|b| u64::from_ne_bytes(*b));
        let i = 2 * self.number(cell);
        let (offset, len) = at(i).zip(at(i + 1)).ok_or_else(damaged)?;
        match (offset, len) {
            (u64::MAX, u64::MAX) => Ok(None),
            (u64::MAX, _) | (_, u64::MAX) => Err(damaged()),
            _ if offset.checked_add(len).is_none() => Err(damaged()),
            _ => Ok(Some(Entry { offset, len })),
        }
    }
    /// Sets where an inner chunk is.
    pub(super) fn set(&mut self, cell: &[u64], entry: Entry) {
        self.set_number(self.number(cell) as u64, entry);
    }
    /// The same for the inner chunk of a number in C order.
    pub(super) fn set_number(&mut self, number: u64, entry: Entry) {
        let i = 16 * number as usize;
        self.bytes[i..i + 8].copy_from_slice(&entry.offset.to_ne_bytes());
        self.bytes[i + 8..i + 16].copy_from_slice(&entry.len.to_ne_bytes());
    }
}

impl ShardingIndexed {
    /// Reads and decodes the index of a shard.
    pub(super) fn read_index(&self, call: &Call<'_>, source: &dyn Source) -> Result<Index> {
        let shape = shape(&self.counts);
        let mut bytes = zeroed(self.index.decoded().bytes_within(call.limits)?)?;
        source.read(&[self.index_range()], &mut |_, encoded| {
            let out = ViewMut::new(&mut bytes, &shape, 8)?;
            self.index.decode(&call.sequential(), &encoded, &Region::whole(&shape), out)
        })?;
        Ok(Index { bytes, counts: self.counts.clone() })
    }
    /// Appends the encoded index.
    pub(super) fn write_index(&self, call: &Call<'_>, index: &Index, out: &mut Out<'_>) -> Result<()> {
        let view = View::new(&index.bytes, &shape(&self.counts), 8)?;
        // An index is always stored, also one that is all 2^64 - 1.
        let options = zarr_core::call::Options { store_fill: true, ..call.options.clone() };
        self.index.encode(&Call { options: &options, ..*call }, &view, out).map(|_| ())
    }
}
