//! Faulty bytes -> bytes codecs, some with faults in their configuration. They wrap `crc32c`.

use super::Fixture;
use ozarr::{
    Error, ErrorKind, Result,
    zarr_core::{
        call::{CallContext, OutputBuffer},
        codec::BytesToBytes,
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, CreateContext, Instance, Registration},
        representation::Size,
        source::{ByteRange, RangeCallback, Source},
    },
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

#[derive(Debug)]
struct Codec {
    name: &'static str,
    wrapped: Arc<dyn BytesToBytes>,
    calls: AtomicU64,
    shared: Mutex<Vec<u8>>,
}

fn wrapped_codec(cx: &CreateContext<'_>) -> Result<Arc<dyn BytesToBytes>> {
    let extension = Extension::short_hand("crc32c");
    match cx.registry.codec(&extension)?.map(Registration::constructor) {
        Some(Constructor::BytesToBytes(make)) => Ok(make(&extension, &CreateContext { name: "crc32c", ..*cx })?.object),
        _ => Err(Error::chain("there is no crc32c")),
    }
}

impl BytesToBytes for Codec {
    fn encoded_size(&self, decoded: Size) -> Size {
        match self.name {
            "test.too-small" => decoded,
            _ => self.wrapped.encoded_size(decoded),
        }
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.name {
            "test.last-byte" if decoded.len() > 40 => {
                let mut wrong = decoded.to_vec();
                *wrong.last_mut().unwrap() = 0x77;
                self.wrapped.encode(call, &wrong, out)
            }
            "test.refuses-empty" if decoded.is_empty() => Err(Error::data("empty input is refused")),
            "test.overwrites" if !out.is_empty() => {
                let at = out.len() - 1;
                out.written()[at] ^= 1;
                self.wrapped.encode(call, decoded, out)
            }
            // Another instance starts counting from zero.
            "test.counts-calls" if decoded.len() > 8 => {
                self.wrapped.encode(call, decoded, out)?;
                let written = out.written();
                let at = written.len() - 1;
                written[at] ^= (n % 7) as u8;
                Ok(())
            }
            // Only wrong if two threads use it.
            "test.shares-state" => {
                {
                    let mut shared = self.shared.lock().unwrap();
                    shared.clear();
                    shared.extend_from_slice(decoded);
                }
                std::thread::sleep(std::time::Duration::from_micros(300));
                let shared = self.shared.lock().unwrap().clone();
                self.wrapped.encode(call, &shared, out)
            }
            _ => self.wrapped.encode(call, decoded, out),
        }
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        match self.name {
            "test.panics-when-short" if encoded.len() < 4 => panic!("index out of range"),
            "test.believes-all" => out.extend(encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default()),
            // Assumes that the output can always grow.
            "test.wants-more-room" => {
                let mut copy = encoded[..encoded.len().saturating_sub(4)].to_vec();
                copy.resize(copy.len() + 64, 0);
                let n = copy.len() - 64;
                self.wrapped.decode(call, encoded, &mut OutputBuffer::fixed(&mut copy[..n]))?;
                let room = out.space(n + 64)?;
                room[..n].copy_from_slice(&encoded[..n]);
                out.unused(64);
                Ok(())
            }
            // Only decodes what it has encoded itself.
            "test.decodes-only-its-own" if self.calls.load(Ordering::Relaxed) == 0 => {
                Err(Error::data("I never saw that"))
            }
            "test.counts-calls" => out.extend(encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default()),
            _ => self.wrapped.decode(call, encoded, out),
        }
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        let source = self.wrapped.decoded_source(encoded)?;
        Some(if self.name == "test.reads-on" { Box::new(Shifted(source)) } else { source })
    }
}

struct Shifted<'s>(Box<dyn Source + 's>);

impl Source for Shifted<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let moved: Vec<ByteRange> = ranges
            .iter()
            .map(|r| match *r {
                ByteRange::Slice { start, len } if start > 0 && len > 0 => ByteRange::Slice { start: start - 1, len },
                other => other,
            })
            .collect();
        self.0.read(&moved, each)
    }
}

/// Returns the configuration that is stored for a given one.
fn configured(name: &str, extension: &Extension, cx: &CreateContext<'_>) -> Result<Object> {
    let given = extension.configuration().cloned().unwrap_or_default();
    let level = given.get("level").map(ToString::to_string);
    let known = |n: &str| n == "level";
    match name {
        "test.accepts-any-member" => {}
        _ => {
            if let Some((member, _)) = given.iter().find(|(n, _)| !known(n)) {
                return Err(Error::configuration(format!("unknown member `{member}`")));
            }
        }
    }
    match (name, level.as_deref()) {
        ("test.refuses-samples", Some("5")) => return Err(Error::configuration("five is right out")),
        ("test.refuses-with-io", _) if cx.representation()?.shape().is_empty() => {
            return Err(ErrorKind::Io(std::io::Error::other("disk on fire")).into());
        }
        ("test.panics-at-levels", Some(text)) if !text.starts_with('5') => panic!("no such level"),
        ("test.forgets-configuration", _) => return Ok(Object::new()),
        ("test.knows-its-name", _) if cx.name != "test.knows-its-name" => {
            return Err(Error::configuration("that is not my name"));
        }
        _ => {}
    }
    match level.as_deref() {
        None | Some("5") => Ok(given),
        Some(_) if name == "test.panics-at-levels" => Ok(given),
        Some(other) => Err(Error::configuration(format!("{other} is not a level"))),
    }
}

fn faulty(name: &'static str, samples: &'static [&'static str], caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let members = configured(name, extension, cx)?;
        let codec = Codec { name, wrapped: wrapped_codec(cx)?, calls: AtomicU64::new(0), shared: Mutex::default() };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn BytesToBytes>, Box::new(Json::Object(members))))
    };
    let registration = Registration::new(name, "the tests", Constructor::BytesToBytes(Arc::new(make)));
    Fixture { name, registration: registration.with_alias(format!("{name}-alias")), samples, caught }
}

const SUM: &[&str] = &["integrity = true"];
const LEVEL: &[&str] = &["configuration = '{\"level\": 5}'"];

pub(crate) fn counterpart() -> Fixture {
    faulty("test.bytes", &["integrity = true\nconfiguration = '{\"level\": 5}'"], &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        faulty("test.last-byte", &[""], &["round-trip"]),
        faulty(
            "test.refuses-empty",
            &[""],
            &[
                "empty",
                "*round-trip",
                "*deterministic",
                "*threads",
                "*room",
                "*append",
                "*sizes",
                "*damage",
                "*partial-decode",
            ],
        ),
        faulty("test.overwrites", &[""], &["append"]),
        faulty("test.too-small", &[""], &["sizes"]),
        faulty("test.counts-calls", &[""], &["deterministic", "*threads", "*room", "*append"]),
        faulty("test.shares-state", &[""], &["threads"]),
        faulty("test.panics-when-short", &[""], &["damage"]),
        faulty("test.believes-all", SUM, &["integrity"]),
        faulty("test.wants-more-room", &[""], &["room"]),
        faulty("test.reads-on", &[""], &["partial-decode"]),
        faulty("test.decodes-only-its-own", SUM, &["arrays"]),
        faulty("test.accepts-any-member", LEVEL, &["unknown-configuration"]),
        faulty("test.refuses-samples", LEVEL, &["create"]),
        faulty("test.refuses-with-io", LEVEL, &["refusal"]),
        faulty("test.panics-at-levels", LEVEL, &["hostile-configuration"]),
        faulty("test.forgets-configuration", LEVEL, &["configuration"]),
        faulty("test.knows-its-name", LEVEL, &["aliases"]),
    ]
}
