//! Properties of every codec: decoding restores the encoded elements, results are deterministic, and damage is
//! detected.

use super::{
    trial::{Codec, Trial, Trials, with_call},
    value::Value,
};
use crate::check::{Check, Finding, Settings, Verdict, broken, ensure, unsupported};
use ozarr::zarr_core::{
    call::OutputBuffer,
    limits::Limits,
    representation::{Representation, Size},
};
use proptest::prelude::*;
use std::sync::Barrier;

pub(super) const CHECKS: &[Check<Trials>] = &[
    Check { id: "round-trip", clause: "codec/round-trip", run: round_trip },
    Check { id: "empty", clause: "codec/round-trip", run: empty },
    Check { id: "deterministic", clause: "contract/deterministic", run: deterministic },
    Check { id: "threads", clause: "contract/threads", run: threads },
];

/// The properties of codecs that encode arrays.
pub(super) const OF_ARRAYS: &[Check<Trials>] = &[
    Check { id: "data-types", clause: "codec/round-trip", run: data_types },
    Check { id: "rank-0", clause: "codec/round-trip", run: rank_0 },
    Check { id: "strides", clause: "contract/strides", run: strides },
];

/// The properties of codecs that encode bytes.
pub(super) const FROM_BYTES: &[Check<Trials>] = &[Check { id: "room", clause: "contract/strides", run: strides }];

/// The properties of codecs that encode to bytes.
pub(super) const OF_BYTES: &[Check<Trials>] = &[
    Check { id: "append", clause: "contract/append", run: append },
    Check { id: "sizes", clause: "contract/sizes", run: sizes },
    Check { id: "damage", clause: "codec/integrity", run: damage },
    Check { id: "integrity", clause: "codec/integrity", run: integrity },
];

/// Checks a property on random trials that have an input to encode.
pub(super) fn on_each(
    trials: &Trials,
    settings: &Settings,
    property: &str,
    f: impl Fn(&Trial, &Limits, &Value) -> Verdict,
) -> Verdict {
    if trials.all.is_empty() {
        return unsupported("it could not be created");
    }
    let property = format!("{} {property}", trials.subject.id());
    settings.each(&property, trials.inputs(), |(i, value)| {
        let trial = &trials.all[i];
        at(trial, f(trial, &trials.subject.limits, &value))
    })
}

/// Adds the trial to a finding.
pub(super) fn at(trial: &Trial, verdict: Verdict) -> Verdict {
    verdict.map_err(|e| match e {
        Finding::Broken(what) => Finding::Broken(format!("{what} ({})", trial.label)),
        other => other,
    })
}

fn check_round_trip(trial: &Trial, limits: &Limits, value: &Value) -> Verdict {
    let encoded = trial.encode(limits, value, false)?;
    let decoded = trial.decode(limits, &encoded, value, false)?;
    if !trial.lossy {
        return ensure(decoded == *value, || format!("it decodes to other elements: {decoded:?}"));
    }
    if trial.sample.tolerance.is_none() {
        return unsupported("it is lossy, and the sample states no tolerance");
    }
    ensure(trial.is_near(value, &decoded), || format!("decoded elements exceed the tolerance: {decoded:?}"))?;
    // Loss occurs only once: decoded elements are encoded without further loss.
    let again = trial.encode(limits, &decoded, false)?;
    let twice = trial.decode(limits, &again, value, false)?;
    ensure(twice == decoded, || "encoding decoded elements again loses more".to_owned())
}

fn round_trip(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "round-trip", check_round_trip)
}

/// The codec works for every data type and shape that it accepts.
fn data_types(trials: &Trials, settings: &Settings) -> Verdict {
    let few = Settings { cases: 2, ..settings.clone() };
    for trial in &trials.all {
        let property = format!("{} {}", trials.subject.id(), trial.label);
        let done = few.each(&property, trial.input(), |value| check_round_trip(trial, &trials.subject.limits, &value));
        at(trial, done)?;
    }
    Ok(())
}

fn is_rank_0(representation: &Representation) -> bool {
    representation.shape().is_empty()
}

/// An array without dimensions has one element. A codec that does not support it must refuse it on creation.
fn rank_0(trials: &Trials, settings: &Settings) -> Verdict {
    let mut found = false;
    for trial in trials.all.iter().filter(|t| is_rank_0(&t.representation)) {
        found = true;
        let property = format!("{} rank 0 {}", trials.subject.id(), trial.label);
        let few = Settings { cases: 4, ..settings.clone() };
        let done = few.each(&property, trial.input(), |value| check_round_trip(trial, &trials.subject.limits, &value));
        at(trial, done)?;
    }
    if found { Ok(()) } else { unsupported("no sample creates it for an array without dimensions") }
}

/// The codec works for zero bytes, and for arrays without elements.
fn empty(trials: &Trials, _: &Settings) -> Verdict {
    let mut found = false;
    for trial in &trials.all {
        let value = match &trial.codec {
            Codec::BytesToBytes(_) => Value::Bytes(Vec::new()),
            _ if trial.representation.layout().is_variable() => {
                let shape = trial.representation.shape().to_vec();
                let n = shape.iter().product::<u64>() as usize;
                Value::Array(super::value::Elements { shape, each: vec![Vec::new(); n] })
            }
            _ => continue,
        };
        found = true;
        at(trial, check_round_trip(trial, &trials.subject.limits, &value))?;
    }
    if found { Ok(()) } else { unsupported("every element that it accepts has bytes") }
}

/// Elements are found wherever they are in memory, and adjacent memory is not changed. Bytes are decoded into memory of
/// exactly the right size.
fn strides(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "strides", |trial, limits, value| {
        let plain = trial.encode(limits, value, false)?;
        let strided = trial.encode(limits, value, true)?;
        ensure(plain == strided, || "the encoding depends on the place of elements in memory".to_owned())?;
        let a = trial.decode(limits, &plain, value, false)?;
        let b = trial.decode(limits, &plain, value, true)?;
        ensure(a == b, || format!("decoding into other memory returns {b:?}"))
    })
}

/// Bytes that were already in the output are preserved.
fn append(trials: &Trials, settings: &Settings) -> Verdict {
    const BEFORE: &[u8] = b"before";
    on_each(trials, settings, "append", |trial, limits, value| {
        let Value::Bytes(wanted) = trial.encode(limits, value, false)? else { return Ok(()) };
        let written = with_call(limits, |call| {
            OutputBuffer::collect(|out| {
                out.extend(BEFORE)?;
                match (&trial.codec, value) {
                    (Codec::ArrayToBytes(codec), Value::Array(elements)) => {
                        let memory = super::value::Memory::with_elements(&trial.representation, elements, false)?;
                        codec.encode(call, &memory.view()?, out)
                    }
                    (Codec::BytesToBytes(codec), Value::Bytes(bytes)) => codec.encode(call, bytes, out),
                    _ => Err(super::value::wrong_value()),
                }
            })
        });
        let written = written?.1;
        let appended = written.strip_prefix(BEFORE);
        ensure(appended == Some(&wanted), || "it changes the existing output".to_owned())
    })
}

/// The size that the codec states is the size that it encodes to.
fn sizes(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "sizes", |trial, limits, value| {
        let (Value::Bytes(encoded), given) = (trial.encode(limits, value, false)?, value) else { return Ok(()) };
        let n = encoded.len() as u64;
        let promised: Vec<Size> = match (&trial.codec, given) {
            (Codec::ArrayToBytes(codec), _) => vec![codec.encoded_size()],
            (Codec::BytesToBytes(codec), Value::Bytes(decoded)) => {
                let m = decoded.len() as u64;
                [Size::Exact(m), Size::AtMost(m), Size::AtMost(m + 1), Size::Unknown]
                    .map(|s| codec.encoded_size(s))
                    .into()
            }
            _ => Vec::new(),
        };
        for promised in promised {
            ensure(promised.allows(n), || format!("it reports {promised:?} but encodes to {n} bytes"))?;
        }
        if let Codec::BytesToBytes(codec) = &trial.codec {
            ensure(codec.encoded_size(Size::AtMost(u64::MAX)) != Size::Exact(0), || {
                "it reports 0 bytes for any size".to_owned()
            })?;
        }
        Ok(())
    })
}

/// The same elements result in the same bytes, also from another instance, and after other elements were encoded.
fn deterministic(trials: &Trials, settings: &Settings) -> Verdict {
    on_each(trials, settings, "deterministic", |trial, limits, value| {
        let first = trial.encode(limits, value, false)?;
        let codec = trials.subject.codec(&trial.extension, &trial.representation)?;
        let other = Trial { codec, ..trial.clone() };
        let fresh = other.encode(limits, value, false)?;
        let second = trial.encode(limits, value, false)?;
        ensure(first == second, || "the same elements encode to other bytes the second time".to_owned())?;
        ensure(first == fresh, || "another instance encodes to other bytes".to_owned())
    })
}

/// One instance can be used by several threads at once.
fn threads(trials: &Trials, settings: &Settings) -> Verdict {
    const THREADS: usize = 4;
    let few = Settings { cases: settings.cases.div_ceil(4), ..settings.clone() };
    let inputs = proptest::collection::vec(trials.inputs(), 2..THREADS);
    if trials.all.is_empty() {
        return unsupported("it could not be created");
    }
    let property = format!("{} threads", trials.subject.id());
    few.each(&property, inputs, |inputs| {
        let limits = &trials.subject.limits;
        let mut wanted = Vec::new();
        for (i, value) in &inputs {
            let trial = &trials.all[*i];
            let encoded = trial.encode(limits, value, false)?;
            let decoded = trial.decode(limits, &encoded, value, false)?;
            wanted.push((trial, value, encoded, decoded));
        }
        let barrier = Barrier::new(THREADS);
        let one = |t: usize| -> Verdict {
            barrier.wait();
            for round in 0..8 {
                let (trial, value, encoded, decoded) = &wanted[(t + round) % wanted.len()];
                ensure(trial.encode(limits, value, false)? == *encoded, || "threads encode to other bytes".to_owned())?;
                let got = trial.decode(limits, encoded, value, false)?;
                ensure(got == *decoded, || "threads decode to other elements".to_owned())?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || one(t))).collect();
            let ended = all.into_iter().map(|t| t.join().unwrap_or_else(|_| broken("a thread panicked")));
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    })
}

/// Returns random damage to encoded bytes.
fn damaged() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let one = (any::<prop::sample::Index>(), any::<u8>(), 0u8..4);
    proptest::collection::vec(one, 1..4)
}

fn apply(bytes: &[u8], damage: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    let mut bad = bytes.to_vec();
    for (at, byte, kind) in damage {
        match kind {
            0 => bad.truncate(at.index(bad.len() + 1)),
            1 => bad.push(*byte),
            2 if !bad.is_empty() => {
                let i = at.index(bad.len());
                bad[i] ^= 1 << (byte % 8);
            }
            _ if bad.len() >= 8 => {
                let i = at.index(bad.len() - 7);
                bad[i..i + 8].fill(*byte);
            }
            _ => bad.clear(),
        }
    }
    bad
}

/// Decoding damaged bytes results in an error or in elements, within the limits.
fn damage(trials: &Trials, settings: &Settings) -> Verdict {
    const ROOM: u64 = 1 << 16;
    if trials.all.is_empty() {
        return unsupported("it could not be created");
    }
    let many = Settings { cases: settings.cases.saturating_mul(8), ..settings.clone() };
    let mut limits = trials.subject.limits.clone();
    limits.chunk_bytes = ROOM;
    let property = format!("{} damage", trials.subject.id());
    many.each(&property, (trials.inputs(), damaged()), |((i, value), damage)| {
        let trial = &trials.all[i];
        let Value::Bytes(encoded) = trial.encode(&trials.subject.limits, &value, false)? else { return Ok(()) };
        let bad = Value::Bytes(apply(&encoded, &damage));
        if let Ok(Value::Bytes(decoded)) = trial.decode(&limits, &bad, &value, false) {
            ensure(decoded.len() as u64 <= ROOM, || format!("{} bytes, beyond the limit of {ROOM}", decoded.len()))?;
        }
        Ok(())
    })
}

/// If the codec promises it, damage is detected or does not change the decoded elements.
fn integrity(trials: &Trials, settings: &Settings) -> Verdict {
    let protected: Vec<&Trial> = trials.all.iter().filter(|t| t.sample.integrity).collect();
    if protected.is_empty() {
        return unsupported("no sample declares `integrity`");
    }
    let inputs: Vec<_> = protected.iter().map(|t| t.input()).collect();
    let inputs = (0..inputs.len()).prop_flat_map(move |i| (Just(i), inputs[i].clone()));
    let many = Settings { cases: settings.cases.saturating_mul(8), ..settings.clone() };
    let property = format!("{} integrity", trials.subject.id());
    many.each(&property, (inputs, damaged()), |((i, value), damage)| {
        let (trial, limits) = (protected[i], &trials.subject.limits);
        let Value::Bytes(encoded) = trial.encode(limits, &value, false)? else { return Ok(()) };
        match trial.decode(limits, &Value::Bytes(apply(&encoded, &damage)), &value, false) {
            Ok(decoded) => {
                at(trial, ensure(decoded == value, || "damaged bytes are decoded to other elements".to_owned()))
            }
            Err(_) => Ok(()),
        }
    })
}
