//! What codecs made of the bytes of files, kept from one read to the next: decoded indexes of shards.
//!
//! A memo belongs to one version of a file. Whoever opens the file finds out which version it is, so one that another
//! process wrote is never read with the memos of the one before.

use crate::platform::version::Version;
use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};
use zarr_core::{Result, source::Memo, store::Key};

/// So many files have memos at a time, those that were asked for last.
const FILES: usize = 16;
/// So many memos of one file are kept, the first ones: shards in shards have many indexes.
const EACH: usize = 8;

/// Memos of a store's files.
#[derive(Default)]
pub(super) struct Memos(Mutex<VecDeque<File>>);

struct File {
    key: Key,
    version: Version,
    memos: Vec<((usize, u64), Memo)>,
}

impl fmt::Debug for Memos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memos")
    }
}

impl Memos {
    fn files(&self) -> MutexGuard<'_, VecDeque<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn find(&self, key: &Key, version: &Version, of: (usize, u64)) -> Option<Memo> {
        let mut files = self.files();
        let i = files.iter().position(|f| f.key == *key && f.version == *version)?;
        let found = files[i].memos.iter().find(|(k, _)| *k == of).map(|(_, memo)| memo.clone())?;
        if let Some(file) = files.remove(i) {
            files.push_back(file);
        }
        Some(found)
    }
    /// The memo of a version of a file, made if it is not there.
    pub(super) fn get(
        &self,
        (key, version): (&Key, &Version),
        of: (usize, u64),
        make: &mut dyn FnMut() -> Result<Memo>,
    ) -> Result<Memo> {
        if let Some(found) = self.find(key, version, of) {
            return Ok(found);
        }
        // Without the lock: it reads the file. Two threads may make the same.
        let made = make()?;
        let mut files = self.files();
        files.retain(|f| f.key != *key || f.version == *version);
        let at = files.iter().position(|f| f.key == *key).unwrap_or_else(|| {
            if files.len() >= FILES {
                files.pop_front();
            }
            files.push_back(File { key: key.clone(), version: version.clone(), memos: Vec::new() });
            files.len() - 1
        });
        let memos = &mut files[at].memos;
        if memos.len() < EACH && memos.iter().all(|(k, _)| *k != of) {
            memos.push((of, made.clone()));
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, sync::Arc};

    #[test]
    fn kept_for_one_version_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let version = |bytes: &[u8]| {
            let path = dir.path().join("v");
            fs::write(&path, bytes).unwrap();
            Version::of(&fs::metadata(path).unwrap())
        };
        let (a, b) = (version(b"a"), version(b"other"));
        let memos = Memos::default();
        let mut made = 0;
        let mut get = |name: &str, version: &Version, of| {
            let before = made;
            let memo = memos.get((&Key::new(name).unwrap(), version), of, &mut || {
                made += 1;
                Ok(Arc::new(made) as Memo)
            });
            assert_eq!(*memo.unwrap().downcast::<i32>().unwrap() > before, made > before);
            made > before
        };
        assert!(get("k", &a, (1, 0)) && !get("k", &a, (1, 0)), "kept");
        assert!(get("k", &a, (1, 8)) && get("k", &a, (2, 0)), "of another maker or place");
        assert!(get("k", &b, (1, 0)) && !get("k", &b, (1, 0)), "of another version");
        assert!(get("k", &a, (1, 0)), "the version before is gone");
        for i in 0..EACH {
            get("k", &a, (i, 100));
        }
        assert!(get("k", &a, (77, 0)) && get("k", &a, (77, 0)), "no more of one file");
        for i in 1..FILES {
            assert!(get(&i.to_string(), &a, (1, 0)));
        }
        assert!(!get("k", &a, (1, 0)), "that many files");
        assert!(get("one more", &a, (1, 0)) && !get("k", &a, (1, 0)) && get("1", &a, (1, 0)), "the oldest went");
    }
}
