//! Properties of data types: fill values are exact in every form, and the layout matches the bytes.

use super::{
    Sample, Subject,
    trial::Trial,
    value::{Value, elements as elements_of, is_element},
};
use crate::check::{Check, Finding, Settings, Verdict, broken, ensure, unsupported};
use ozarr::{
    ErrorKind,
    zarr_core::{
        data_type::DataType,
        extension::Extension,
        json::{Json, Object},
        layout::{Layout, ScalarKind},
        representation::Representation,
    },
};
use proptest::{collection::vec, prelude::*};
use std::{sync::Arc, thread::ScopedJoinHandle};

pub(super) const CHECKS: &[Check<Subject>] = &[
    Check { id: "layout", clause: "contract/layout", run: |s, _| layout(s) },
    Check { id: "default-fill", clause: "fill/exact", run: |s, _| default_fill(s) },
    Check { id: "fill-from-bytes", clause: "fill/exact", run: fill_from_bytes },
    Check { id: "fill-from-json", clause: "fill/exact", run: fill_from_json },
    Check { id: "fill-refused", clause: "fill/refused", run: |s, _| fill_refused(s) },
    Check { id: "wrong-length", clause: "contract/no-panic", run: wrong_length },
    Check { id: "elements", clause: "contract/layout", run: elements },
    Check { id: "stored", clause: "contract/layout", run: stored },
    Check { id: "deterministic", clause: "contract/deterministic", run: deterministic },
];

type Made<'s> = (&'s Sample, Extension, Arc<dyn DataType>);

fn made(subject: &Subject) -> Result<Vec<Made<'_>>, Finding> {
    let mut found = Vec::new();
    for (sample, extension) in subject.extensions()? {
        match subject.registry.data_type(&extension, &subject.limits) {
            Ok(made) => found.push((sample, extension, made.object)),
            // The check `create` reports a sample that is refused.
            Err(_) if sample.configuration.is_some() => {}
            Err(e) => return unsupported(e.to_string()),
        }
    }
    if found.is_empty() { unsupported("it could not be created") } else { Ok(found) }
}

/// Returns elements of the right size, not all of which have to be valid.
fn element(layout: &Layout) -> BoxedStrategy<Vec<u8>> {
    match layout {
        Layout::Variable { text: true } => "\\PC{0,8}".prop_map(String::into_bytes).boxed(),
        Layout::Variable { .. } => vec(any::<u8>(), 0..9).boxed(),
        fixed => {
            let n = fixed.size();
            let special = prop_oneof![Just(0u8), Just(0xFF), Just(0x80), Just(0x7F), Just(0xF0), Just(1)];
            prop_oneof![2 => vec(any::<u8>(), n), 1 => vec(special, n)].boxed()
        }
    }
}

/// Scalars, components and fields add up to the size of the element.
fn layout(subject: &Subject) -> Verdict {
    for (_, _, data_type) in made(subject)? {
        let layout = data_type.layout();
        ensure(layout == data_type.layout(), || "it reports another layout the second time".to_owned())?;
        match &layout {
            Layout::Fixed { width, components, .. } => {
                let total = width.checked_mul(*components);
                ensure(*width > 0 && *components > 0 && total == Some(layout.size()), || {
                    format!("its layout is {layout:?}")
                })?;
            }
            Layout::Struct(fields) => {
                let total: usize = fields.iter().map(|f| f.width * f.components).sum();
                let good =
                    !fields.is_empty() && fields.iter().all(|f| f.width > 0 && f.components > 0 && !f.name.is_empty());
                ensure(good && total == layout.size(), || format!("its layout is {layout:?}"))?;
            }
            _ => {}
        }
        // The check `default-fill` reports one that is refused.
        let Ok(fill) = data_type.fill_from_json(&data_type.default_fill()) else { continue };
        let fits = layout.is_variable() || fill.len() == layout.size();
        ensure(fits, || format!("an element has {} bytes, but the layout has {}", fill.len(), layout.size()))?;
    }
    Ok(())
}

/// The default fill value is valid for the data type.
fn default_fill(subject: &Subject) -> Verdict {
    for (_, _, data_type) in made(subject)? {
        let json = data_type.default_fill();
        let bytes = data_type.fill_from_json(&json);
        let bytes = bytes.map_err(|e| Finding::Broken(format!("it refuses its own fill value {json}: {e}")))?;
        ensure(is_element(&*data_type, &bytes), || format!("its own fill value {json} is not an element"))?;
    }
    Ok(())
}

/// Every element has a fill value in JSON that results in the same bits.
fn fill_from_bytes(subject: &Subject, settings: &Settings) -> Verdict {
    let many = Settings { cases: settings.cases.saturating_mul(8), ..settings.clone() };
    for (sample, extension, data_type) in made(subject)? {
        let property = format!("{} fill-from-bytes {:?}", subject.id(), sample.configuration);
        many.each(&property, element(&data_type.layout()), |bytes| {
            if !is_element(&*data_type, &bytes) {
                return Ok(());
            }
            let json = data_type.fill_to_json(&bytes)?;
            // A value that is written to a document must be read back.
            let read = Json::parse(json.to_string().as_bytes(), &subject.limits)?;
            let back = data_type.fill_from_json(&read)?;
            ensure(back == bytes, || {
                format!("{} is written as {json}, which reads back as {back:x?}", extension.to_json())
            })
        })?;
    }
    Ok(())
}

/// Returns JSON that may be a fill value of some data type.
fn json() -> impl Strategy<Value = String> {
    const TEXTS: [&str; 44] = [
        "0",
        "-0",
        "1",
        "-1",
        "0.0",
        "-0.0",
        "1.5",
        "127",
        "128",
        "-128",
        "255",
        "256",
        "65535",
        "65536",
        "1e2",
        "1e308",
        "1e400",
        "4294967296",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "true",
        "false",
        "null",
        "\"\"",
        "\"NaN\"",
        "\"Infinity\"",
        "\"-Infinity\"",
        "\"NaT\"",
        "\"0x7fc00001\"",
        "\"0x7ff8000000000001\"",
        "\"0x7e01\"",
        "\"0xff\"",
        "[0,0]",
        "[\"NaN\",1.5]",
        "[]",
        "[1,2,3]",
        "[[0]]",
        "{}",
        "\"AAEC\"",
        "\"text\"",
        "\"\\u00e9\"",
    ];
    prop_oneof![
        2 => prop::sample::select(&TEXTS[..]).prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_filter("JSON has no others", |x| x.is_finite()).prop_map(|x| format!("{x:e}")),
        1 => vec(any::<u8>(), 0..9).prop_map(|v| format!("{v:?}")),
        1 => "[0-9a-zA-Z+/=]{0,12}".prop_map(|s| format!("\"{s}\"")),
    ]
}

/// Every accepted fill value results in an element, and the JSON of that element results in it again.
fn fill_from_json(subject: &Subject, settings: &Settings) -> Verdict {
    let many = Settings { cases: settings.cases.saturating_mul(8), ..settings.clone() };
    for (sample, _, data_type) in made(subject)? {
        let property = format!("{} fill-from-json {:?}", subject.id(), sample.configuration);
        many.each(&property, json(), |text| {
            let value = Json::parse(text.as_bytes(), &subject.limits)?;
            let Ok(bytes) = data_type.fill_from_json(&value) else { return Ok(()) };
            let fits = data_type.layout().is_variable() || bytes.len() == data_type.layout().size();
            ensure(fits, || format!("{text} is an element of {} bytes", bytes.len()))?;
            ensure(is_element(&*data_type, &bytes), || format!("{text} is accepted but is not an element"))?;
            let again = data_type.fill_from_json(&data_type.fill_to_json(&bytes)?)?;
            ensure(again == bytes, || format!("{text} is {bytes:x?}, and written and read again {again:x?}"))
        })?;
    }
    Ok(())
}

/// A value that is not a fill value of any data type is refused with an error about the fill value.
fn fill_refused(subject: &Subject) -> Verdict {
    for (_, _, data_type) in made(subject)? {
        for text in ["null", "{\"a\":{\"b\":[]}}", "[[[[[[0]]]]]]", "[{},{}]"] {
            let value = Json::parse(text.as_bytes(), &subject.limits)?;
            match data_type.fill_from_json(&value) {
                Ok(bytes) => return broken(format!("{text} is accepted as the element {bytes:x?}")),
                Err(e) if matches!(e.kind(), ErrorKind::FillValue(_) | ErrorKind::Configuration(_)) => {}
                Err(e) => return broken(format!("{text} is refused with an error that is about something else: {e}")),
            }
        }
    }
    Ok(())
}

/// Bytes with another length than that of an element cause an error.
fn wrong_length(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, _, data_type) in made(subject)? {
        let layout = data_type.layout();
        let property = format!("{} wrong-length {:?}", subject.id(), sample.configuration);
        settings.each(&property, vec(any::<u8>(), 0..40), |bytes| {
            let good = match layout {
                Layout::Variable { text } => !text || std::str::from_utf8(&bytes).is_ok(),
                _ => bytes.len() == layout.size(),
            };
            let done = data_type.fill_to_json(&bytes);
            ensure(good || done.is_err(), || {
                format!("{} bytes that are not an element result in {done:?}", bytes.len())
            })
        })?;
    }
    Ok(())
}

/// Several elements are valid if each of them is.
fn elements(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, _, data_type) in made(subject)? {
        if data_type.layout().is_variable() {
            continue;
        }
        let property = format!("{} elements {:?}", subject.id(), sample.configuration);
        settings.each(&property, vec(element(&data_type.layout()), 0..6), |all| {
            let each = all.iter().all(|e| data_type.check_elements(e).is_ok());
            let together = data_type.check_elements(&all.concat()).is_ok();
            ensure(each == together, || format!("one by one they are valid: {each}; together: {together}"))
        })?;
    }
    Ok(())
}

/// An element that is printed as an integer must be one scalar with that value, so that reversing its bytes is
/// meaningful.
fn is_scalar(layout: &Layout, element: &[u8], json: &Json) -> Verdict {
    let Ok(number) = json.to_string().parse::<i128>() else { return Ok(()) };
    let (kind, width) = match layout {
        Layout::Fixed { kind, width, components: 1 } => (kind, width),
        Layout::Fixed { .. } => return broken(format!("{number} is an element of several scalars, {layout:?}")),
        _ => return Ok(()),
    };
    if *width > 16 {
        return Ok(());
    }
    let mut wide = [0; 16];
    let (low, high) = (|i: usize| if cfg!(target_endian = "big") { *width - 1 - i } else { i }, *width - 1);
    (0..*width).for_each(|i| wide[i] = element[low(i)]);
    let negative = *kind == ScalarKind::Int && wide[high] >= 0x80;
    wide[*width..].fill(if negative { 0xFF } else { 0 });
    let is_integer = matches!(kind, ScalarKind::Int | ScalarKind::UInt);
    let value = i128::from_le_bytes(wide);
    ensure(!is_integer || value == number, || {
        format!("{element:x?} is printed as {number}, and {layout:?} has {value}")
    })
}

/// Stored by `bytes`, big endian is little endian with each scalar reversed, and both are read back.
fn stored(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, extension, data_type) in made(subject)? {
        let layout = data_type.layout();
        if layout.is_variable() {
            continue;
        }
        let Ok(fill) = data_type.fill_from_json(&data_type.default_fill()) else { continue };
        let of = Representation::new(data_type.clone(), &[3], &fill);
        let property = format!("{} stored {:?}", subject.id(), sample.configuration);
        settings.each(&property, elements_of(&of), |elements| {
            for element in &elements.each {
                is_scalar(&layout, element, &data_type.fill_to_json(element)?)?;
            }
            let value = Value::Array(elements);
            let mut stored = Vec::new();
            for endian in ["little", "big"] {
                let members: Object = [("endian", endian)].into_iter().collect();
                let bytes = Extension::new("bytes", members);
                let codec = subject.codec(&bytes, &of)?;
                let trial = Trial {
                    label: endian.into(),
                    sample: Sample::default(),
                    extension: bytes,
                    representation: of.clone(),
                    codec,
                    lossy: false,
                };
                let encoded = trial.encode(&subject.limits, &value, false)?;
                let back = trial.decode(&subject.limits, &encoded, &value, false)?;
                ensure(back == value, || format!("stored in {endian}-endian order, other elements are read back"))?;
                stored.push(encoded);
            }
            let [Value::Bytes(little), Value::Bytes(big)] = &stored[..] else { return Ok(()) };
            let mut swapped = little.clone();
            layout.swap(&mut swapped);
            ensure(swapped == *big, || {
                format!("{} is stored little endian as {little:x?}, big endian as {big:x?}", extension.to_json())
            })
        })?;
    }
    Ok(())
}

/// Another instance, and another thread, return the same results.
fn deterministic(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, extension, data_type) in made(subject)? {
        let other = subject.registry.data_type(&extension, &subject.limits)?.object;
        ensure(other.layout() == data_type.layout(), || "another instance has another layout".to_owned())?;
        let property = format!("{} deterministic {:?}", subject.id(), sample.configuration);
        settings.each(&property, element(&data_type.layout()), |bytes| {
            if !is_element(&*data_type, &bytes) {
                return Ok(());
            }
            let json = data_type.fill_to_json(&bytes)?.to_string();
            ensure(other.fill_to_json(&bytes)?.to_string() == json, || {
                "another instance prints it otherwise".to_owned()
            })?;
            let again = std::thread::scope(|scope| {
                let all: Vec<_> = (0..3).map(|_| scope.spawn(|| data_type.fill_to_json(&bytes))).collect();
                all.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
            });
            for one in again {
                match one {
                    Ok(one) => ensure(one?.to_string() == json, || "another thread prints it differently".to_owned())?,
                    Err(_) => return broken("a thread panicked"),
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
