//! The extension point `codecs`: three kinds of codec, and the chain that runs them.
//!
//! Specification: core, "Chunk encoding". A codec is made for one [representation](crate::representation) when an
//! array is opened, and refuses there what it cannot take; no call passes the representation again. Instances are
//! shared by all threads. Each has two or three required methods; the others are abilities that a codec may have.

mod chain;
mod decode;
mod encode;
#[cfg(test)]
mod tests;

pub use chain::Chain;

use crate::{
    call::{CallContext, OutputBuffer},
    error::{ErrorKind, Result},
    representation::{Representation, Size},
    source::Source,
    view::{Region, View, ViewMut},
};
use std::fmt::Debug;

/// How a chain may run the decoding of an array -> array codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeStrategy<'a> {
    /// Elements only change their places: dimension `i` of the encoded array is dimension `order[i]` of the decoded
    /// one. The chain changes strides and does not call the codec.
    Permute(&'a [usize]),
    /// Each element changes in its place, and representations have elements of one size:
    /// [`decode_in_place`](ArrayToArray::decode_in_place) works on the destination.
    InPlace,
    /// From one array to another.
    Copy,
}

/// A codec from arrays to arrays.
pub trait ArrayToArray: Debug + Send + Sync {
    /// What the codec makes of the representation it was created for, with the fill value.
    fn encoded_representation(&self) -> &Representation;

    /// Encodes a whole chunk.
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()>;

    /// Decodes a whole chunk, or the part that [`encoded_region`](Self::encoded_region) gave, into memory with any
    /// strides. Every element of `decoded` is written.
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()>;

    /// How the chain may decode.
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::Copy
    }
    /// For [`DecodeStrategy::InPlace`]: the elements are encoded ones and become decoded ones.
    fn decode_in_place(&self, _call: &CallContext<'_>, _elements: ViewMut<'_>) -> Result<()> {
        Err(ErrorKind::Contract("a codec that decodes in place must say how").into())
    }
    /// The part of the encoded array that a part of the decoded one needs, of the same shape element for element.
    /// `None`: all of it.
    fn encoded_region(&self, _decoded: &Region) -> Option<Region> {
        None
    }
}

/// A codec from arrays to bytes. Every chain has exactly one.
pub trait ArrayToBytes: Debug + Send + Sync {
    /// What is known of the encoded size.
    fn encoded_size(&self) -> Size;

    /// Appends the encoded chunk.
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()>;

    /// Decodes a whole chunk into memory with any strides. Every element is written.
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()>;

    /// Decoding of a part that reads no more than it needs. `None`: the chain decodes the whole and copies.
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        None
    }
    /// Changing a part of an encoded chunk. `None`: the chain decodes, overlays and encodes the whole.
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        None
    }
    /// `Some(w)`: the encoded bytes are the elements in C order once each part of `w` bytes is reversed (1: as they
    /// are), so that a bytes -> bytes codec can decode straight into the destination.
    fn raw(&self) -> Option<usize> {
        None
    }
    /// The shape of the parts that can be read on their own at little cost: inner chunks.
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        None
    }
}

/// An ability of an array -> bytes codec.
pub trait PartialDecode {
    /// Decodes `region` of the chunk into memory of the region's shape. Returns at once when the source fails; may
    /// be called again, and must then ask for the same ranges given the same bytes.
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        out: ViewMut<'_>,
    ) -> Result<()>;
}

/// An ability of an array -> bytes codec.
pub trait PartialEncode {
    /// Appends the chunk `old` (`None`: nothing is stored, all is the fill value) with `region` replaced by `new`.
    /// What the region does not touch is copied encoded.
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded>;
}

/// What encoding a chunk gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// Bytes to be stored.
    Bytes,
    /// Every element is the fill value, so nothing needs to be stored. See [`Options`](crate::call::Options).
    Fill,
}

/// A codec from bytes to bytes.
pub trait BytesToBytes: Debug + Send + Sync {
    /// What is known of the encoded size, given the decoded one.
    fn encoded_size(&self, decoded: Size) -> Size;

    /// Appends the encoded bytes.
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()>;

    /// Appends the decoded bytes, or says that they are a part of the input. `out` limits how many there may be.
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()>;

    /// A source of decoded bytes that reads no more encoded bytes than it needs. `None`: the chain decodes the whole.
    /// The chain uses it only to read some of the inner chunks of a chunk that has such: everywhere else checksums are
    /// verified.
    fn decoded_source<'s>(&'s self, _encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        None
    }
}
