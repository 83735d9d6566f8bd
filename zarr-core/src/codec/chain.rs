//! A chain of codecs, created for one representation and checked against it.

use super::{ArrayToArray, ArrayToBytes, BytesToBytes, DecodeStrategy};
use crate::{
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
    registry::{Constructor, CreateContext, Instance},
    representation::{Representation, Size},
    view::Dims,
};
use std::sync::Arc;

/// The codecs of an array, of inner chunks, or of a shard index.
///
/// Encodes and decodes chunks of one shape.
#[derive(Debug)]
pub struct Chain {
    pub(super) decoded: Representation,
    pub(super) array_to_array: Vec<ArrayStage>,
    pub(super) array_to_bytes: Stage<dyn ArrayToBytes>,
    pub(super) bytes_to_bytes: Vec<BytesStage>,
    pub(super) encoded_size: Size,
    pub(super) skipped: Option<String>,
    extensions: Vec<Extension>,
}

/// A codec and its name, for errors.
#[derive(Debug)]
pub(super) struct Stage<T: ?Sized> {
    pub(super) codec: Arc<T>,
    name: String,
}
impl<T: ?Sized> Stage<T> {
    /// Adds to an error the codec and whether it was encoding or decoding.
    pub(super) fn in_codec<R>(&self, stage: &'static str, result: Result<R>) -> Result<R> {
        result.map_err(|e| match e.kind() {
            ErrorKind::Suspended | ErrorKind::KeyNotFound => e,
            _ => e.at_extension(ExtensionPoint::Codec, &self.name).at_stage(stage),
        })
    }
}

#[derive(Debug)]
pub(super) struct ArrayStage {
    pub(super) stage: Stage<dyn ArrayToArray>,
    pub(super) encoded: Representation,
}

#[derive(Debug)]
pub(super) struct BytesStage {
    pub(super) stage: Stage<dyn BytesToBytes>,
    /// The size of the bytes that it decodes to.
    pub(super) decoded: Size,
}

impl Chain {
    /// Creates every codec of a chain, each for the representation that it encodes.
    ///
    /// # Errors
    /// - If a codec is unknown and must be understood.
    /// - If the codecs are out of order, or there is not exactly one array -> bytes codec.
    /// - If a codec rejects its configuration or its representation.
    /// - If the nesting, the number of codecs or the size of a chunk exceeds the limits.
    pub fn new(codecs: &[Extension], cx: &CreateContext<'_>) -> Result<Self> {
        let depth = ("the nesting depth of codecs", u64::from(cx.depth), cx.limits.codec_depth);
        let count = ("the number of codecs", codecs.len() as u64, cx.limits.codec_count);
        for (what, asked, limit) in [depth, count] {
            let limit = u64::from(limit);
            if asked > limit {
                return Err(ErrorKind::Limit { what, asked, limit }.into());
            }
        }
        let decoded = cx.representation()?.clone();
        decoded.bytes_within(cx.limits)?;
        let mut building = Building { current: decoded.clone(), ..Building::default_for(&decoded) };
        for (i, extension) in codecs.iter().enumerate() {
            building.push(extension, cx).map_err(|e| e.within(format!("[{i}]")))?;
        }
        let Building { array_to_array, array_to_bytes, bytes_to_bytes, size, skipped, extensions, .. } = building;
        let missing = || match &skipped {
            Some(name) => Error::chain(format!("missing array -> bytes codec; the unknown codec `{name}` is skipped")),
            None => Error::chain("missing array -> bytes codec").with_hint("add the codec `bytes`"),
        };
        let array_to_bytes = array_to_bytes.ok_or_else(missing)?;
        Ok(Self { decoded, array_to_array, array_to_bytes, bytes_to_bytes, encoded_size: size, skipped, extensions })
    }
    /// Returns the representation of the array that the chain encodes.
    pub fn decoded(&self) -> &Representation {
        &self.decoded
    }
    /// Returns the representation of the array that the array -> bytes codec encodes.
    pub(super) fn innermost(&self) -> &Representation {
        self.array_to_array.last().map_or(&self.decoded, |s| &s.encoded)
    }
    /// Returns the size of an encoded chunk, as far as it is known.
    pub fn encoded_size(&self) -> Size {
        self.encoded_size
    }
    /// Returns the size after the first `stages` bytes -> bytes codecs, as far as it is known.
    pub(super) fn size_after(&self, stages: usize) -> Size {
        self.bytes_to_bytes.get(stages).map_or(self.encoded_size, |next| next.decoded)
    }
    /// Returns the codecs in the form to write to metadata, including the values chosen for omitted members.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }
    /// Returns the permutation of an array -> array codec that only permutes dimensions.
    pub(super) fn permutation(&self, i: usize) -> Option<&[usize]> {
        match self.array_to_array.get(i)?.stage.codec.decode_strategy() {
            DecodeStrategy::Permute(order) => Some(order),
            _ => None,
        }
    }
    /// Returns the shape of the inner chunks in the dimensions of the decoded array, if they can be read individually.
    pub fn inner_chunk_shape(&self) -> Option<Dims> {
        let mut shape: Dims = self.array_to_bytes.codec.inner_chunk_shape()?.into();
        if !self.bytes_to_bytes.is_empty() {
            return None;
        }
        for array in self.array_to_array.iter().rev() {
            let DecodeStrategy::Permute(order) = array.stage.codec.decode_strategy() else { return None };
            let encoded = shape.clone();
            order.iter().zip(encoded).for_each(|(&o, n)| shape[o] = n);
        }
        Some(shape)
    }
    /// Returns the shape that a part of the array has after the array -> array codecs, with the dimensions in the order
    /// in which the array -> bytes codec has them.
    ///
    /// `None`: a codec changes shapes in an unknown way.
    pub fn encoded_part(&self, shape: &[u64]) -> Option<Dims> {
        let (mut part, mut decoded): (Dims, &[u64]) = (shape.into(), self.decoded.shape());
        for array in &self.array_to_array {
            let encoded = array.encoded.shape();
            match array.stage.codec.decode_strategy() {
                DecodeStrategy::Permute(order) => {
                    part = order.iter().map(|&o| part.get(o).copied()).collect::<Option<Dims>>()?;
                }
                DecodeStrategy::InPlace | DecodeStrategy::Copy if encoded == decoded => {}
                DecodeStrategy::InPlace | DecodeStrategy::Copy => return None,
            }
            decoded = encoded;
        }
        Some(part)
    }
    /// True if decoding a part reads only the bytes of that part.
    pub fn reads_parts(&self) -> bool {
        let permutes = (0..self.array_to_array.len()).all(|i| self.permutation(i).is_some());
        permutes && self.bytes_to_bytes.is_empty() && self.array_to_bytes.codec.partial_decode().is_some()
    }
    /// True if reading a part may bypass the bytes -> bytes codecs, and so their checksums.
    pub fn has_unchecked_parts(&self) -> bool {
        !self.bytes_to_bytes.is_empty() && self.array_to_bytes.codec.inner_chunk_shape().is_some()
    }
    /// Returns the array -> bytes codec.
    pub fn array_to_bytes(&self) -> &dyn ArrayToBytes {
        &*self.array_to_bytes.codec
    }
}

struct Building {
    current: Representation,
    size: Size,
    array_to_array: Vec<ArrayStage>,
    array_to_bytes: Option<Stage<dyn ArrayToBytes>>,
    bytes_to_bytes: Vec<BytesStage>,
    skipped: Option<String>,
    extensions: Vec<Extension>,
}

impl Building {
    fn default_for(decoded: &Representation) -> Self {
        Self {
            current: decoded.clone(),
            size: Size::Unknown,
            array_to_array: Vec::new(),
            array_to_bytes: None,
            bytes_to_bytes: Vec::new(),
            skipped: None,
            extensions: Vec::new(),
        }
    }
    fn push(&mut self, extension: &Extension, cx: &CreateContext<'_>) -> Result<()> {
        let name = extension.name();
        let Some(registration) = cx.registry.codec(extension)? else {
            cx.notes.skip(ExtensionPoint::Codec, name);
            self.skipped.get_or_insert_with(|| name.to_owned());
            self.extensions.push(extension.clone());
            return Ok(());
        };
        let constructor = registration.constructor();
        let done = self.array_to_bytes.is_some();
        let order = |found, wanted| {
            let e = Error::chain(format!("expected {wanted} codec, found {found} codec"));
            Err(e.at_extension(ExtensionPoint::Codec, name).with_hint(
                "list array -> array codecs first, then one array -> bytes codec, then bytes -> bytes codecs",
            ))
        };
        let here = CreateContext { name, representation: Some(&self.current), size: self.size, ..*cx };
        match constructor {
            Constructor::ArrayToArray(_) if done => return order("an array -> array", "a bytes -> bytes"),
            Constructor::ArrayToBytes(_) if done => return order("a second array -> bytes", "a bytes -> bytes"),
            Constructor::BytesToBytes(_) if !done => return order("a bytes -> bytes", "an array -> bytes"),
            Constructor::ArrayToArray(make) => {
                let made = make(extension, &here)?;
                let encoded = made.object.encoded_representation().clone();
                encoded.bytes_within(cx.limits)?;
                self.current = encoded.clone();
                let stage = self.keep(extension, made, cx)?;
                self.array_to_array.push(ArrayStage { stage, encoded });
            }
            Constructor::ArrayToBytes(make) => {
                let made = make(extension, &here)?;
                self.size = made.object.encoded_size();
                self.array_to_bytes = Some(self.keep(extension, made, cx)?);
            }
            Constructor::BytesToBytes(make) => {
                let made = make(extension, &here)?;
                let encoded = made.object.encoded_size(self.size);
                let decoded = std::mem::replace(&mut self.size, encoded);
                let stage = self.keep(extension, made, cx)?;
                self.bytes_to_bytes.push(BytesStage { stage, decoded });
            }
            _ => return Err(ErrorKind::Contract("a codec has a constructor of another kind").into()),
        }
        Ok(())
    }
    fn keep<T: ?Sized>(&mut self, read: &Extension, made: Instance<T>, cx: &CreateContext<'_>) -> Result<Stage<T>> {
        let kept = if cx.intent.is_create() { made.extension(read)? } else { read.clone() };
        self.extensions.push(kept);
        Ok(Stage { codec: made.object, name: read.name().to_owned() })
    }
}
