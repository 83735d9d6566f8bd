//! Reads at an offset without moving the position of a file, which threads share.

#[cfg(not(unix))]
pub(crate) use portable::ReadAt;
#[cfg(unix)]
pub(crate) use positioned::ReadAt;

/// The operating system reads at an offset.
#[cfg(unix)]
mod positioned {
    use std::{fs::File, io, os::unix::fs::FileExt};

    pub(crate) struct ReadAt(File);

    impl ReadAt {
        pub(crate) fn new(file: File) -> Self {
            Self(file)
        }
        /// Fills `out` with the bytes at `offset`.
        pub(crate) fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
            self.0.read_exact_at(out, offset)
        }
    }
}

/// A lock lets one reader at a time move the position.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{
        fs::File,
        io::{self, Read, Seek, SeekFrom},
        sync::{Mutex, PoisonError},
    };

    pub(crate) struct ReadAt(Mutex<File>);

    impl ReadAt {
        pub(crate) fn new(file: File) -> Self {
            Self(Mutex::new(file))
        }
        /// Fills `out` with the bytes at `offset`.
        pub(crate) fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadAt, portable};
    use std::fs::File;

    #[test]
    fn both_implementations_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, (0..100u8).collect::<Vec<_>>()).unwrap();
        let (fast, slow) = (ReadAt::new(File::open(&path).unwrap()), portable::ReadAt::new(File::open(&path).unwrap()));
        for (offset, n) in [(7u8, 3), (0, 100), (100, 0), (99, 1)] {
            let (mut a, mut b) = (vec![0; n], vec![1; n]);
            fast.read_exact_at(&mut a, offset.into()).unwrap();
            slow.read_exact_at(&mut b, offset.into()).unwrap();
            assert_eq!(a, b);
            assert!(a.into_iter().eq((offset..).take(n)));
        }
        assert!(fast.read_exact_at(&mut [0; 2], 99).is_err());
        assert!(slow.read_exact_at(&mut [0; 2], 99).is_err());
    }
}
