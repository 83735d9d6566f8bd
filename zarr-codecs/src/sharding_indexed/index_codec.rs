//! The encoding of shard indexes, and their position in a shard.

use super::{Entry, Index, IndexLocation, Sharding};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};
use zarr_core::{
    Error, ErrorKind, Result,
    builtin::data_type::UINT64,
    call::{Buffers, CallContext, Charge, Options, OutputBuffer, Sequential},
    codec::Chain,
    extension::Extension,
    json::{Json, Object},
    limits::{Limits, zeroed},
    registry::{CreateContext, Intent, Notes, Registry},
    representation::{Representation, Size},
    source::{ByteRange, Source, Window},
    view::{Dims, Region, View, ViewMut},
};

/// Returns the shape of the array that an index is encoded as: two numbers for each inner chunk.
fn shape(counts: &[u64]) -> Dims {
    counts.iter().copied().chain([2]).collect()
}

/// Returns a hash of everything on which the decoded index depends, apart from the bytes of the shard.
fn id(location: IndexLocation, counts: &[u64], codecs: &Chain) -> usize {
    let mut hasher = DefaultHasher::new();
    (location, counts).hash(&mut hasher);
    for codec in codecs.extensions() {
        codec.to_json().to_string().hash(&mut hasher);
    }
    hasher.finish() as usize
}

/// Returns the number of inner chunks along each dimension of a shard.
pub(super) fn counts(sharding: &Sharding, shard: &[u64]) -> Result<Dims> {
    let chunk = &sharding.chunk_shape;
    let divides = |(c, s): (&u64, &u64)| *c > 0 && s.is_multiple_of(*c);
    if chunk.len() != shard.len() || !chunk.iter().zip(shard).all(divides) {
        return Err(Error::configuration(format!(
            "`chunk_shape` {chunk:?} does not evenly divide the shard shape {shard:?}"
        )));
    }
    Ok(shard.iter().zip(chunk).map(|(s, c)| s / c).collect())
}

/// Returns the default codecs: little endian with a checksum, as the specification recommends.
fn default_codecs() -> Vec<Extension> {
    vec![Extension::new("bytes", [("endian", Json::from("little"))]), Extension::new("crc32c", Object::new())]
}

/// Reads and writes shard indexes, and locates them in a shard.
///
/// ```
/// use zarr_codecs::{Sharding, sharding_indexed::{Entry, Index, IndexCodec}};
/// use zarr_core::{limits::Limits, registry::Registry};
///
/// let (registry, limits) = (Registry::builtin(), Limits::default());
/// let codec = IndexCodec::new(&Sharding::new([32]), &[64], &registry, &limits)?;
/// let mut index = Index::new(codec.counts())?;
/// index.set(&[1], Some(Entry { offset: 0, len: 3 }))?;
///
/// // A shard of two inner chunks, the second of which has three bytes.
/// let shard = [b"abc", &codec.encode(&index, &limits)?[..]].concat();
/// let index = codec.read(&shard, &limits)?;
/// assert_eq!(index.get(&[1])?, Some(Entry { offset: 0, len: 3 }));
/// // Two entries of 16 bytes, and a checksum.
/// assert_eq!(codec.place(shard.len() as u64)?, Entry { offset: 3, len: 36 });
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug)]
pub struct IndexCodec {
    location: IndexLocation,
    counts: Dims,
    chain: Chain,
    encoded_len: u64,
    /// A hash of everything on which a decoded index depends.
    id: usize,
}

impl IndexCodec {
    /// Creates the codec for shards of a shape.
    ///
    /// If `sharding` omits the codecs of the index, they are little endian with a checksum.
    ///
    /// # Errors
    /// If the shape of the inner chunks does not divide that of the shard, a codec of the index is unknown or
    /// unsuitable, or the index exceeds the limits.
    pub fn new(sharding: &Sharding, shard_shape: &[u64], registry: &Registry, limits: &Limits) -> Result<Self> {
        let notes = Notes::default();
        Self::within(sharding, shard_shape, &CreateContext::new(registry, limits, &notes, Intent::Create))
    }
    pub(super) fn within(sharding: &Sharding, shard_shape: &[u64], cx: &CreateContext<'_>) -> Result<Self> {
        let counts = counts(sharding, shard_shape)?;
        let codecs = match &sharding.index_codecs {
            Some(codecs) => codecs.clone(),
            None if cx.intent.is_create() => default_codecs(),
            None => return Err(Error::configuration("missing member `index_codecs`")),
        };
        let array = Representation::new(Arc::new(UINT64), &shape(&counts), &u64::MAX.to_ne_bytes());
        let chain = Chain::new(&codecs, &cx.nested(&array)).map_err(|e| e.within("index_codecs"))?;
        let Size::Exact(encoded_len) = chain.encoded_size() else {
            return Err(Error::configuration("the encoded size of `index_codecs` is not fixed")
                .with_hint("remove compressors from `index_codecs`"));
        };
        cx.limits.chunk("the size of the shard index in bytes", encoded_len)?;
        let location = sharding.index_location;
        let id = id(location, &counts, &chain);
        Ok(Self { location, counts, chain, encoded_len, id })
    }
    /// Returns the number of inner chunks along each dimension of a shard.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
    /// Returns the codecs of the index, including the values chosen for omitted members.
    pub fn codecs(&self) -> &[Extension] {
        self.chain.extensions()
    }
    /// Returns where in a shard the index is.
    pub fn location(&self) -> IndexLocation {
        self.location
    }
    /// Returns the size of an encoded index in bytes.
    pub fn encoded_len(&self) -> u64 {
        self.encoded_len
    }
    /// Returns the position of the index in a shard of `shard_len` bytes.
    ///
    /// # Errors
    /// If the shard is smaller than an index.
    pub fn place(&self, shard_len: u64) -> Result<Entry> {
        let (offset, len) = self.range().within(shard_len)?;
        Ok(Entry { offset, len })
    }
    /// Reads the index of a shard.
    ///
    /// # Errors
    /// If the shard is too small, the index is damaged (for instance, if its checksum is wrong), or the index exceeds
    /// the limits.
    pub fn read(&self, shard: &[u8], limits: &Limits) -> Result<Index> {
        with_call(limits, |call| self.read_from(call, &shard))
    }
    /// Decodes an index.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn decode(&self, encoded: &[u8], limits: &Limits) -> Result<Index> {
        with_call(limits, |call| self.decode_with(call, &encoded))
    }
    /// Encodes an index.
    ///
    /// # Errors
    /// If the index has another number of inner chunks, or exceeds the limits.
    pub fn encode(&self, index: &Index, limits: &Limits) -> Result<Vec<u8>> {
        if !index.is_of(&self.counts) {
            let (found, wanted) = (index.counts(), &self.counts[..]);
            return Err(Error::argument(format!("expected an index of {wanted:?} inner chunks, found {found:?}")));
        }
        with_call(limits, |call| OutputBuffer::collect(|out| self.write(call, index, out))).map(|((), bytes)| bytes)
    }
    /// True if the entries of some inner chunks can be read without the others.
    pub(super) fn reads_parts(&self) -> bool {
        self.chain.reads_parts()
    }
    /// Returns the size of a decoded index in bytes.
    pub(super) fn decoded_len(&self, limits: &Limits) -> Result<usize> {
        self.chain.decoded().bytes_within(limits)
    }
    /// Returns the key under which a source may cache the index.
    pub(super) fn id(&self) -> usize {
        self.id
    }
    fn range(&self) -> ByteRange {
        match self.location {
            IndexLocation::Start => ByteRange::Slice { start: 0, len: self.encoded_len },
            IndexLocation::End => ByteRange::Suffix(self.encoded_len),
        }
    }
    /// Charges the memory of an index of this many inner chunks.
    pub(super) fn charge<'a>(&self, call: &CallContext<'a>, counts: &[u64]) -> Result<Charge<'a>> {
        call.charge(counts.iter().product::<u64>().saturating_mul(16))
    }
    /// Charges the bytes of a whole encoded index while they are read.
    fn charge_encoded<'a>(&self, call: &CallContext<'a>, source: &dyn Source) -> Result<Option<Charge<'a>>> {
        source.in_memory().is_none().then(|| call.charge(self.encoded_len)).transpose()
    }
    /// Reads and decodes the entries of some inner chunks, given as a region of the grid of inner chunks. Reads no
    /// others if the codecs of the index permit it.
    pub(super) fn read_entries(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        inner_chunks: &Region,
    ) -> Result<Index> {
        let shape = shape(&inner_chunks.len);
        let region = Region { start: inner_chunks.start.iter().copied().chain([0]).collect(), len: shape.clone() };
        let mut bytes = zeroed(inner_chunks.len.iter().product::<u64>() as usize * 16)?;
        let out = ViewMut::new(&mut bytes, &shape, 8)?;
        let call = &call.sequential();
        match source.size()? {
            Some(size) => {
                let place = self.place(size)?;
                let index = Window::Slice { of: source, start: place.offset, len: place.len };
                self.chain.decode(call, &index, &region, out)?;
            }
            None => {
                let mut out = out;
                let _read = self.charge_encoded(call, source)?;
                source.read(&[self.range()], &mut |_, encoded| {
                    self.chain.decode(call, &encoded, &region, out.reborrow())
                })?;
            }
        }
        Ok(Index::of(bytes, inner_chunks.start.clone(), inner_chunks.len.clone()))
    }
    /// Reads and decodes the index of a shard.
    pub(super) fn read_from(&self, call: &CallContext<'_>, source: &dyn Source) -> Result<Index> {
        let _read = self.charge_encoded(call, source)?;
        let mut index = None;
        source.read(&[self.range()], &mut |_, encoded| {
            index = Some(self.decode_with(call, &encoded)?);
            Ok(())
        })?;
        index.ok_or_else(|| ErrorKind::Contract("a source did not return a requested range").into())
    }
    fn decode_with(&self, call: &CallContext<'_>, encoded: &dyn Source) -> Result<Index> {
        let shape = shape(&self.counts);
        let mut bytes = zeroed(self.decoded_len(call.limits)?)?;
        let out = ViewMut::new(&mut bytes, &shape, 8)?;
        self.chain.decode(&call.sequential(), encoded, &Region::whole(&shape), out)?;
        Ok(Index::of(bytes, Dims::from_elem(0, self.counts.len()), self.counts.clone()))
    }
    /// Appends the encoded index.
    pub(super) fn write(&self, call: &CallContext<'_>, index: &Index, out: &mut OutputBuffer<'_>) -> Result<()> {
        let view = View::new(index.as_bytes(), &shape(&self.counts), 8)?;
        // An index is always stored, even if all its numbers are 2^64 - 1.
        let options = call.options.clone().with_store_fill(true);
        self.chain.encode(&CallContext { options: &options, ..*call }, &view, out).map(|_| ())
    }
}

fn with_call<R>(limits: &Limits, f: impl FnOnce(&CallContext<'_>) -> Result<R>) -> Result<R> {
    f(&CallContext { limits, options: &Options::DEFAULT, executor: &Sequential, buffers: &Buffers::default() })
}
