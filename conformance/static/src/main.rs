//! Writes arrays twice, with the extensions that are linked and with those of the libraries that are given, and compares
//! every stored byte and every element that is read back. Prints how many arrays were compared.
//!
//!     static-and-dynamic LIBRARY...

use bitround as _;
use chunk_manifest as _;
use fan_out as _;
use numcodecs_lz4 as _;
use numcodecs_pcodec as _;
use numcodecs_shuffle as _;
use numcodecs_zlib as _;
use numpy_datetime as _;
use ozarr::{
    Context, Hierarchy,
    plugins::Plugin,
    store::MemoryStore,
    zarr_core::{
        json::Json,
        metadata::ArrayMetadata,
        registry::Registry,
        store::{Prefix, Store},
    },
};
use rectilinear as _;
use std::{error::Error, path::Path, sync::Arc};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const BYTES: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
const REGULAR: &str = r#"{"name":"regular","configuration":{"chunk_shape":[7,5]}}"#;
const RECTILINEAR: &str =
    r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[4,5],3],[1,2,7]]}}"#;
const SHARDS: &str = r#"{"name":"regular","configuration":{"chunk_shape":[12,10]}}"#;

/// Data type, its fill value, chunk grid, codecs.
fn cases() -> Vec<[String; 4]> {
    let time = |name: &str| format!(r#"{{"name":"{name}","configuration":{{"unit":"s","scale_factor":3}}}}"#);
    let types = [
        (r#""float64""#.to_owned(), "1.5"),
        (r#""float32""#.to_owned(), r#""NaN""#),
        (r#""int16""#.to_owned(), "-3"),
        (time("numpy.datetime64"), r#""NaT""#),
        (time("numpy.timedelta64"), "17"),
    ];
    let compressors = [
        r#"{"name":"numcodecs.lz4","configuration":{"acceleration":2}}"#,
        r#"{"name":"numcodecs.zlib","configuration":{"level":6}}"#,
        r#"{"name":"numcodecs.zlib","configuration":{"level":1}}"#,
        r#"{"name":"numcodecs.shuffle","configuration":{"elementsize":null}}"#,
    ];
    let mut cases = Vec::new();
    for (data_type, fill) in &types {
        let mut chains: Vec<String> = compressors.iter().map(|c| format!("{BYTES},{c}")).collect();
        chains.push(r#"{"name":"numcodecs.pcodec"}"#.to_owned());
        chains.push(format!(r#"{{"name":"bitround","configuration":{{"keepbits":6}}}},{BYTES}"#));
        chains.push(format!("{BYTES},{}", compressors.join(",")));
        for chain in chains {
            for grid in [REGULAR, RECTILINEAR] {
                cases.push([data_type.clone(), (*fill).to_owned(), grid.to_owned(), format!("[{chain}]")]);
            }
            let shard = format!(
                r#"[{{"name":"sharding_indexed","configuration":{{"chunk_shape":[4,5],"codecs":[{chain}],"index_codecs":[{BYTES},"crc32c"]}}}}]"#
            );
            cases.push([data_type.clone(), (*fill).to_owned(), SHARDS.to_owned(), shard]);
        }
    }
    cases
}

fn metadata([data_type, fill, grid, codecs]: &[String; 4]) -> Outcome<ArrayMetadata> {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[23,10],"data_type":{data_type},"fill_value":{fill},
        "chunk_grid":{grid},"chunk_key_encoding":{{"name":"zarr.fan-out","configuration":{{"digits":1}}}},
        "codecs":{codecs}}}"#
    );
    let Json::Object(document) = Json::parse(text.as_bytes(), &Default::default())? else {
        return Err("no object".into());
    };
    Ok(ArrayMetadata::from_object(document, &Default::default())?)
}

/// Everything that is stored, and the elements that are read back: all of them, and some.
fn run(case: &[String; 4], context: &Context) -> Outcome<Vec<(String, Vec<u8>)>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let array = Hierarchy::new(store.clone(), context.clone()).create_array_from("/", metadata(case)?, false)?;
    let size = array.representation().element_size();
    let bytes: Vec<u8> = (0..230 * size).map(|i| (i * i / 31) as u8).collect();
    array.write_bytes(.., &bytes)?;
    array.write_bytes([3..9, 4..6], &bytes[..12 * size])?;
    let mut found = Vec::new();
    for key in store.lister()?.list_prefix(&Prefix::ROOT)? {
        found.push((key.to_string(), store.reader()?.get(&key)?.unwrap_or_default()));
    }
    found.push(("all".to_owned(), array.read_bytes(..)?));
    found.push(("some".to_owned(), array.read_bytes([2..11, 3..10])?));
    Ok(found)
}

fn main() -> Outcome {
    let linked = Context::new();
    let mut registry = Registry::builtin();
    for library in std::env::args().skip(1) {
        Plugin::open(Path::new(&library))?.add_to(&mut registry)?;
    }
    let loaded = Context::with_registry(registry);
    let mut compared = 0;
    for case in cases() {
        match (run(&case, &linked), run(&case, &loaded)) {
            (Ok(a), Ok(b)) if a == b => compared += 1,
            (Ok(_), Ok(_)) => return Err(format!("{case:?} is stored or read differently").into()),
            // Some codecs do not take some data types; then both refuse, for the same reason.
            (Err(a), Err(b)) if a.to_string() == b.to_string() => {}
            (a, b) => return Err(format!("{case:?}: linked {:?}, loaded {:?}", a.err(), b.err()).into()),
        }
    }
    println!("{compared}");
    Ok(())
}
