//! Stores that read wrongly.

use crate::faulty::{FaultyStore, Open, faulty_source, faulty_stores, pause};
use ozarr::{
    Error, Result,
    store::MemoryStore,
    zarr_core::{
        source::{ByteRange, RangeCallback, Source},
        store::{Key, ListableStore, Prefix, ReadableStore},
    },
};

/// The part of a range that is inside a value.
fn clamped(range: ByteRange, value: &[u8]) -> &[u8] {
    let len = value.len() as u64;
    let (start, end) = match range {
        ByteRange::From(start) => (start.min(len), len),
        ByteRange::Suffix(n) => (len - n.min(len), len),
        ByteRange::Slice { start, len: n } => (start.min(len), start.saturating_add(n).min(len)),
        _ => (0, len),
    };
    &value[start as usize..end as usize]
}

/// Reads whatever the key has now.
struct Living<'s>(&'s MemoryStore, Key);
impl Source for Living<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let value = self.0.get(&self.1)?.ok_or_else(|| Error::argument("gone"))?;
        (&value[..]).read(ranges, each)
    }
}

faulty_stores! {
    /// A directory is an empty value.
    Directories {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            let below = self.m().list_prefix(&Prefix::new(format!("{key}/"))?)?;
            Ok(self.m().get(key)?.or((!below.is_empty()).then(Vec::new)))
        }
    }
    /// What is missing can be opened.
    OpensAll {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            Ok(Some(self.m().open(key)?.unwrap_or_else(|| Box::new(&b""[..]))))
        }
    }
    /// A server that answers a single empty range with "not satisfiable".
    EmptyRange {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| match ranges {
                [one] if one.within(v.len() as u64)?.1 == 0 => Err(Error::argument("416")),
                _ => v.read(ranges, each),
            })
        }
    }
    /// A suffix longer than the value is the value.
    ShortSuffix {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| ranges.iter().enumerate().try_for_each(|(i, r)| match r {
                ByteRange::Suffix(_) => each(i, clamped(*r, v)),
                _ => each(i, r.of(v)?),
            }))
        }
    }
    /// Where a range ends is not looked at before it is added up.
    Overflows {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| ranges.iter().enumerate().try_for_each(|(i, r)| match *r {
                ByteRange::Slice { start, len } => each(i, &v[start as usize..(start + len) as usize]),
                r => each(i, r.of(v)?),
            }))
        }
    }
    /// What is too long for the value is filled up with zeros.
    Pads {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read_into = |v, range, out| {
                let found = clamped(range, v);
                out.fill(0);
                out[..found.len()].copy_from_slice(found);
                Ok(())
            })
        }
    }
    /// Ranges are numbered in the order in which they lie.
    Sorts {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| {
                let mut sorted = ranges.to_vec();
                sorted.sort_by_key(|r| r.within(v.len() as u64).ok());
                v.read(&sorted, each)
            })
        }
    }
    /// Equal ranges are read once, and given once.
    ReadsOnce {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| {
                let new = |(i, r): &(usize, &ByteRange)| !ranges[..*i].contains(r);
                ranges.iter().enumerate().filter(new).try_for_each(|(i, r)| each(i, r.of(v)?))
            })
        }
    }
    /// Goes on when told to stop.
    GoesOn {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| {
                for (i, r) in ranges.iter().enumerate() {
                    let _ignored = each(i, r.of(v)?);
                }
                Ok(())
            })
        }
    }
    /// Into memory it reads the first bytes.
    FromStart {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read_into = |v, range, out| {
                range.within(v.len() as u64)?;
                out.copy_from_slice(&v[..out.len()]);
                Ok(())
            })
        }
    }
    /// Tells the size on disk.
    Blocks {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.size = |v| v.len().next_multiple_of(4096) as u64)
        }
    }
    /// Opens a key, not a value.
    Follows {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            let found = self.m().get(key)?;
            Ok(found.map(|_| Box::new(Living(self.m(), key.clone())) as _))
        }
    }
    /// Gives parts in the order of their keys.
    PartsByKey {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            let mut sorted = ranges.to_vec();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            self.m().get_partial_values(&sorted)
        }
    }
    /// After a missing key it gives nothing.
    GivesUp {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            let mut found = self.m().get_partial_values(ranges)?;
            let missing = found.iter().position(Option::is_none).unwrap_or(found.len());
            found[missing..].fill(None);
            Ok(found)
        }
    }
    /// Parts are cut to the value.
    CutsParts {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            ranges.iter().map(|(k, r)| Ok(self.m().get(k)?.map(|v| clamped(*r, &v).to_vec()))).collect()
        }
    }
    /// A reader that comes while a large value is written sees half of it.
    Tears {
        fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
            use ozarr::zarr_core::store::WriteableStore;
            if value.len() > 1000 {
                self.m().set(key, &value[..value.len() / 2])?;
                pause();
            }
            self.m().set(key, value)
        }
    }
}
