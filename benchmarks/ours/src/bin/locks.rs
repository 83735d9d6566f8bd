//! Measures the cost of locks: a write of one inner chunk to a shard, and the system calls that only the lock needs,
//! without any other writer.
//!
//!     cargo run --release -p ours --bin locks [DIR]

use ozarr::{Hierarchy, NewArray};
use std::{
    error::Error,
    fs::{File, OpenOptions},
    path::Path,
    time::Instant,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Returns the median time of many runs in microseconds.
fn median(rounds: usize, mut f: impl FnMut(usize) -> Outcome<()>) -> Outcome<f64> {
    let mut times = Vec::with_capacity(rounds);
    for i in 0..rounds {
        let start = Instant::now();
        f(i)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[rounds / 2])
}

fn plain(path: &Path) -> Outcome<()> {
    File::open(path)?.metadata()?;
    Ok(())
}

fn locked(path: &Path) -> Outcome<()> {
    let _directory = File::open(path.parent().ok_or("a path without a directory")?)?;
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    file.metadata()?;
    file.lock()?;
    path.metadata()?;
    file.metadata()?;
    Ok(())
}

fn main() -> Outcome<()> {
    let dir = std::env::args()
        .nth(1)
        .map_or_else(std::env::temp_dir, Into::into)
        .join(format!("zarr-locks-{}", std::process::id()));
    println!("a write of one inner chunk, in µs\n");
    println!("| shard | inner chunk | write | the lock's part | of the write |");
    println!("|---|---|---|---|---|");
    for (side, inner) in [(32u64, 8u64), (64, 16), (128, 32), (256, 32)] {
        let path = dir.join(side.to_string());
        let new = NewArray::new([side; 3], "uint16").chunks([inner; 3]).shards([side; 3]);
        let hierarchy = Hierarchy::create(path.to_str().ok_or("a path that is not text")?)?;
        let array = hierarchy.create_array("/", &new)?;
        let mut noise = 1u32;
        let all: Vec<u16> = (0..side.pow(3))
            .map(|_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 22) as u16
            })
            .collect();
        array.write(.., &all)?;
        let (part, file) = (&all[..inner.pow(3) as usize], path.join("c/0/0/0"));
        let write = median(200, |i| {
            let at = i as u64 % (side / inner) * inner;
            Ok(array.write([0..inner, 0..inner, at..at + inner], part)?)
        })?;
        let lock = median(5000, |_| locked(&file))? - median(5000, |_| plain(&file))?;
        let bytes = file.metadata()?.len() >> 10;
        println!(
            "| {bytes} KiB | {} KiB | {write:.0} | {lock:.1} | {:.1} % |",
            inner.pow(3) * 2 / 1024,
            lock / write * 100.0
        );
    }
    Ok(std::fs::remove_dir_all(dir)?)
}
