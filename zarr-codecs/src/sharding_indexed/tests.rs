//! The fast ways to write a shard give what the slow ones give.

use crate::testing::{array_codec, with_call};
use proptest::{collection::vec, option, prelude::*};
use zarr_core::{
    Result,
    call::{Call, Executor, Out},
    codec::{ArrayToBytes, Encoded},
    source::{ByteRange, Each, Source},
    view::{Region, View, ViewMut},
};

const SHAPE: [u64; 3] = [160, 96, 128];

fn sharding(chunk_shape: &str, codecs: &str, location: &str) -> String {
    format!(
        r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{chunk_shape},"codecs":[{codecs}],"index_codecs":[
        {{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}],"index_location":"{location}"}}}}"#
    )
}

/// 480 inner chunks, more than a wave; the index in front; shards in shards; inner chunks larger than a wave.
fn codecs() -> Vec<std::sync::Arc<dyn ArrayToBytes>> {
    const GZIP: &str =
        r#"{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}"#;
    [
        sharding("[16,16,16]", GZIP, "end"),
        sharding("[16,16,16]", GZIP, "start"),
        sharding("[80,48,32]", &sharding("[16,16,16]", GZIP, "start"), "end"),
        sharding("[160,48,128]", GZIP, "start"),
    ]
    .iter()
    .map(|json| array_codec(json, "uint16", &SHAPE).unwrap())
    .collect()
}

/// Threads that run in the other order, which nobody may notice.
struct Several;
impl Executor for Several {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        b();
        a();
    }
    fn threads(&self) -> usize {
        3
    }
}

/// Some inner chunks hold nothing.
fn elements() -> Vec<u8> {
    let n = SHAPE.iter().product::<u64>();
    let empty = |i: u64| (i / (128 * 96 * 16)).is_multiple_of(3) && i % 128 < 40;
    (0..n).flat_map(|i| (if empty(i) { 0 } else { (i * i / 977) as u16 }).to_ne_bytes()).collect()
}

fn encoded(codec: &dyn ArrayToBytes, elements: &[u8], call: &Call<'_>) -> Vec<u8> {
    Out::collect(|out| codec.encode(call, &View::new(elements, &SHAPE, 2)?, out)).unwrap().1
}

fn decoded(codec: &dyn ArrayToBytes, shard: &[u8]) -> Vec<u8> {
    let mut elements = vec![0xAA; SHAPE.iter().product::<u64>() as usize * 2];
    with_call(|call| codec.decode(call, shard, ViewMut::new(&mut elements, &SHAPE, 2)?)).unwrap();
    elements
}

#[test]
fn several_threads_write_what_one_writes() {
    let elements = elements();
    for codec in codecs() {
        let one = with_call(|call| encoded(&*codec, &elements, call));
        let several = with_call(|call| encoded(&*codec, &elements, &Call { executor: &Several, ..*call }));
        assert!(one == several && decoded(&*codec, &one) == elements);
        // After what is there already.
        let after = with_call(|call| {
            let call = &Call { executor: &Several, ..*call };
            let both = Out::collect(|out| {
                out.extend(b"before")?;
                codec.encode(call, &View::new(&elements, &SHAPE, 2)?, out)
            });
            both.unwrap().1
        });
        assert!(after.strip_prefix(b"before") == Some(&one));
    }
}

/// A value of which nobody knows the size, and that is not in memory.
struct Stream<'b>(&'b [u8]);
impl Source for Stream<'_> {
    fn read(&self, ranges: &[ByteRange], each: Each<'_>) -> Result<()> {
        self.0.read(ranges, each)
    }
}

#[test]
fn an_update_copies_what_it_does_not_touch() {
    let before = elements();
    let region = Region { start: [20, 5, 60][..].into(), len: [30, 40, 9][..].into() };
    let new: Vec<u8> = (0..region.len.iter().product::<u64>()).flat_map(|i| (i as u16 | 1).to_ne_bytes()).collect();
    let mut after = before.clone();
    let mut all = ViewMut::new(&mut after, &SHAPE, 2).unwrap();
    all.reborrow().region(&region).unwrap().copy_from(&View::new(&new, &region.len, 2).unwrap(), 1).unwrap();
    for codec in codecs() {
        let old = with_call(|call| encoded(&*codec, &before, call));
        for source in [&&old[..] as &dyn Source, &Stream(&old)] {
            let updated = with_call(|call| {
                Out::collect(|out| {
                    let new = View::new(&new, &region.len, 2)?;
                    codec.update().unwrap().update(call, Some(source), &region, &new, out)
                })
            });
            let (outcome, updated) = updated.unwrap();
            assert_eq!(outcome, Encoded::Bytes);
            assert!(decoded(&*codec, &updated) == after, "decoded, overlaid and encoded");
            assert!(updated == with_call(|call| encoded(&*codec, &after, call)), "the same bytes: gzip tells no time");
        }
    }
}

/// A small shard whose inner chunks share all its bytes does not become a large one.
#[test]
fn an_update_does_not_grow_without_end() {
    let codec = sharding("[1]", r#""bytes""#, "start").replace(r#",{"name":"crc32c"}"#, "");
    let codec = array_codec(&codec, "uint8", &[64]).unwrap();
    let mut shard: Vec<u8> = (0..64).flat_map(|_| [1024u64, 1000]).flat_map(u64::to_le_bytes).collect();
    shard.extend([7; 1000]);
    let region = Region { start: [3][..].into(), len: [1][..].into() };
    let updated = with_call(|call| {
        Out::collect(|out| {
            codec.update().unwrap().update(call, Some(&&shard[..]), &region, &View::new(b"x", &[1], 1)?, out)
        })
    });
    assert!(updated.unwrap_err().to_string().contains("larger than a shard"));
}

proptest! {
    /// Inner chunks that overlap, are in another order, have no bytes or too few, or are not there: an update leaves those it
    /// does not touch as they are, right or wrong. Outside the shard there is nothing to copy.
    #[test]
    fn an_update_takes_shards_as_they_are(
        entries in vec(option::weighted(0.8, (0u64..24, prop_oneof![6 => Just(4u64), 1 => 0u64..6])), 6),
        end in 20u64..30,
        at in 0usize..6,
        sized: bool,
    ) {
        let codec = sharding("[4]", r#""bytes""#, "start");
        let codec = array_codec(&codec.replace(r#",{"name":"crc32c"}"#, ""), "uint8", &[24]).unwrap();
        let index = 6 * 16;
        let numbers = |e: &Option<(u64, u64)>| e.map_or([u64::MAX; 2], |(offset, len)| [index + offset, len]);
        let mut old: Vec<u8> = entries.iter().flat_map(numbers).flat_map(u64::to_le_bytes).collect();
        old.extend((0..end).map(|i| 100 + i as u8));
        let inner_chunk = |shard: &[u8], i: usize| {
            let (mut out, region) = ([0; 4], Region { start: [i as u64 * 4][..].into(), len: [4][..].into() });
            with_call(|call| {
                codec.partial().unwrap().partial_decode(call, &shard, &region, ViewMut::new(&mut out, &[4], 1)?)
            })
            .ok()
            .map(|()| out)
        };
        let region = Region { start: [at as u64 * 4][..].into(), len: [4][..].into() };
        let source = if sized { &&old[..] as &dyn Source } else { &Stream(&old) };
        let updated = with_call(|call| {
            Out::collect(|out| codec.update().unwrap().update(call, Some(source), &region, &View::new(b"new!", &[4], 1)?, out))
        });
        let outside = |(i, e): (usize, &Option<(u64, u64)>)| i != at && e.is_some_and(|(o, n)| o + n > end);
        prop_assert_eq!(updated.is_err(), entries.iter().enumerate().any(outside));
        if let Ok((_, updated)) = updated {
            for i in 0..6 {
                let expected = if i == at { Some(*b"new!") } else { inner_chunk(&old, i) };
                prop_assert_eq!(inner_chunk(&updated, i), expected, "inner chunk {}", i);
            }
        }
    }
}
