//! Codecs that take arrays and are wrong. Their parents are `bytes`, `sharding_indexed` and `transpose`.

use super::Animal;
use ozarr::{
    Error, Result,
    zarr_core::{
        call::{CallContext, OutputBuffer},
        codec::{ArrayToArray, ArrayToBytes, DecodeStrategy, Encoded, PartialDecode, PartialEncode},
        extension::Extension,
        json::Json,
        registry::{Constructor, CreateContext, Instance, Registration},
        representation::{Representation, Size},
        source::Source,
        view::{Region, View, ViewMut},
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

#[derive(Debug)]
struct Bytes {
    name: &'static str,
    parent: Arc<dyn ArrayToBytes>,
    of: Representation,
    suspended: AtomicBool,
}

impl Bytes {
    /// The last byte of a chunk of this many elements is wrong.
    fn spoil(&self, out: &mut OutputBuffer<'_>, spoiled: bool) {
        if spoiled && !out.is_empty() {
            let at = out.len() - 1;
            out.written()[at] ^= 1;
        }
    }
}

impl ArrayToBytes for Bytes {
    fn encoded_size(&self) -> Size {
        self.parent.encoded_size()
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        match self.name {
            // Takes memory for gapless.
            "zoo.no-strides" if decoded.as_slice().is_none() && decoded.heap().is_none() => {
                let mut scratch = Vec::new();
                let n = decoded.count();
                let mut flat = decoded.contiguous(&mut scratch)?.to_vec();
                if n > 1 {
                    flat.rotate_left(decoded.element_size());
                }
                let view = View::new(&flat, &decoded.shape(), decoded.element_size())?;
                self.parent.encode(call, &view, out)
            }
            "zoo.rank-0" => {
                self.parent.encode(call, decoded, out)?;
                self.spoil(out, self.of.shape().is_empty());
                Ok(())
            }
            "zoo.complex" => {
                self.parent.encode(call, decoded, out)?;
                self.spoil(out, self.of.element_size() == 16 && self.of.shape().len() == 3);
                Ok(())
            }
            _ => self.parent.encode(call, decoded, out),
        }
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        self.parent.decode(call, encoded, out)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        self.parent.partial_decode().map(|_| self as &dyn PartialDecode)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        self.parent.partial_encode().map(|_| self as &dyn PartialEncode)
    }
    fn raw(&self) -> Option<usize> {
        if self.name == "zoo.raw" { Some(self.of.element_size().max(1)) } else { None }
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        let shape = self.parent.inner_chunk_shape();
        if self.name == "zoo.inner" { shape.map(|s| &s[1..]) } else { shape }
    }
}

impl PartialDecode for Bytes {
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let Some(parent) = self.parent.partial_decode() else { return Err(Error::chain("it decodes no parts")) };
        match self.name {
            "zoo.part-off-by-one" => {
                let mut moved = region.clone();
                if let Some(s) = moved.start.first_mut() {
                    *s = s.saturating_sub(1);
                }
                parent.decode_region(call, source, &moved, out)
            }
            // Takes the second call for the end of the first.
            "zoo.does-not-begin-again" => {
                if self.suspended.swap(false, Ordering::Relaxed) {
                    return out.fill(self.of.fill());
                }
                let done = parent.decode_region(call, source, region, out);
                self.suspended.store(done.is_err(), Ordering::Relaxed);
                done
            }
            _ => parent.decode_region(call, source, region, out),
        }
    }
}

impl PartialEncode for Bytes {
    fn update_region(
        &self,
        call: &CallContext<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        let Some(parent) = self.parent.partial_encode() else { return Err(Error::chain("it changes no parts")) };
        match self.name {
            // What was stored is lost.
            "zoo.forgets-old" => parent.update_region(call, None, region, new, out),
            "zoo.stores-fill" => match parent.update_region(call, old, region, new, out)? {
                Encoded::Fill => self
                    .parent
                    .encode(
                        call,
                        &View::new(&vec![0; 6 * 4 * self.of.element_size()], &[6, 4], self.of.element_size())?,
                        out,
                    )
                    .map(|()| Encoded::Bytes),
                other => Ok(other),
            },
            _ => parent.update_region(call, old, region, new, out),
        }
    }
}

fn parent_codec(cx: &CreateContext<'_>, name: &str, extension: &Extension) -> Result<(Arc<dyn ArrayToBytes>, Json)> {
    let own = match extension.configuration() {
        Some(members) => Extension::new(name, members.clone()),
        None => Extension::short_hand(name),
    };
    match cx.registry.codec(&own)?.map(Registration::constructor) {
        Some(Constructor::ArrayToBytes(make)) => {
            let made = make(&own, &CreateContext { name, ..*cx })?;
            let written = Json::Object(made.configuration()?);
            Ok((made.object, written))
        }
        _ => Err(Error::chain("there is no such codec")),
    }
}

fn of(
    parent: &'static str,
    name: &'static str,
    samples: &'static [&'static str],
    caught: &'static [&'static str],
) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let (parent, written) = parent_codec(cx, parent, extension)?;
        let codec = Bytes { name, parent, of: cx.representation()?.clone(), suspended: AtomicBool::new(false) };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn ArrayToBytes>, Box::new(written)))
    };
    let registration = Registration::new(name, "the zoo", Constructor::ArrayToBytes(Arc::new(make)));
    Animal { name, registration, samples, caught }
}

#[derive(Debug)]
struct Moves {
    name: &'static str,
    parent: Arc<dyn ArrayToArray>,
    encoded: Representation,
    order: Vec<usize>,
}

impl ArrayToArray for Moves {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()> {
        self.parent.encode(call, decoded, encoded)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.parent.decode(call, encoded, decoded)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        match self.name {
            "zoo.plan" => DecodeStrategy::Permute(&self.order),
            "zoo.region" => DecodeStrategy::Copy,
            _ => self.parent.decode_strategy(),
        }
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        // It permutes, and the region does not.
        (self.name == "zoo.region").then(|| decoded.clone())
    }
}

fn moving(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let own = Extension::new("transpose", extension.configuration().cloned().unwrap_or_default());
        let Some(Constructor::ArrayToArray(make)) = cx.registry.codec(&own)?.map(Registration::constructor) else {
            return Err(Error::chain("there is no transpose"));
        };
        let made = make(&own, &CreateContext { name: "transpose", ..*cx })?;
        let written = Json::Object(made.configuration()?);
        let mut encoded = made.object.encoded_representation().clone();
        if name == "zoo.fill" {
            let fill: Vec<u8> = encoded.fill().iter().map(|b| b ^ 1).collect();
            encoded = encoded.with_fill(&fill);
        }
        let order = (0..encoded.shape().len()).collect();
        let codec = Moves { name, parent: made.object, encoded, order };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn ArrayToArray>, Box::new(written)))
    };
    let registration = Registration::new(name, "the zoo", Constructor::ArrayToArray(Arc::new(make)));
    Animal { name, registration, samples: &["configuration = '{\"order\": [1, 0]}'\nshape = [3, 3]"], caught }
}

const LITTLE: &[&str] = &["configuration = '{\"endian\": \"little\"}'"];
const SHARD: &[&str] = &[r#"shape = [6, 4]
configuration = '''{"chunk_shape": [3, 2], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
  "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}'''"#];

pub(crate) fn parent() -> Animal {
    of("sharding_indexed", "zoo.shards", SHARD, &[])
}

pub(crate) fn animals() -> Vec<Animal> {
    vec![
        of("bytes", "zoo.complex", LITTLE, &["data-types", "*round-trip", "*partial-decode"]),
        of("bytes", "zoo.rank-0", LITTLE, &["rank-0", "*round-trip", "*data-types"]),
        of("bytes", "zoo.no-strides", LITTLE, &["strides"]),
        of("bytes", "zoo.raw", &["configuration = '{\"endian\": \"little\"}'\nshape = [4]"], &["raw"]),
        of("sharding_indexed", "zoo.inner", SHARD, &["inner-chunks"]),
        of("sharding_indexed", "zoo.part-off-by-one", SHARD, &["partial-decode", "suspension"]),
        of("sharding_indexed", "zoo.does-not-begin-again", SHARD, &["suspension"]),
        of("sharding_indexed", "zoo.forgets-old", SHARD, &["update"]),
        of("sharding_indexed", "zoo.stores-fill", SHARD, &["fill", "*update"]),
        moving("zoo.plan", &["plan"]),
        moving("zoo.region", &["partial-decode"]),
        moving("zoo.fill", &["representation"]),
    ]
}
