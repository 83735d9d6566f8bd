//! The index of a shard, read and written without an array.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use zarr_codecs::{
    Bytes, Crc32c, Gzip, IndexLocation, Sharding,
    sharding_indexed::{Entry, Index, IndexCodec},
};
use zarr_core::{
    call::{Buffers, CallContext, Options, OutputBuffer, Sequential},
    codec::Chain,
    extension::Extension,
    limits::Limits,
    registry::{CreateContext, Intent, Notes, Registry},
    representation::Representation,
    view::View,
};

fn codec(sharding: &Sharding) -> IndexCodec {
    IndexCodec::new(sharding, &[4, 6], &Registry::builtin(), &Limits::default()).unwrap()
}

/// Returns a shard of four inner chunks of 2 x 3 bytes, of which the third is not stored.
fn shard(sharding: &Sharding) -> Vec<u8> {
    let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
    let array = Representation::new(registry.data_type(&"uint8".into(), &limits).unwrap().object, &[4, 6], &[0]);
    let cx = CreateContext::new(&registry, &limits, &notes, Intent::Create).with(&array);
    let chain = Chain::new(&[sharding.clone().into()], &cx).unwrap();
    let call = CallContext {
        limits: &limits,
        options: &Options::default(),
        executor: &Sequential,
        buffers: &Buffers::default(),
    };
    let element = |i: u8| if i / 6 >= 2 && i % 6 < 3 { 0 } else { i + 1 };
    let elements: Vec<u8> = (0..24).map(element).collect();
    let view = View::new(&elements, &[4, 6], 1).unwrap();
    OutputBuffer::collect(|out| chain.encode(&call, &view, out)).unwrap().1
}

#[test]
fn the_index_of_a_shard_is_read_and_written_back() {
    let limits = Limits::default();
    for (location, first) in [(IndexLocation::Start, 68_u64), (IndexLocation::End, 0)] {
        let sharding = Sharding::new([2, 3]).index_location(location);
        let (codec, shard) = (codec(&sharding), shard(&sharding));
        assert_eq!((codec.counts(), codec.encoded_len(), shard.len()), (&[2, 2][..], 4 * 16 + 4, 68 + 3 * 6));
        let place = codec.place(shard.len() as u64).unwrap();
        assert_eq!(place, Entry { offset: if first == 0 { 18 } else { 0 }, len: 68 });
        let index = codec.read(&shard, &limits).unwrap();
        let at = |offset| Some(Entry { offset: first + offset, len: 6 });
        let found = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|i| index.get(&i).unwrap());
        let mut stored: Vec<_> = found.into_iter().flatten().collect();
        stored.sort_by_key(|e| e.offset);
        assert_eq!(found[2], None);
        assert_eq!(stored.into_iter().map(Some).collect::<Vec<_>>(), [at(0), at(6), at(12)]);
        let encoded = &shard[place.offset as usize..][..place.len as usize];
        assert_eq!(codec.encode(&index, &limits).unwrap(), encoded);
        let decoded = codec.decode(encoded, &limits).unwrap();
        assert!(decoded.entries().eq(index.entries()));
    }
}

#[test]
fn indexes_without_a_checksum_are_read() {
    let limits = Limits::default();
    let sharding = Sharding::new([2, 3]);
    let mut shard = shard(&sharding);
    let at = shard.len() - 68;
    shard[at] ^= 1;
    assert!(codec(&sharding).read(&shard, &limits).is_err());
    let unchecked = codec(&sharding.index_codecs([Bytes::little()]));
    assert!(unchecked.decode(&shard[at..], &limits).is_err(), "four bytes too many");
    assert_eq!(unchecked.decode(&shard[at..shard.len() - 4], &limits).unwrap().entries().len(), 4);
}

#[test]
fn indices_that_do_not_match_are_refused() {
    let (registry, limits) = (Registry::builtin(), Limits::default());
    let of = |sharding: &Sharding, shard: &[u64]| IndexCodec::new(sharding, shard, &registry, &limits);
    assert!(of(&Sharding::new([3]), &[4]).is_err() && of(&Sharding::new([0]), &[4]).is_err());
    let compressed = [Extension::from(Bytes::little()), Gzip::default().into()];
    assert!(of(&Sharding::new([2]).index_codecs(compressed), &[4]).is_err());
    assert!(of(&Sharding::new([2]).index_codecs([Crc32c]), &[4]).is_err());
    let codec = of(&Sharding::new([2]), &[4]).unwrap();
    assert!(codec.place(35).is_err() && codec.read(&[0; 35], &limits).is_err());
    assert!(codec.encode(&Index::new(&[3]).unwrap(), &limits).is_err());
    let mut small = Limits::default();
    small.chunk_bytes = 32;
    assert!(IndexCodec::new(&Sharding::new([2]), &[4], &registry, &small).is_err());
}
