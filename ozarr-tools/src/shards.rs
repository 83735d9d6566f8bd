//! Repairs damaged indexes of shards whose inner chunks are intact.
//!
//! An index is rebuilt in two cases, without guessing. If one entry is damaged and the checksum is not, the entry was a
//! range of the shard that no other entry covers, or it was empty, and the checksum decides which. If one byte of the
//! checksum is damaged, the entries cover the data without a gap. In both cases the whole shard must then be readable.
//! A gap alone is not enough: a writer that replaces an inner chunk may leave the old one in place.

use ozarr::{
    Array, Error, Hierarchy, Result,
    codecs::{
        Sharding,
        sharding_indexed::{Entry, Index, IndexCodec},
    },
    store::MemoryStore,
    zarr_core::{
        call::Sequential,
        json::Json,
        limits::Limits,
        metadata::ArrayMetadata,
        source::{ByteRange, Source},
        store::{Key, Prefix, Update, whole},
    },
};
use std::{ops::Range, sync::Arc};

/// The number of candidates that are tried: with more, the checksum would more likely match one by chance.
const TRIALS: usize = 256;

/// The shards of an array, with one at a time in memory.
pub(crate) struct Shards {
    /// An array that is one shard, for checking a repaired one.
    shard: Array,
    key: Key,
    /// The index with and without its checksum.
    index: IndexCodec,
    unchecked: IndexCodec,
    limits: Limits,
}

impl Shards {
    /// Returns `None` for an array that is not sharded, or whose indexes are not encoded in the recommended way.
    pub(crate) fn of(array: &Array) -> Result<Option<Self>> {
        let context = array.hierarchy().context();
        let ([codec], Some(shape)) = (array.metadata().codecs(), array.chunk_shape()) else { return Ok(None) };
        let Some(configuration) = codec.configuration().filter(|_| codec.name() == "sharding_indexed") else {
            return Ok(None);
        };
        let sharding: Sharding = Json::Object(configuration.clone()).deserialize()?;
        let index = IndexCodec::new(&sharding, shape, &context.registry, &context.limits)?;
        let [bytes, checksum] = index.codecs() else { return Ok(None) };
        if (bytes.name(), checksum.name()) != ("bytes", "crc32c") {
            return Ok(None);
        }
        let unchecked = sharding.index_codecs([bytes]);
        let unchecked = IndexCodec::new(&unchecked, shape, &context.registry, &context.limits)?;
        let mut document = array.metadata().document().clone();
        document.remove("storage_transformers");
        document.remove("dimension_names");
        document.set("shape", Json::from(shape));
        let metadata = ArrayMetadata::from_object(document, &context.limits)?;
        let memory = context.clone().with_executor(Arc::new(Sequential));
        let shard = Hierarchy::new(MemoryStore::default(), memory).create_array_from("/", metadata, false)?;
        let key = shard.chunk_key(&vec![0; shape.len()])?;
        Ok(Some(Self { shard, key, index, unchecked, limits: context.limits.clone() }))
    }

    /// Returns a stored shard and its repaired form, if its index is damaged and can be rebuilt.
    pub(crate) fn look(&self, array: &Array, chunk_index: &[u64]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let look = || {
            let Some(source) = array.data_store().reader()?.open(&array.chunk_key(chunk_index)?)? else {
                return Ok(None);
            };
            if source.size()?.is_some_and(|size| size > self.limits.chunk_bytes) {
                return Ok(None);
            }
            let old = whole(&*source)?;
            Ok(self.rebuilt(&old)?.map(|new| (old, new)))
        };
        located(array, chunk_index, look())
    }

    /// Replaces a damaged shard, unless it has changed since it was read.
    pub(crate) fn replace(array: &Array, chunk_index: &[u64], old: &[u8], new: &[u8]) -> Result<()> {
        let replace = || array.data_store().writer()?.update(&array.chunk_key(chunk_index)?, &mut Replace { old, new });
        located(array, chunk_index, replace())
    }

    fn rebuilt(&self, value: &[u8]) -> Result<Option<Vec<u8>>> {
        let Ok(place) = self.index.place(value.len() as u64) else { return Ok(None) };
        let (start, end) = (place.offset as usize, (place.offset + place.len) as usize);
        let index = &value[start..end];
        let data = if start == 0 { end..value.len() } else { 0..start };
        let mut entries: Vec<Entry> = self.decoded(index)?.entries().collect();
        let same = self.encoded(&entries)?;
        if same == index {
            return Ok(None);
        }
        let place = data.start as u64..data.end as u64;
        let Some(suspects) = suspects(&entries, &place) else {
            // Exchanged entries have a completely different checksum.
            let differ = same.iter().zip(index).filter(|(a, b)| a != b).count();
            return if differ == 1 { self.if_it_reads(value, &data, &same) } else { Ok(None) };
        };
        let mut left = TRIALS;
        for i in suspects {
            let gaps = gaps(&places(&entries, Some(i)), &place).into_iter();
            let free = gaps.map(|gap| Entry { offset: gap.start, len: gap.end - gap.start });
            let stored = entries[i];
            for candidate in free.chain([Entry::ABSENT]) {
                let Some(fewer) = left.checked_sub(1) else { return Ok(None) };
                left = fewer;
                entries[i] = candidate;
                let candidate = self.encoded(&entries)?;
                if candidate[candidate.len() - 4..] == index[index.len() - 4..] {
                    return self.if_it_reads(value, &data, &candidate);
                }
            }
            entries[i] = stored;
        }
        Ok(None)
    }

    /// Returns the shard with another index, if all of it can be read then.
    fn if_it_reads(&self, value: &[u8], data: &Range<usize>, index: &[u8]) -> Result<Option<Vec<u8>>> {
        let (before, after) =
            if data.start == 0 { (&value[data.clone()], index) } else { (index, &value[data.clone()]) };
        let value = [before, after].concat();
        self.shard.data_store().writer()?.set(&self.key, &value)?;
        let rank = self.shard.shape().len();
        let reads = self.shard.chunk(&vec![0; rank]).and_then(|chunk| chunk.check()).is_ok();
        Ok(reads.then_some(value))
    }
    /// Decodes an index whose checksum may be damaged.
    fn decoded(&self, index: &[u8]) -> Result<Index> {
        self.unchecked.decode(&index[..index.len() - 4], &self.limits)
    }
    fn encoded(&self, entries: &[Entry]) -> Result<Vec<u8>> {
        self.index.encode(&Index::from_entries(self.index.counts(), entries)?, &self.limits)
    }
}

/// Returns the ranges of entries and their numbers, in the order of the shard.
fn places(entries: &[Entry], without: Option<usize>) -> Vec<(usize, Range<u64>)> {
    let known = entries.iter().enumerate().filter(|(i, e)| Some(*i) != without && **e != Entry::ABSENT);
    let mut places: Vec<_> = known.map(|(i, e)| (i, e.offset..e.offset.saturating_add(e.len))).collect();
    places.sort_by_key(|(_, r)| (r.start, r.end));
    places
}

/// Returns the ranges of a shard that belong to no entry.
fn gaps(places: &[(usize, Range<u64>)], data: &Range<u64>) -> Vec<Range<u64>> {
    let (mut gaps, mut at) = (Vec::new(), data.start);
    for place in places.iter().map(|(_, place)| place).chain([&(data.end..data.end)]) {
        if place.start > at {
            gaps.push(at..place.start.min(data.end));
        }
        at = at.max(place.end);
    }
    gaps
}

/// Returns the entries of which one may be damaged, or `None` if all cover the data without a gap or an overlap.
fn suspects(entries: &[Entry], data: &Range<u64>) -> Option<Vec<usize>> {
    let places = places(entries, None);
    // No chunk is encoded to zero bytes.
    let is_wrong = |r: &Range<u64>| r.is_empty() || r.start < data.start || r.end > data.end;
    let wrong: Vec<usize> = places.iter().filter(|(_, r)| is_wrong(r)).map(|(i, _)| *i).collect();
    match wrong[..] {
        [] => {}
        [_] => return Some(wrong),
        // Only one damaged entry can be repaired.
        _ => return Some(Vec::new()),
    }
    // A single wrong entry is part of every overlap, and so of the first.
    if let Some([a, b]) = places.array_windows().find(|[a, b]| a.1.end > b.1.start) {
        return Some(vec![a.0, b.0]);
    }
    let gaps = gaps(&places, data);
    if gaps.is_empty() {
        return None;
    }
    let touches = |r: &Range<u64>| {
        let next = gaps.partition_point(|gap| gap.start < r.end);
        let after = gaps.get(next).is_some_and(|gap| gap.start == r.end);
        after || gaps[..next].last().is_some_and(|gap| gap.end == r.start)
    };
    Some(places.iter().filter(|(_, r)| touches(r)).map(|(i, _)| *i).collect())
}

/// Adds the place to the error of a shard.
fn located<T>(array: &Array, chunk_index: &[u64], done: Result<T>) -> Result<T> {
    done.map_err(|e| match array.chunk_key(chunk_index) {
        Ok(key) => {
            e.at_key(format_args!("{}{key}", Prefix::of(array.path()))).at_chunk(chunk_index).at_node(array.path())
        }
        Err(_) => e.at_chunk(chunk_index).at_node(array.path()),
    })
}

struct Replace<'r> {
    old: &'r [u8],
    new: &'r [u8],
}
impl Update for Replace<'_> {
    fn apply(&mut self, now: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let mut is_old = false;
        if let Some(now) = now {
            now.read(&[ByteRange::All], &mut |_, bytes| {
                is_old = bytes == self.old;
                Ok(())
            })?;
        }
        let changed = || Error::data("the shard was modified concurrently").with_hint("run the repair again");
        is_old.then_some(Some(self.new)).ok_or_else(changed)
    }
}

#[cfg(test)]
mod tests;
