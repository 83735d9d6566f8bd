//! The extension point `codecs`: the three kinds of codec, and the chain that runs them.
//!
//! Specification: core, "Chunk encoding". A codec is created for one [representation](crate::representation) when an
//! array is opened, and rejects then the representations that it does not support; calls do not pass the representation
//! again. Instances are shared by all threads. Each trait has two or three required methods; the others are optional
//! abilities.

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

/// How a chain may decode an array -> array codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeStrategy<'a> {
    /// Elements only change position: dimension `i` of the encoded array is dimension `order[i]` of the decoded one.
    ///
    /// The chain changes strides and does not call the codec.
    Permute(&'a [usize]),
    /// Each element changes in place, and encoded and decoded elements have the same size:
    /// [`decode_in_place`](ArrayToArray::decode_in_place) works on the destination.
    InPlace,
    /// The codec decodes from one array to another.
    Copy,
}

/// A codec that encodes an array to an array.
pub trait ArrayToArray: Debug + Send + Sync {
    /// Returns the representation of the encoded array, including its fill value.
    fn encoded_representation(&self) -> &Representation;

    /// Encodes a whole chunk.
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()>;

    /// Decodes a whole chunk, or the part that [`encoded_region`](Self::encoded_region) returned, into memory with any
    /// strides.
    ///
    /// Writes every element of `decoded`.
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()>;

    /// Returns how the chain may decode.
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::Copy
    }
    /// Decodes elements in place, for [`DecodeStrategy::InPlace`].
    fn decode_in_place(&self, _call: &CallContext<'_>, _elements: ViewMut<'_>) -> Result<()> {
        Err(ErrorKind::Contract("a codec that decodes in place does not implement `decode_in_place`").into())
    }
    /// Returns the region of the encoded array that corresponds element for element to a region of the decoded one,
    /// with the same shape.
    ///
    /// `None`: the whole encoded array is needed.
    fn encoded_region(&self, _decoded: &Region) -> Option<Region> {
        None
    }
}

/// A codec that encodes an array to bytes.
///
/// Every chain has exactly one.
pub trait ArrayToBytes: Debug + Send + Sync {
    /// Returns the size of an encoded chunk, as far as it is known.
    fn encoded_size(&self) -> Size;

    /// Appends the encoded chunk.
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()>;

    /// Decodes a whole chunk into memory with any strides. Writes every element.
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()>;

    /// Returns the partial decoder, which reads no more than a part needs.
    ///
    /// `None`: the chain decodes the whole chunk and copies the part.
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        None
    }
    /// Returns the partial encoder, which changes a part of an encoded chunk.
    ///
    /// `None`: the chain decodes the whole chunk, changes the part, and encodes it again.
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        None
    }
    /// Returns `Some(w)` if the encoded bytes are the elements in C order with each unit of `w` bytes reversed (1:
    /// unchanged), so that a bytes -> bytes codec can decode directly into the destination.
    fn raw(&self) -> Option<usize> {
        None
    }
    /// Returns the shape of the inner chunks: the parts that can be read individually at little cost.
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        None
    }
}

/// The ability of an array -> bytes codec to decode a part of a chunk.
pub trait PartialDecode {
    /// Decodes `region` of the chunk into memory of the region's shape.
    ///
    /// Returns at once if the source fails. The call may then be repeated, and must request the same ranges if it gets
    /// the same bytes.
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        out: ViewMut<'_>,
    ) -> Result<()>;
}

/// The ability of an array -> bytes codec to change a part of an encoded chunk.
pub trait PartialEncode {
    /// Appends the chunk `old` with `region` replaced by `new`.
    ///
    /// If `old` is `None`, nothing is stored, and all elements have the fill value. Parts outside the region are copied
    /// without decoding them.
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded>;
}

/// The result of encoding a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// The encoded bytes are to be stored.
    Bytes,
    /// Every element is the fill value, so the chunk need not be stored. See [`Options`](crate::call::Options).
    Fill,
}

/// A codec that encodes bytes to bytes.
pub trait BytesToBytes: Debug + Send + Sync {
    /// Returns the size of the encoded bytes, as far as it is known, for a size of the decoded bytes.
    fn encoded_size(&self, decoded: Size) -> Size;

    /// Appends the encoded bytes.
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()>;

    /// Appends the decoded bytes, or marks them as a part of the input ([`alias_input`](OutputBuffer::alias_input)).
    ///
    /// `out` limits their number.
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()>;

    /// Returns a source of decoded bytes that reads no more encoded bytes than needed.
    ///
    /// `None`: the chain decodes everything.
    ///
    /// The chain uses it only to read some of the inner chunks of a chunk that has them. All other reads verify
    /// checksums.
    fn decoded_source<'s>(&'s self, _encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        None
    }
}
