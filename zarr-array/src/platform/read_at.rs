//! Reading at an offset without moving a file's position, which threads share.

use std::{fs::File, io};

/// Fills `out` from the bytes at `offset`.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}
#[cfg(not(unix))]
pub(crate) use portable as read_exact_at;

/// The same through a handle of its own position.
#[cfg(any(not(unix), test))]
pub(crate) fn portable(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    use std::{
        io::{Read, Seek, SeekFrom},
        sync::Mutex,
    };
    // Clones of a handle share its position.
    static POSITION: Mutex<()> = Mutex::new(());
    let _alone = POSITION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_ways_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, (0..100u8).collect::<Vec<_>>()).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        for (offset, n) in [(0, 100), (7, 3), (100, 0), (99, 1)] {
            let (mut a, mut b) = (vec![0; n], vec![1; n]);
            super::read_exact_at(&file, &mut a, offset).unwrap();
            super::portable(&file, &mut b, offset).unwrap();
            assert_eq!(a, b);
            assert!(a.iter().enumerate().all(|(i, v)| *v as u64 == offset + i as u64));
        }
        assert!(super::read_exact_at(&file, &mut [0; 2], 99).is_err());
        assert!(super::portable(&file, &mut [0; 2], 99).is_err());
    }
}
