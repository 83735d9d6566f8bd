//! The layouts of the arrays under measurement, and their elements.

use std::{fs::File, io, io::Write, path::Path};

/// The layout of an array of three dimensions and 16-bit integers.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub name: &'static str,
    /// The side of (inner) chunks.
    pub chunk: u64,
    /// The side of shards.
    pub shard: Option<u64>,
    pub codecs: &'static str,
}

const RAW: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#;
const ZSTD: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#;
const BLOSC_LZ4: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]"#;
const BLOSC_ZSTD: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]"#;
const GZIP: &str =
    r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":5}}]"#;

pub const LAYOUTS: [Layout; 8] = [
    Layout { name: "raw", chunk: 128, shard: None, codecs: RAW },
    Layout { name: "zstd", chunk: 128, shard: None, codecs: ZSTD },
    Layout { name: "blosc-lz4-shuffle", chunk: 128, shard: None, codecs: BLOSC_LZ4 },
    Layout { name: "blosc-zstd-bitshuffle", chunk: 128, shard: None, codecs: BLOSC_ZSTD },
    Layout { name: "gzip", chunk: 128, shard: None, codecs: GZIP },
    Layout { name: "shard-zstd", chunk: 32, shard: Some(256), codecs: ZSTD },
    Layout { name: "shard-raw", chunk: 32, shard: Some(256), codecs: RAW },
    Layout { name: "shard-tiny", chunk: 16, shard: Some(512), codecs: BLOSC_LZ4 },
];

impl Layout {
    pub fn named(name: &str) -> Self {
        LAYOUTS.into_iter().find(|l| l.name == name).unwrap_or(LAYOUTS[0])
    }
    /// Returns the layout for arrays smaller than a shard.
    pub fn within(self, side: u64) -> Self {
        Self { chunk: self.chunk.min(side), shard: self.shard.map(|s| s.min(side)), ..self }
    }
    /// The side of files.
    pub fn outer(&self) -> u64 {
        self.shard.unwrap_or(self.chunk)
    }
}

/// Pseudorandom numbers that are the same in each run.
pub struct Random(pub u64);
impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n.max(1)
    }
}

/// Writes a smooth field with noise, which compresses like measured data.
pub fn write_field(path: &Path, shape: [u64; 3]) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut noise = Random(0x9E37_79B9_7F4A_7C15);
    for z in 0..shape[0] {
        for y in 0..shape[1] {
            for x in 0..shape[2] {
                let wave = ((x as f32 / 40.0).sin() + (y as f32 / 50.0).cos() + (z as f32 / 60.0).sin()) * 4000.0;
                let value = (wave + 16000.0) as u16 + noise.below(16) as u16;
                file.write_all(&value.to_le_bytes())?;
            }
        }
    }
    file.flush()
}
