use super::*;
use ozarr::{
    Context, NewArray,
    codecs::{Bytes, Crc32c},
    zarr_core::{extension::Extension, store::Prefix},
};

/// An array of one shard with `n` inner chunks of eight equal elements. Inner chunks in `skip` are not stored.
fn one_shard(n: u64, skip: &[u64], limit: Option<u64>) -> (Array, Vec<u8>) {
    let mut context = Context::new();
    context.limits.chunk_bytes = limit.unwrap_or(context.limits.chunk_bytes);
    let codecs = [Extension::from(Bytes::default()), Crc32c.into()];
    let new = NewArray::new([n * 8], "uint8").chunks([n * 8]).codecs([Sharding::new([8]).codecs(codecs)]);
    let memory = Hierarchy::new(MemoryStore::default(), context);
    let array = memory.create_array("/g/a", &new).unwrap();
    let element = |i: u64| if skip.contains(&(i / 8)) { 0 } else { (i % 251) as u8 + 1 };
    array.write(.., &(0..n * 8).map(element).collect::<Vec<u8>>()).unwrap();
    let shard = array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap().unwrap();
    (array, shard)
}

fn key(array: &Array) -> Key {
    array.chunk_key(&[0]).unwrap()
}

/// Returns the repaired shard.
fn repaired(array: &Array, shard: &[u8]) -> Option<Vec<u8>> {
    array.data_store().writer().unwrap().set(&key(array), shard).unwrap();
    let found = Shards::of(array).unwrap().unwrap().look(array, &[0]).unwrap();
    found.map(|(old, new)| {
        assert_eq!(old, shard);
        new
    })
}

/// The first byte of an entry of a shard with `n` entries.
fn entry(shard: &[u8], n: usize, i: usize) -> usize {
    shard.len() - 4 - 16 * (n - i)
}

#[test]
fn every_flipped_bit_of_an_index_is_restored() {
    let (n, skip) = (4, [2]);
    let (array, right) = one_shard(n, &skip, None);
    for bit in 0..(n as usize * 16 + 4) * 8 {
        let mut shard = right.clone();
        let at = right.len() - n as usize * 16 - 4 + bit / 8;
        shard[at] ^= 1 << (bit % 8);
        assert_eq!(repaired(&array, &shard).as_ref(), Some(&right), "bit {bit}");
    }
    assert_eq!(repaired(&array, &right), None, "nothing is wrong");
}

/// A shard of three inner chunks whose second is absent, although its old version is still present.
fn with_a_hole() -> (Array, Vec<u8>) {
    let (array, mut shard) = one_shard(3, &[], None);
    let at = entry(&shard, 3, 1);
    shard[at..at + 16].fill(0xff);
    let index = shard.len() - 52;
    let shards = Shards::of(&array).unwrap().unwrap();
    let entries: Vec<_> = shards.decoded(&shard[index..]).unwrap().entries().collect();
    let index_bytes = shards.encoded(&entries).unwrap();
    shard[index..].copy_from_slice(&index_bytes);
    (array, shard)
}

#[test]
fn a_gap_is_not_assigned_to_an_absent_chunk() {
    let (array, right) = with_a_hole();
    assert_eq!(repaired(&array, &right), None, "nothing is wrong");
    for noise in [0u8, 0x11, 0xfe] {
        let (mut shard, at) = (right.clone(), entry(&right, 3, 1));
        shard[at..at + 16].fill(noise);
        assert_eq!(repaired(&array, &shard).as_ref(), Some(&right), "{noise}");
    }
    // With an unusable checksum, the owner of the gap is unknown.
    let mut shard = right.clone();
    let last = shard.len() - 1;
    shard[last] ^= 1;
    assert_eq!(repaired(&array, &shard), None);
    let at = entry(&shard, 3, 1);
    shard[at..at + 16].fill(0x11);
    assert_eq!(repaired(&array, &shard), None);
}

#[test]
fn overlapping_entries_are_not_repaired() {
    let (array, right) = one_shard(4, &[], None);
    // Each entry reads, and one range occurs twice.
    for from in [2, 3] {
        let mut shard = right.clone();
        let (a, b) = (entry(&shard, 4, 1), entry(&shard, 4, from));
        shard.copy_within(b..b + 16, a);
        let last = shard.len() - 1;
        shard[last] ^= 1;
        assert_eq!(repaired(&array, &shard), None);
    }
    // Also without a gap: the data of the second chunk is cut out.
    let (array, shard) = one_shard(3, &[], None);
    let mut cut = [&shard[..12], &shard[24..]].concat();
    for (i, offset) in [(1, 0u64), (2, 12)] {
        let at = entry(&cut, 3, i);
        cut[at..at + 8].copy_from_slice(&offset.to_le_bytes());
    }
    assert_eq!(repaired(&array, &cut), None);
}

#[test]
fn a_damaged_inner_chunk_prevents_the_repair() {
    let (array, mut shard) = one_shard(4, &[], None);
    shard[0] ^= 1;
    let last = shard.len() - 1;
    shard[last] ^= 1;
    assert_eq!(repaired(&array, &shard), None);
    shard[last] ^= 1;
    let at = entry(&shard, 4, 2);
    shard[at] ^= 1;
    assert_eq!(repaired(&array, &shard), None);
}

#[test]
fn exchanged_entries_are_not_repaired() {
    let (array, right) = one_shard(4, &[], None);
    let (a, b) = (entry(&right, 4, 1), entry(&right, 4, 2));
    let mut shard = right.clone();
    shard[a..a + 16].copy_from_slice(&right[b..b + 16]);
    shard[b..b + 16].copy_from_slice(&right[a..a + 16]);
    assert_eq!(repaired(&array, &shard), None);
}

#[test]
fn large_indexes_are_repaired_fast() {
    let n = 4096;
    let (array, right) = one_shard(n, &[7, 9, 4000], None);
    let start = std::time::Instant::now();
    // One bit of an offset, of a length, one entry that covers all others, noise, and a checksum.
    let damages: [fn(&mut [u8]); 5] = [
        |e| e[1] ^= 8,
        |e| e[8] ^= 4,
        |e| {
            e[..8].fill(0);
            e[8..16].copy_from_slice(&(4093u64 * 12).to_le_bytes());
        },
        |e| e[..16].fill(0x5a),
        |e| e[16 * 4096 - 2001 * 16 + 3] ^= 1,
    ];
    for damage in damages {
        let mut shard = right.clone();
        let at = entry(&shard, n as usize, 2001);
        damage(&mut shard[at..]);
        assert_eq!(repaired(&array, &shard).as_ref(), Some(&right));
    }
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    // Many gaps, and a checksum that matches nothing: the search ends soon.
    let mut shard = right.clone();
    for i in (0..n as usize).step_by(2) {
        let at = entry(&shard, n as usize, i);
        shard[at..at + 16].fill(0xff);
    }
    let start = std::time::Instant::now();
    assert_eq!(repaired(&array, &shard), None);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn a_value_beyond_the_limit_is_not_read() {
    // 32 bytes of elements, 48 of chunks, 68 of an index.
    for (limit, is_repaired) in [(115, false), (116, true)] {
        let (array, mut shard) = one_shard(4, &[], Some(limit));
        let last = shard.len() - 1;
        shard[last] ^= 1;
        assert_eq!(repaired(&array, &shard).is_some(), is_repaired, "{limit}");
    }
}

#[test]
fn a_shard_changed_by_another_writer_is_not_replaced() {
    let (array, shard) = one_shard(4, &[], None);
    let e = Shards::replace(&array, &[0], b"old", b"new").unwrap_err();
    assert_eq!((e.key(), e.node()), (Some("g/a/c/0"), Some("/g/a")));
    assert_eq!(array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap(), Some(shard.clone()));
    Shards::replace(&array, &[0], &shard, b"new").unwrap();
    assert_eq!(array.chunk(&[0]).and_then(|chunk| chunk.encoded()).unwrap(), Some(b"new".to_vec()));
    array.chunk(&[0]).and_then(|chunk| chunk.erase()).unwrap();
    assert!(Shards::replace(&array, &[0], &shard, b"new").is_err(), "it was erased");
    assert_eq!(array.hierarchy().store().lister().unwrap().list_prefix(&Prefix::of(array.path())).unwrap().len(), 1);
}
