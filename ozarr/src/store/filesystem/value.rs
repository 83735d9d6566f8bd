//! One version of a value: an open file, read at offsets.

use super::{errors::no_file, index_cache::IndexCache};
use crate::platform::{directory::Directory, read_at::ReadAt, version::Version};
use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io,
    path::Path,
    time::SystemTime,
};
use zarr_core::{
    Error, ErrorKind, Result,
    call::Pool,
    limits::zeroed,
    source::{ByteRange, Cached, RangeCallback, Source},
    store::Key,
};

/// Neighboring ranges are merged into one read of up to this many bytes.
const BLOCK: u64 = 256 << 10;

/// An open file. It stays the same when another file gets its name.
pub(super) struct OpenFile<'s> {
    file: ReadAt,
    size: u64,
    version: Version,
    key: Key,
    cache: &'s Cache,
}

/// Buffers and shard indexes that all values of a store share.
#[derive(Debug, Default)]
pub(super) struct Cache {
    buffers: Pool<Vec<u8>>,
    index_cache: IndexCache,
}

impl<'s> OpenFile<'s> {
    /// Returns true if the file with this name is this version.
    pub(super) fn is_at(&self, directory: &Directory, name: &OsStr) -> bool {
        let now = directory.open_file(name).and_then(|file| file.metadata());
        now.is_ok_and(|now| Version::of(&now) == self.version)
    }
    /// Opens the value at a path. Anything but a file is an error.
    pub(super) fn open(path: &Path, key: &Key, cache: &'s Cache) -> io::Result<Self> {
        let file = ReadAt::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(no_file(metadata.is_dir()));
        }
        let version = Version::of(&metadata);
        Ok(Self { file, size: metadata.len(), version, key: key.clone(), cache })
    }
    /// Wraps a file that is already open.
    pub(super) fn of(file: File, metadata: &Metadata, key: &Key, cache: &'s Cache) -> Self {
        let (file, version) = (ReadAt::of(file), Version::of(metadata));
        Self { file, size: metadata.len(), version, key: key.clone(), cache }
    }
    /// Returns the whole value.
    pub(super) fn get(&self) -> Result<Vec<u8>> {
        let len = usize::try_from(self.size).map_err(|_| self.located(ErrorKind::Memory(self.size)))?;
        let mut value = zeroed(len).map_err(|e| e.at_key(&self.key))?;
        self.read_exact(&mut value, 0)?;
        Ok(value)
    }
    fn located(&self, e: impl Into<Error>) -> Error {
        e.into().at_key(&self.key)
    }
    fn within(&self, range: ByteRange) -> Result<(u64, u64)> {
        range.within(self.size).map_err(|e| self.located(e))
    }
    fn read_exact(&self, out: &mut [u8], start: u64) -> Result<()> {
        self.file.read_exact_at(out, start).map_err(|e| self.located(e))
    }
    /// Reads ranges, given by start and length, through a buffer.
    fn read_places(&self, places: &[(u64, u64)], buffer: &mut Vec<u8>, each: RangeCallback<'_>) -> Result<()> {
        let mut i = 0;
        while i < places.len() {
            // Merges neighbors into one read.
            let (start, mut end) = (places[i].0, places[i].0 + places[i].1);
            let mut j = i + 1;
            while let Some((s, n)) = places.get(j)
                && *s >= end
                && s - end <= self.gap()
                && s + n - start <= BLOCK
            {
                end = s + n;
                j += 1;
            }
            let len = usize::try_from(end - start).map_err(|_| self.located(ErrorKind::Memory(end - start)))?;
            if buffer.capacity() < len {
                // Growing the buffer would copy its old bytes.
                *buffer = zeroed(len).map_err(|e| self.located(e))?;
            } else if buffer.len() < len {
                buffer.resize(len, 0);
            }
            self.read_exact(&mut buffer[..len], start)?;
            for (k, (s, n)) in places.iter().enumerate().take(j).skip(i) {
                let at = (s - start) as usize;
                each(k, &buffer[at..at + *n as usize])?;
            }
            i = j;
        }
        Ok(())
    }
}

impl Source for OpenFile<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let places = ranges.iter().map(|r| self.within(*r)).collect::<Result<Vec<_>>>()?;
        let mut buffer = self.cache.buffers.take().unwrap_or_default();
        let done = self.read_places(&places, &mut buffer, each);
        self.cache.buffers.give(buffer);
        done
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.size))
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        let (start, len) = self.within(range)?;
        if len != out.len() as u64 {
            return Err(self.located(Error::data(format!("expected {} bytes, found {len}", out.len()))));
        }
        self.read_exact(out, start)
    }
    fn cached(&self, key: (usize, u64), bytes: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
        if !self.version.is_settled(SystemTime::now()) {
            return make();
        }
        self.cache.index_cache.get(&self.version, key, bytes, make)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    #[cfg(unix)]
    const SETTLED: std::time::Duration = std::time::Duration::from_millis(3200);

    proptest! {
        /// Merged or not, each range gets its own bytes: larger than a block, far apart, overlapping, empty, in any
        /// order.
        #[test]
        fn nearby_ranges_are_read_at_once(
            ranges in prop::collection::vec((0u64..600_000, prop_oneof![0u64..100, 0u64..300_000], any::<bool>()), 0..12),
            sorted: bool,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let bytes: Vec<u8> = (0..600_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            std::fs::write(dir.path().join("v"), &bytes).unwrap();
            let (key, pool) = (Key::new("v").unwrap(), Cache::default());
            let value = OpenFile::open(&dir.path().join("v"), &key, &pool).unwrap();
            let mut ranges: Vec<_> = ranges
                .into_iter()
                // Half of them are close together, so that there is something to merge.
                .map(|(start, len, near)| if near { (start / 100, len.min(500)) } else { (start, len.min(600_000 - start)) })
                .map(|(start, len)| ByteRange::Slice { start, len })
                .collect();
            if sorted {
                ranges.sort();
            }
            let mut got = vec![None; ranges.len()];
            value.read(&ranges, &mut |i, b| {
                assert!(got[i].replace(b.to_vec()).is_none());
                Ok(())
            }).unwrap();
            for (range, got) in ranges.iter().zip(got) {
                prop_assert_eq!(got.as_deref(), Some(range.of(&bytes).unwrap()));
            }
            prop_assert_eq!(value.get().unwrap(), bytes);
        }
    }

    /// Bytes and size change in place and the time of change is set back. An index of the old bytes is not used for the
    /// new ones, however soon the reader comes.
    #[test]
    #[cfg(unix)]
    fn a_cached_index_belongs_to_one_version() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let (key, cache, mut makes) = (Key::new("v").unwrap(), Cache::default(), 0);
        let mut first_byte = || {
            let value = OpenFile::open(&path, &key, &cache).unwrap();
            let mut make = || {
                makes += 1;
                Ok(std::sync::Arc::new(value.get()?[0]) as Cached)
            };
            let cached = value.cached((1, 0), 1, &mut make).unwrap();
            (*cached.downcast::<u8>().unwrap(), makes)
        };
        std::fs::write(&path, "a").unwrap();
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!([first_byte(), first_byte()], [(b'a', 1), (b'a', 2)], "too young to be cached");
        std::thread::sleep(SETTLED);
        assert_eq!([first_byte(), first_byte()], [(b'a', 3), (b'a', 3)], "cached");
        std::fs::write(&path, "b").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert_eq!(first_byte(), (b'b', 4), "changed");
        std::thread::sleep(SETTLED);
        assert_eq!([first_byte(), first_byte()], [(b'b', 5), (b'b', 5)], "cached");
    }
}
