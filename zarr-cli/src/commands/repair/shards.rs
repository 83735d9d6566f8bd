//! Shards whose index is damaged and whose inner chunks are not.
//!
//! An index can be made again if there is no doubt where each inner chunk is: all entries are right and only the checksum is
//! not, or one entry is wrong and just one stretch of the shard belongs to no other. All inner chunks must then decode.

use std::{ops::Range, sync::Arc};
use zarr_array::{
    Array, Context, Error, Hierarchy, NewArray, Result,
    core::{
        call::Sequential,
        json::{Json, Object},
        metadata::ArrayMetadata,
        source::{ByteRange, Source},
        store::{Change, Key},
    },
    store::MemoryStore,
};

/// What stands for an inner chunk that is not stored.
const ABSENT: [u64; 2] = [u64::MAX; 2];

type Entry = [u64; 2];

/// Shards of an array, one at a time in memory.
pub(super) struct Shards {
    /// An array that is one shard.
    shard: Array,
    key: Key,
    /// An array that is an index, with and without its checksum.
    index: Array,
    unchecked: Array,
    at_start: bool,
    inner: Vec<u64>,
}

impl Shards {
    /// `None`: an array whose chunks are no shards, or whose indexes are encoded in another way than the recommended one.
    pub(super) fn of(array: &Array, context: &Context) -> Result<Option<Self>> {
        let mut document = array.metadata().document().clone();
        let codecs = document.get("codecs").and_then(Json::as_array).unwrap_or_default().to_vec();
        let ([codec], Some(shape)) = (&codecs[..], array.chunk_shape()) else { return Ok(None) };
        let member = |o: &Object, name: &str| o.get(name).cloned();
        let Some(codec) =
            codec.as_object().filter(|c| c.get("name").and_then(Json::as_str) == Some("sharding_indexed"))
        else {
            return Ok(None);
        };
        let configuration = codec.get("configuration").and_then(Json::as_object).cloned().unwrap_or_default();
        let Some(index_codecs) =
            member(&configuration, "index_codecs").and_then(|c| c.as_array().map(<[Json]>::to_vec))
        else {
            return Ok(None);
        };
        let name = |c: &Json| c.as_str().or_else(|| c.as_object()?.get("name")?.as_str()).map(str::to_owned);
        let names: Vec<_> = index_codecs.iter().filter_map(name).collect();
        let (Some(inner), ["bytes", "crc32c"]) =
            (array.inner_chunk_shape(), &names.iter().map(String::as_str).collect::<Vec<_>>()[..])
        else {
            return Ok(None);
        };
        // Everything in memory, and an index also where all of it is the fill value.
        let mut context = context.clone().with_executor(Arc::new(Sequential));
        context.options.store_fill = true;
        let memory = || Hierarchy::new(Arc::new(MemoryStore::default()), context.clone());
        document.remove("storage_transformers");
        document.remove("dimension_names");
        document.set("shape", Json::from(shape));
        let shard = memory().create_array_from("/", ArrayMetadata::from_object(document, &context.limits)?, false)?;
        let counts: u64 = shape.iter().zip(&inner).map(|(s, i)| s / i).product();
        let index = |codecs: &[Json]| {
            let new = NewArray::new([counts, 2], "uint64").chunk_shape([counts, 2]).codecs(codecs.iter().cloned());
            memory().create_array("/", &new)
        };
        Ok(Some(Self {
            key: shard.chunk_key(&vec![0; shape.len()])?,
            index: index(&index_codecs)?,
            unchecked: index(&index_codecs[..1])?,
            at_start: configuration.get("index_location").and_then(Json::as_str) == Some("start"),
            inner,
            shard,
        }))
    }

    /// The shard with another index, if this one is damaged and can be made again.
    pub(super) fn rebuilt(&self, value: &[u8]) -> Result<Option<Vec<u8>>> {
        let counts = self.index.shape()[0];
        let Some(data) = value.len().checked_sub(counts as usize * 16 + 4) else { return Ok(None) };
        let (index, data) = if self.at_start {
            (&value[..value.len() - data], value.len() - data..value.len())
        } else {
            (&value[data..], 0..data)
        };
        let mut entries = self.decoded(&index[..index.len() - 4])?;
        if self.encoded(&entries)? == index {
            return Ok(None);
        }
        let data = data.start as u64..data.end as u64;
        let candidate = self.with(value, &data, &entries)?;
        let mut wrong = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            let is_inside = entry[0] >= data.start && entry[0].checked_add(entry[1]).is_some_and(|end| end <= data.end);
            if *entry != ABSENT && !(is_inside && self.reads(&candidate, Some(i as u64))?) {
                wrong.push(i);
            }
        }
        // Who overlaps with another may be the one that is wrong.
        let suspects = match &wrong[..] {
            [] if gaps(&entries, None, &data) == Some(Vec::new()) => {
                return Ok(self.reads(&candidate, None)?.then_some(candidate));
            }
            [] => (0..entries.len()).filter(|i| entries[*i] != ABSENT).collect(),
            [_] => wrong,
            _ => return Ok(None),
        };
        let mut found = None;
        for i in suspects {
            let free = gaps(&entries, Some(i), &data).unwrap_or_default();
            let [gap] = &free[..] else { continue };
            let before = std::mem::replace(&mut entries[i], [gap.start, gap.end - gap.start]);
            let rebuilt = self.with(value, &data, &entries)?;
            entries[i] = before;
            if self.reads(&rebuilt, None)? && found.replace(rebuilt).is_some() {
                // Two ways are a doubt.
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// Puts another shard in place of a damaged one, unless somebody has written it meanwhile.
    pub(super) fn replace(array: &Array, cell: &[u64], old: &[u8], new: &[u8]) -> Result<()> {
        array.data_store().writer()?.update(&array.chunk_key(cell)?, &mut Replace { old, new })
    }

    fn with(&self, value: &[u8], data: &Range<u64>, entries: &[Entry]) -> Result<Vec<u8>> {
        let (data, index) = (&value[data.start as usize..data.end as usize], self.encoded(entries)?);
        Ok(if self.at_start { [&index, data].concat() } else { [data, &index].concat() })
    }
    /// True if an inner chunk of a shard, or all of it, can be read.
    fn reads(&self, value: &[u8], inner: Option<u64>) -> Result<bool> {
        self.shard.data_store().writer()?.set(&self.key, value)?;
        let region: Vec<Range<u64>> = match inner {
            None => self.shard.shape().iter().map(|n| 0..*n).collect(),
            Some(mut i) => {
                let mut region = vec![0..0; self.inner.len()];
                for d in (0..self.inner.len()).rev() {
                    let n = self.shard.shape()[d] / self.inner[d];
                    region[d] = i % n * self.inner[d]..(i % n + 1) * self.inner[d];
                    i /= n;
                }
                region
            }
        };
        Ok(crate::elements::each_as_json(&self.shard, &region.into(), &mut |_| Ok(())).is_ok())
    }
    fn decoded(&self, index: &[u8]) -> Result<Vec<Entry>> {
        self.unchecked.data_store().writer()?.set(&self.unchecked.chunk_key(&[0, 0])?, index)?;
        Ok(self.unchecked.read::<u64>(..)?.as_chunks::<2>().0.to_vec())
    }
    fn encoded(&self, entries: &[Entry]) -> Result<Vec<u8>> {
        self.index.write(.., entries.as_flattened())?;
        let encoded = self.index.read_encoded_chunk(&[0, 0])?;
        encoded.ok_or_else(|| Error::data("an index that is not stored"))
    }
}

/// The stretches of a shard that belong to no entry, leaving one entry out; `None` if entries overlap.
fn gaps(entries: &[Entry], without: Option<usize>, data: &Range<u64>) -> Option<Vec<Range<u64>>> {
    let known = entries.iter().enumerate().filter(|(i, e)| Some(*i) != without && **e != ABSENT);
    let mut places: Vec<Range<u64>> = known.map(|(_, e)| e[0]..e[0].saturating_add(e[1])).collect();
    places.sort_by_key(|r| r.start);
    let (mut gaps, mut at) = (Vec::new(), data.start);
    for place in places.into_iter().chain([data.end..data.end]) {
        if place.start < at {
            return None;
        }
        if place.start > at {
            gaps.push(at..place.start);
        }
        at = place.end;
    }
    Some(gaps)
}

struct Replace<'r> {
    old: &'r [u8],
    new: &'r [u8],
}
impl Change for Replace<'_> {
    fn change(&mut self, now: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let mut is_old = false;
        if let Some(now) = now {
            now.read(&[ByteRange::All], &mut |_, bytes| {
                is_old = bytes == self.old;
                Ok(())
            })?;
        }
        let meanwhile = || Error::data("somebody has written this shard meanwhile").with_hint("look again");
        is_old.then_some(Some(self.new)).ok_or_else(meanwhile)
    }
}
