//! The fast ways of writing a shard produce the same bytes as the slow ones.

use proptest::{collection::vec, option, prelude::*};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use zarr_core::{
    Result,
    call::{Executor, Options},
    codec::Encoded,
    limits::Limits,
    source::{ByteRange, Cached, RangeCallback, Source},
    testing::{Bench, Codec},
    view::{Region, View, ViewMut},
};

const SHAPE: [u64; 3] = [160, 96, 128];

fn sharding(chunk_shape: &str, codecs: &str, location: &str) -> String {
    format!(
        r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{chunk_shape},"codecs":[{codecs}],"index_codecs":[
        {{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}],"index_location":"{location}"}}}}"#
    )
}

/// 480 inner chunks, more than a wave; the index at the start; nested shards; inner chunks larger than a wave.
fn codecs() -> Vec<Codec> {
    const GZIP: &str =
        r#"{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}"#;
    [
        sharding("[16,16,16]", GZIP, "end"),
        sharding("[16,16,16]", GZIP, "start"),
        sharding("[80,48,32]", &sharding("[16,16,16]", GZIP, "start"), "end"),
        sharding("[160,48,128]", GZIP, "start"),
    ]
    .iter()
    .map(|json| Bench::new().codec(json, "uint16", &SHAPE).unwrap())
    .collect()
}

/// An executor that runs in reverse order, which must not change the result.
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

/// Some inner chunks have only the fill value.
fn elements() -> Vec<u8> {
    let n = SHAPE.iter().product::<u64>();
    let empty = |i: u64| (i / (128 * 96 * 16)).is_multiple_of(3) && i % 128 < 40;
    (0..n).flat_map(|i| (if empty(i) { 0 } else { (i * i / 977) as u16 }).to_ne_bytes()).collect()
}

#[test]
fn several_threads_write_the_same_bytes_as_one() {
    let elements = elements();
    for codec in codecs() {
        let one = codec.encode(&elements).unwrap();
        let several = codec.on(&Bench::new().with_executor(Arc::new(Several)));
        assert!(several.encode(&elements).unwrap() == one && codec.decode(&one).unwrap() == elements);
    }
}

/// A value of unknown size that is not in memory.
struct Stream<'b>(&'b [u8]);
impl Source for Stream<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        self.0.read(ranges, each)
    }
}

#[test]
fn an_update_copies_untouched_inner_chunks() {
    let before = elements();
    let region = Region { start: [20, 5, 60][..].into(), len: [30, 40, 9][..].into() };
    let new: Vec<u8> = (0..region.len.iter().product::<u64>()).flat_map(|i| (i as u16 | 1).to_ne_bytes()).collect();
    let mut after = before.clone();
    let mut all = ViewMut::new(&mut after, &SHAPE, 2).unwrap();
    all.reborrow().region(&region).unwrap().copy_from(&View::new(&new, &region.len, 2).unwrap(), 1).unwrap();
    for codec in codecs() {
        let old = codec.encode(&before).unwrap();
        for source in [&&old[..] as &dyn Source, &Stream(&old)] {
            let (outcome, updated) = codec.update(Some(source), &region, &new).unwrap();
            assert_eq!(outcome, Encoded::Bytes);
            assert!(codec.decode(&updated).unwrap() == after, "decoded, overlaid and encoded");
            assert!(updated == codec.encode(&after).unwrap(), "the same bytes: gzip tells no time");
        }
    }
}

/// The index and copied inner chunks are charged while they are read, even from a source of unknown size.
#[test]
fn memory_for_reading_is_counted() {
    // 64 inner chunks of 40 bytes.
    let codec = Bench::new().codec(&sharding("[40]", r#""bytes""#, "end"), "uint8", &[2560]).unwrap();
    let (shard, region) = (codec.encode(&[1; 2560]).unwrap(), Region { start: [0][..].into(), len: [1][..].into() });
    let with_memory = |shared: u64| codec.on(&Bench::new().with_limits(Limits::default().with_memory(shared * 4)));
    let read = |shared| with_memory(shared).decode_from(&Stream(&shard), &region);
    let update = |shared| with_memory(shared).update(Some(&Stream(&shard)), &region, &[2]);
    // The index, and its bytes with a checksum.
    let index = 64 * 16;
    assert!(read(2 * index + 3).is_err_and(|e| e.is_budget()));
    read(2 * index + 4).unwrap();
    // Two indexes, an order, and the other 63 inner chunks, which are copied at once.
    let others = 64 * (16 + 16 + 8) + 63 * 40;
    assert!(update(others - 1).is_err_and(|e| e.is_budget()));
    update(others).unwrap();
}

/// A small shard whose inner chunks share all their bytes does not become a large one.
#[test]
fn an_update_preserves_shared_bytes() {
    for location in ["start", "end"] {
        let json = sharding("[1000]", r#""bytes""#, location).replace(r#",{"name":"crc32c"}"#, "");
        let codec = Bench::new().codec(&json, "uint8", &[64_000]).unwrap();
        let data: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        let (before, offset) = if location == "start" { (0, 1024u64) } else { (1000, 0) };
        let mut shard = vec![];
        shard.extend(&data[..before]);
        shard.extend((0..64).flat_map(|_| [offset, 1000]).flat_map(u64::to_le_bytes));
        shard.extend(&data[before..]);
        for source in [&&shard[..] as &dyn Source, &Stream(&shard)] {
            let region = Region { start: [3005][..].into(), len: [1][..].into() };
            let (outcome, updated) = codec.update(Some(source), &region, b"x").unwrap();
            assert_eq!((outcome, updated.len()), (Encoded::Bytes, shard.len() + 1000));
            let mut expected = data.repeat(64);
            expected[3005] = b'x';
            assert!(codec.decode(&updated).unwrap() == expected);
        }
    }
}

/// Overlapping inner chunks can be read, unless reading is strict.
#[test]
fn overlaps_are_refused_where_they_matter() {
    for location in ["start", "end"] {
        let json = sharding("[4]", r#""bytes""#, location).replace(r#",{"name":"crc32c"}"#, "");
        let codec = Bench::new().codec(&json, "uint8", &[12]).unwrap();
        let begin = if location == "start" { 48 } else { 0 };
        let none = [u64::MAX; 2];
        let of_index = if location == "start" { [46, 4] } else { [11, 4] };
        for (entries, wrong) in [
            ([[begin, 4], [begin + 4, 4], [begin + 8, 4]], None),
            ([[begin + 8, 4], none, [begin, 4]], None),
            ([[begin, 4], [begin + 3, 4], none], Some("inner chunk [1]")),
            ([[begin + 8, 4], [begin, 4], [begin + 8, 4]], Some("inner chunk [2]")),
            ([none, of_index, [begin, 4]], Some("index")),
        ] {
            let index: Vec<u8> = entries.concat().into_iter().flat_map(u64::to_le_bytes).collect();
            let data = *b"abcdefghijkl";
            let shard = if location == "start" { [&index[..], &data].concat() } else { [&data[..], &index].concat() };
            let read =
                |strict| codec.on(&Bench::new().with_options(Options::DEFAULT.with_strict(strict))).decode(&shard);
            read(false).unwrap();
            match (read(true), wrong) {
                (Ok(_), None) => {}
                (Err(e), Some(wrong)) => {
                    let e = e.to_string();
                    assert!(e.contains("overlaps") && e.contains(wrong), "{e}");
                }
                (other, _) => panic!("{location} {entries:?}: {other:?}"),
            }
        }
    }
}

/// Only the needed entries of a large index are read, and they are correct.
#[test]
fn a_large_index_is_read_in_part() {
    /// Counts reads, and caches objects.
    #[derive(Default)]
    struct Counted<'b> {
        value: &'b [u8],
        bytes: AtomicU64,
        reads: AtomicU64,
        cached: Mutex<HashMap<(usize, u64), Cached>>,
    }
    impl Source for Counted<'_> {
        fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
            self.reads.fetch_add(1, Relaxed);
            for range in ranges {
                self.bytes.fetch_add(range.within(self.value.len() as u64)?.1, Relaxed);
            }
            self.value.read(ranges, each)
        }
        fn size(&self) -> Result<Option<u64>> {
            Ok(Some(self.value.len() as u64))
        }
        fn cached(&self, key: (usize, u64), bytes: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
            assert!(bytes <= 64 << 20, "no store keeps that");
            match self.cached.lock().unwrap().entry(key) {
                Entry::Occupied(kept) => Ok(kept.get().clone()),
                Entry::Vacant(free) => Ok(free.insert(make()?).clone()),
            }
        }
    }
    const COUNT: u64 = (1 << 20) + 8;
    for (location, checked) in [("start", false), ("end", false), ("end", true)] {
        let json = sharding("[1,1]", r#""bytes""#, location);
        let json = if checked { json } else { json.replace(r#",{"name":"crc32c"}"#, "") };
        let codec = Bench::new().codec(&json, "uint8", &[2, COUNT / 2]).unwrap();
        let mut elements = vec![0; COUNT as usize];
        let (first, second) = (COUNT as usize / 4 + 3, COUNT as usize - 2);
        (elements[first], elements[second], elements[second - 1]) = (1, 2, 3);
        let shard = codec.encode(&elements).unwrap();
        assert!(shard.len() > 16 << 20);
        let whole = Counted { value: &shard, ..Counted::default() };
        let in_memory: &dyn Source = &&shard[..];
        for (i, (at, len, want)) in [
            ([0, COUNT / 4 + 3], [1, 1], &[1u8][..]),
            ([1, COUNT / 2 - 3], [1, 3], &[3, 2, 0]),
            ([0, 9], [2, 1], &[0, 0]),
        ]
        .into_iter()
        .enumerate()
        {
            let region = Region { start: at[..].into(), len: len[..].into() };
            for source in [&whole, in_memory] {
                assert_eq!(codec.decode_from(source, &region).unwrap(), want, "{location} {checked}");
            }
            let [read, reads] = [&whole.bytes, &whole.reads].map(|n| n.load(Relaxed));
            assert!(checked || read < 1000 * (i as u64 + 1), "{location}: {read} bytes are read");
            if checked && i == 0 {
                // The index is read once, then one inner chunk for each element.
                assert_eq!(reads, 2);
            } else if checked && i == 1 {
                assert_eq!(reads, 2 + 2, "an index that cannot be read in part is read once");
            }
        }
    }
}

proptest! {
    /// Overlapping, reordered, empty, short or missing inner chunks: an update preserves those that it does not touch,
    /// correct or not. It fails for those outside the shard, which cannot be copied.
    #[test]
    fn an_update_preserves_irregular_shards(
        entries in vec(option::weighted(0.8, (0u64..24, prop_oneof![6 => Just(4u64), 1 => 0u64..6])), 6),
        end in 20u64..30,
        at in 0usize..6,
        sized: bool,
    ) {
        let codec = sharding("[4]", r#""bytes""#, "start");
        let codec = Bench::new().codec(&codec.replace(r#",{"name":"crc32c"}"#, ""), "uint8", &[24]).unwrap();
        let index = 6 * 16;
        let numbers = |e: &Option<(u64, u64)>| e.map_or([u64::MAX; 2], |(offset, len)| [index + offset, len]);
        let mut old: Vec<u8> = entries.iter().flat_map(numbers).flat_map(u64::to_le_bytes).collect();
        old.extend((0..end).map(|i| 100 + i as u8));
        let inner_chunk = |shard: &[u8], i: usize| {
            codec.decode_from(&shard, &Region { start: [i as u64 * 4][..].into(), len: [4][..].into() }).ok()
        };
        let region = Region { start: [at as u64 * 4][..].into(), len: [4][..].into() };
        let source = if sized { &&old[..] as &dyn Source } else { &Stream(&old) };
        let updated = codec.update(Some(source), &region, b"new!");
        let outside = |(i, e): (usize, &Option<(u64, u64)>)| i != at && e.is_some_and(|(o, n)| o + n > end);
        prop_assert_eq!(updated.is_err(), entries.iter().enumerate().any(outside));
        if let Ok((_, updated)) = updated {
            for i in 0..6 {
                let expected = if i == at { Some(b"new!".to_vec()) } else { inner_chunk(&old, i) };
                prop_assert_eq!(inner_chunk(&updated, i), expected, "inner chunk {}", i);
            }
        }
    }
}
