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

/// Returns the part of a range that is inside a value.
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

/// Reads the value that the key currently has.
struct Living<'s>(&'s MemoryStore, Key);
impl Source for Living<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let value = self.0.get(&self.1)?.ok_or_else(|| Error::argument("gone"))?;
        (&value[..]).read(ranges, each)
    }
}

faulty_stores! {
    /// Reads a directory as an empty value.
    Directories {
        fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
            let below = self.m().list_prefix(&Prefix::new(format!("{key}/"))?)?;
            Ok(self.m().get(key)?.or((!below.is_empty()).then(Vec::new)))
        }
    }
    /// Opens a missing value.
    OpensAll {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            Ok(Some(self.m().open(key)?.unwrap_or_else(|| Box::new(&b""[..]))))
        }
    }
    /// Behaves like a server that answers a single empty range with "not satisfiable".
    EmptyRange {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| match ranges {
                [one] if one.within(v.len() as u64)?.1 == 0 => Err(Error::argument("416")),
                _ => v.read(ranges, each),
            })
        }
    }
    /// Returns the whole value for a suffix that is longer.
    ShortSuffix {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| ranges.iter().enumerate().try_for_each(|(i, r)| match r {
                ByteRange::Suffix(_) => each(i, clamped(*r, v)),
                _ => each(i, r.of(v)?),
            }))
        }
    }
    /// Adds start and length of a range without checking for overflow.
    Overflows {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| ranges.iter().enumerate().try_for_each(|(i, r)| match *r {
                ByteRange::Slice { start, len } => each(i, &v[start as usize..(start + len) as usize]),
                r => each(i, r.of(v)?),
            }))
        }
    }
    /// Extends a value that is too short with zeros.
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
    /// Numbers ranges in the order of their position.
    Sorts {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| {
                let mut sorted = ranges.to_vec();
                sorted.sort_by_key(|r| r.within(v.len() as u64).ok());
                v.read(&sorted, each)
            })
        }
    }
    /// Reads and returns equal ranges only once.
    ReadsOnce {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read = |v, ranges, each| {
                let new = |(i, r): &(usize, &ByteRange)| !ranges[..*i].contains(r);
                ranges.iter().enumerate().filter(new).try_for_each(|(i, r)| each(i, r.of(v)?))
            })
        }
    }
    /// Continues after the callback returned an error.
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
    /// Reads the first bytes of the value into memory, whatever the range is.
    FromStart {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.read_into = |v, range, out| {
                range.within(v.len() as u64)?;
                out.copy_from_slice(&v[..out.len()]);
                Ok(())
            })
        }
    }
    /// Returns the size on disk.
    Blocks {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            faulty_source(self.m(), key, |s| s.size = |v| v.len().next_multiple_of(4096) as u64)
        }
    }
    /// Opens a key, not a version of its value.
    Follows {
        fn open<'s>(&'s self, key: &Key) -> Open<'s> {
            let found = self.m().get(key)?;
            Ok(found.map(|_| Box::new(Living(self.m(), key.clone())) as _))
        }
    }
    /// Returns parts in the order of their keys.
    PartsByKey {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            let mut sorted = ranges.to_vec();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            self.m().get_partial_values(&sorted)
        }
    }
    /// Returns nothing after a missing key.
    GivesUp {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            let mut found = self.m().get_partial_values(ranges)?;
            let missing = found.iter().position(Option::is_none).unwrap_or(found.len());
            found[missing..].fill(None);
            Ok(found)
        }
    }
    /// Shortens parts to the value.
    CutsParts {
        fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
            ranges.iter().map(|(k, r)| Ok(self.m().get(k)?.map(|v| clamped(*r, &v).to_vec()))).collect()
        }
    }
    /// Returns half of a large value to a reader that opens it while it is written.
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
