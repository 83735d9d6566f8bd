//! Does the unavoidable work and nothing else: reads each file, runs the codec's library, and puts the elements in
//! their places in the C-order array, on all cores. There is no metadata, there are no extensions, and only the
//! libraries check anything.

mod codec;
mod files;

use codec::{Codec, Contexts};
use common::{Data, Failure, Job, Meter, Region, Task, serve};
use files::{Entry, File};
use std::{
    collections::HashMap,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

const E: usize = 2;
type Cell = [u64; 3];

fn main() -> Result<(), Failure> {
    let (mut data, mut buffer) = (Data::default(), Vec::new());
    serve(|job, meter| run(job, meter, &mut data, &mut buffer))
}

struct Store<'j> {
    job: &'j Job,
    codec: Codec,
    /// The shape of files.
    outer: Cell,
    /// Files with their indexes, cached between regions.
    opened: Mutex<HashMap<Cell, Arc<Opened>>>,
}
type Opened = OnceLock<(File, Vec<Entry>)>;

/// Memory that several threads write, each its own parts.
#[derive(Clone, Copy)]
struct Output(*mut u8);
unsafe impl Send for Output {}
unsafe impl Sync for Output {}
impl Output {
    fn row(&self, at: usize, bytes: &[u8]) {
        // SAFETY: callers write rows of the output that no other thread writes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.add(at), bytes.len()) }
    }
}

fn run(job: &Job, meter: &mut Meter, data: &mut Data, buffer: &mut Vec<u8>) -> Result<(), Failure> {
    let store =
        Store { job, codec: Codec::new(&job.codecs)?, outer: job.shard.unwrap_or(job.chunk), opened: Mutex::default() };
    match job.task {
        Task::Read => {
            for r in &job.regions {
                let got = meter.time(|| {
                    let mut fresh = fresh(r.len() * E);
                    store.read(r, &mut fresh)?;
                    Ok(fresh)
                })?;
                meter.check(&got);
            }
            Ok(())
        }
        Task::ReadInto => {
            for r in &job.regions {
                buffer.resize(r.len() * E, 0);
                meter.time(|| store.read(r, buffer))?;
                meter.check(buffer);
            }
            Ok(())
        }
        Task::Write => {
            let elements = data.load(&job.data)?;
            // SAFETY: each element has two bytes.
            let bytes = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), elements.len() * E) };
            meter.time(|| store.write(bytes))
        }
        _ => Err("unsupported".into()),
    }
}

/// Allocates untouched memory on huge pages.
fn fresh(len: usize) -> Vec<u8> {
    let mut v = vec![0u8; len];
    let first = (v.as_mut_ptr() as usize).next_multiple_of(4096);
    if len > 4 << 20 {
        // SAFETY: whole pages of this vector; the call only gives advice.
        unsafe { libc::madvise(first as *mut _, (len - 4096) & !4095, libc::MADV_HUGEPAGE) };
    }
    v
}

fn overlap(a: Range<u64>, b: Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end).max(a.start.max(b.start))
}

/// Returns the cells of a grid that a region overlaps.
fn cells(start: Cell, len: Cell, shape: Cell) -> Vec<Cell> {
    let range = |d: usize| start[d] / shape[d]..(start[d] + len[d]).div_ceil(shape[d]);
    let mut all = Vec::new();
    for i in range(0) {
        for j in range(1) {
            all.extend(range(2).map(|k| [i, j, k]));
        }
    }
    all
}

/// Returns the number of cores, which the system is asked for once.
fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Runs jobs on all threads, each with its own context.
fn parallel(
    n: usize,
    one: bool,
    f: &(dyn Fn(usize, &mut Contexts) -> Result<(), Failure> + Sync),
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        codec::with_contexts(|contexts| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= n {
                    return Ok(());
                }
                f(i, contexts).map_err(|e| e.to_string())?;
            }
        })
    };
    let threads = if one { 1 } else { threads().min(n) };
    if threads == 1 {
        return Ok(work()?);
    }
    thread::scope(|s| {
        let others: Vec<_> = (1..threads).map(|_| s.spawn(work)).collect();
        work()?;
        others.into_iter().try_for_each(|t| t.join().unwrap())
    })?;
    Ok(())
}

impl Store<'_> {
    fn path(&self, cell: Cell) -> PathBuf {
        self.job.path.join(format!("c/{}/{}/{}", cell[0], cell[1], cell[2]))
    }

    fn read(&self, region: &Region, out: &mut [u8]) -> Result<(), Failure> {
        let out = Output(out.as_mut_ptr());
        let files = cells(region.start, region.shape, self.outer);
        let inner = self.job.chunk;
        let mut parts = Vec::new();
        for (f, cell) in files.iter().enumerate() {
            let range = |d| {
                overlap(
                    cell[d] * self.outer[d]..(cell[d] + 1) * self.outer[d],
                    region.start[d]..region.start[d] + region.shape[d],
                )
            };
            let ranges: [Range<u64>; 3] = std::array::from_fn(range);
            let (start, len) = (ranges.each_ref().map(|r| r.start), ranges.each_ref().map(|r| r.end - r.start));
            parts.extend(cells(start, len, inner).into_iter().map(|c| (f, c)));
        }
        let opened: Vec<Arc<Opened>> = {
            let mut kept = self.opened.lock().map_err(|_| "a thread panicked")?;
            files.iter().map(|cell| kept.entry(*cell).or_default().clone()).collect()
        };
        parallel(parts.len(), self.job.one_thread, &|i, contexts| {
            let (f, cell) = parts[i];
            let (file, index) = match opened[f].get() {
                Some(found) => found,
                None => {
                    let file = File::open(&self.path(files[f]))?;
                    let index = if self.job.shard.is_some() {
                        file.index(self.per_shard().iter().product::<u64>() as usize)?
                    } else {
                        Vec::new()
                    };
                    opened[f].get_or_init(|| (file, index))
                }
            };
            let entry = match self.job.shard {
                Some(_) => index[self.number(cell)],
                None => Entry { start: 0, len: file.size },
            };
            self.place(file, entry, cell, region, out, contexts)
        })
    }
    fn per_shard(&self) -> Cell {
        std::array::from_fn(|d| self.outer[d] / self.job.chunk[d])
    }
    /// Returns the number of an inner chunk in its shard.
    fn number(&self, cell: Cell) -> usize {
        let per = self.per_shard();
        cell.iter().zip(per).fold(0, |n, (c, p)| n * p + c % p) as usize
    }

    /// Decodes one chunk and copies its part of the region into place.
    fn place(
        &self,
        file: &File,
        entry: Entry,
        cell: Cell,
        region: &Region,
        out: Output,
        contexts: &mut Contexts,
    ) -> Result<(), Failure> {
        let shape = self.job.chunk;
        let range = |d: usize| {
            overlap(cell[d] * shape[d]..(cell[d] + 1) * shape[d], region.start[d]..region.start[d] + region.shape[d])
        };
        let [z, y, x]: [Range<u64>; 3] = std::array::from_fn(range);
        let row = (x.end - x.start) as usize * E;
        let within = |zz: u64, yy: u64| {
            ((((zz - cell[0] * shape[0]) * shape[1] + yy - cell[1] * shape[1]) * shape[2] + x.start
                - cell[2] * shape[2]) as usize)
                * E
        };
        let to = |zz: u64, yy: u64| {
            ((((zz - region.start[0]) * region.shape[1] + yy - region.start[1]) * region.shape[2] + x.start
                - region.start[2]) as usize)
                * E
        };
        let rows = z.clone().flat_map(|zz| y.clone().map(move |yy| (zz, yy)));
        if region.shape == shape
            && z.start == region.start[0]
            && y.start == region.start[1]
            && x.start == region.start[2]
        {
            // SAFETY: the chunk is the whole output, and no other thread writes to it.
            let all = unsafe { std::slice::from_raw_parts_mut(out.0, region.len() * E) };
            return match self.codec {
                Codec::Raw => file.read(entry.start, all),
                _ => contexts.decode_into(&self.codec, file, entry, all),
            };
        }
        if let Codec::Raw = self.codec {
            // Neighboring rows are read as one, in pieces that stay in the cache.
            let rows: Vec<(usize, usize)> = rows.map(|(zz, yy)| (within(zz, yy), to(zz, yy))).collect();
            let mut i = 0;
            while i < rows.len() {
                let mut j = i + 1;
                while j < rows.len()
                    && rows[j].0 - (rows[j - 1].0 + row) <= 4096
                    && rows[j].0 + row - rows[i].0 <= 256 << 10
                {
                    j += 1;
                }
                let buffer = contexts.piece(rows[j - 1].0 + row - rows[i].0);
                file.read(entry.start + rows[i].0 as u64, buffer)?;
                for (from, to) in &rows[i..j] {
                    out.row(*to, &buffer[from - rows[i].0..][..row]);
                }
                i = j;
            }
            return Ok(());
        }
        let decoded = contexts.decode(&self.codec, file, entry, shape.iter().product::<u64>() as usize * E)?;
        for (zz, yy) in rows {
            out.row(to(zz, yy), &decoded[within(zz, yy)..][..row]);
        }
        Ok(())
    }

    fn write(&self, data: &[u8]) -> Result<(), Failure> {
        let shape = self.job.shape;
        let files = cells([0; 3], shape, self.outer);
        for cell in &files {
            std::fs::create_dir_all(self.path(*cell).parent().unwrap())?;
        }
        if self.job.shard.is_none() {
            return parallel(files.len(), false, &|i, contexts| {
                let mut encoded = Vec::new();
                contexts.encode(&self.codec, data, shape, files[i], self.job.chunk, &mut encoded)?;
                Ok(std::fs::write(self.path(files[i]), &encoded)?)
            });
        }
        let write_shard = |shard: Cell, groups: usize| -> Result<(), Failure> {
            let start = std::array::from_fn(|d| shard[d] * self.outer[d]);
            let inner = cells(start, self.outer, self.job.chunk);
            let size = inner.len().div_ceil(groups);
            let made: Vec<OnceLock<(Vec<u8>, Vec<usize>)>> = (0..groups).map(|_| OnceLock::new()).collect();
            parallel(groups, groups == 1, &|g, contexts| {
                let (mut bytes, mut ends) = (Vec::new(), Vec::new());
                for cell in inner.chunks(size).nth(g).unwrap_or_default() {
                    contexts.encode(&self.codec, data, shape, *cell, self.job.chunk, &mut bytes)?;
                    ends.push(bytes.len());
                }
                made[g].set((bytes, ends)).map_err(|_| "one group twice".into())
            })?;
            files::write_shard(&self.path(shard), made.iter().filter_map(OnceLock::get))
        };
        match files.len() {
            1 => write_shard(files[0], 16),
            n => parallel(n, false, &|i, _| write_shard(files[i], 1)),
        }
    }
}
