//! Codecs that take arrays and are wrong. Their parents are `bytes`, `sharding_indexed` and `transpose`.

use super::Animal;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use zarr_array::{
    Error, Result,
    core::{
        call::{Call, Out},
        codec::{ArrayToArray, ArrayToBytes, Encoded, PartialDecode, Plan, Update},
        extension::Extension,
        json::Json,
        registry::{Constructor, Instance, Registration, Site},
        representation::{Representation, Size},
        source::Source,
        view::{Region, View, ViewMut},
    },
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
    fn spoil(&self, out: &mut Out<'_>, spoiled: bool) {
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
    fn encode(&self, call: &Call<'_>, decoded: &View<'_>, out: &mut Out<'_>) -> Result<()> {
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
    fn decode(&self, call: &Call<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        self.parent.decode(call, encoded, out)
    }
    fn partial(&self) -> Option<&dyn PartialDecode> {
        self.parent.partial().map(|_| self as &dyn PartialDecode)
    }
    fn update(&self) -> Option<&dyn Update> {
        self.parent.update().map(|_| self as &dyn Update)
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
    fn partial_decode(
        &self,
        call: &Call<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let Some(parent) = self.parent.partial() else { return Err(Error::chain("it decodes no parts")) };
        match self.name {
            "zoo.part-off-by-one" => {
                let mut moved = region.clone();
                if let Some(s) = moved.start.first_mut() {
                    *s = s.saturating_sub(1);
                }
                parent.partial_decode(call, source, &moved, out)
            }
            // Takes the second call for the end of the first.
            "zoo.does-not-begin-again" => {
                if self.suspended.swap(false, Ordering::Relaxed) {
                    return out.fill(self.of.fill());
                }
                let done = parent.partial_decode(call, source, region, out);
                self.suspended.store(done.is_err(), Ordering::Relaxed);
                done
            }
            _ => parent.partial_decode(call, source, region, out),
        }
    }
}

impl Update for Bytes {
    fn update(
        &self,
        call: &Call<'_>,
        old: Option<&dyn Source>,
        region: &Region,
        new: &View<'_>,
        out: &mut Out<'_>,
    ) -> Result<Encoded> {
        let Some(parent) = self.parent.update() else { return Err(Error::chain("it changes no parts")) };
        match self.name {
            // What was stored is lost.
            "zoo.forgets-old" => parent.update(call, None, region, new, out),
            "zoo.stores-fill" => match parent.update(call, old, region, new, out)? {
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
            _ => parent.update(call, old, region, new, out),
        }
    }
}

fn parent_codec(site: &Site<'_>, name: &str, extension: &Extension) -> Result<(Arc<dyn ArrayToBytes>, Json)> {
    let own = match extension.configuration() {
        Some(members) => Extension::new(name, members.clone()),
        None => Extension::short_hand(name),
    };
    match site.registry.codec(&own)?.map(Registration::constructor) {
        Some(Constructor::ArrayToBytes(make)) => {
            let made = make(&own, &Site { name, ..*site })?;
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
    let make = move |extension: &Extension, site: &Site<'_>| {
        let (parent, written) = parent_codec(site, parent, extension)?;
        let codec = Bytes { name, parent, of: site.representation()?.clone(), suspended: AtomicBool::new(false) };
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
    fn encode(&self, call: &Call<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()> {
        self.parent.encode(call, decoded, encoded)
    }
    fn decode(&self, call: &Call<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.parent.decode(call, encoded, decoded)
    }
    fn plan(&self) -> Plan<'_> {
        match self.name {
            "zoo.plan" => Plan::Permute(&self.order),
            "zoo.region" => Plan::Copy,
            _ => self.parent.plan(),
        }
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        // It permutes, and the region does not.
        (self.name == "zoo.region").then(|| decoded.clone())
    }
}

fn moving(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, site: &Site<'_>| {
        let own = Extension::new("transpose", extension.configuration().cloned().unwrap_or_default());
        let Some(Constructor::ArrayToArray(make)) = site.registry.codec(&own)?.map(Registration::constructor) else {
            return Err(Error::chain("there is no transpose"));
        };
        let made = make(&own, &Site { name: "transpose", ..*site })?;
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
