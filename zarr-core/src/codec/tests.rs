//! Tests of chains with third-party codecs: every decode strategy, dependent reads, and replay compared with direct
//! reads.

use super::*;
use crate::{
    call::{Buffers, Options, Sequential},
    extension::Extension,
    json::Json,
    limits::Limits,
    registration,
    registry::{CreateContext, ExtensionType, Intent, Notes, Registry},
    source::{ByteRange, RangeCallback, Replay},
};
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

#[derive(Serialize, Deserialize)]
struct None_ {}

macro_rules! named {
    ($t:ident $name:literal) => {
        impl ExtensionType for $t {
            const NAME: &'static str = $name;
            type Configuration = None_;
            fn create(_: None_, cx: &CreateContext<'_>) -> Result<Self> {
                Ok(Self(cx.representation()?.clone()))
            }
            fn configuration(&self) -> None_ {
                None_ {}
            }
        }
    };
}

/// The first eight bytes are the offset of the elements, so one read depends on the result of another.
#[derive(Debug)]
struct Indirect(Representation);
named!(Indirect "test.indirect");
impl ArrayToBytes for Indirect {
    fn encoded_size(&self) -> Size {
        Size::Exact(16 + self.0.bytes().unwrap())
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        out.extend(&16u64.to_le_bytes())?;
        out.extend(&[9; 8])?;
        out.extend(decoded.contiguous(&mut Vec::new())?)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
        self.decode_region(call, &encoded, &Region::whole(self.0.shape()), out)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        Some(self)
    }
}
impl PartialDecode for Indirect {
    fn decode_region(
        &self,
        _: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut at = [0; 8];
        source.read_into(ByteRange::Slice { start: 0, len: 8 }, &mut at)?;
        let range = ByteRange::Slice { start: u64::from_le_bytes(at), len: self.0.bytes()? };
        source.read(&[range], &mut |_, b| out.copy_from(&View::new(b, self.0.shape(), 1)?.region(region)?, 1))
    }
}

/// Stores the elements unchanged; decodes directly into the destination.
#[derive(Debug)]
struct Plain(Representation);
named!(Plain "test.plain");
impl ArrayToBytes for Plain {
    fn encoded_size(&self) -> Size {
        Size::Exact(self.0.bytes().unwrap())
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        out.extend(decoded.contiguous(&mut Vec::new())?)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        out.copy_from(&View::new(encoded, self.0.shape(), 1)?, 1)
    }
    fn raw(&self) -> Option<usize> {
        Some(1)
    }
}

/// Inverts each element in place, and the fill value.
#[derive(Debug)]
struct Invert(Representation);
impl ExtensionType for Invert {
    const NAME: &'static str = "test.invert";
    type Configuration = None_;
    fn create(_: None_, cx: &CreateContext<'_>) -> Result<Self> {
        let r = cx.representation()?;
        Ok(Self(r.with_fill(&[!r.fill()[0]])))
    }
    fn configuration(&self) -> None_ {
        None_ {}
    }
}
impl ArrayToArray for Invert {
    fn encoded_representation(&self) -> &Representation {
        &self.0
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::InPlace
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        Some(decoded.clone())
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        let inverted: Vec<u8> = decoded.contiguous(&mut Vec::new())?.iter().map(|b| !b).collect();
        encoded.copy_from(&View::new(&inverted, &decoded.shape(), 1)?, 1)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.encode(call, encoded, decoded)
    }
    fn decode_in_place(&self, _: &CallContext<'_>, mut elements: ViewMut<'_>) -> Result<()> {
        let inverted: Vec<u8> = elements.as_view().contiguous(&mut Vec::new())?.iter().map(|b| !b).collect();
        let shape = elements.shape();
        elements.copy_from(&View::new(&inverted, &shape, 1)?, 1)
    }
}

/// Reverses the order of all elements, so it needs the whole chunk.
#[derive(Debug)]
struct Reverse(Representation);
named!(Reverse "test.reverse");
impl ArrayToArray for Reverse {
    fn encoded_representation(&self) -> &Representation {
        &self.0
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        let reversed: Vec<u8> = decoded.contiguous(&mut Vec::new())?.iter().rev().copied().collect();
        encoded.copy_from(&View::new(&reversed, self.0.shape(), 1)?, 1)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.encode(call, encoded, decoded)
    }
}

/// Flips a bit of each byte, and counts the calls of `decode`.
#[derive(Debug)]
struct Flip(Mutex<usize>);
impl ExtensionType for Flip {
    const NAME: &'static str = "test.flip";
    type Configuration = None_;
    fn create(_: None_, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self(Mutex::new(0)))
    }
    fn configuration(&self) -> None_ {
        None_ {}
    }
}
impl BytesToBytes for Flip {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        out.space(decoded.len())?.iter_mut().zip(decoded).for_each(|(o, i)| *o = i ^ 1);
        Ok(())
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        *self.0.lock().unwrap() += 1;
        self.encode(call, encoded, out)
    }
}

/// Swaps two dimensions.
#[derive(Debug)]
struct Swap(Representation);
impl ExtensionType for Swap {
    const NAME: &'static str = "test.swap";
    type Configuration = None_;
    fn create(_: None_, cx: &CreateContext<'_>) -> Result<Self> {
        let r = cx.representation()?;
        Ok(Self(r.with_shape(&[r.shape()[1], r.shape()[0]])))
    }
    fn configuration(&self) -> None_ {
        None_ {}
    }
}
impl ArrayToArray for Swap {
    fn encoded_representation(&self) -> &Representation {
        &self.0
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::Permute(&[1, 0])
    }
    fn encode(&self, _: &CallContext<'_>, _: &View<'_>, _: ViewMut<'_>) -> Result<()> {
        unreachable!("the chain changes strides")
    }
    fn decode(&self, _: &CallContext<'_>, _: &View<'_>, _: ViewMut<'_>) -> Result<()> {
        unreachable!("the chain changes strides")
    }
}

fn registry() -> Registry {
    let mut r = Registry::builtin();
    r.add(registration!(ArrayToArray: Swap)).unwrap();
    r.add(registration!(ArrayToBytes: Indirect)).unwrap();
    r.add(registration!(ArrayToBytes: Plain)).unwrap();
    r.add(registration!(ArrayToArray: Invert)).unwrap();
    r.add(registration!(ArrayToArray: Reverse)).unwrap();
    r.add(registration!(BytesToBytes: Flip)).unwrap();
    r
}

fn chain(names: &str, shape: &[u64], fill: u8) -> Result<Chain> {
    chain_within(&Limits::default(), names, shape, fill)
}
fn chain_within(limits: &Limits, names: &str, shape: &[u64], fill: u8) -> Result<Chain> {
    let (registry, notes) = (registry(), Notes::default());
    let uint8 = registry.data_type(&Extension::short_hand("uint8"), limits).unwrap().object;
    let representation = Representation::new(uint8, shape, &[fill]);
    let codecs: Vec<Extension> = names
        .split_whitespace()
        .map(|n| Extension::parse(&Json::parse(n.as_bytes(), limits).unwrap_or(n.into())).unwrap())
        .collect();
    Chain::new(&codecs, &CreateContext::new(&registry, limits, &notes, Intent::Open).with(&representation))
}

fn with_call<R>(options: &Options, f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    let (limits, buffers) = (Limits::default(), Buffers::default());
    f(&CallContext { limits: &limits, options, executor: &Sequential, buffers: &buffers })
}

#[test]
fn every_plan_decodes_directly_and_by_replay() {
    let shape = [4u64, 6];
    for names in [
        "test.plain",
        "test.indirect",
        "test.invert test.plain",
        "test.reverse test.indirect",
        "test.invert test.reverse test.plain",
        "test.plain test.flip",
        "test.indirect test.flip test.flip",
        "test.reverse test.invert test.indirect test.flip",
    ] {
        let chain = chain(names, &shape, 7).unwrap();
        let mut model: Vec<u8> = (0..24u8).map(|i| i.wrapping_mul(37)).collect();
        with_call(&Options::default(), |call| {
            let view = View::new(&model, &shape, 1).unwrap();
            let (_, bytes) = OutputBuffer::collect(|out| chain.encode(call, &view, out)).unwrap();
            for (start, len) in [([0, 0], [4, 6]), ([1, 2], [2, 3]), ([3, 5], [1, 1]), ([2, 2], [0, 2])] {
                let region = Region::new(&start, &len).unwrap();
                let want = View::new(&model, &shape, 1)
                    .unwrap()
                    .region(&region)
                    .unwrap()
                    .contiguous(&mut Vec::new())
                    .unwrap()
                    .to_vec();
                let mut direct = vec![0xAA; want.len()];
                chain.decode(call, &&bytes[..], &region, ViewMut::new(&mut direct, &len, 1).unwrap()).unwrap();
                assert_eq!(direct, want, "{names} {region:?}");
                let (mut replayed, mut replay, mut passes) = (vec![0x55; want.len()], Replay::default(), 0);
                while let Some(ranges) = replay
                    .pass(|s| chain.decode(call, s, &region, ViewMut::new(&mut replayed, &len, 1).unwrap()))
                    .unwrap()
                {
                    passes += 1;
                    assert!(passes < 4, "{names}");
                    let got = ranges.iter().map(|r| r.of(&bytes).unwrap().to_vec()).collect();
                    replay.supply(ranges, got);
                }
                assert_eq!(replayed, want, "{names} {region:?}");
            }
            let region = Region::new(&[1, 1], &[2, 4]).unwrap();
            let new: Vec<u8> = (100..108).collect();
            let new = View::new(&new, &[2, 4], 1).unwrap();
            let (_, updated) =
                OutputBuffer::collect(|out| chain.update(call, Some(&&bytes[..]), &region, &new, out)).unwrap();
            ViewMut::new(&mut model, &shape, 1).unwrap().region(&region).unwrap().copy_from(&new, 1).unwrap();
            let mut got = vec![0; 24];
            chain
                .decode(call, &&updated[..], &Region::whole(&shape), ViewMut::new(&mut got, &shape, 1).unwrap())
                .unwrap();
            assert_eq!(got, model, "{names}");
        });
    }
}

#[test]
fn the_fill_value_goes_through_the_chain() {
    let chain = chain("test.invert test.plain", &[4], 7).unwrap();
    assert_eq!(chain.innermost().fill(), [!7]);
    let model = [7u8; 4];
    let view = View::new(&model, &[4], 1).unwrap();
    let encode =
        |options: &Options| with_call(options, |c| OutputBuffer::collect(|out| chain.encode(c, &view, out)).unwrap());
    assert_eq!(encode(&Options::default()), (Encoded::Fill, vec![]));
    let options = Options { store_fill: true, ..Options::default() };
    assert_eq!(encode(&options), (Encoded::Bytes, vec![!7; 4]));
    let (region, new) = (Region::new(&[2], &[1]).unwrap(), View::new(&[1], &[1], 1).unwrap());
    let (_, absent) =
        with_call(&options, |c| OutputBuffer::collect(|out| chain.update(c, None, &region, &new, out)).unwrap());
    assert_eq!(absent, [!7, !7, !1, !7]);
}

#[test]
fn order_and_kinds_are_checked() {
    let skip = r#"{"name":"zap","must_understand":false}"#;
    for bad in [
        "",
        "test.invert",
        "test.flip",
        "test.plain test.plain",
        "test.plain test.invert",
        "test.flip test.plain",
        "zap test.plain",
        skip,
        "test.plain zap",
    ] {
        assert!(chain(bad, &[4], 0).is_err(), "{bad}");
    }
    let c = chain(&format!("test.plain {skip}"), &[4], 0).unwrap();
    let mut out = vec![0; 4];
    with_call(&Options::default(), |call| {
        c.decode(call, &&[1u8, 2, 3, 4][..], &Region::whole(&[4]), ViewMut::new(&mut out, &[4], 1).unwrap()).unwrap();
        let refused = OutputBuffer::collect(|out| c.encode(call, &View::new(&[1, 2, 3, 4], &[4], 1).unwrap(), out));
        assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Skipped(name) if name == "zap"));
    });
    assert_eq!(out, [1, 2, 3, 4]);
}

#[test]
fn wrong_lengths_are_errors_that_name_the_codec() {
    for names in ["test.plain", "test.plain test.flip", "test.invert test.plain test.flip test.flip"] {
        let c = chain(names, &[4], 0).unwrap();
        for n in [0, 3, 5] {
            let (bytes, mut out) = (vec![1; n], vec![0; 4]);
            let e = with_call(&Options::default(), |call| {
                c.decode(call, &&bytes[..], &Region::whole(&[4]), ViewMut::new(&mut out, &[4], 1).unwrap()).unwrap_err()
            });
            assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
            assert!(e.extension().is_some(), "{e}");
        }
    }
    assert!(chain("test.plain", &[1 << 40], 0).is_err(), "a chunk beyond the limits");
    assert!(chain("test.plain", &[u64::MAX, u64::MAX], 0).is_err(), "a chunk beyond counting");
}

/// Encodes, decodes whole and in part, and updates a part, on a thread with a quarter of the usual stack.
fn runs_on_a_small_stack(names: &str) {
    let names = names.to_owned();
    let run = move || {
        let (shape, chain) = ([4u64, 6], chain(&names, &[4, 6], 7).unwrap());
        let elements: Vec<u8> = (0..24).collect();
        with_call(&Options::default(), |call| {
            let view = View::new(&elements, &shape, 1).unwrap();
            let (_, bytes) = OutputBuffer::collect(|out| chain.encode(call, &view, out)).unwrap();
            let part = Region::new(&[1, 1], &[1, 2]).unwrap();
            let new = View::new(&[7, 8], &[1, 2], 1).unwrap();
            let (_, bytes) =
                OutputBuffer::collect(|out| chain.update(call, Some(&&bytes[..]), &part, &new, out)).unwrap();
            for region in [Region::whole(&shape), part] {
                let mut out = vec![0; region.len.iter().product::<u64>() as usize];
                let view = ViewMut::new(&mut out, &region.len, 1).unwrap();
                chain.decode(call, &&bytes[..], &region, view).unwrap();
            }
        });
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn the_length_and_stack_of_a_chain_are_limited() {
    let limit = Limits::default().codec_count as usize;
    let repeated = |name: &str, n: usize| [name].repeat(n).join(" ");
    for (first, middle, last) in [
        ("test.invert", "test.plain", ""),
        ("test.reverse", "test.plain", ""),
        ("test.reverse test.invert", "test.indirect", ""),
        ("test.swap", "test.plain", ""),
        ("", "test.plain", "test.flip"),
    ] {
        let each = first.split_whitespace().count().max(last.split_whitespace().count());
        let many = |n: usize| format!("{} {middle} {}", repeated(first, n / each), repeated(last, n / each));
        runs_on_a_small_stack(&many((limit - 1) / each * each));
        let too_many = many(limit / each * each + each);
        let asked = too_many.split_whitespace().count();
        match chain(&too_many, &[4, 6], 7).unwrap_err().kind() {
            ErrorKind::Limit { asked: a, limit: l, .. } => assert_eq!((*a, *l), (asked as u64, limit as u64)),
            other => panic!("{too_many}: {other}"),
        }
    }
}

/// Permutations need no stack, regardless of their number.
#[test]
fn permutations_do_not_nest() {
    let limits = Limits { codec_count: 1 << 20, ..Limits::default() };
    let run = move || {
        let names = ["test.swap"; 20_001].join(" ") + " test.plain";
        let chain = chain_within(&limits, &names, &[4, 6], 7).unwrap();
        let elements: Vec<u8> = (0..24).collect();
        with_call(&Options::default(), |call| {
            let view = View::new(&elements, &[4, 6], 1).unwrap();
            let (_, bytes) = OutputBuffer::collect(|out| chain.encode(call, &view, out)).unwrap();
            assert_eq!(bytes[..5], [0, 6, 12, 18, 1], "an odd number of transpositions is one");
            let mut out = vec![0; 24];
            let view = ViewMut::new(&mut out, &[4, 6], 1).unwrap();
            chain.decode(call, &&bytes[..], &Region::whole(&[4, 6]), view).unwrap();
            assert_eq!(out, elements);
        });
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

/// Bytes of unknown size are charged once they have been read.
#[test]
fn bytes_of_unknown_size_are_charged_after_reading() {
    struct Stream(Vec<u8>);
    impl Source for Stream {
        fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
            (&self.0[..]).read(ranges, each)
        }
    }
    let (limits, options, buffers) =
        (Limits { memory: 400, ..Limits::default() }, Options::default(), Buffers::default());
    let call = &CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers };
    for names in ["test.plain", "test.plain test.flip"] {
        let read = |n: u64| {
            let (source, mut out) = (Stream(vec![1; n as usize]), vec![0; n as usize]);
            let into = ViewMut::new(&mut out, &[n], 1)?;
            chain(names, &[n], 0)?.decode(call, &source, &Region::whole(&[n]), into)
        };
        read(100).unwrap();
        assert!(read(101).is_err_and(|e| e.is_budget()), "{names}: a quarter is for all");
        call.charge(100).expect("all is given back");
    }
}
