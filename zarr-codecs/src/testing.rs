//! What the tests of single codecs share: making one from JSON, and the laws of bytes -> bytes codecs.

use std::sync::Arc;
use zarr_core::{
    Result,
    call::{Buffers, CallContext, Options, OutputBuffer, Sequential},
    codec::{ArrayToBytes, BytesToBytes},
    extension::Extension,
    json::Json,
    limits::Limits,
    registry::{Constructor, CreateContext, Intent, Notes, Registry},
    representation::{Representation, Size},
};

pub(crate) fn with_call<R>(f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    let (limits, options, buffers) = (Limits::default(), Options::default(), Buffers::default());
    f(&CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers })
}

fn create<R>(
    json: &str,
    data_type: &str,
    shape: &[u64],
    size: Size,
    intent: Intent,
    f: impl FnOnce(&Constructor, &Extension, &CreateContext<'_>) -> Result<R>,
) -> Result<R> {
    let (registry, limits, notes) = (Registry::builtin()?, Limits::default(), Notes::default());
    let data_type = registry.data_type(&Extension::short_hand(data_type), &limits)?.object;
    let fill = data_type.fill_from_json(&data_type.default_fill())?;
    let representation = Representation::new(data_type, shape, &fill);
    let extension = Extension::parse(&Json::parse(json.as_bytes(), &limits)?)?;
    let cx = CreateContext { size, ..CreateContext::new(&registry, &limits, &notes, intent).with(&representation) };
    let found = registry.codec(&extension)?.expect("a codec");
    f(found.constructor(), &extension, &cx)
}

/// A bytes -> bytes codec as stored metadata asks for it, behind a `uint32` array.
pub(crate) fn bytes_codec(json: &str, size: Size) -> Result<Arc<dyn BytesToBytes>> {
    bytes_codec_for(json, size, Intent::Open).map(|c| c.0)
}

/// The same with the configuration that it would write.
pub(crate) fn bytes_codec_for(json: &str, size: Size, intent: Intent) -> Result<(Arc<dyn BytesToBytes>, Extension)> {
    create(json, "uint32", &[4], size, intent, |constructor, extension, cx| match constructor {
        Constructor::BytesToBytes(make) => {
            let made = make(extension, cx)?;
            let written = made.extension(extension)?;
            Ok((made.object, written))
        }
        _ => panic!("not a bytes -> bytes codec"),
    })
}

/// An array -> bytes codec.
pub(crate) fn array_codec(json: &str, data_type: &str, shape: &[u64]) -> Result<Arc<dyn ArrayToBytes>> {
    create(json, data_type, shape, Size::Unknown, Intent::Open, |constructor, extension, cx| match constructor {
        Constructor::ArrayToBytes(make) => Ok(make(extension, cx)?.object),
        _ => panic!("not an array -> bytes codec"),
    })
}

pub(crate) fn encode(codec: &dyn BytesToBytes, decoded: &[u8]) -> Vec<u8> {
    let write = |out: &mut OutputBuffer<'_>| {
        out.extend(b"before")?;
        with_call(|call| codec.encode(call, decoded, out))
    };
    OutputBuffer::collect(write).expect("encodes").1.split_off(6)
}

/// Decodes into memory of a fixed size, or with `None` into memory that grows.
pub(crate) fn decode(codec: &dyn BytesToBytes, encoded: &[u8], size: Option<usize>) -> Result<Vec<u8>> {
    let mut buffer = vec![0xAA; size.unwrap_or(0)];
    if size.is_none() {
        return decode_within(codec, encoded, &mut buffer, 1 << 30).map(|()| buffer);
    }
    let mut out = OutputBuffer::fixed(&mut buffer);
    with_call(|call| codec.decode(call, encoded, &mut out))?;
    match (out.alias(), out.len()) {
        (Some(range), _) => Ok(encoded[range].to_vec()),
        (None, len) => {
            buffer.truncate(len);
            Ok(buffer)
        }
    }
}

/// Decodes into memory that grows up to a limit.
pub(crate) fn decode_within(codec: &dyn BytesToBytes, encoded: &[u8], buffer: &mut Vec<u8>, max: u64) -> Result<()> {
    let (limits, pool) = (Limits::default(), Buffers::default());
    let call = CallContext { limits: &limits, options: &Options::default(), executor: &Sequential, buffers: &pool };
    let mut scratch = call.scratch(0)?;
    let mut out = scratch.grow(max);
    codec.decode(&call, encoded, &mut out)?;
    let (alias, len) = (out.alias(), out.len());
    scratch.keep(len);
    *buffer = alias.map_or_else(|| scratch.to_vec(), |range| encoded[range].to_vec());
    Ok(())
}

/// Round trips of many sizes and contents; sizes within their bound; damage without panic, and noticed where the codec
/// has a checksum.
pub(crate) fn check_bytes_codec(json: &str, has_checksum: bool) {
    for n in [0usize, 1, 3, 127, 128, 1000, 4096, 70_001] {
        for step in [0usize, 1, 7] {
            let data: Vec<u8> = (0..n).map(|i| (i * step / 3 * i) as u8).collect();
            let exact = bytes_codec(json, Size::Exact(n as u64)).expect("a codec");
            let unknown = bytes_codec(json, Size::Unknown).expect("a codec");
            let encoded = encode(&*exact, &data);
            assert_eq!(encode(&*exact, &data), encoded, "deterministic");
            if let Some(max) = exact.encoded_size(Size::Exact(n as u64)).max() {
                assert!(encoded.len() as u64 <= max, "{} > {max}", encoded.len());
            }
            assert_eq!(decode(&*exact, &encoded, Some(n)).expect("decodes"), data);
            assert_eq!(decode(&*unknown, &encoded, None).expect("decodes"), data);
            if n > 0 {
                assert!(decode(&*exact, &encoded, Some(n - 1)).is_err(), "more than there is room for");
            }
            if n > 200 {
                continue;
            }
            for cut in 0..encoded.len() {
                let short = decode(&*exact, &encoded[..cut], Some(n));
                assert!(
                    short.is_err() || short.is_ok_and(|d| d.len() != n) || n == 0,
                    "cut at {cut} of {}",
                    encoded.len()
                );
                for bits in [1, 0x80, 0xff] {
                    let mut bad = encoded.clone();
                    bad[cut] ^= bits;
                    for size in [Some(n), None] {
                        let got = decode(if size.is_some() { &*exact } else { &*unknown }, &bad, size);
                        assert!(!has_checksum || got.is_err() || got.is_ok_and(|d| d == data), "flip at {cut}");
                    }
                }
            }
        }
    }
}
