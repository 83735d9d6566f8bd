//! Codecs from bytes to bytes that are wrong, among them those that are wrong in how they are configured. Their parent is
//! `crc32c`.

use super::Animal;
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
    parent: Arc<dyn BytesToBytes>,
    calls: AtomicU64,
    shared: Mutex<Vec<u8>>,
}

fn parent_of(cx: &CreateContext<'_>) -> Result<Arc<dyn BytesToBytes>> {
    let extension = Extension::short_hand("crc32c");
    match cx.registry.codec(&extension)?.map(Registration::constructor) {
        Some(Constructor::BytesToBytes(make)) => Ok(make(&extension, &CreateContext { name: "crc32c", ..*cx })?.object),
        _ => Err(Error::chain("there is no crc32c")),
    }
}

impl BytesToBytes for Codec {
    fn encoded_size(&self, decoded: Size) -> Size {
        match self.name {
            "zoo.too-small" => decoded,
            _ => self.parent.encoded_size(decoded),
        }
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.name {
            "zoo.last-byte" if decoded.len() > 40 => {
                let mut wrong = decoded.to_vec();
                *wrong.last_mut().unwrap() = 0x77;
                self.parent.encode(call, &wrong, out)
            }
            "zoo.empty" if decoded.is_empty() => Err(Error::data("nothing is no data")),
            "zoo.overwrites" if !out.is_empty() => {
                let at = out.len() - 1;
                out.written()[at] ^= 1;
                self.parent.encode(call, decoded, out)
            }
            // Another instance begins to count anew.
            "zoo.counts" if decoded.len() > 8 => {
                self.parent.encode(call, decoded, out)?;
                let written = out.written();
                let at = written.len() - 1;
                written[at] ^= (n % 7) as u8;
                Ok(())
            }
            // Wrong only when two are at it.
            "zoo.shares" => {
                {
                    let mut shared = self.shared.lock().unwrap();
                    shared.clear();
                    shared.extend_from_slice(decoded);
                }
                std::thread::sleep(std::time::Duration::from_micros(300));
                let shared = self.shared.lock().unwrap().clone();
                self.parent.encode(call, &shared, out)
            }
            _ => self.parent.encode(call, decoded, out),
        }
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        match self.name {
            "zoo.panics-when-short" if encoded.len() < 4 => panic!("index out of range"),
            "zoo.believes-all" => out.extend(encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default()),
            // As if memory could always grow.
            "zoo.wants-more-room" => {
                let mut copy = encoded[..encoded.len().saturating_sub(4)].to_vec();
                copy.resize(copy.len() + 64, 0);
                let n = copy.len() - 64;
                self.parent.decode(call, encoded, &mut OutputBuffer::fixed(&mut copy[..n]))?;
                let room = out.space(n + 64)?;
                room[..n].copy_from_slice(&encoded[..n]);
                out.unused(64);
                Ok(())
            }
            // Only what it has encoded itself.
            "zoo.knows-its-own" if self.calls.load(Ordering::Relaxed) == 0 => Err(Error::data("I never saw that")),
            "zoo.counts" => out.extend(encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default()),
            _ => self.parent.decode(call, encoded, out),
        }
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        let source = self.parent.decoded_source(encoded)?;
        Some(if self.name == "zoo.reads-on" { Box::new(Shifted(source)) } else { source })
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

/// What is made of a configuration, and what is written of it.
fn configured(name: &str, extension: &Extension, cx: &CreateContext<'_>) -> Result<Object> {
    let given = extension.configuration().cloned().unwrap_or_default();
    let level = given.get("level").map(ToString::to_string);
    let known = |n: &str| n == "level";
    match name {
        "zoo.takes-any-member" => {}
        _ => {
            if let Some((member, _)) = given.iter().find(|(n, _)| !known(n)) {
                return Err(Error::configuration(format!("unknown member `{member}`")));
            }
        }
    }
    match (name, level.as_deref()) {
        ("zoo.refuses-samples", Some("5")) => return Err(Error::configuration("five is right out")),
        ("zoo.refuses-with-io", _) if cx.representation()?.shape().is_empty() => {
            return Err(ErrorKind::Io(std::io::Error::other("disk on fire")).into());
        }
        ("zoo.panics-at-levels", Some(text)) if !text.starts_with('5') => panic!("no such level"),
        ("zoo.forgets", _) => return Ok(Object::new()),
        ("zoo.knows-its-name", _) if cx.name != "zoo.knows-its-name" => {
            return Err(Error::configuration("that is not my name"));
        }
        _ => {}
    }
    match level.as_deref() {
        None | Some("5") => Ok(given),
        Some(_) if name == "zoo.panics-at-levels" => Ok(given),
        Some(other) => Err(Error::configuration(format!("{other} is no level"))),
    }
}

fn animal(name: &'static str, samples: &'static [&'static str], caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let members = configured(name, extension, cx)?;
        let codec = Codec { name, parent: parent_of(cx)?, calls: AtomicU64::new(0), shared: Mutex::default() };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn BytesToBytes>, Box::new(Json::Object(members))))
    };
    let registration = Registration::new(name, "the zoo", Constructor::BytesToBytes(Arc::new(make)));
    Animal { name, registration: registration.with_alias(format!("{name}-alias")), samples, caught }
}

const SUM: &[&str] = &["integrity = true"];
const LEVEL: &[&str] = &["configuration = '{\"level\": 5}'"];

pub(crate) fn parent() -> Animal {
    animal("zoo.bytes", &["integrity = true\nconfiguration = '{\"level\": 5}'"], &[])
}

pub(crate) fn animals() -> Vec<Animal> {
    vec![
        animal("zoo.last-byte", &[""], &["round-trip"]),
        animal(
            "zoo.empty",
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
        animal("zoo.overwrites", &[""], &["append"]),
        animal("zoo.too-small", &[""], &["sizes"]),
        animal("zoo.counts", &[""], &["deterministic", "*threads", "*room", "*append"]),
        animal("zoo.shares", &[""], &["threads"]),
        animal("zoo.panics-when-short", &[""], &["damage"]),
        animal("zoo.believes-all", SUM, &["integrity"]),
        animal("zoo.wants-more-room", &[""], &["room"]),
        animal("zoo.reads-on", &[""], &["partial-decode"]),
        animal("zoo.knows-its-own", SUM, &["arrays"]),
        animal("zoo.takes-any-member", LEVEL, &["unknown-configuration"]),
        animal("zoo.refuses-samples", LEVEL, &["create"]),
        animal("zoo.refuses-with-io", LEVEL, &["refusal"]),
        animal("zoo.panics-at-levels", LEVEL, &["hostile-configuration"]),
        animal("zoo.forgets", LEVEL, &["configuration"]),
        animal("zoo.knows-its-name", LEVEL, &["aliases"]),
    ]
}
