//! Measures how much slower built-in codecs are as a plugin: the same code linked and loaded, for several chunk sizes.
//!
//!     cargo run --release -p ours --bin mirrors

use ozarr::{
    plugins::Plugin,
    zarr_core::{
        call::{CallContext, OutputBuffer},
        codec::Chain,
        extension::Extension,
        json::Json,
        registry::Registry,
        representation::Representation,
        view::{Region, View, ViewMut},
    },
};
use std::{env, hint::black_box, path::Path, process::Command, sync::Arc, time::Instant};
use zarr_plugin_api::testing::Bench;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const BYTES: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
const CODECS: [(&str, &str); 7] = [
    ("bytes", "[BYTES]"),
    ("transpose", r#"[{"name":"transpose","configuration":{"order":[1,0]}},BYTES]"#),
    (
        "sharding_indexed",
        r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[8,64],"codecs":[BYTES],"index_codecs":[BYTES,{"name":"crc32c"}]}}]"#,
    ),
    ("crc32c", r#"[BYTES,{"name":"crc32c"}]"#),
    ("gzip", r#"[BYTES,{"name":"gzip","configuration":{"level":5}}]"#),
    ("zstd", r#"[BYTES,{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#),
    (
        "blosc",
        r#"[BYTES,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]"#,
    ),
];

fn library() -> Outcome<Arc<Plugin>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (source, target) = (here.join("../../conformance/tests/plugins/mirror"), here.join("../target/mirror"));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--locked", "--quiet", "--features", "plugin", "--target-dir"]);
    if !build.arg(&target).current_dir(source).status()?.success() {
        return Err("the plugin does not build".into());
    }
    let file = format!("{}mirror{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    Ok(Plugin::open(&target.join("release").join(file))?)
}

fn chain(registry: &Registry, codecs: &str, shape: [u64; 2]) -> Outcome<Chain> {
    let bench = Bench::of(registry.clone());
    // Never the fill value, which would not be stored.
    let array = Representation::new(bench.data_type("uint16")?.object, &shape, &[255, 255]);
    let Json::Array(codecs) = codecs.replace("BYTES", BYTES).parse()? else { return Err("codecs are a list".into()) };
    let codecs = codecs.iter().map(Extension::parse).collect::<Result<Vec<_>, _>>()?;
    Ok(Chain::new(&codecs, &bench.create_context().with(&array))?)
}

/// Measures the best times of encoding and decoding in nanoseconds.
fn time(chain: &Chain, call: &CallContext<'_>, input: &[u8], best: &mut [f64; 2]) -> Outcome<()> {
    let shape = chain.decoded().shape();
    let (view, region) = (View::new(input, shape, 2)?, Region::whole(shape));
    let (_, encoded) = OutputBuffer::collect(|out| chain.encode(call, &view, out))?;
    let (mut memory, mut elements) = (vec![0u8; input.len() * 2 + 65_536], vec![0u8; input.len()]);
    let repeats = (4_000_000 / (input.len() + 2000)).max(2);
    let start = Instant::now();
    for _ in 0..repeats {
        chain.encode(call, black_box(&view), &mut OutputBuffer::fixed(black_box(&mut memory)))?;
    }
    best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
    let start = Instant::now();
    for _ in 0..repeats {
        let out = ViewMut::new(black_box(&mut elements), shape, 2)?;
        chain.decode(call, black_box(&&encoded[..]), &region, out)?;
    }
    best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
    if elements == input { Ok(()) } else { Err("other elements".into()) }
}

fn main() -> Outcome<()> {
    let linked = Registry::builtin();
    let mut loaded = linked.clone();
    library()?.add_to(&mut loaded)?;
    let bench = Bench::new();
    let call = bench.call();
    println!("{:<17} {:>8}  {:>31}  {:>31}", "codec", "bytes", "encode, ns", "decode, ns");
    let heads = ["linked", "loaded", "more"].map(|h| format!("{h:>9}")).join(" ");
    println!("{:<17} {:>8}  {heads}    {heads}", "", "");
    for (name, codecs) in CODECS {
        for bytes in [4096u64, 65_536, 1 << 20] {
            let shape = [bytes / 128, 64];
            let mirrored = codecs.replace(&format!("\"{name}\""), &format!("\"mirror.{name}\""));
            let mirrored =
                if name == "bytes" { format!("[{}]", BYTES.replace("bytes", "mirror.bytes")) } else { mirrored };
            let [a, b] = [chain(&linked, codecs, shape)?, chain(&loaded, &mirrored, shape)?];
            let input: Vec<u8> = (0..bytes / 2).flat_map(|i| ((i * i / 97 % 5000) as u16).to_ne_bytes()).collect();
            let (mut first, mut second) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
            // In turns, so that other load on the machine affects both.
            for _ in 0..30 {
                time(&a, &call, &input, &mut first)?;
                time(&b, &call, &input, &mut second)?;
            }
            let more = |i: usize| format!("{:>8.1}%", (second[i] / first[i] - 1.0) * 100.0);
            println!(
                "{name:<17} {bytes:>8}  {:>9.0} {:>9.0} {}    {:>9.0} {:>9.0} {}",
                first[0],
                second[0],
                more(0),
                first[1],
                second[1],
                more(1)
            );
        }
    }
    Ok(())
}
