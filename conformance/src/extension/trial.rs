//! Trials of codecs: each sample with each data type and shape that it accepts.

use super::{
    Sample, Samples, Subject,
    value::{Elements, Memory, Value, wrong_value},
};
use ozarr::{
    Error, Result,
    zarr_core::{
        call::{CallContext, OutputBuffer},
        data_type::DataType,
        extension::{Extension, ExtensionPoint},
        layout::{Layout, ScalarKind},
        limits::Limits,
        registry::{Registration, Registry},
        representation::{Representation, Size},
    },
};
use proptest::prelude::*;
use std::{collections::BTreeSet, sync::Arc};
use zarr_plugin_api::testing::Bench;
pub(crate) use zarr_plugin_api::testing::CodecKind as Codec;

/// A codec that was created for a representation.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    pub(crate) label: String,
    pub(crate) sample: Sample,
    pub(crate) extension: Extension,
    pub(crate) representation: Representation,
    pub(crate) codec: Codec,
    pub(crate) lossy: bool,
}

/// All trials that can be created from a codec's samples.
pub(crate) struct Trials {
    pub(crate) subject: Subject,
    pub(crate) all: Vec<Trial>,
}

/// A data type of arrays.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub(crate) extension: Extension,
    pub(crate) data_type: Arc<dyn DataType>,
    pub(crate) fill: Vec<u8>,
}

impl Typed {
    pub(crate) fn array(&self, shape: &[u64]) -> Representation {
        Representation::new(self.data_type.clone(), shape, &self.fill)
    }
}

/// Returns the data types of a registry.
pub(crate) fn data_types(registry: &Registry, limits: &Limits) -> Result<Vec<Typed>> {
    let samples = Samples::embedded()?;
    let listed = registry.list().filter(|l| l.point == ExtensionPoint::DataType && !l.shadowed);
    let mut names: BTreeSet<String> = listed.filter(|l| l.alias_of.is_none()).map(|l| l.name.to_owned()).collect();
    names.extend(samples.names("data_type").map(str::to_owned));
    let mut found = Vec::new();
    for name in names {
        // Some are unknown here or need a configuration that is unknown; families have no type of their own name.
        for sample in samples.of("data_type", &name).into_iter().take(1) {
            let extension = sample.extension()?;
            let Ok(data_type) = registry.data_type(&extension, limits).map(|made| made.object) else { continue };
            if let Ok(fill) = data_type.fill_from_json(&data_type.default_fill()) {
                found.push(Typed { extension, data_type, fill });
            }
        }
    }
    Ok(found)
}

/// Returns the floating-point scalars of elements; `None` if they are of another kind.
fn floats(layout: &Layout, elements: &Elements) -> Option<Vec<f64>> {
    let Layout::Fixed { kind: ScalarKind::Float, width, .. } = layout else { return None };
    let all = elements.each.concat();
    let scalars = all.chunks(*width).map(|b| match *b {
        [a, b, c, d] => Some(f64::from(f32::from_ne_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] => Some(f64::from_ne_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    });
    scalars.collect()
}

pub(crate) fn with_call<R>(limits: &Limits, f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    f(&Bench::of(Registry::empty()).with_limits(limits.clone()).call())
}

impl Subject {
    /// Creates the codec.
    pub(crate) fn codec(&self, extension: &Extension, of: &Representation) -> Result<Codec> {
        let bench =
            Bench::of(self.registry.clone()).with_limits(self.limits.clone()).with_options(self.options.clone());
        bench.codec_of(extension, of, Size::Unknown).map(|codec| codec.kind)
    }
}

impl Trials {
    pub(crate) fn new(subject: &Subject) -> Self {
        // The checks `create` and `refusal` report codecs that cannot be created.
        let all = subject.samples.iter().flat_map(|sample| Trial::all(subject, sample).unwrap_or_default());
        Self { subject: subject.clone(), all: all.collect() }
    }
    /// Returns the index of any trial, with an input for it.
    pub(crate) fn inputs(&self) -> BoxedStrategy<(usize, Value)> {
        if self.all.is_empty() {
            return Just((0, Value::Bytes(Vec::new()))).boxed();
        }
        let of: Vec<_> = self.all.iter().map(Trial::input).collect();
        (0..of.len()).prop_flat_map(move |i| (Just(i), of[i].clone())).boxed()
    }
}

impl Trial {
    /// Returns the trials of one sample.
    fn all(subject: &Subject, sample: &Sample) -> Result<Vec<Self>> {
        let extension = sample.extension()?;
        let lossy = subject.registry.find(ExtensionPoint::Codec, &subject.name).is_some_and(Registration::is_lossy);
        let configuration = sample.configuration.as_deref().unwrap_or("no configuration");
        let mut all = Vec::new();
        for representation in subject.arrays(sample)? {
            let Ok(codec) = subject.codec(&extension, &representation) else { continue };
            let label = format!("{configuration} for {:?} {:?}", representation.data_type(), representation.shape());
            let bytes = matches!(codec, Codec::BytesToBytes(_));
            all.push(Self {
                label,
                sample: sample.clone(),
                extension: extension.clone(),
                representation,
                codec,
                lossy,
            });
            // A codec of bytes does not depend on the data type.
            if bytes {
                break;
            }
        }
        Ok(all)
    }
    /// Returns inputs that it can encode.
    pub(crate) fn input(&self) -> BoxedStrategy<Value> {
        match &self.codec {
            Codec::BytesToBytes(_) => {
                super::value::bytes(self.sample.multiple.unwrap_or(1)).prop_map(Value::Bytes).boxed()
            }
            _ => super::value::elements(&self.representation).prop_map(Value::Array).boxed(),
        }
    }
    /// Returns the representation that it encodes to, for codecs that encode to arrays.
    pub(crate) fn encoded(&self) -> Option<Representation> {
        match &self.codec {
            Codec::ArrayToArray(codec) => Some(codec.encoded_representation().clone()),
            _ => None,
        }
    }
    pub(crate) fn encode(&self, limits: &Limits, value: &Value, gaps: bool) -> Result<Value> {
        with_call(limits, |call| match (&self.codec, value) {
            (Codec::ArrayToArray(codec), Value::Array(elements)) => {
                let from = Memory::with_elements(&self.representation, elements, gaps)?;
                let encoded = codec.encoded_representation();
                let mut to = Memory::new(encoded, encoded.shape(), gaps);
                to.write(|to| codec.encode(call, &from.view()?, to))?;
                self.untouched(&to)?;
                Ok(Value::Array(to.elements()?))
            }
            (Codec::ArrayToBytes(codec), Value::Array(elements)) => {
                let from = Memory::with_elements(&self.representation, elements, gaps)?;
                let ((), bytes) =
                    OutputBuffer::collect_within(limits.chunk_bytes, |out| codec.encode(call, &from.view()?, out))?;
                Ok(Value::Bytes(bytes))
            }
            (Codec::BytesToBytes(codec), Value::Bytes(bytes)) => {
                let ((), bytes) =
                    OutputBuffer::collect_within(limits.chunk_bytes, |out| codec.encode(call, bytes, out))?;
                Ok(Value::Bytes(bytes))
            }
            _ => Err(wrong_value()),
        })
    }
    fn untouched(&self, memory: &Memory) -> Result<()> {
        if memory.gaps_are_untouched()? { Ok(()) } else { Err(Error::data("it wrote outside the elements")) }
    }
    /// Decodes a value that was encoded from an input with the shape of `like`.
    pub(crate) fn decode(&self, limits: &Limits, value: &Value, like: &Value, gaps: bool) -> Result<Value> {
        with_call(limits, |call| match (&self.codec, value, like) {
            (Codec::ArrayToArray(codec), Value::Array(elements), _) => {
                let from = Memory::with_elements(codec.encoded_representation(), elements, gaps)?;
                let mut to = Memory::new(&self.representation, self.representation.shape(), gaps);
                to.write(|to| codec.decode(call, &from.view()?, to))?;
                self.untouched(&to)?;
                Ok(Value::Array(to.elements()?))
            }
            (Codec::ArrayToBytes(codec), Value::Bytes(bytes), _) => {
                let mut to = Memory::new(&self.representation, self.representation.shape(), gaps);
                to.write(|to| codec.decode(call, bytes, to))?;
                self.untouched(&to)?;
                Ok(Value::Array(to.elements()?))
            }
            (Codec::BytesToBytes(codec), Value::Bytes(bytes), Value::Bytes(like)) if gaps => {
                // Into memory of exactly the right size.
                let mut memory = vec![0xAA; like.len()];
                let mut out = OutputBuffer::fixed(&mut memory);
                codec.decode(call, bytes, &mut out)?;
                let (alias, len) = (out.alias(), out.len());
                memory.truncate(len);
                Ok(Value::Bytes(alias.map_or(memory, |range| bytes[range].to_vec())))
            }
            (Codec::BytesToBytes(codec), Value::Bytes(bytes), _) => {
                let mut scratch = call.scratch(0)?;
                let mut out = scratch.grow(limits.chunk_bytes);
                codec.decode(call, bytes, &mut out)?;
                let (alias, len) = (out.alias(), out.len());
                scratch.keep(len);
                Ok(Value::Bytes(alias.map_or_else(|| scratch.to_vec(), |range| bytes[range].to_vec())))
            }
            _ => Err(wrong_value()),
        })
    }
    /// Returns whether the decoded value equals the input, within the tolerance of the sample.
    pub(crate) fn is_near(&self, a: &Value, b: &Value) -> bool {
        if a == b {
            return true;
        }
        let (true, Some(tolerance), Value::Array(a), Value::Array(b)) = (self.lossy, self.sample.tolerance, a, b)
        else {
            return false;
        };
        let scalars = |elements: &Elements| floats(self.representation.layout(), elements);
        match (scalars(a), scalars(b)) {
            (Some(a), Some(b)) => {
                let near = |x: f64, y: f64| {
                    let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                    // Numbers near the ends of the range have fewer digits, or become infinite.
                    let (least, most) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
                    let at_an_end =
                        y.is_infinite() && x.abs() * (1.0 + tolerance) >= most || x.abs() < least && y.abs() <= least;
                    same || at_an_end || (x - y).abs() <= tolerance * x.abs()
                };
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| near(*x, y))
            }
            // The sample states no tolerance for integers, so every integer is accepted.
            _ => true,
        }
    }
}
