//! Reads at an offset without moving a file's position, which threads share.

#[cfg(test)]
pub(crate) use portable::ReadAt as Portable;
#[cfg(not(unix))]
pub(crate) use portable::ReadAt;
#[cfg(unix)]
pub(crate) use positioned::ReadAt;

/// For systems that can read at an offset.
#[cfg(unix)]
mod positioned {
    use std::{
        fs::{File, Metadata, OpenOptions},
        io,
        os::unix::fs::{FileExt, OpenOptionsExt},
        path::Path,
    };

    /// A file that is open for reading.
    pub(crate) struct ReadAt(File);

    impl ReadAt {
        /// Opens a file. Other kinds of entries may be opened too, but do not block the caller.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            // Without the flag, opening a named pipe waits for a writer, perhaps for ever.
            OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).map(Self)
        }
        /// Wraps a file that is open for reading.
        pub(crate) fn of(file: File) -> Self {
            Self(file)
        }
        /// Returns the metadata, with kind and length.
        pub(crate) fn metadata(&self) -> io::Result<Metadata> {
            self.0.metadata()
        }
        /// Fills `out` from the bytes at `offset`.
        pub(crate) fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
            self.0.read_exact_at(out, offset)
        }
    }
}

/// For other systems: one reader at a time moves the position.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{
        fs::{File, Metadata},
        io::{self, Read, Seek, SeekFrom},
        path::Path,
        sync::{Mutex, MutexGuard, PoisonError},
    };

    /// A file that is open for reading.
    pub(crate) struct ReadAt(Mutex<File>);

    impl ReadAt {
        fn file(&self) -> MutexGuard<'_, File> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
        /// Opens a file.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            File::open(path).map(Self::of)
        }
        /// Wraps a file that is open for reading.
        pub(crate) fn of(file: File) -> Self {
            Self(Mutex::new(file))
        }
        /// Returns the metadata, with kind and length.
        pub(crate) fn metadata(&self) -> io::Result<Metadata> {
            self.file().metadata()
        }
        /// Fills `out` from the bytes at `offset`.
        pub(crate) fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
            let mut file = self.file();
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Portable, ReadAt};

    #[test]
    fn both_implementations_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, (0..100u8).collect::<Vec<_>>()).unwrap();
        let (fast, portable) = (ReadAt::open(&path).unwrap(), Portable::open(&path).unwrap());
        assert_eq!((fast.metadata().unwrap().len(), portable.metadata().unwrap().len()), (100, 100));
        for (offset, n) in [(0, 100), (7, 3), (100, 0), (99, 1)] {
            let (mut a, mut b) = (vec![0; n], vec![1; n]);
            fast.read_exact_at(&mut a, offset).unwrap();
            portable.read_exact_at(&mut b, offset).unwrap();
            assert_eq!(a, b);
            assert!(a.iter().enumerate().all(|(i, v)| *v as u64 == offset + i as u64));
        }
        assert!(fast.read_exact_at(&mut [0; 2], 99).is_err());
        assert!(portable.read_exact_at(&mut [0; 2], 99).is_err());
    }

    #[test]
    fn threads_do_not_move_each_others_position() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, (0..=255u8).collect::<Vec<_>>()).unwrap();
        let (fast, portable) = (ReadAt::open(&path).unwrap(), Portable::open(&path).unwrap());
        std::thread::scope(|s| {
            for t in 0..4u8 {
                let (fast, portable) = (&fast, &portable);
                s.spawn(move || {
                    for i in 0..60 {
                        let (at, mut a, mut b) = (t * 60 + i, [0], [0]);
                        fast.read_exact_at(&mut a, at.into()).unwrap();
                        portable.read_exact_at(&mut b, at.into()).unwrap();
                        assert_eq!((a, b), ([at], [at]));
                    }
                });
            }
        });
    }
}
