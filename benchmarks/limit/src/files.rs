//! Files, and the index at the end of a shard.

use common::Failure;
use std::{fs, io::Write, os::unix::fs::FileExt, path::Path};

#[derive(Clone, Copy)]
pub struct Entry {
    pub start: u64,
    pub len: u64,
}

pub struct File {
    file: fs::File,
    pub size: u64,
}

impl File {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = fs::File::open(path)?;
        Ok(Self { size: file.metadata()?.len(), file })
    }
    pub fn read(&self, at: u64, out: &mut [u8]) -> Result<(), Failure> {
        Ok(self.file.read_exact_at(out, at)?)
    }
    pub fn index(&self, n: usize) -> Result<Vec<Entry>, Failure> {
        let mut bytes = vec![0; n * 16 + 4];
        self.read(self.size - bytes.len() as u64, &mut bytes)?;
        let (index, sum) = bytes.split_at(n * 16);
        if crc32c::crc32c(index).to_le_bytes() != sum {
            return Err("a damaged index".into());
        }
        let number = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap());
        Ok(index.chunks(16).map(|e| Entry { start: number(&e[..8]), len: number(&e[8..]) }).collect())
    }
}

/// Writes inner chunks, in groups with the end of each chunk, followed by the index.
pub fn write_shard<'a>(path: &Path, groups: impl Iterator<Item = &'a (Vec<u8>, Vec<usize>)>) -> Result<(), Failure> {
    let (mut file, mut index, mut offset) = (fs::File::create(path)?, Vec::new(), 0);
    for (bytes, ends) in groups {
        file.write_all(bytes)?;
        let mut at = 0;
        for end in ends {
            index.extend_from_slice(&(offset + at as u64).to_le_bytes());
            index.extend_from_slice(&((end - at) as u64).to_le_bytes());
            at = *end;
        }
        offset += bytes.len() as u64;
    }
    let sum = crc32c::crc32c(&index);
    index.extend_from_slice(&sum.to_le_bytes());
    Ok(file.write_all(&index)?)
}
