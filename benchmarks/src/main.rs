//! Reads and writes of whole arrays by this project and by zarrs, interleaved in one run.
//!
//! `cargo run --release -- [SIDE] [REPEATS]`: arrays of SIDE^3 16-bit integers (512: 256 MiB). Prints the best and the
//! median of each, and ratios. Every reader's data is compared with what was written.

use std::{path::Path, sync::Arc, time::Instant};
use zarr_array::{Hierarchy, NewArray, core::json::Json};

type Failure = Box<dyn std::error::Error>;

struct Layout {
    name: &'static str,
    chunk: u64,
    shard: Option<u64>,
    codecs: &'static str,
}

const BYTES: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#;
const ZSTD: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#;
const BLOSC: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]"#;
const GZIP: &str =
    r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":5}}]"#;

const LAYOUTS: [Layout; 6] = [
    Layout { name: "raw", chunk: 128, shard: None, codecs: BYTES },
    Layout { name: "zstd", chunk: 128, shard: None, codecs: ZSTD },
    Layout { name: "blosc-lz4", chunk: 128, shard: None, codecs: BLOSC },
    Layout { name: "gzip", chunk: 128, shard: None, codecs: GZIP },
    Layout { name: "shard-zstd", chunk: 32, shard: Some(256), codecs: ZSTD },
    Layout { name: "shard-raw", chunk: 32, shard: Some(256), codecs: BYTES },
];

impl Layout {
    fn new_array(&self, side: u64) -> Result<NewArray, Failure> {
        let Json::Array(codecs) = Json::parse(self.codecs.as_bytes(), &Default::default())? else {
            return Err("codecs are a list".into());
        };
        let new = NewArray::new([side; 3], "uint16").chunk_shape([self.chunk.min(side); 3]).codecs(codecs).overwrite();
        Ok(match self.shard {
            Some(shard) => new.shard_shape([shard.min(side); 3]),
            None => new,
        })
    }
}

/// A smooth field with noise: compresses as measurements do.
fn field(side: u64) -> Vec<u16> {
    let mut noise = 0x9E37_79B9_7F4A_7C15u64;
    let mut out = Vec::with_capacity((side * side * side) as usize);
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                let wave = ((x as f32 / 40.0).sin() + (y as f32 / 50.0).cos() + (z as f32 / 60.0).sin()) * 4000.0;
                out.push((wave + 16000.0) as u16 + (noise & 15) as u16);
            }
        }
    }
    out
}

/// A store of zarrs' own; its writer is given the metadata that ours made.
fn zarrs_array(path: &Path) -> Result<zarrs::array::Array<zarrs::filesystem::FilesystemStore>, Failure> {
    let store = Arc::new(zarrs::filesystem::FilesystemStore::new(path)?);
    Ok(zarrs::array::Array::open(store, "/")?)
}

fn timed<T>(into: &mut Vec<f64>, f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let start = Instant::now();
    let out = f()?;
    into.push(start.elapsed().as_secs_f64());
    Ok(out)
}

fn summary(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

fn line(layout: &str, what: &str, ours: &mut [f64], theirs: &mut [f64]) {
    let ((best, median), (peer_best, peer_median)) = (summary(ours), summary(theirs));
    println!(
        "{layout:<12} {what:<10} {best:>9.3} {median:>9.3} {peer_best:>9.3} {peer_median:>9.3} {:>7.2}",
        peer_median / median
    );
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let (side, repeats) = (*arguments.first().unwrap_or(&512), *arguments.get(1).unwrap_or(&7));
    let dir = std::env::temp_dir().join(format!("zarr-benchmarks-{}", std::process::id()));
    let data = field(side);
    println!("{side}^3 uint16, {} MiB, {repeats} repeats; seconds", data.len() * 2 >> 20);
    println!(
        "{:<12} {:<10} {:>9} {:>9} {:>9} {:>9} {:>7}",
        "layout", "workload", "best", "median", "zarrs", "median", "ratio"
    );
    for layout in &LAYOUTS {
        let (ours, theirs) = (dir.join(layout.name), dir.join(format!("{}-zarrs", layout.name)));
        let (mut write, mut peer_write, mut read, mut peer_read, mut into) = (vec![], vec![], vec![], vec![], vec![]);
        let mut peer_into = vec![];
        let mut buffer = vec![0u16; data.len()];
        for _ in 0..repeats {
            for path in [&ours, &theirs] {
                Hierarchy::create(&path.to_string_lossy())?.create_array("/", &layout.new_array(side)?)?;
            }
            let array = Hierarchy::open(&ours.to_string_lossy())?.array("/")?;
            timed(&mut write, || Ok(array.write(.., &data)?))?;
            let peer = zarrs_array(&theirs)?;
            let subset = peer.subset_all();
            timed(&mut peer_write, || Ok(peer.store_array_subset(&subset, &data[..])?))?;
            let got = timed(&mut read, || Ok(array.read::<u16>(..)?))?;
            assert!(got == data, "we read other data");
            drop(got);
            let peer = zarrs_array(&ours)?;
            let got = timed(&mut peer_read, || Ok(peer.retrieve_array_subset::<Vec<u16>>(&subset)?))?;
            assert!(got == data, "zarrs reads other data");
            drop(got);
            timed(&mut into, || Ok(array.read_into(.., &mut buffer)?))?;
            assert!(buffer == data, "we read other data");
            let got = timed(&mut peer_into, || Ok(peer.retrieve_array_subset::<Vec<u16>>(&subset)?))?;
            assert!(got == data, "zarrs reads other data");
        }
        line(layout.name, "read-all", &mut read, &mut peer_read);
        line(layout.name, "read-into", &mut into, &mut peer_into);
        line(layout.name, "write-all", &mut write, &mut peer_write);
        std::fs::remove_dir_all(&dir)?;
    }
    Ok(())
}
