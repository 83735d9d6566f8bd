//! Codecs on a test bench.

mod properties;

use super::Bench;
use crate::{
    call::OutputBuffer,
    codec::{ArrayToArray, ArrayToBytes, BytesToBytes, Encoded},
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
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

const BEFORE: &[u8] = b"before";

/// A source that has no bytes in memory before they are read.
struct Stored<'a>(&'a [u8]);

impl Source for Stored<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        self.0.read(ranges, each)
    }
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
            _ => return Err(ErrorKind::Contract("a codec has a constructor of another kind").into()),
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
            CodecKind::BytesToBytes(_) => Err(ErrorKind::Contract("a bytes -> bytes codec has no array").into()),
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
            CodecKind::BytesToBytes(_) => Err(ErrorKind::Contract("a bytes -> bytes codec has no array").into()),
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
