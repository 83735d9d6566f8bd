//! The property that a codec accesses only the memory that it receives, and only during the call: inputs are in
//! read-only pages, inputs and outputs end at guard pages, and all of them are unmapped after the call.

use super::guard::{Edge, Guarded, Locked};
use crate::{
    check::{Settings, Verdict, ensure},
    extension::{
        Subject,
        trial::{Codec, Trial, Trials, with_call},
        value::Value,
    },
};
use ozarr::{
    Error, Result,
    zarr_core::{
        call::OutputBuffer,
        limits::Limits,
        representation::{Representation, Size},
        view::{View, ViewMut},
    },
};

/// Checks the property. Calls `guards` before memory with guards is passed for the first time; all inputs were tried
/// without guards before that.
pub(super) fn property(subject: &Subject, settings: &Settings, guards: &dyn Fn()) -> Verdict {
    subject.ensure_created()?;
    let trials = Trials::new(subject);
    let property = format!("{} guard", subject.id());
    let limits = Limits::default();
    settings.each(&property, trials.inputs(), |(i, value)| {
        let trial = &trials.all[i];
        let encoded = trial.encode(&limits, &value, false)?;
        trial.decode(&limits, &encoded, &value, false)?;
        Ok(())
    })?;
    guards();
    settings.each(&property, trials.inputs(), |(i, value)| {
        let trial = &trials.all[i];
        let wanted = trial.encode(&limits, &value, false)?;
        let decoded = trial.decode(&limits, &wanted, &value, false)?;
        for edge in [Edge::Before, Edge::Behind] {
            let Some(encoded) = encode(trial, &limits, &value, &wanted, edge)? else { return Ok(()) };
            ensure(encoded == flat(&wanted), || "it encodes to other bytes in guarded memory".to_owned())?;
            let got = decode(trial, &limits, &encoded, &decoded, edge)?;
            ensure(got == flat(&decoded), || "it decodes to other elements in guarded memory".to_owned())?;
        }
        Ok(())
    })
}

/// Returns the bytes of elements without gaps, or the bytes.
fn flat(value: &Value) -> Vec<u8> {
    match value {
        Value::Array(elements) => elements.each.concat(),
        Value::Bytes(bytes) => bytes.clone(),
    }
}

fn room(of: &Representation) -> Result<usize> {
    usize::try_from(of.bytes()?).map_err(|_| Error::argument("an array is larger than memory"))
}

/// Encodes in guarded memory. `None` for elements of variable length, which are passed in memory of the host.
fn encode(trial: &Trial, limits: &Limits, value: &Value, wanted: &Value, edge: Edge) -> Result<Option<Vec<u8>>> {
    let (of, input) = (&trial.representation, flat(value));
    // Provides the room that the codec states that it needs, up to a limit.
    let enough = flat(wanted).len() * 2 + (1 << 16);
    let room_for = |said: Size| said.max().map_or(enough, |n| usize::try_from(n).unwrap_or(enough).min(enough));
    let written = match &trial.codec {
        Codec::BytesToBytes(codec) => {
            let n = room_for(codec.encoded_size(Size::Exact(input.len() as u64)));
            let (from, mut to) = (Locked::new(&input, edge)?, Guarded::new(n, edge)?);
            let len = with_call(limits, |call| {
                let mut out = OutputBuffer::fixed(to.bytes_mut());
                codec.encode(call, from.bytes(), &mut out).map(|()| out.len())
            })?;
            to.bytes_mut()[..len].to_vec()
        }
        _ if of.layout().is_variable() => return Ok(None),
        Codec::ArrayToBytes(codec) => {
            let n = room_for(codec.encoded_size());
            let (from, mut to) = (Locked::new(&input, edge)?, Guarded::new(n, edge)?);
            let len = with_call(limits, |call| {
                let mut out = OutputBuffer::fixed(to.bytes_mut());
                let view = View::new(from.bytes(), of.shape(), of.element_size())?;
                codec.encode(call, &view, &mut out).map(|()| out.len())
            })?;
            to.bytes_mut()[..len].to_vec()
        }
        Codec::ArrayToArray(codec) => {
            let encoded = codec.encoded_representation();
            if encoded.layout().is_variable() {
                return Ok(None);
            }
            let (from, mut to) = (Locked::new(&input, edge)?, Guarded::new(room(encoded)?, edge)?);
            with_call(limits, |call| {
                let view = View::new(from.bytes(), of.shape(), of.element_size())?;
                codec.encode(call, &view, ViewMut::new(to.bytes_mut(), encoded.shape(), encoded.element_size())?)
            })?;
            to.bytes_mut().to_vec()
        }
    };
    Ok(Some(written))
}

fn decode(trial: &Trial, limits: &Limits, encoded: &[u8], decoded: &Value, edge: Edge) -> Result<Vec<u8>> {
    let of = &trial.representation;
    let (from, mut to) = (Locked::new(encoded, edge)?, Guarded::new(flat(decoded).len(), edge)?);
    with_call(limits, |call| match &trial.codec {
        Codec::BytesToBytes(codec) => {
            let mut out = OutputBuffer::fixed(to.bytes_mut());
            codec.decode(call, from.bytes(), &mut out)?;
            Ok(out.alias())
        }
        Codec::ArrayToBytes(codec) => {
            let view = ViewMut::new(to.bytes_mut(), of.shape(), of.element_size())?;
            codec.decode(call, from.bytes(), view).map(|()| None)
        }
        Codec::ArrayToArray(codec) => {
            let encoded = codec.encoded_representation();
            let view = View::new(from.bytes(), encoded.shape(), encoded.element_size())?;
            codec.decode(call, &view, ViewMut::new(to.bytes_mut(), of.shape(), of.element_size())?).map(|()| None)
        }
    })
    .map(|alias| match alias {
        Some(range) => from.bytes()[range].to_vec(),
        None => to.bytes_mut().to_vec(),
    })
}
