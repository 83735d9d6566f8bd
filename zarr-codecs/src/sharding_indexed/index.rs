//! The index of a shard: offset and length of each inner chunk, both 2^64 - 1 where there is none.

use super::{Location, ShardingIndexed};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::OnceLock,
};
use zarr_core::{
    Error, ErrorKind, Result,
    call::{CallContext, Charge, OutputBuffer},
    codec::Chain,
    limits::zeroed,
    source::{Source, Window},
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

/// An empty vector with room for `n` items and no more, so that it never takes more than was charged.
pub(super) fn with_room<T>(n: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(n).map_err(|_| ErrorKind::Memory(n.saturating_mul(size_of::<T>()) as u64))?;
    Ok(items)
}

/// A decoded index, or the part of one for some inner chunks.
#[derive(Debug)]
pub(super) struct Index {
    /// Offset and length of each inner chunk in C order, in the machine's byte order.
    bytes: Vec<u8>,
    /// The first inner chunk,
    start: Dims,
    /// and how many there are along each dimension.
    counts: Dims,
    /// What overlaps, once that was looked for.
    overlap: OnceLock<Option<String>>,
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
        Ok(Self { bytes, start: Dims::from_elem(0, counts.len()), counts: counts.clone(), overlap: OnceLock::new() })
    }
    /// True if it is all of the index of a shard with so many inner chunks.
    pub(super) fn is_of(&self, counts: &Dims) -> bool {
        self.counts == *counts && self.start.iter().all(|s| *s == 0)
    }
    fn number(&self, chunk_index: &[u64]) -> usize {
        let place = chunk_index.iter().zip(&self.start).map(|(c, s)| c.wrapping_sub(*s));
        place.zip(&self.counts).fold(0u64, |i, (c, n)| i.wrapping_mul(*n).wrapping_add(c)) as usize
    }
    /// The inner chunk of a number in C order.
    fn chunk_index_at(&self, mut i: usize) -> Dims {
        let mut chunk_index = self.start.clone();
        for d in (0..chunk_index.len()).rev() {
            let n = self.counts[d] as usize;
            chunk_index[d] += (i % n) as u64;
            i /= n;
        }
        chunk_index
    }
    /// Where an inner chunk is; `None` if it is not stored.
    ///
    /// # Errors
    /// When only one of the two numbers says that it is not stored, or the end lies beyond 2^64.
    pub(super) fn get(&self, chunk_index: &[u64]) -> Result<Option<Entry>> {
        let damaged = || Error::data(format!("the index entry of inner chunk {chunk_index:?} is damaged"));
        let at = |i: usize| self.bytes.as_chunks::<8>().0.get(i).map(|b| u64::from_ne_bytes(*b));
        let i = self.number(chunk_index).saturating_mul(2);
        let (offset, len) = at(i).zip(at(i + 1)).ok_or_else(damaged)?;
        match (offset, len) {
            (u64::MAX, u64::MAX) => Ok(None),
            (u64::MAX, _) | (_, u64::MAX) => Err(damaged()),
            _ if offset.checked_add(len).is_none() => Err(damaged()),
            _ => Ok(Some(Entry { offset, len })),
        }
    }
    /// Refuses inner chunks that have bytes in common with each other or with `index`, the place of the index.
    pub(super) fn check_overlaps(&self, call: &CallContext<'_>, index: Entry) -> Result<()> {
        if self.overlap.get().is_none() {
            // With the index.
            let places = self.bytes.len() / 16 + 1;
            let _charge = call.charge(places.saturating_mul(size_of::<(Entry, usize)>()) as u64)?;
            let _another_thread_was_first = self.overlap.set(self.overlap(index, with_room(places)?));
        }
        match self.overlap.get() {
            Some(Some(what)) => Err(Error::data(what.as_str())),
            _ => Ok(()),
        }
    }
    /// `places` has room for all.
    fn overlap(&self, index: Entry, mut places: Vec<(Entry, usize)>) -> Option<String> {
        const INDEX: usize = usize::MAX;
        let entry = |b: &[u8; 16]| {
            let (offset, len) = (b.first_chunk::<8>()?, b.last_chunk::<8>()?);
            Some(Entry { offset: u64::from_ne_bytes(*offset), len: u64::from_ne_bytes(*len) })
        };
        let entries = self.bytes.as_chunks::<16>().0.iter().enumerate().filter_map(|(i, b)| Some((entry(b)?, i)));
        // Reading finds what lies outside.
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
    /// Sets where an inner chunk is.
    pub(super) fn set(&mut self, chunk_index: &[u64], entry: Entry) {
        self.set_number(self.number(chunk_index) as u64, entry);
    }
    /// The same for the inner chunk of a number in C order.
    pub(super) fn set_number(&mut self, number: u64, entry: Entry) {
        let i = 16 * number as usize;
        self.bytes[i..i + 8].copy_from_slice(&entry.offset.to_ne_bytes());
        self.bytes[i + 8..i + 16].copy_from_slice(&entry.len.to_ne_bytes());
    }
}

impl ShardingIndexed {
    /// What an index of so many inner chunks takes until it is dropped.
    pub(super) fn charge_index<'a>(&self, call: &CallContext<'a>, counts: &[u64]) -> Result<Charge<'a>> {
        call.charge(counts.iter().product::<u64>().saturating_mul(16))
    }
    /// What the bytes of a whole index take while they are read.
    fn charge_encoded<'a>(&self, call: &CallContext<'a>, source: &dyn Source) -> Result<Option<Charge<'a>>> {
        source.in_memory().is_none().then(|| call.charge(self.index_size)).transpose()
    }
    /// The place of the index in a shard of `size` bytes.
    pub(super) fn index_place(&self, size: u64) -> Result<Entry> {
        let (start, len) = self.index_range().within(size)?;
        Ok(Entry { offset: start, len })
    }
    /// Reads and decodes the entries of some inner chunks, given as a region of the grid of inner chunks, and no others if
    /// the codecs of the index permit.
    pub(super) fn read_entries(&self, call: &CallContext<'_>, source: &dyn Source, cells: &Region) -> Result<Index> {
        let shape = shape(&cells.len);
        let region = Region { start: cells.start.iter().copied().chain([0]).collect(), len: shape.clone() };
        let mut bytes = zeroed(cells.len.iter().product::<u64>() as usize * 16)?;
        let out = ViewMut::new(&mut bytes, &shape, 8)?;
        let call = &call.sequential();
        match source.size()? {
            Some(size) => {
                let place = self.index_place(size)?;
                let index = Window::Slice { of: source, start: place.offset, len: place.len };
                self.index.decode(call, &index, &region, out)?;
            }
            None => {
                let mut out = out;
                let _read = self.charge_encoded(call, source)?;
                source.read(&[self.index_range()], &mut |_, encoded| {
                    self.index.decode(call, &encoded, &region, out.reborrow())
                })?;
            }
        }
        Ok(Index { bytes, start: cells.start.clone(), counts: cells.len.clone(), overlap: OnceLock::new() })
    }
    /// Reads and decodes the index of a shard.
    pub(super) fn read_index(&self, call: &CallContext<'_>, source: &dyn Source) -> Result<Index> {
        let shape = shape(&self.counts);
        let mut bytes = zeroed(self.index.decoded().bytes_within(call.limits)?)?;
        let _read = self.charge_encoded(call, source)?;
        source.read(&[self.index_range()], &mut |_, encoded| {
            let out = ViewMut::new(&mut bytes, &shape, 8)?;
            self.index.decode(&call.sequential(), &encoded, &Region::whole(&shape), out)
        })?;
        let start = Dims::from_elem(0, self.counts.len());
        Ok(Index { bytes, start, counts: self.counts.clone(), overlap: OnceLock::new() })
    }
    /// Appends the encoded index.
    pub(super) fn write_index(&self, call: &CallContext<'_>, index: &Index, out: &mut OutputBuffer<'_>) -> Result<()> {
        let view = View::new(&index.bytes, &shape(&self.counts), 8)?;
        // An index is always stored, also one that is all 2^64 - 1.
        let options = zarr_core::call::Options { store_fill: true, ..call.options.clone() };
        self.index.encode(&CallContext { options: &options, ..*call }, &view, out).map(|_| ())
    }
}
