//! The bench detects faulty extensions, and accepts correct ones.

use super::*;
use crate::{
    call::OutputBuffer,
    codec::{ArrayToBytes, BytesToBytes},
    layout::{Layout, ScalarKind},
    registry::{Constructor, Registration},
    view::{Dims, View, ViewMut},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

/// Stores bytes and their checksum, unless it has the named fault.
#[derive(Debug)]
struct Faulty(&'static str, AtomicU8);

impl Faulty {
    fn write(&self, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        match self.0 {
            "changes what was written" => out.written().fill(0),
            "encodes in two ways" => out.extend(&[self.1.fetch_add(1, Relaxed)])?,
            "is longer than it says" => out.extend(b"x")?,
            "fails" => return Err(Error::data("it fails")),
            _ => {}
        }
        out.extend(decoded)?;
        out.extend(&sum(decoded))
    }
    fn read<'e>(&self, encoded: &'e [u8]) -> Result<&'e [u8]> {
        let skip = usize::from(matches!(self.0, "encodes in two ways" | "is longer than it says"));
        let short = || Error::data("it is too short");
        let (bytes, last) = encoded.get(skip..).and_then(<[u8]>::split_last_chunk).ok_or_else(short)?;
        if self.0 != "has no sum" && *last != sum(bytes) {
            return Err(Error::data("the sum is another"));
        }
        Ok(bytes)
    }
}

fn sum(bytes: &[u8]) -> [u8; 8] {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
        .to_le_bytes()
}

impl BytesToBytes for Faulty {
    fn encoded_size(&self, decoded: Size) -> Size {
        match self.0 {
            "encodes in two ways" => Size::Unknown,
            _ => decoded.map(|n| n.checked_add(8)),
        }
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.write(decoded, out)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        assert!(self.0 != "panics when it is cut" || encoded.len() >= 8, "it panics");
        let decoded = self.read(encoded)?;
        match self.0 {
            "loses a byte" => out.extend(&decoded[..decoded.len().saturating_sub(1)]),
            "ignores the room" => {
                out.alias_input(0..encoded.len());
                Ok(())
            }
            _ => out.extend(decoded),
        }
    }
}

impl ArrayToBytes for Faulty {
    fn encoded_size(&self) -> Size {
        Size::Exact(if self.0 == "encodes in two ways" { 21 } else { 20 })
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        match (self.0, decoded.as_slice()) {
            ("knows no strides", None) => self.write(&[0; 12], out),
            _ => self.write(decoded.contiguous(&mut Vec::new())?, out),
        }
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        let mut bytes = self.read(encoded)?.to_vec();
        if self.0 == "loses a byte" {
            bytes.iter_mut().for_each(|b| *b |= 1);
        }
        out.copy_from(&View::new(&bytes, &[3, 4], 1)?, 1)
    }
}

fn bench(fault: &'static str) -> Bench {
    let mut registry = Registry::builtin();
    let faulty = move || Arc::new(Faulty(fault, AtomicU8::new(0)));
    let constructors = [
        ("test.bytes", Constructor::BytesToBytes(Arc::new(move |_, _| Ok(Instance::new(faulty(), Box::new(())))))),
        ("test.array", Constructor::ArrayToBytes(Arc::new(move |_, _| Ok(Instance::new(faulty(), Box::new(())))))),
        ("test.grid", Constructor::ChunkGrid(Arc::new(move |_, _| Ok(Instance::new(Arc::new(Odd), Box::new(())))))),
        (
            "test.key",
            Constructor::ChunkKeyEncoding(Arc::new(move |_, _| Ok(Instance::new(Arc::new(Odd), Box::new(()))))),
        ),
        ("test.type", Constructor::DataType(Arc::new(move |_, _| Ok(Instance::new(Arc::new(Odd), Box::new(())))))),
    ];
    for (name, constructor) in constructors {
        registry.add(Registration::new(name, "a test", constructor)).unwrap();
    }
    Bench::of(registry)
}

/// Returns the message with which a check panics.
fn found(check: impl FnOnce()) -> String {
    match catch_unwind(AssertUnwindSafe(check)) {
        Ok(()) => String::new(),
        Err(panic) => panic.downcast::<String>().map_or_else(|p| p.downcast_ref::<&str>().unwrap().to_string(), |s| *s),
    }
}

#[test]
fn faults_of_codecs_are_found() {
    for (fault, of_bytes, of_arrays) in [
        ("", "", ""),
        ("changes what was written", "written before", "written before"),
        ("encodes in two ways", "has two results", "has two results"),
        ("is longer than it says", "are encoded to", "is encoded to 21 bytes"),
        ("fails", "it fails", "it fails"),
        ("loses a byte", "bytes are not restored", "elements are not restored"),
        ("ignores the room", "expected at most", ""),
        ("knows no strides", "", "encoded differently"),
    ] {
        let bytes = bench(fault).bytes_codec("test.bytes", Size::Unknown).unwrap();
        let array = bench(fault).codec("test.array", "uint8", &[3, 4]).unwrap();
        for (codec, expected) in [(bytes, of_bytes), (array, of_arrays)] {
            let found = found(|| {
                codec.assert_round_trips();
            });
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{fault}: {found}");
        }
    }
}

#[test]
fn undetected_damage_is_found() {
    let codec = |fault| bench(fault).bytes_codec("test.bytes", Size::Unknown).unwrap();
    codec("").assert_rejects_damage().assert_rejects_cuts().assert_survives_damage();
    codec("has no sum").assert_survives_damage();
    assert!(
        found(|| {
            codec("has no sum").assert_rejects_cuts();
        })
        .contains("accepts")
    );
    assert!(
        found(|| {
            codec("has no sum").assert_rejects_damage();
        })
        .contains("is not detected")
    );
    assert!(
        found(|| {
            codec("panics when it is cut").assert_survives_damage();
        })
        .contains("it panics")
    );
    let array = |fault| bench(fault).codec("test.array", "uint8", &[3, 4]).unwrap();
    array("").assert_rejects_damage();
    array("has no sum").assert_rejects_cuts();
    assert!(
        found(|| {
            array("has no sum").assert_rejects_damage();
        })
        .contains("is not detected")
    );
}

/// A grid, key encoding and data type, each with a fault.
#[derive(Debug)]
struct Odd;

impl ChunkGrid for Odd {
    fn grid_shape(&self, _: &[u64]) -> Result<Dims> {
        Ok([1, 2][..].into())
    }
    fn chunk_region(&self, _: &[u64], index: &[u64]) -> Result<Region> {
        Region::new(&[0, index[1] * 2], &[3, 2])
    }
    fn chunk_index_of(&self, _: &[u64], element: &[u64]) -> Result<Dims> {
        Ok([0, element[1].saturating_sub(1) / 2][..].into())
    }
}

impl ChunkKeyEncoding for Odd {
    fn encode(&self, index: &[u64]) -> Result<String> {
        Ok(format!("c{index:?}"))
    }
    fn decode(&self, key: &str, _: usize) -> Option<Dims> {
        key.strip_prefix('c')?
            .parse::<Json>()
            .ok()?
            .deserialize::<Vec<u64>>()
            .ok()
            .filter(|i| i.len() < 3)
            .map(Into::into)
    }
}

impl DataType for Odd {
    fn layout(&self) -> Layout {
        Layout::scalar(ScalarKind::UInt, 1)
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        Ok(vec![value.as_u64().unwrap_or(0) as u8])
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        Ok(Json::from(element[0] & 0x7f))
    }
}

#[test]
fn faults_of_other_extensions_are_found() {
    let bench = bench("");
    assert!(found(|| bench.chunk_grid("test.grid", &[3, 4]).unwrap().assert_chunks()).contains("is outside chunk"));
    assert!(found(|| bench.chunk_key_encoding("test.key", &[3, 4]).unwrap().assert_keys()).contains("c[7, 0, 1]"));
    let odd = bench.data_type("test.type").unwrap();
    assert!(found(|| odd.assert_fill_values(&[])).contains("null is accepted"));
    assert!(found(|| odd.assert_fill_values(&["200"])).contains("200 is not restored"));
    bench.chunk_grid(r#"{"name":"regular","configuration":{"chunk_shape":[2,3]}}"#, &[3, 4]).unwrap().assert_chunks();
    bench.chunk_key_encoding("default", &[3, 4]).unwrap().assert_keys();
    bench.data_type("uint8").unwrap().assert_fill_values(&["0", "255"]);
}

#[test]
fn an_extension_that_cannot_be_created_is_an_error() {
    let bench = Bench::new();
    assert!(bench.codec("no.such-codec", "uint8", &[1]).unwrap_err().to_string().contains("no.such-codec"));
    assert!(bench.codec(r#"{"name":"#, "uint8", &[1]).is_err());
    assert!(bench.codec("uint8", "uint8", &[1]).is_err());
    assert!(bench.storage_transformer("no.such", &[1]).is_err());
}
