//! Every stored chunk of every golden array, truncated to each length and changed at each byte, results in an error or
//! in data, never in a panic or a large allocation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod hostile;
mod watch;

use ozarr::{
    Array, Context, Hierarchy,
    store::MemoryStore,
    zarr_core::{
        call::Sequential,
        extension::Extension,
        json::{Json, Object},
        store::{Key, WriteableStore},
        view::Region,
    },
};
use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};
use watch::largest_allocation;
use zarr_conformance::{
    cases::{Cases, Golden},
    elements::{middle, part_of, read_elements, read_region, write_region},
};

/// The memory limit of chunks in these tests, and of a single allocation: codecs have their own tables and windows.
const CHUNK_BYTES: u64 = 1 << 20;
const ALLOCATION: usize = 4 << 20;
/// A zstd frame whose decoded size is unknown in advance may request a window of 8 MiB, whatever its contents are.
const WINDOW: usize = 9 << 20;

/// Returns a hierarchy in memory that uses one thread.
fn memory(chunk_bytes: u64) -> Hierarchy {
    let mut context = Context::new().with_executor(Arc::new(Sequential));
    context.limits.chunk_bytes = chunk_bytes;
    Hierarchy::new(MemoryStore::default(), context)
}

/// A golden array in memory, with its stored chunks.
struct Loaded {
    array: Array,
    want: Vec<Vec<u8>>,
    chunks: Vec<(Key, Vec<u8>)>,
}

impl Loaded {
    fn new(golden: &Golden) -> Option<Self> {
        let hierarchy = memory(CHUNK_BYTES);
        golden.array.open(hierarchy.context()).ok()?;
        let to = hierarchy.store().writer().unwrap();
        let mut chunks = Vec::new();
        for (key, value) in golden.array.values() {
            let key = Key::new(key).unwrap();
            to.set(&key, value).unwrap();
            if key.as_str() != "zarr.json" {
                chunks.push((key, value.to_vec()));
            }
        }
        let array = hierarchy.array("/").unwrap();
        let want = read_elements(&array).unwrap();
        Some(Self { array, want, chunks })
    }
    fn writer(&self) -> &dyn WriteableStore {
        self.array.hierarchy().store().writer().unwrap()
    }
}

fn is_checksum(codec: &Extension) -> bool {
    let checksum = codec.configuration().and_then(|c| c.get("checksum"));
    matches!(codec.name(), "crc32c" | "gzip") || codec.name() == "zstd" && checksum == Some(&Json::Bool(true))
}
/// Returns whether every change of encoded bytes must be detected, or leave the data unchanged.
///
/// `in_part`: inner chunks are read one by one, without verifying a checksum codec behind the shard.
fn is_protected(codecs: &[Extension], in_part: bool) -> bool {
    let Some(last) = codecs.last() else { return false };
    let shard = codecs.iter().find(|c| c.name() == "sharding_indexed");
    if is_checksum(last) && !(shard.is_some() && in_part && last.name() == "crc32c") {
        return true;
    }
    let Some(shard) = shard.and_then(Extension::configuration) else { return false };
    ["codecs", "index_codecs"].into_iter().all(|member| is_protected(&list(shard, member), false))
}
/// Returns whether a changed shard index is always detected.
fn has_protected_indexes(codecs: &[Extension]) -> bool {
    let shards = codecs.iter().filter(|c| c.name() == "sharding_indexed").filter_map(Extension::configuration);
    let mut lists = shards.map(|shard| (list(shard, "index_codecs"), list(shard, "codecs")));
    lists.all(|(index, inner)| is_protected(&index, false) && has_protected_indexes(&inner))
}
fn list(configuration: &Object, member: &str) -> Vec<Extension> {
    let codecs = configuration.get(member).and_then(Json::as_array).unwrap_or_default();
    codecs.iter().map(|c| Extension::parse(c).unwrap()).collect()
}
/// Returns the values that result from changing the byte at `at`, and those after it.
fn changes(value: &[u8], at: usize) -> impl Iterator<Item = Vec<u8>> {
    let with = move |new: &[u8], xor: bool| {
        let mut bad = value.to_vec();
        bad[at..].iter_mut().zip(new).for_each(|(b, n)| *b = if xor { *b ^ n } else { *n });
        bad
    };
    let flips = [1, 2, 4, 8, 16, 32, 64, 128, 255].map(|bits| with(&[bits], true));
    let numbers =
        [with(&[255; 4], false), with(&[255; 8], false), with(&[255, 255, 255, 127], false), with(&[0; 8], false)];
    flips.into_iter().chain(numbers).filter(move |bad| bad != value)
}

#[derive(Default)]
struct Tally {
    cuts: usize,
    changes: usize,
    /// The number of changes that had to be detected.
    protected: usize,
    failures: Vec<String>,
}

impl Tally {
    fn cut(&mut self, id: &str, loaded: &Loaded, key: &Key, value: &[u8]) {
        let noticed = has_protected_indexes(loaded.array.metadata().codecs());
        for n in 0..value.len() {
            loaded.writer().set(key, &value[..n]).unwrap();
            self.cuts += 1;
            if read_elements(&loaded.array).is_ok() {
                self.failures.push(format!("{id}: {key} cut to {n} of {} bytes is read", value.len()));
            }
            // A part may be in the chunks that remain.
            let part = middle(loaded.array.shape());
            self.part(id, loaded, &part, &format!("{key} cut to {n}"), noticed);
        }
    }
    fn change(&mut self, id: &str, loaded: &Loaded, key: &Key, value: &[u8]) {
        let array = &loaded.array;
        let codecs = array.metadata().codecs();
        let (protected, part) = (is_protected(codecs, false), middle(array.shape()));
        for at in 0..value.len() {
            for bad in changes(value, at) {
                loaded.writer().set(key, &bad).unwrap();
                self.changes += 1;
                self.protected += usize::from(protected);
                let what = || format!("{key} changed at {at}");
                match read_elements(array) {
                    Ok(got) if protected && got != loaded.want => {
                        self.failures.push(format!("{id}: {} is read as other data", what()));
                    }
                    _ => {}
                }
                if array.inner_chunk_shape().is_some() {
                    self.part(id, loaded, &part, &what(), is_protected(codecs, true));
                    // An update decodes, and preserves the elements that it does not replace.
                    let elements: Vec<_> = part_of(&loaded.want, array.shape(), &part).into_iter().cloned().collect();
                    let _done_or_refused = write_region(array, &part, &elements);
                }
            }
        }
    }
    fn part(&mut self, id: &str, loaded: &Loaded, part: &Region, what: &str, protected: bool) {
        match read_region(&loaded.array, part) {
            Ok(got) if protected && got.iter().ne(part_of(&loaded.want, loaded.array.shape(), part)) => {
                self.failures.push(format!("{id}: {what}: a part is read as other data"));
            }
            _ => {}
        }
    }
}

/// Damages the golden arrays that no other thread has damaged.
fn damage_some(goldens: &[Golden], next: &AtomicUsize) -> Tally {
    let mut tally = Tally::default();
    while let Some(golden) = goldens.get(next.fetch_add(1, Relaxed)) {
        let ((), largest) = largest_allocation(|begin| {
            let Some(loaded) = Loaded::new(golden) else { return begin() };
            begin();
            for (key, good) in &loaded.chunks {
                tally.cut(&golden.id, &loaded, key, good);
                tally.change(&golden.id, &loaded, key, good);
                loaded.writer().set(key, good).unwrap();
            }
        });
        if largest > if golden.id.contains("zstd") { WINDOW } else { ALLOCATION } {
            tally.failures.push(format!("{}: {largest} bytes were allocated at once", golden.id));
        }
    }
    tally
}

#[test]
fn damage_anywhere_in_a_chunk_never_panics() {
    let cases = Cases::embedded();
    let (goldens, next) = (cases.goldens().unwrap(), AtomicUsize::new(0));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(|| damage_some(&goldens, &next))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let total = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let (cuts, changes, protected) = (total(|t| t.cuts), total(|t| t.changes), total(|t| t.protected));
    let mut failures: Vec<String> = tallies.into_iter().flat_map(|t| t.failures).collect();
    failures.sort();
    let count = failures.len();
    failures.truncate(40);
    assert!(failures.is_empty(), "{count} failures, of which:\n{}", failures.join("\n"));
    assert!(cuts > 50_000 && changes > 500_000 && protected > 50_000, "{cuts} {changes} {protected}");
}
