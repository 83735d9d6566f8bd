//! The workloads, and the jobs of each.

use crate::layout::{LAYOUTS, Layout, Random};
use common::{Region, Task};

#[derive(Debug, Clone, Copy)]
pub struct Workload {
    pub name: &'static str,
    pub what: &'static str,
    pub task: Task,
    pub layouts: &'static [&'static str],
    pub one_thread: bool,
}

const ALL: &[&str] =
    &["raw", "zstd", "blosc-lz4-shuffle", "blosc-zstd-bitshuffle", "gzip", "shard-zstd", "shard-raw", "shard-tiny"];
const SHARDS: &[&str] = &["shard-zstd", "shard-raw", "shard-tiny"];

pub const WORKLOADS: [Workload; 9] = [
    Workload {
        name: "read-all",
        what: "the whole array into fresh memory",
        task: Task::Read,
        layouts: ALL,
        one_thread: false,
    },
    Workload {
        name: "read-into",
        what: "the whole array into the caller's memory; peers without that into fresh memory",
        task: Task::ReadInto,
        layouts: ALL,
        one_thread: false,
    },
    Workload {
        name: "read-chunk",
        what: "chunk by chunk, one thread",
        task: Task::Read,
        layouts: &["raw", "zstd", "blosc-lz4-shuffle", "blosc-zstd-bitshuffle", "gzip"],
        one_thread: true,
    },
    Workload { name: "read-inner", what: "256 inner chunks", task: Task::Read, layouts: SHARDS, one_thread: false },
    Workload {
        name: "read-plane",
        what: "one plane across every axis",
        task: Task::Read,
        layouts: &["raw", "zstd", "shard-raw"],
        one_thread: false,
    },
    Workload {
        name: "write-all",
        what: "the whole array to a new store",
        task: Task::Write,
        layouts: ALL,
        one_thread: false,
    },
    Workload {
        name: "update",
        what: "one 32^3 region in existing shards, 64 times",
        task: Task::Update,
        layouts: &["shard-zstd", "shard-raw"],
        one_thread: false,
    },
    Workload {
        name: "round-trip",
        what: "read all, write with the codecs of the next layout",
        task: Task::Copy,
        layouts: &["raw", "zstd", "gzip", "shard-zstd"],
        one_thread: false,
    },
    Workload {
        name: "open",
        what: "a hierarchy of small arrays: list, open each, read attributes",
        task: Task::Open,
        layouts: &["hierarchy"],
        one_thread: false,
    },
];

impl Workload {
    /// Returns the parts of an array that are read or written.
    pub fn regions(&self, layout: &Layout, shape: [u64; 3]) -> Vec<Region> {
        let whole = Region { start: [0; 3], shape };
        let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
        match self.name {
            "read-chunk" => {
                let n = layout.outer();
                let mut all = Vec::new();
                for z in 0..shape[0] / n {
                    for y in 0..shape[1] / n {
                        all.extend((0..shape[2] / n).map(|x| Region { start: [z * n, y * n, x * n], shape: [n; 3] }));
                    }
                }
                all
            }
            "read-inner" => (0..256).map(|_| aligned(&mut random, shape, layout.chunk)).collect(),
            "update" => (0..64).map(|_| aligned(&mut random, shape, 32.min(shape[2]))).collect(),
            "read-plane" => (0..3)
                .map(|d| {
                    let mut plane = whole;
                    (plane.start[d], plane.shape[d]) = (shape[d] / 3, 1);
                    plane
                })
                .collect(),
            _ => vec![whole],
        }
    }
    /// Returns the layout of the copy in a round trip.
    pub fn target(&self, layout: &Layout) -> Layout {
        let i = LAYOUTS.iter().position(|l| l.name == layout.name).unwrap_or(0);
        LAYOUTS[(i + 1) % LAYOUTS.len()]
    }
}

fn aligned(random: &mut Random, shape: [u64; 3], side: u64) -> Region {
    Region { start: shape.map(|n| random.below(n / side) * side), shape: [side; 3] }
}
