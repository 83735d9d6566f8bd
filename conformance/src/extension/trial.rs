//! Codecs as they are tried: each sample for each data type and shape that it takes.

use super::{
    Sample, Samples, Subject,
    value::{Elements, Memory, Value, wrong_value},
};
use proptest::prelude::*;
use std::{collections::BTreeSet, sync::Arc};
use zarr_array::{
    Error, Result,
    core::{
        call::{Call, Options, Out, Pool, Sequential},
        codec::{ArrayToArray, ArrayToBytes, BytesToBytes},
        data_type::DataType,
        extension::{Extension, ExtensionPoint},
        json::Object,
        limits::Limits,
        registry::{Constructor, Intent, Notes, Registration, Registry, Site},
        representation::{Representation, Size},
    },
};

#[derive(Debug, Clone)]
pub(crate) enum Codec {
    ArrayToArray(Arc<dyn ArrayToArray>),
    ArrayToBytes(Arc<dyn ArrayToBytes>),
    BytesToBytes(Arc<dyn BytesToBytes>),
}

/// A codec made for a representation.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    pub(crate) label: String,
    pub(crate) sample: Sample,
    pub(crate) extension: Extension,
    pub(crate) representation: Representation,
    pub(crate) codec: Codec,
    pub(crate) lossy: bool,
}

/// All that could be made of a codec's samples, and what was refused.
pub(crate) struct Trials {
    pub(crate) subject: Subject,
    pub(crate) all: Vec<Trial>,
    pub(crate) refused: Vec<(usize, String, Error)>,
}

type WithFill = (Arc<dyn DataType>, Vec<u8>);

/// The data types of a registry, each with its fill value.
pub(crate) fn data_types(registry: &Registry, limits: &Limits) -> Result<Vec<WithFill>> {
    let samples = Samples::embedded()?;
    let listed = registry.list().filter(|l| l.point == ExtensionPoint::DataType && !l.shadowed);
    let mut names: BTreeSet<String> = listed.filter(|l| l.alias_of.is_none()).map(|l| l.name.to_owned()).collect();
    names.extend(samples.names("data_type").map(str::to_owned));
    let mut found = Vec::new();
    for name in names {
        // Some are not known here or need a configuration that nobody knows; families have no type of their own name.
        for sample in samples.of("data_type", &name).into_iter().take(1) {
            let Ok(data_type) = registry.data_type(&sample.extension()?, limits).map(|made| made.object) else {
                continue;
            };
            if let Ok(fill) = data_type.fill_from_json(&data_type.default_fill()) {
                found.push((data_type, fill));
            }
        }
    }
    Ok(found)
}

pub(crate) fn with_call<R>(limits: &Limits, f: impl FnOnce(&Call<'_>) -> R) -> R {
    let buffers = Pool::default();
    f(&Call { limits, options: const { &Options::DEFAULT }, executor: &Sequential, buffers: &buffers })
}

impl Subject {
    /// Makes the codec; gives what it would write into metadata, too.
    pub(crate) fn codec(&self, extension: &Extension, of: &Representation, size: Size) -> Result<(Codec, Object)> {
        let notes = Notes::default();
        let site = Site {
            name: extension.name(),
            size,
            ..Site::new(&self.registry, &self.limits, &notes, Intent::Open).with(of)
        };
        let found = self.registry.find(ExtensionPoint::Codec, extension.name());
        let found = found.ok_or_else(|| self.registry.unknown(ExtensionPoint::Codec, extension.name()))?;
        Ok(match found.constructor() {
            Constructor::ArrayToArray(make) => {
                let made = make(extension, &site)?;
                (Codec::ArrayToArray(made.object.clone()), made.configuration()?)
            }
            Constructor::ArrayToBytes(make) => {
                let made = make(extension, &site)?;
                (Codec::ArrayToBytes(made.object.clone()), made.configuration()?)
            }
            Constructor::BytesToBytes(make) => {
                let made = make(extension, &site)?;
                (Codec::BytesToBytes(made.object.clone()), made.configuration()?)
            }
            _ => return Err(Error::argument(format!("`{}` is no codec", extension.name()))),
        })
    }
}

impl Trials {
    pub(crate) fn new(subject: &Subject) -> Self {
        let mut trials = Self { subject: subject.clone(), all: Vec::new(), refused: Vec::new() };
        for (i, sample) in subject.samples.iter().enumerate() {
            if let Err(e) = trials.add(i, sample) {
                trials.refused.push((i, "the sample".to_owned(), e));
            }
        }
        trials
    }
    fn add(&mut self, i: usize, sample: &Sample) -> Result<()> {
        let (subject, extension) = (&self.subject, sample.extension()?);
        let lossy = subject.registry.find(ExtensionPoint::Codec, &subject.name).is_some_and(Registration::is_lossy);
        for of in subject.arrays(sample)? {
            let configuration = sample.configuration.as_deref().unwrap_or("no configuration");
            let label = format!("{configuration} for {:?} {:?}", of.data_type(), of.shape());
            match subject.codec(&extension, &of, Size::Unknown) {
                Ok((codec, _)) => {
                    let bytes = matches!(codec, Codec::BytesToBytes(_));
                    let trial = Trial {
                        label,
                        sample: sample.clone(),
                        extension: extension.clone(),
                        representation: of,
                        codec,
                        lossy,
                    };
                    self.all.push(trial);
                    // What encodes bytes does not care what they are.
                    if bytes {
                        break;
                    }
                }
                Err(e) => self.refused.push((i, label, e)),
            }
        }
        Ok(())
    }
    /// Any of them with something to encode.
    pub(crate) fn inputs(&self) -> BoxedStrategy<(usize, Value)> {
        if self.all.is_empty() {
            return Just((0, Value::Bytes(Vec::new()))).boxed();
        }
        let of: Vec<_> = self.all.iter().map(Trial::input).collect();
        (0..of.len()).prop_flat_map(move |i| (Just(i), of[i].clone())).boxed()
    }
}

impl Trial {
    /// Something that it can encode.
    pub(crate) fn input(&self) -> BoxedStrategy<Value> {
        match &self.codec {
            Codec::BytesToBytes(_) => {
                super::value::bytes(self.sample.multiple.unwrap_or(1)).prop_map(Value::Bytes).boxed()
            }
            _ => super::value::elements(&self.representation).prop_map(Value::Array).boxed(),
        }
    }
    /// The representation of what it encodes to, for codecs that give arrays.
    pub(crate) fn encoded(&self) -> Option<Representation> {
        match &self.codec {
            Codec::ArrayToArray(codec) => Some(codec.encoded_representation().clone()),
            _ => None,
        }
    }
    pub(crate) fn encode(&self, limits: &Limits, value: &Value, gaps: bool) -> Result<Value> {
        with_call(limits, |call| match (&self.codec, value) {
            (Codec::ArrayToArray(codec), Value::Array(elements)) => {
                let from = Memory::holding(&self.representation, elements, gaps)?;
                let encoded = codec.encoded_representation();
                let mut to = Memory::new(encoded, encoded.shape(), gaps);
                to.write(|to| codec.encode(call, &from.view()?, to))?;
                self.untouched(&to)?;
                Ok(Value::Array(to.elements()?))
            }
            (Codec::ArrayToBytes(codec), Value::Array(elements)) => {
                let from = Memory::holding(&self.representation, elements, gaps)?;
                let ((), bytes) =
                    Out::collect_within(limits.chunk_bytes, |out| codec.encode(call, &from.view()?, out))?;
                Ok(Value::Bytes(bytes))
            }
            (Codec::BytesToBytes(codec), Value::Bytes(bytes)) => {
                let ((), bytes) = Out::collect_within(limits.chunk_bytes, |out| codec.encode(call, bytes, out))?;
                Ok(Value::Bytes(bytes))
            }
            _ => Err(wrong_value()),
        })
    }
    fn untouched(&self, memory: &Memory) -> Result<()> {
        if memory.gaps_are_untouched()? { Ok(()) } else { Err(Error::data("it wrote beside the elements")) }
    }
    /// Decodes what was encoded from something like `like`.
    pub(crate) fn decode(&self, limits: &Limits, value: &Value, like: &Value, gaps: bool) -> Result<Value> {
        with_call(limits, |call| match (&self.codec, value, like) {
            (Codec::ArrayToArray(codec), Value::Array(elements), _) => {
                let from = Memory::holding(codec.encoded_representation(), elements, gaps)?;
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
                // Into memory that has just the room that is needed.
                let mut memory = vec![0xAA; like.len()];
                let mut out = Out::fixed(&mut memory);
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
    /// True if what was decoded is what was encoded, or as near to it as the sample promises.
    pub(crate) fn is_near(&self, a: &Value, b: &Value) -> bool {
        if a == b {
            return true;
        }
        let (true, Some(tolerance), Value::Array(a), Value::Array(b)) = (self.lossy, self.sample.tolerance, a, b)
        else {
            return false;
        };
        let scalars = |elements: &Elements| super::abilities::floats(self.representation.layout(), elements);
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
            // Of integers the sample says nothing.
            _ => true,
        }
    }
}
