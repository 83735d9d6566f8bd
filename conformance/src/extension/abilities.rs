//! Properties of a codec's additional abilities: the representation that it encodes to, partial decoding, updates, and
//! decoding in place.

use super::{
    codec::{at, on_each},
    trial::{Codec, Trial, Trials, with_call},
    value::{Elements, Memory, Value, region},
};
use crate::check::{Check, Settings, Verdict, ensure, unsupported};
use ozarr::{
    Error, Result,
    zarr_core::{
        call::OutputBuffer,
        codec::{DecodeStrategy, Encoded},
        limits::Limits,
        registry::Constructor,
        source::{ByteRange, RangeCallback, Replay, Source},
        view::Region,
    },
};
use proptest::prelude::*;

/// Returns the properties of one kind of codec, without those that all codecs have.
pub(super) fn of(constructor: Option<&Constructor>) -> &'static [Check<Trials>] {
    match constructor {
        Some(Constructor::ArrayToArray(_)) => ARRAY_TO_ARRAY,
        Some(Constructor::ArrayToBytes(_)) => ARRAY_TO_BYTES,
        _ => BYTES_TO_BYTES,
    }
}

const PARTIAL: Check<Trials> = Check { id: "partial-decode", clause: "codec/partial", run: partial_decode };

const ARRAY_TO_ARRAY: &[Check<Trials>] = &[
    Check { id: "representation", clause: "codec/encoded-representation", run: representation },
    Check { id: "plan", clause: "contract/plan", run: plan },
    PARTIAL,
];

const ARRAY_TO_BYTES: &[Check<Trials>] = &[
    Check { id: "raw", clause: "contract/raw", run: raw },
    Check { id: "inner-chunks", clause: "contract/inner-chunks", run: inner_chunks },
    PARTIAL,
    Check { id: "suspension", clause: "contract/suspension", run: suspension },
    Check { id: "update", clause: "contract/update", run: update },
    Check { id: "fill", clause: "contract/update", run: fill },
];

const BYTES_TO_BYTES: &[Check<Trials>] = &[PARTIAL];

/// The properties of each kind.
pub(super) const ALL: [&[Check<Trials>]; 3] = [ARRAY_TO_ARRAY, ARRAY_TO_BYTES, BYTES_TO_BYTES];

/// The arrays that an array -> array codec encodes to have the representation and fill value that it states.
fn representation(trials: &Trials, _: &Settings) -> Verdict {
    for trial in &trials.all {
        let Some(encoded) = trial.encoded() else { return unsupported("it encodes to bytes") };
        let of = &trial.representation;
        let n = of.elements()?;
        let all = Elements { shape: of.shape().to_vec(), each: vec![of.fill().to_vec(); n as usize] };
        let limits = &trials.subject.limits;
        let Value::Array(got) = trial.encode(limits, &Value::Array(all), false)? else { return Ok(()) };
        at(
            trial,
            ensure(got.each.iter().all(|e| e == encoded.fill()), || {
                format!("the fill value is encoded to {:?}, but it reports {:?}", got.each, encoded.fill())
            }),
        )?;
        let valid = encoded.layout().is_variable() || encoded.fill().len() == encoded.layout().size();
        at(trial, ensure(valid, || "it reports a fill value that is not an element".to_owned()))?;
    }
    Ok(())
}

/// The decode strategy that a codec states gives the same result as decoding.
fn plan(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "plan", |trial, limits, value| {
        let (Codec::ArrayToArray(codec), Value::Array(elements)) = (&trial.codec, value) else {
            return unsupported("it encodes to bytes");
        };
        let Value::Array(encoded) = trial.encode(limits, value, false)? else { return Ok(()) };
        match codec.decode_strategy() {
            DecodeStrategy::Permute(order) => {
                let memory = Memory::with_elements(&trial.representation, elements, false)?;
                let (mut moved, view) = (Vec::new(), memory.view()?.permute(order)?);
                let shape = view.shape();
                let flat = view.contiguous(&mut moved)?.to_vec();
                let unchanged = Memory::with_elements(codec.encoded_representation(), &encoded, false)?;
                let mut scratch = Vec::new();
                let same = trial.representation.layout().is_variable()
                    || unchanged.view()?.contiguous(&mut scratch)? == flat.as_slice();
                ensure(same && *shape == *encoded.shape, || {
                    "it reports that it only permutes, but it does more".to_owned()
                })
            }
            DecodeStrategy::InPlace => {
                let wanted = trial.decode(limits, &Value::Array(encoded.clone()), value, false)?;
                let mut memory = Memory::with_elements(&trial.representation, &encoded, false)?;
                with_call(limits, |call| memory.write(|view| codec.decode_in_place(call, view)))?;
                let got = Value::Array(memory.elements()?);
                ensure(got == wanted, || "decoding in place returns other elements".to_owned())
            }
            _ => Ok(()),
        }
    })
}

/// A codec that states that it stores elements unchanged does so.
fn raw(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "raw", |trial, limits, value| {
        let (Codec::ArrayToBytes(codec), Value::Array(elements)) = (&trial.codec, value) else {
            return unsupported("it does not encode arrays to bytes");
        };
        let Some(width) = codec.raw() else { return Ok(()) };
        let Value::Bytes(encoded) = trial.encode(limits, value, false)? else { return Ok(()) };
        let wanted: Vec<u8> = elements.each.concat().chunks(width).flat_map(|c| c.iter().rev().copied()).collect();
        ensure(encoded == wanted, || {
            format!("it reports that it stores elements reversed by {width} bytes, but it does not")
        })
    })
}

/// Inner chunks have the array's rank and at least one element.
fn inner_chunks(trials: &Trials, _: &Settings) -> Verdict {
    let mut found = false;
    for trial in &trials.all {
        let Codec::ArrayToBytes(codec) = &trial.codec else { return unsupported("it does not encode arrays to bytes") };
        let Some(shape) = codec.inner_chunk_shape() else { continue };
        found = true;
        let of = trial.representation.shape();
        let fits = shape.len() == of.len() && shape.iter().zip(of).all(|(n, of)| (1..=*of).contains(n));
        at(trial, ensure(fits, || format!("it reports inner chunks of shape {shape:?}")))?;
    }
    if found { Ok(()) } else { unsupported("it has no inner chunks") }
}

/// A source of encoded bytes that is read in ranges.
struct Ranged<'b>(&'b [u8]);

impl Source for Ranged<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        // In reverse, because no order is guaranteed.
        ranges.iter().enumerate().rev().try_for_each(|(i, r)| each(i, r.of(self.0)?))
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }
}

/// Returns inputs of a trial, elements and a region.
fn with_region(trials: &Trials) -> BoxedStrategy<(usize, Value, Region)> {
    let shapes: Vec<Vec<u64>> = trials.all.iter().map(|t| t.representation.shape().to_vec()).collect();
    let inputs = trials.inputs();
    inputs.prop_flat_map(move |(i, value)| (Just(i), Just(value), region(&shapes[i]))).boxed()
}

fn part_of(value: &Value, region: &Region) -> Option<Elements> {
    match value {
        Value::Array(elements) => Some(elements.part(region)),
        Value::Bytes(_) => None,
    }
}

fn partial_array(trial: &Trial, limits: &Limits, source: &dyn Source, region: &Region) -> Result<Option<Elements>> {
    let Codec::ArrayToBytes(codec) = &trial.codec else { return Ok(None) };
    let Some(partial) = codec.partial_decode() else { return Ok(None) };
    let mut memory = Memory::new(&trial.representation, &region.len, true);
    with_call(limits, |call| memory.write(|out| partial.decode_region(call, source, region, out)))?;
    if !memory.gaps_are_untouched()? {
        return Err(Error::data("it wrote outside the elements of a part"));
    }
    memory.elements().map(Some)
}

/// Decoding a part results in the same elements as decoding the whole.
fn partial_decode(trials: &Trials, settings: &Settings) -> Verdict {
    if trials.all.is_empty() {
        return unsupported("it could not be created");
    }
    let property = format!("{} partial-decode", trials.subject.id());
    let limits = &trials.subject.limits;
    settings.each(&property, (with_region(trials), any::<(u16, u16)>()), |((i, value, region), (start, len))| {
        let trial = &trials.all[i];
        let encoded = trial.encode(limits, &value, false)?;
        let decoded = trial.decode(limits, &encoded, &value, false)?;
        let verdict = match (&trial.codec, &encoded) {
            (Codec::ArrayToBytes(codec), Value::Bytes(bytes)) => {
                if codec.partial_decode().is_none() {
                    return unsupported("it decodes no parts");
                }
                let got = partial_array(trial, limits, &Ranged(bytes), &region)?;
                ensure(got == part_of(&decoded, &region), || format!("a part is {got:?}, not that of the whole"))
            }
            (Codec::ArrayToArray(codec), Value::Array(elements)) => {
                let Some(needs) = codec.encoded_region(&region) else { return unsupported("it decodes no parts") };
                ensure(needs.is_within(&elements.shape), || format!("it requests {needs:?}, which does not exist"))?;
                let from = Memory::with_elements(codec.encoded_representation(), &elements.part(&needs), false)?;
                let mut to = Memory::new(&trial.representation, &region.len, true);
                with_call(limits, |call| to.write(|to| codec.decode(call, &from.view()?, to)))?;
                let got = Some(to.elements()?);
                ensure(got == part_of(&decoded, &region), || format!("a part is {got:?}, not that of the whole"))
            }
            (Codec::BytesToBytes(codec), Value::Bytes(bytes)) => {
                let source = Ranged(bytes);
                let Some(read) = codec.decoded_source(&source) else { return unsupported("it decodes no parts") };
                let Value::Bytes(whole) = &decoded else { return Ok(()) };
                let start = u64::from(start) % (whole.len() as u64 + 1);
                let len = u64::from(len) % (whole.len() as u64 - start + 1);
                let ranges =
                    [ByteRange::Slice { start, len }, ByteRange::From(start), ByteRange::Suffix(len), ByteRange::All];
                let mut got = vec![Vec::new(); ranges.len()];
                read.read(&ranges, &mut |i, bytes| {
                    got[i] = bytes.to_vec();
                    Ok(())
                })?;
                let wanted = ranges.iter().map(|r| Ok(r.of(whole)?.to_vec())).collect::<Result<Vec<_>>>()?;
                ensure(got == wanted, || "ranges of decoded bytes differ from those of the whole".to_owned())
            }
            _ => Ok(()),
        };
        at(trial, verdict)
    })
}

/// A read that was suspended starts again, and requests the same bytes.
fn suspension(trials: &Trials, settings: &Settings) -> Verdict {
    let has = |t: &Trial| matches!(&t.codec, Codec::ArrayToBytes(codec) if codec.partial_decode().is_some());
    if !trials.all.iter().any(has) {
        return unsupported("it decodes no parts");
    }
    let property = format!("{} suspension", trials.subject.id());
    let limits = &trials.subject.limits;
    settings.each(&property, with_region(trials), |(i, value, region)| {
        let trial = &trials.all[i];
        let Value::Bytes(bytes) = trial.encode(limits, &value, false)? else { return Ok(()) };
        let decoded = trial.decode(limits, &Value::Bytes(bytes.clone()), &value, false)?;
        let (mut replay, mut got, mut passes) = (Replay::default(), None, 0);
        while let Some(ranges) = replay.pass(|source| {
            got = partial_array(trial, limits, source, &region)?;
            Ok(())
        })? {
            let found = ranges.iter().map(|r| Ok(r.of(&bytes)?.to_vec())).collect::<Result<Vec<_>>>()?;
            replay.supply(ranges, found);
            passes += 1;
            ensure(passes < 100, || "it never stops requesting bytes".to_owned())?;
        }
        at(trial, ensure(got == part_of(&decoded, &region), || "a part that is read in pieces is different".to_owned()))
    })
}

/// Updating a region replaces it and changes nothing else.
fn update(trials: &Trials, settings: &Settings) -> Verdict {
    let has = |t: &Trial| matches!(&t.codec, Codec::ArrayToBytes(codec) if codec.partial_encode().is_some());
    if !trials.all.iter().any(has) {
        return unsupported("it changes no parts");
    }
    let shapes: Vec<_> = trials.all.iter().map(|t| t.representation.clone()).collect();
    let inputs = with_region(trials).prop_flat_map(move |(i, value, region)| {
        let new = super::value::elements(&shapes[i].with_shape(&region.len));
        (Just(i), Just(value), Just(region), new, any::<bool>())
    });
    let property = format!("{} update", trials.subject.id());
    let limits = &trials.subject.limits;
    settings.each(&property, inputs, |(i, value, region, new, stored)| {
        let trial = &trials.all[i];
        let (Codec::ArrayToBytes(codec), Value::Array(elements)) = (&trial.codec, &value) else { return Ok(()) };
        let Some(update) = codec.partial_encode() else { return Ok(()) };
        let Value::Bytes(bytes) = trial.encode(limits, &value, false)? else { return Ok(()) };
        let old = Ranged(&bytes);
        let memory = Memory::with_elements(&trial.representation, &new, true)?;
        let (kind, updated) = with_call(limits, |call| {
            let old = stored.then_some(&old as &dyn Source);
            OutputBuffer::collect(|out| update.update_region(call, old, &region, &memory.view()?, out))
        })?;
        let empty = vec![trial.representation.fill().to_vec(); elements.each.len()];
        let before = if stored { elements.clone() } else { Elements { shape: elements.shape.clone(), each: empty } };
        let wanted = before.with(&region, &new);
        let verdict = match kind {
            Encoded::Bytes => {
                let got = trial.decode(limits, &Value::Bytes(updated), &value, false)?;
                ensure(got == Value::Array(wanted), || format!("after an update it decodes {got:?}"))
            }
            Encoded::Fill => ensure(wanted.each.iter().all(|e| e == trial.representation.fill()), || {
                "it reports that all elements are the fill value, but they are not".to_owned()
            }),
        };
        at(trial, verdict)
    })
}

/// A chunk in which every part was changed to the fill value does not have to be stored.
fn fill(trials: &Trials, _: &Settings) -> Verdict {
    let mut found = false;
    for trial in &trials.all {
        let Codec::ArrayToBytes(codec) = &trial.codec else { return unsupported("it does not encode arrays to bytes") };
        let Some(update) = codec.partial_encode() else { continue };
        found = true;
        let (of, limits) = (&trial.representation, &trials.subject.limits);
        let all = Elements { shape: of.shape().to_vec(), each: vec![of.fill().to_vec(); of.elements()? as usize] };
        let memory = Memory::with_elements(of, &all, false)?;
        let whole = Region::whole(of.shape());
        let (kind, bytes) = with_call(limits, |call| {
            OutputBuffer::collect(|out| update.update_region(call, None, &whole, &memory.view()?, out))
        })?;
        let nothing = kind == Encoded::Fill && bytes.is_empty();
        at(trial, ensure(nothing, || "a chunk of fill values would be stored".to_owned()))?;
    }
    if found { Ok(()) } else { unsupported("it changes no parts") }
}
