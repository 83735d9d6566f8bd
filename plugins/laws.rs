//! What the tests of the bytes -> bytes codecs here share: making the codec from JSON, and the laws of such codecs.

use std::sync::Arc;
use zarr_plugin_api::{
    BytesToBytes, CallContext, Extension, Json, OutputBuffer, Representation, Result, CreateContext, Size,
    core::{
        call::{Buffers, Options, Sequential},
        limits::Limits,
        registry::{Constructor, Intent, Notes, Registry},
    },
};

pub(crate) fn with_call<R>(f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    let (limits, options, buffers) = (Limits::default(), Options::default(), Buffers::default());
    f(&CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers })
}

/// The codec behind a `uint32` array, and what it would write into metadata.
pub(crate) fn create(name: &str, configuration: &str, size: Size) -> Result<(Arc<dyn BytesToBytes>, Extension)> {
    let (registry, limits, notes) = (Registry::builtin()?, Limits::default(), Notes::default());
    let data_type = registry.data_type(&Extension::short_hand("uint32"), &limits)?.object;
    let representation = Representation::new(data_type, &[4], &[0; 4]);
    let cx = CreateContext { size, ..CreateContext::new(&registry, &limits, &notes, Intent::Create).with(&representation) };
    let json = format!(r#"{{"name":"{name}","configuration":{configuration}}}"#);
    let extension = Extension::parse(&Json::parse(json.as_bytes(), &limits)?)?;
    match registry.codec(&extension)?.expect("a codec").constructor() {
        Constructor::BytesToBytes(make) => {
            let made = make(&extension, &cx)?;
            let written = made.extension(&extension)?;
            Ok((made.object, written))
        }
        _ => panic!("not a bytes -> bytes codec"),
    }
}

pub(crate) fn encode(codec: &dyn BytesToBytes, decoded: &[u8]) -> Vec<u8> {
    let write = |out: &mut OutputBuffer<'_>| {
        out.extend(b"before")?;
        with_call(|call| codec.encode(call, decoded, out))
    };
    OutputBuffer::collect(write).expect("encodes").1.split_off(6)
}

/// Decodes into `n` bytes of memory.
pub(crate) fn decode(codec: &dyn BytesToBytes, encoded: &[u8], n: usize) -> Result<Vec<u8>> {
    let mut buffer = vec![0xAA; n];
    let mut out = OutputBuffer::fixed(&mut buffer);
    with_call(|call| codec.decode(call, encoded, &mut out))?;
    let (alias, len) = (out.alias(), out.len());
    buffer.truncate(len);
    Ok(alias.map_or(buffer, |range| encoded[range].to_vec()))
}

/// Decodes into memory that grows up to `max` bytes.
pub(crate) fn decode_growing(codec: &dyn BytesToBytes, encoded: &[u8], max: u64) -> Result<Vec<u8>> {
    with_call(|call| {
        let mut scratch = call.scratch(0)?;
        let mut out = scratch.grow(max);
        codec.decode(call, encoded, &mut out)?;
        let (alias, len) = (out.alias(), out.len());
        scratch.keep(len);
        Ok(alias.map_or_else(|| scratch.to_vec(), |range| encoded[range].to_vec()))
    })
}

/// Round trips of many sizes and contents within the bound of the size; damage without panic.
/// `cut_shows`: no part of encoded bytes decodes to as much as the whole. `has_sum`: no wrong bytes are given back.
pub(crate) fn check(name: &str, configuration: &str, sizes: &[usize], cut_shows: bool, has_sum: bool) {
    for &n in sizes {
        for step in [0usize, 1, 7] {
            let data: Vec<u8> = (0..n).map(|i| (i * step / 3 * i) as u8).collect();
            let (exact, _) = create(name, configuration, Size::Exact(n as u64)).expect("a codec");
            let (unknown, _) = create(name, configuration, Size::Unknown).expect("a codec");
            let encoded = encode(&*exact, &data);
            let max = exact.encoded_size(Size::Exact(n as u64)).max().expect("a bound");
            assert!(encoded.len() as u64 <= max, "{} > {max}", encoded.len());
            assert_eq!(decode(&*exact, &encoded, n).expect("decodes"), data);
            assert_eq!(decode_growing(&*unknown, &encoded, 1 << 20).expect("decodes"), data);
            if n > 200 {
                continue;
            }
            for cut in 0..encoded.len() {
                let short = decode(&*exact, &encoded[..cut], n);
                assert!(!cut_shows || short.is_err(), "cut at {cut} of {}", encoded.len());
                for bits in 1..=255 {
                    let mut bad = encoded.clone();
                    bad[cut] ^= bits;
                    for got in [decode(&*exact, &bad, n), decode_growing(&*unknown, &bad, 2 * n as u64)] {
                        assert!(got.as_ref().map_or(0, Vec::len) <= 2 * n, "flip at {cut}");
                        assert!(!has_sum || got.is_err() || got.is_ok_and(|d| d == data), "flip at {cut}");
                    }
                }
            }
        }
    }
}
