//! Measures the overhead of calling a plugin: the same codec linked and loaded, for several chunk sizes. Its argument
//! is the library of a new project, in Rust or in C, that passes bytes through, or of the shuffle codec.
//!
//!     ozarr plugin new acme.bytes --kind bytes-to-bytes --lang rust --api ../zarr-plugin-api
//!     cargo build --release --features plugin --manifest-path acme-bytes/Cargo.toml --target-dir ../target/plugins
//!     cargo run --release -p ours --bin plugins ../target/plugins/release/libacme_bytes.so [ROUNDS [BYTES...]]

use numcodecs_shuffle as _;
use ozarr::{
    plugins::Plugin,
    zarr_core::{
        call::{CallContext, OutputBuffer},
        codec::BytesToBytes,
        registration,
        registry::{CreateContext, ExtensionType, NoConfiguration, Registry},
        representation::Size,
    },
};
use std::{error::Error, hint::black_box, path::Path, time::Instant};
use zarr_plugin_api::testing::{Bench, Codec};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The codec of a new project, linked.
#[derive(Debug)]
struct Passing;

impl ExtensionType for Passing {
    const NAME: &'static str = "linked.passing";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> ozarr::Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl BytesToBytes for Passing {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> ozarr::Result<()> {
        out.extend(decoded)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> ozarr::Result<()> {
        out.alias_input(0..encoded.len());
        Ok(())
    }
}

fn codec(registry: &Registry, name: &str, bytes: u64) -> Outcome<Codec> {
    Ok(Bench::of(registry.clone()).codec(name, "uint8", &[bytes])?)
}

/// Returns the best time of a call in nanoseconds: of encoding, which copies, and of decoding, which copies nothing.
fn time(codec: &dyn BytesToBytes, call: &CallContext<'_>, input: &[u8], rounds: usize) -> Outcome<[f64; 2]> {
    let mut memory = vec![0u8; input.len()];
    let repeats = (20_000_000 / (input.len() + 2000)).max(1);
    let mut best = [f64::INFINITY; 2];
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..repeats {
            codec.encode(call, black_box(input), &mut OutputBuffer::fixed(black_box(&mut memory)))?;
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
        let start = Instant::now();
        for _ in 0..repeats {
            codec.decode(call, black_box(input), &mut OutputBuffer::fixed(black_box(&mut memory)))?;
        }
        best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
    }
    Ok(best)
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let library = arguments.next().ok_or("give the library of a plugin")?;
    let rounds = arguments.next().map_or(Ok(200), |n| n.parse())?;
    let chosen = arguments.map(|n| n.parse()).collect::<Result<Vec<usize>, _>>()?;
    let sizes = if chosen.is_empty() { vec![0, 64, 1024, 4096, 65_536, 1 << 20] } else { chosen };
    let mut linked = Registry::builtin();
    linked.add(registration!(BytesToBytes: Passing))?;
    let mut loaded = linked.clone();
    let plugin = Plugin::open(Path::new(&library))?;
    plugin.add_to(&mut loaded)?;
    let name = &plugin.manifest().extensions[0].name;
    let point = ozarr::zarr_core::extension::ExtensionPoint::Codec;
    let linked_name = if linked.find(point, name).is_some() { name } else { Passing::NAME };
    let bench = Bench::new();
    let call = bench.call();
    println!("{:>8}  {:>26}  {:>26}", "bytes", "encode, ns", "decode, ns");
    println!("{:>8}  {:>8} {:>8} {:>8}  {:>8} {:>8} {:>8}", "", "linked", "loaded", "more", "linked", "loaded", "more");
    for bytes in sizes {
        let input = vec![7u8; bytes];
        let [a, b] = [codec(&linked, linked_name, bytes as u64)?, codec(&loaded, name, bytes as u64)?];
        let (mut first, mut second) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
        // In turns, so that other load on the machine affects both.
        for _ in 0..4 {
            let (x, y) = (
                time(a.bytes_to_bytes(), &call, &input, rounds / 4)?,
                time(b.bytes_to_bytes(), &call, &input, rounds / 4)?,
            );
            (0..2).for_each(|i| (first[i], second[i]) = (first[i].min(x[i]), second[i].min(y[i])));
        }
        println!(
            "{bytes:>8}  {:>8.1} {:>8.1} {:>8.1}  {:>8.1} {:>8.1} {:>8.1}",
            first[0],
            second[0],
            second[0] - first[0],
            first[1],
            second[1],
            second[1] - first[1]
        );
    }
    Ok(())
}
