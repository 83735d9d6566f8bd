//! Faulty codecs of arrays. They wrap `bytes`, `sharding_indexed` and `transpose`.

use super::Fixture;
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
    wrapped: Arc<dyn ArrayToBytes>,
    of: Representation,
    suspended: AtomicBool,
}

impl Bytes {
    /// Changes the last byte of a chunk of this many elements.
    fn spoil(&self, out: &mut OutputBuffer<'_>, spoiled: bool) {
        if spoiled && !out.is_empty() {
            let at = out.len() - 1;
            out.written()[at] ^= 1;
        }
    }
}

impl ArrayToBytes for Bytes {
    fn encoded_size(&self) -> Size {
        self.wrapped.encoded_size()
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        match self.name {
            // Treats memory with gaps as contiguous.
            "test.no-strides" if decoded.as_slice().is_none() && decoded.heap().is_none() => {
                let mut scratch = Vec::new();
                let n = decoded.count();
                let mut flat = decoded.contiguous(&mut scratch)?.to_vec();
                if n > 1 {
                    flat.rotate_left(decoded.element_size());
                }
                let view = View::new(&flat, &decoded.shape(), decoded.element_size())?;
                self.wrapped.encode(call, &view, out)
            }
            "test.wrong-rank-0" => {
                self.wrapped.encode(call, decoded, out)?;
                self.spoil(out, self.of.shape().is_empty());
                Ok(())
            }
            "test.wrong-complex" => {
                self.wrapped.encode(call, decoded, out)?;
                self.spoil(out, self.of.element_size() == 16 && self.of.shape().len() == 3);
                Ok(())
            }
            _ => self.wrapped.encode(call, decoded, out),
        }
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        self.wrapped.decode(call, encoded, out)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        self.wrapped.partial_decode().map(|_| self as &dyn PartialDecode)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        self.wrapped.partial_encode().map(|_| self as &dyn PartialEncode)
    }
    fn raw(&self) -> Option<usize> {
        if self.name == "test.false-raw" { Some(self.of.element_size().max(1)) } else { None }
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        let shape = self.wrapped.inner_chunk_shape();
        if self.name == "test.inner-chunks-of-lower-rank" { shape.map(|s| &s[1..]) } else { shape }
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
        let Some(wrapped) = self.wrapped.partial_decode() else { return Err(Error::chain("it decodes no parts")) };
        match self.name {
            "test.part-off-by-one" => {
                let mut moved = region.clone();
                if let Some(s) = moved.start.first_mut() {
                    *s = s.saturating_sub(1);
                }
                wrapped.decode_region(call, source, &moved, out)
            }
            // Treats the second call as the end of the first.
            "test.does-not-begin-again" => {
                if self.suspended.swap(false, Ordering::Relaxed) {
                    return out.fill(self.of.fill());
                }
                let done = wrapped.decode_region(call, source, region, out);
                self.suspended.store(done.is_err(), Ordering::Relaxed);
                done
            }
            _ => wrapped.decode_region(call, source, region, out),
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
        let Some(wrapped) = self.wrapped.partial_encode() else { return Err(Error::chain("it changes no parts")) };
        match self.name {
            // Loses the stored value.
            "test.forgets-old" => wrapped.update_region(call, None, region, new, out),
            "test.stores-fill" => match wrapped.update_region(call, old, region, new, out)? {
                Encoded::Fill => self
                    .wrapped
                    .encode(
                        call,
                        &View::new(&vec![0; 6 * 4 * self.of.element_size()], &[6, 4], self.of.element_size())?,
                        out,
                    )
                    .map(|()| Encoded::Bytes),
                other => Ok(other),
            },
            _ => wrapped.update_region(call, old, region, new, out),
        }
    }
}

fn wrapped_codec(cx: &CreateContext<'_>, name: &str, extension: &Extension) -> Result<(Arc<dyn ArrayToBytes>, Json)> {
    let wrapped_extension = match extension.configuration() {
        Some(members) => Extension::new(name, members.clone()),
        None => Extension::short_hand(name),
    };
    match cx.registry.codec(&wrapped_extension)?.map(Registration::constructor) {
        Some(Constructor::ArrayToBytes(make)) => {
            let made = make(&wrapped_extension, &CreateContext { name, ..*cx })?;
            let written = Json::Object(made.configuration()?);
            Ok((made.object, written))
        }
        _ => Err(Error::chain("there is no such codec")),
    }
}

fn of(
    wrapped: &'static str,
    name: &'static str,
    samples: &'static [&'static str],
    caught: &'static [&'static str],
) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let (wrapped, written) = wrapped_codec(cx, wrapped, extension)?;
        let codec = Bytes { name, wrapped, of: cx.representation()?.clone(), suspended: AtomicBool::new(false) };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn ArrayToBytes>, Box::new(written)))
    };
    let registration = Registration::new(name, "the tests", Constructor::ArrayToBytes(Arc::new(make)));
    Fixture { name, registration, samples, caught }
}

#[derive(Debug)]
struct Moves {
    name: &'static str,
    wrapped: Arc<dyn ArrayToArray>,
    encoded: Representation,
    order: Vec<usize>,
}

impl ArrayToArray for Moves {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()> {
        self.wrapped.encode(call, decoded, encoded)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.wrapped.decode(call, encoded, decoded)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        match self.name {
            "test.false-strategy" => DecodeStrategy::Permute(&self.order),
            "test.region-not-permuted" => DecodeStrategy::Copy,
            _ => self.wrapped.decode_strategy(),
        }
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        // The codec permutes dimensions, but the region is not permuted.
        (self.name == "test.region-not-permuted").then(|| decoded.clone())
    }
}

fn moving(name: &'static str, caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let wrapped_extension = Extension::new("transpose", extension.configuration().cloned().unwrap_or_default());
        let Some(Constructor::ArrayToArray(make)) =
            cx.registry.codec(&wrapped_extension)?.map(Registration::constructor)
        else {
            return Err(Error::chain("there is no transpose"));
        };
        let made = make(&wrapped_extension, &CreateContext { name: "transpose", ..*cx })?;
        let written = Json::Object(made.configuration()?);
        let mut encoded = made.object.encoded_representation().clone();
        if name == "test.false-fill" {
            let fill: Vec<u8> = encoded.fill().iter().map(|b| b ^ 1).collect();
            encoded = encoded.with_fill(&fill);
        }
        let order = (0..encoded.shape().len()).collect();
        let codec = Moves { name, wrapped: made.object, encoded, order };
        Ok(Instance::new(Arc::new(codec) as Arc<dyn ArrayToArray>, Box::new(written)))
    };
    let registration = Registration::new(name, "the tests", Constructor::ArrayToArray(Arc::new(make)));
    Fixture { name, registration, samples: &["configuration = '{\"order\": [1, 0]}'\nshape = [3, 3]"], caught }
}

const LITTLE: &[&str] = &["configuration = '{\"endian\": \"little\"}'"];
const SHARD: &[&str] = &[r#"shape = [6, 4]
configuration = '''{"chunk_shape": [3, 2], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
  "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}'''"#];

pub(crate) fn counterpart() -> Fixture {
    of("sharding_indexed", "test.shards", SHARD, &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        of("bytes", "test.wrong-complex", LITTLE, &["data-types", "*round-trip", "*partial-decode"]),
        of("bytes", "test.wrong-rank-0", LITTLE, &["rank-0", "*round-trip", "*data-types"]),
        of("bytes", "test.no-strides", LITTLE, &["strides"]),
        of("bytes", "test.false-raw", &["configuration = '{\"endian\": \"little\"}'\nshape = [4]"], &["raw"]),
        of("sharding_indexed", "test.inner-chunks-of-lower-rank", SHARD, &["inner-chunks"]),
        of("sharding_indexed", "test.part-off-by-one", SHARD, &["partial-decode", "suspension"]),
        of("sharding_indexed", "test.does-not-begin-again", SHARD, &["suspension"]),
        of("sharding_indexed", "test.forgets-old", SHARD, &["update"]),
        of("sharding_indexed", "test.stores-fill", SHARD, &["fill", "*update"]),
        moving("test.false-strategy", &["plan"]),
        moving("test.region-not-permuted", &["partial-decode"]),
        moving("test.false-fill", &["representation"]),
    ]
}
