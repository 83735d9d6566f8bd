//! A cache of decoded shard indexes.
//!
//! An index belongs to one version of a file. Opening the file tells which version it is, so a file that another
//! process has written is never read with the index of an older version.

use crate::platform::version::Version;
use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};
use zarr_core::{Result, source::Cached};

/// The maximum number of cached indexes; those that were used last stay,
const MOST: usize = 64;
/// and the maximum memory that they take together.
const MOST_BYTES: u64 = 64 << 20;

/// Cached indexes of a store's files, the most recently used one last.
#[derive(Default)]
pub(super) struct IndexCache(Mutex<VecDeque<CachedIndex>>);

struct CachedIndex {
    version: Version,
    of: (usize, u64),
    bytes: u64,
    index: Cached,
}

impl fmt::Debug for IndexCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IndexCache")
    }
}

impl IndexCache {
    fn cache(&self) -> MutexGuard<'_, VecDeque<CachedIndex>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn find(&self, version: &Version, of: (usize, u64)) -> Option<Cached> {
        let mut cache = self.cache();
        let found = take(&mut cache, version, of)?;
        let index = found.index.clone();
        cache.push_back(found);
        Some(index)
    }
    /// Returns the index of a version of a file, and computes it if it is not cached.
    pub(super) fn get(
        &self,
        version: &Version,
        of: (usize, u64),
        bytes: u64,
        make: &mut dyn FnMut() -> Result<Cached>,
    ) -> Result<Cached> {
        if let Some(found) = self.find(version, of) {
            return Ok(found);
        }
        // Without the lock, as it reads the file. Two threads may compute the same index.
        let index = make()?;
        if bytes <= MOST_BYTES {
            let mut cache = self.cache();
            take(&mut cache, version, of);
            cache.push_back(CachedIndex { version: version.clone(), of, bytes, index: index.clone() });
            let mut total: u64 = cache.iter().map(|k| k.bytes).sum();
            while cache.len() > MOST || total > MOST_BYTES {
                total -= cache.pop_front().map_or(total, |k| k.bytes);
            }
        }
        Ok(index)
    }
}

fn take(cache: &mut VecDeque<CachedIndex>, version: &Version, of: (usize, u64)) -> Option<CachedIndex> {
    // From the end: the same indexes are used again and again.
    let i = cache.iter().rposition(|k| k.of == of && k.version == *version)?;
    cache.remove(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, sync::Arc};

    #[test]
    fn a_cached_index_belongs_to_one_version_until_evicted() {
        let dir = tempfile::tempdir().unwrap();
        let version = |name: &str| {
            fs::write(dir.path().join(name), name).unwrap();
            Version::of(&fs::metadata(dir.path().join(name)).unwrap())
        };
        let (a, b) = (version("a"), version("b"));
        let index_cache = IndexCache::default();
        let mut made = 0;
        let mut get = |version: &Version, of, bytes| {
            let before = made;
            let index = index_cache.get(version, of, bytes, &mut || {
                made += 1;
                Ok(Arc::new(made) as Cached)
            });
            assert_eq!(*index.unwrap().downcast::<i32>().unwrap() > before, made > before);
            made > before
        };
        assert!(get(&a, (1, 0), 1) && !get(&a, (1, 0), 1), "kept");
        assert!(get(&a, (1, 8), 1) && get(&a, (2, 0), 1), "of another maker or place");
        assert!(get(&b, (1, 0), 1) && !get(&b, (1, 0), 1) && !get(&a, (1, 0), 1), "of another version");
        for i in 1..MOST {
            assert!(get(&b, (100, i as u64), 1));
        }
        assert!(!get(&a, (1, 0), 1) && get(&b, (1, 0), 1), "those that were asked for last");
        assert!(get(&a, (3, 0), MOST_BYTES) && !get(&a, (3, 0), MOST_BYTES), "as much as may be");
        assert!(get(&a, (1, 0), 1) && get(&a, (3, 0), MOST_BYTES), "which leaves room for nothing else");
        assert!([(); 2].iter().all(|()| get(&a, (4, 0), MOST_BYTES + 1)), "too much");
        assert!(!get(&a, (3, 0), MOST_BYTES), "which takes nothing away");
    }
}
