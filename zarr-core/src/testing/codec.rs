//! Codecs on a test bench.

use super::{Bench, regions};
use crate::{
    call::OutputBuffer,
    codec::{ArrayToArray, ArrayToBytes, BytesToBytes, Encoded},
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
    layout::{Layout, ScalarKind},
    registry::{Constructor, CreateContext},
    representation::{Representation, Size},
    source::{ByteRange, RangeCallback, Source},
    view::{Region, View, ViewMut},
};
use std::sync::Arc;

/// A codec by its kind.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names of the traits say it")]
pub enum CodecKind {
    ArrayToArray(Arc<dyn ArrayToArray>),
    ArrayToBytes(Arc<dyn ArrayToBytes>),
    BytesToBytes(Arc<dyn BytesToBytes>),
}

/// A codec that was created for an array, or for bytes.
///
/// Elements are passed as bytes in C order and native byte order.
#[derive(Debug, Clone)]
pub struct Codec {
    /// The codec.
    pub kind: CodecKind,
    /// The codec in the form to write to metadata, including the values chosen for omitted members.
    pub written: Extension,
    bench: Bench,
    read: Extension,
    array: Representation,
    multiple: usize,
}

/// The sizes of samples for codecs that encode bytes, as multiples of the codec's unit.
const SIZES: [usize; 12] = [0, 1, 3, 7, 12, 13, 127, 128, 1000, 1001, 4096, 70_001];
/// In samples of at most this many bytes, every byte is damaged,
const DAMAGED: usize = 200;
/// and in encoded samples of at most this many bytes, in every possible way.
const DAMAGED_IN_EVERY_WAY: usize = 32;
const BEFORE: &[u8] = b"before";

/// A source that has no bytes in memory before they are read.
struct Stored<'a>(&'a [u8]);

impl Source for Stored<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        self.0.read(ranges, each)
    }
}

/// The required effect of damage.
#[derive(Clone, Copy, PartialEq)]
enum Damage {
    Survived,
    CutsRefused,
    Refused,
}

impl Codec {
    pub(super) fn new(bench: &Bench, read: Extension, array: &Representation, size: Size) -> Result<Self> {
        let found = bench.registry.codec(&read)?;
        let found = found.ok_or_else(|| bench.registry.unknown(ExtensionPoint::Codec, read.name()))?;
        let cx = CreateContext { name: read.name(), size, ..bench.create_context().with(array) };
        let (kind, written) = match found.constructor() {
            Constructor::ArrayToArray(make) => {
                let made = make(&read, &cx)?;
                (CodecKind::ArrayToArray(made.object.clone()), made.extension(&read)?)
            }
            Constructor::ArrayToBytes(make) => {
                let made = make(&read, &cx)?;
                (CodecKind::ArrayToBytes(made.object.clone()), made.extension(&read)?)
            }
            Constructor::BytesToBytes(make) => {
                let made = make(&read, &cx)?;
                (CodecKind::BytesToBytes(made.object.clone()), made.extension(&read)?)
            }
            _ => return Err(ErrorKind::Contract("a codec is registered with a constructor of another kind").into()),
        };
        Ok(Self { kind, written, bench: bench.clone(), read, array: array.clone(), multiple: 1 })
    }
    /// Returns the same codec for another known size of the decoded bytes.
    pub fn for_size(&self, size: Size) -> Result<Self> {
        Ok(Self { multiple: self.multiple, ..Self::new(&self.bench, self.read.clone(), &self.array, size)? })
    }
    /// Returns the same codec on another bench.
    pub fn on(&self, bench: &Bench) -> Self {
        Self { bench: bench.clone(), ..self.clone() }
    }
    /// Tests the codec only with multiples of this many bytes.
    #[must_use]
    pub fn with_multiple(mut self, bytes: usize) -> Self {
        self.multiple = bytes;
        self
    }
    /// Returns the bench on which the codec was created.
    pub fn bench(&self) -> &Bench {
        &self.bench
    }
    /// Returns the array for which the codec was created.
    pub fn array(&self) -> &Representation {
        &self.array
    }
    /// Returns the array -> array codec.
    ///
    /// # Panics
    /// If the codec is of another kind.
    #[track_caller]
    pub fn array_to_array(&self) -> &dyn ArrayToArray {
        match &self.kind {
            CodecKind::ArrayToArray(codec) => &**codec,
            other => panic!("not an array -> array codec: {other:?}"),
        }
    }
    /// Returns the array -> bytes codec.
    ///
    /// # Panics
    /// If the codec is of another kind.
    #[track_caller]
    pub fn array_to_bytes(&self) -> &dyn ArrayToBytes {
        match &self.kind {
            CodecKind::ArrayToBytes(codec) => &**codec,
            other => panic!("not an array -> bytes codec: {other:?}"),
        }
    }
    /// Returns the bytes -> bytes codec.
    ///
    /// # Panics
    /// If the codec is of another kind.
    #[track_caller]
    pub fn bytes_to_bytes(&self) -> &dyn BytesToBytes {
        match &self.kind {
            CodecKind::BytesToBytes(codec) => &**codec,
            other => panic!("not a bytes -> bytes codec: {other:?}"),
        }
    }
    fn view<'a>(&self, bytes: &'a [u8]) -> Result<View<'a>> {
        View::new(bytes, self.array.shape(), self.array.element_size())
    }
    /// Encodes bytes, or all elements of the array.
    pub fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        match &self.kind {
            CodecKind::BytesToBytes(codec) => appended(|out| codec.encode(&self.bench.call(), decoded, out)),
            _ => self.encode_view(&self.view(decoded)?),
        }
    }
    /// Encodes the elements of a view.
    pub fn encode_view(&self, decoded: &View<'_>) -> Result<Vec<u8>> {
        let call = self.bench.call();
        match &self.kind {
            CodecKind::ArrayToArray(codec) => {
                let of = codec.encoded_representation();
                let mut encoded = vec![0xAA; of.bytes_within(call.limits)?];
                let to = ViewMut::new(&mut encoded, of.shape(), of.element_size())?;
                codec.encode(&call, decoded, to.with_heap(decoded.heap()))?;
                Ok(encoded)
            }
            CodecKind::ArrayToBytes(codec) => appended(|out| codec.encode(&call, decoded, out)),
            CodecKind::BytesToBytes(_) => {
                Err(ErrorKind::Contract("a bytes -> bytes codec does not encode arrays").into())
            }
        }
    }
    /// Decodes everything; a bytes -> bytes codec decodes to memory that grows.
    pub fn decode(&self, encoded: &[u8]) -> Result<Vec<u8>> {
        if let CodecKind::BytesToBytes(_) = self.kind {
            return self.decode_within(encoded, self.bench.limits.chunk_bytes);
        }
        let mut decoded = vec![0xAA; self.array.bytes_within(&self.bench.limits)?];
        self.decode_view(encoded, ViewMut::new(&mut decoded, self.array.shape(), self.array.element_size())?)?;
        Ok(decoded)
    }
    /// Decodes an array into memory with any strides.
    pub fn decode_view(&self, encoded: &[u8], decoded: ViewMut<'_>) -> Result<()> {
        let call = self.bench.call();
        match &self.kind {
            CodecKind::ArrayToArray(codec) => {
                let of = codec.encoded_representation();
                let from = View::new(encoded, of.shape(), of.element_size())?.with_heap(decoded.heap());
                codec.decode(&call, &from, decoded)
            }
            CodecKind::ArrayToBytes(codec) => codec.decode(&call, encoded, decoded),
            CodecKind::BytesToBytes(_) => {
                Err(ErrorKind::Contract("a bytes -> bytes codec does not decode arrays").into())
            }
        }
    }
    /// Decodes bytes to memory that grows up to `max` bytes.
    #[track_caller]
    pub fn decode_within(&self, encoded: &[u8], max: u64) -> Result<Vec<u8>> {
        let call = self.bench.call();
        let mut scratch = call.scratch(0)?;
        let mut out = scratch.grow(max);
        self.bytes_to_bytes().decode(&call, encoded, &mut out)?;
        let (alias, len) = (out.alias(), out.len());
        scratch.keep(len);
        Ok(alias.map_or_else(|| scratch.to_vec(), |range| encoded[range].to_vec()))
    }
    /// Decodes bytes to memory of `len` bytes.
    #[track_caller]
    pub fn decode_exact(&self, encoded: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut memory = vec![0xAA; len];
        let mut out = OutputBuffer::fixed(&mut memory);
        self.bytes_to_bytes().decode(&self.bench.call(), encoded, &mut out)?;
        let (alias, found) = (out.alias(), out.len());
        if found > len {
            return Err(Error::data(format!("the decoded size is {found} bytes, expected at most {len}")));
        }
        memory.truncate(found);
        Ok(alias.map_or(memory, |range| encoded[range].to_vec()))
    }
    /// Decodes a part of an array, by partial decoding if the codec supports it.
    pub fn decode_region(&self, encoded: &[u8], region: &Region) -> Result<Vec<u8>> {
        if !matches!(&self.kind, CodecKind::ArrayToBytes(codec) if codec.partial_decode().is_some()) {
            return self.part(&self.decode(encoded)?, region);
        }
        let (stored, memory) = (self.decode_from(&Stored(encoded), region)?, self.decode_from(&encoded, region)?);
        assert!(stored == memory, "{region:?} decodes differently when the bytes are in memory");
        Ok(stored)
    }
    /// Decodes a part of an array from a source.
    ///
    /// # Panics
    /// If the codec does not support partial decoding.
    pub fn decode_from(&self, source: &dyn Source, region: &Region) -> Result<Vec<u8>> {
        let partial = self.array_to_bytes().partial_decode().expect("a codec with partial decoding");
        let mut decoded = vec![0xAA; self.array.with_shape(&region.len).bytes_within(&self.bench.limits)?];
        let out = ViewMut::new(&mut decoded, &region.len, self.array.element_size())?;
        partial.decode_region(&self.bench.call(), source, region, out)?;
        Ok(decoded)
    }
    /// Updates a part of an encoded array, and returns the new encoded array.
    ///
    /// # Panics
    /// If the codec does not support partial encoding.
    pub fn update(&self, old: Option<&dyn Source>, region: &Region, new: &[u8]) -> Result<(Encoded, Vec<u8>)> {
        let partial = self.array_to_bytes().partial_encode().expect("a codec with partial encoding");
        let new = View::new(new, &region.len, self.array.element_size())?;
        OutputBuffer::collect(|out| partial.update_region(&self.bench.call(), old, region, &new, out))
    }
    fn part(&self, decoded: &[u8], region: &Region) -> Result<Vec<u8>> {
        Ok(self.view(decoded)?.region(region)?.contiguous(&mut Vec::new())?.to_vec())
    }

    /// Checks that bytes, or all elements of the array, are encoded to no more than the promised size, always the same
    /// way, and that decoding restores them: from and to memory with and without gaps, whole and in parts, with and
    /// without a known size.
    #[track_caller]
    pub fn assert_round_trip(&self, decoded: &[u8]) -> &Self {
        self.check_round_trip(decoded).unwrap_or_else(|e| panic!("{self}: {e}"));
        self
    }
    /// Like [`assert_round_trip`](Self::assert_round_trip), for several contents and, for codecs that encode bytes,
    /// many sizes.
    #[track_caller]
    pub fn assert_round_trips(&self) -> &Self {
        for sample in self.samples() {
            self.assert_round_trip(&sample);
        }
        self
    }
    /// Checks a codec that cannot detect damage: if encoded bytes are truncated anywhere, or any byte is changed,
    /// decoding returns, with other bytes or an error.
    #[track_caller]
    pub fn assert_survives_damage(&self) -> &Self {
        self.assert_damage(Damage::Survived)
    }
    /// Checks a codec without a checksum: as [`assert_survives_damage`](Self::assert_survives_damage), and decoding
    /// fails if encoded bytes are truncated anywhere.
    #[track_caller]
    pub fn assert_rejects_cuts(&self) -> &Self {
        self.assert_damage(Damage::CutsRefused)
    }
    /// Checks a codec with a checksum: as [`assert_rejects_cuts`](Self::assert_rejects_cuts), and if a byte is changed,
    /// decoding fails or returns the original bytes.
    #[track_caller]
    pub fn assert_rejects_damage(&self) -> &Self {
        self.assert_damage(Damage::Refused)
    }

    fn check_round_trip(&self, data: &[u8]) -> Result<()> {
        let CodecKind::BytesToBytes(codec) = &self.kind else { return self.check_array(data) };
        let n = data.len() as u64;
        let (exact, unknown) = (self.for_size(Size::Exact(n))?, self.for_size(Size::Unknown)?);
        let encoded = exact.encode(data)?;
        assert!(exact.encode(data)? == encoded, "{self}: encoding the same data twice has two results");
        let (size, len) = (codec.encoded_size(Size::Exact(n)), encoded.len());
        assert!(size.allows(len as u64), "{self}: {n} bytes are encoded to {len} bytes, expected {size:?}");
        assert!(exact.decode_exact(&encoded, data.len())? == data, "{self}: {n} bytes are not restored");
        assert!(unknown.decode(&encoded)? == data, "{self}: {n} bytes are not restored if their size is unknown");
        if n > 0 {
            let short = exact.decode_exact(&encoded, data.len() - 1);
            assert!(short.is_err(), "{self}: {n} bytes are decoded into {}", n - 1);
        }
        Ok(())
    }
    fn check_array(&self, data: &[u8]) -> Result<()> {
        let encoded = self.encode(data)?;
        assert!(self.encode(data)? == encoded, "{self}: encoding the same data twice has two results");
        if let CodecKind::ArrayToBytes(codec) = &self.kind {
            let (size, len) = (codec.encoded_size(), encoded.len());
            assert!(size.allows(len as u64), "{self}: the array is encoded to {len} bytes, expected {size:?}");
        }
        assert!(self.decode(&encoded)? == data, "{self}: elements are not restored");
        // The same, with a gap of one element after each element.
        let (shape, size) = (self.array.shape(), self.array.element_size());
        let strides: Vec<isize> = self.view(data)?.strides().map(|s| s * 2).collect();
        let mut memory = vec![0xAA; data.len() * 2];
        self.decode_view(&encoded, ViewMut::strided(&mut memory, 0, shape, &strides, size)?)?;
        let gaps = memory.chunks(size.max(1)).skip(1).step_by(2);
        assert!(gaps.flatten().all(|b| *b == 0xAA), "{self}: decoding writes between elements");
        let apart = View::strided(&memory, 0, shape, &strides, size)?;
        assert!(apart.contiguous(&mut Vec::new())? == data, "{self}: elements are not restored to memory with gaps");
        assert!(
            self.encode_view(&apart)? == encoded,
            "{self}: elements with gaps between them are encoded differently"
        );
        for region in regions(shape) {
            let part = self.decode_region(&encoded, &region)?;
            assert!(part == self.part(data, &region)?, "{self}: {region:?} is not restored");
        }
        Ok(())
    }
    fn samples(&self) -> Vec<Vec<u8>> {
        let bits = match self.array.layout() {
            Layout::Fixed { kind: ScalarKind::Bool, .. } => 1,
            _ => 0xff,
        };
        let (sizes, bits) = match self.kind {
            CodecKind::BytesToBytes(_) => (SIZES.map(|n| n * self.multiple).to_vec(), 0xff),
            _ => (vec![self.array.bytes().expect("elements of fixed size") as usize], bits),
        };
        let sample = |n, step| (0..n).map(|i| (i * step / 3 * i) as u8 & bits).collect();
        sizes.iter().flat_map(|n| [0, 1, 7].map(|step| sample(*n, step))).collect()
    }
    #[track_caller]
    fn assert_damage(&self, expected: Damage) -> &Self {
        let array = !matches!(self.kind, CodecKind::BytesToBytes(_));
        for sample in self.samples().iter().filter(|sample| array || sample.len() <= DAMAGED) {
            self.check_damage(sample, expected).unwrap_or_else(|e| panic!("{self}: {e}"));
        }
        self
    }
    fn check_damage(&self, data: &[u8], expected: Damage) -> Result<()> {
        let n = data.len();
        let bytes = matches!(self.kind, CodecKind::BytesToBytes(_));
        let (exact, unknown) = (self.for_size(Size::Exact(n as u64))?, self.for_size(Size::Unknown)?);
        let encoded = exact.encode(data)?;
        let decode = |bad: &[u8]| {
            if bytes {
                [exact.decode_exact(bad, n), unknown.decode_within(bad, n as u64 * 2)].into()
            } else {
                vec![self.decode(bad)]
            }
        };
        for at in 0..encoded.len() {
            for cut in decode(&encoded[..at]) {
                // A few encoded bytes may be a valid encoding of no bytes: a reader that expects more detects it.
                let refused = cut.is_err() || (n > 0 || at == 0) && cut.is_ok_and(|decoded| decoded.is_empty());
                assert!(
                    refused || expected == Damage::Survived,
                    "{self}: input truncated to {at} of {} bytes is accepted",
                    encoded.len()
                );
            }
            let in_every_way = encoded.len() <= DAMAGED_IN_EVERY_WAY;
            for bits in (1..=255u8).filter(|bits| in_every_way || bits.is_power_of_two() || *bits == 255) {
                let mut bad = encoded.clone();
                bad[at] ^= bits;
                for got in decode(&bad) {
                    let right = got.is_err() || got.is_ok_and(|decoded| decoded == data);
                    assert!(
                        right || expected != Damage::Refused,
                        "{self}: damage in byte {at} ({bits:#x}) is not detected"
                    );
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.read.to_json())
    }
}

/// Returns the bytes that are appended to output that is not empty.
fn appended(encode: impl FnOnce(&mut OutputBuffer<'_>) -> Result<()>) -> Result<Vec<u8>> {
    let ((), mut all) = OutputBuffer::collect(|out| {
        out.extend(BEFORE)?;
        encode(out)?;
        match out.alias() {
            Some(_) => Err(ErrorKind::Contract("a codec aliased its input while encoding").into()),
            None => Ok(()),
        }
    })?;
    assert!(all.starts_with(BEFORE), "encoding changes output that was written before");
    Ok(all.split_off(BEFORE.len()))
}
