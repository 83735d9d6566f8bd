//! Changes of an array's shape and attributes while others change them too: through stale handles, and at the same
//! time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Event, Told};
use ozarr::{
    Array, Context, ErrorKind, Hierarchy, NewArray, ResizeOptions,
    store::MemoryStore,
    zarr_core::{
        json::{Json, Object},
        store::{Key, ReadableStore, Store, WriteableStore},
    },
};
use std::sync::{Arc, Mutex};

/// Another writer grows the array again and writes, before the first or the second chunk is removed: its data stays.
#[test]
fn a_shrink_stops_where_another_writer_grows() {
    for after_erase in [false, true] {
        let store = Arc::new(MemoryStore::default());
        let hierarchy = |store: Arc<dyn Store>| Hierarchy::new(store, Context::new());
        let theirs = hierarchy(store.clone());
        let array = theirs.create_array("/", NewArray::new([8], "uint8").chunks([2])).unwrap();
        array.write(.., &[1u8; 8]).unwrap();
        let other: Box<dyn FnOnce() + Send> = Box::new(move || {
            let mut array = theirs.array("/").unwrap();
            array.resize(&[8], ResizeOptions::default()).unwrap();
            array.write([6..8], &[2u8; 2]).unwrap();
        });
        // After the first change of the document, or after the first chunk is erased.
        let other = Mutex::new(Some(other));
        let shared = Told::new(store.clone(), move |event| match event {
            Event::Updated(key) if (key.as_str() == "zarr.json") != after_erase => {
                let now = other.lock().unwrap().take();
                now.into_iter().for_each(|f| f());
            }
            _ => {}
        });
        let mut array = hierarchy(shared).array("/").unwrap();
        let e = array.resize(&[2], ResizeOptions::default()).unwrap_err();
        assert!(e.to_string().contains("modified concurrently") && e.hint().is_some(), "{e}");
        let left: Vec<u8> = hierarchy(store).array("/").unwrap().read(..).unwrap();
        let erased = u8::from(!after_erase);
        assert_eq!(left, [1, 1, erased, erased, 1, 1, 2, 2]);
    }
}

fn memory() -> Hierarchy {
    Hierarchy::new(MemoryStore::default(), Context::new())
}
/// Creates an array of this length, filled with ones, and returns two handles.
fn two_handles(length: u64, chunk: u64) -> (Array, Array) {
    let zarr = memory();
    let array = zarr.create_array("/a", NewArray::new([length], "uint32").chunks([chunk])).unwrap();
    array.write(.., &vec![1u32; length as usize]).unwrap();
    (array, zarr.array("/a").unwrap())
}
fn all(array: &Array) -> Vec<u32> {
    array.hierarchy().array(&array.path().to_string()).unwrap().read(..).unwrap()
}
fn runs(runs: &[(u32, usize)]) -> Vec<u32> {
    runs.iter().flat_map(|(value, n)| vec![*value; *n]).collect()
}
fn stored(array: &Array) -> usize {
    array.stored_chunks().unwrap().len()
}

#[test]
fn append_through_a_stale_handle_starts_at_the_stored_shape() {
    let (mut stale, mut other) = two_handles(10, 5);
    assert_eq!(other.append(0, &[2u32; 20]).unwrap(), 10..30);
    assert_eq!(stale.append(0, &[3u32; 5]).unwrap(), 30..35);
    assert_eq!((stale.shape(), all(&stale)), (&[35][..], runs(&[(1, 10), (2, 20), (3, 5)])));
}

#[test]
fn append_counts_slabs_of_the_stored_shape() {
    let zarr = memory();
    let mut stale = zarr.create_array("/a", NewArray::new([2, 3], "uint8")).unwrap();
    zarr.array("/a").unwrap().resize(&[2, 4], ResizeOptions::default()).unwrap();
    let e = stale.append(0, &[1u8; 3]).unwrap_err();
    assert!(e.to_string().contains("a multiple of 4") && e.to_string().contains("found 3"), "{e}");
    assert_eq!((stale.shape(), zarr.array("/a").unwrap().shape()), (&[2, 3][..], &[2, 4][..]), "nothing is changed");
    assert_eq!(stale.append(0, &[1u8; 8]).unwrap(), 2..4);
    assert_eq!(stale.append(1, &[2u8; 4]).unwrap(), 4..5);
    let back: Vec<u8> = zarr.array("/a").unwrap().read([2..4, 0..5]).unwrap();
    assert_eq!(back, [1, 1, 1, 1, 2, 1, 1, 1, 1, 2]);
}

#[test]
fn a_refused_append_changes_nothing() {
    let zarr = memory();
    let huge = [2, u64::MAX >> 8, 1 << 8];
    let mut large = zarr.create_array("/large", NewArray::new([1, huge[1]], "uint8").chunks([1, 1])).unwrap();
    let mut none = zarr.create_array("/none", NewArray::new([0, huge[1], huge[2]], "uint8").chunks([1, 1, 1])).unwrap();
    let mut one = zarr.create_array("/one", NewArray::new((), "uint8")).unwrap();
    let mut full = zarr.create_array("/full", NewArray::new([u64::MAX - 1], "uint8").chunks([1 << 20])).unwrap();
    let refused = [
        ("another type", large.append(0, &[1u16])),
        ("no such dimension", large.append(2, &[1u8])),
        ("fewer than a slab", large.append(0, &[1u8; 7])),
        ("more than 2^64 elements in a slab", none.append(0, &[1u8; 8])),
        ("no dimension at all", one.append(0, &[1u8])),
        ("longer than 2^64", full.append(0, &[1u8; 3])),
    ];
    for (what, outcome) in refused {
        let e = outcome.unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Argument(_)) && e.node().is_some(), "{what}: {e}");
    }
    for (array, shape) in [(&large, &[1, huge[1]][..]), (&none, &[0, huge[1], huge[2]]), (&full, &[u64::MAX - 1])] {
        assert_eq!(zarr.array(&array.path().to_string()).unwrap().shape(), shape);
    }
}

#[test]
fn growing_removes_no_stored_chunks() {
    let (mut stale, mut other) = two_handles(10, 5);
    other.append(0, &[2u32; 20]).unwrap();
    let report = stale.resize(&[40], ResizeOptions::default()).unwrap();
    assert!(report.erased.is_empty() && report.reappeared.is_empty(), "{report:?}");
    assert_eq!(all(&stale), runs(&[(1, 10), (2, 20), (0, 10)]));
    // A document that is older than the chunks, as an interrupted writer or a backup leaves it.
    let (mut array, _) = two_handles(100, 10);
    array.resize(&[10], ResizeOptions::default().with_keep_outside(true)).unwrap();
    for length in [10, 15] {
        let report = array.resize(&[length], ResizeOptions::default()).unwrap();
        assert!(report.erased.is_empty(), "{report:?}");
    }
    array.append(0, &[5u32; 5]).unwrap();
    assert_eq!(stored(&array), 10, "all chunks are still there");
    array.resize(&[100], ResizeOptions::default()).unwrap();
    assert_eq!(all(&array), runs(&[(1, 15), (5, 5), (1, 80)]));
}

#[test]
fn shrinking_through_a_stale_handle_starts_at_the_stored_shape() {
    let (mut stale, mut other) = two_handles(10, 5);
    other.append(0, &[2u32; 20]).unwrap();
    // Longer than this handle knows, shorter than the stored shape.
    let report = stale.resize(&[20], ResizeOptions::default()).unwrap();
    assert_eq!(report.erased, [[4], [5]]);
    assert_eq!((all(&stale), stored(&stale)), (runs(&[(1, 10), (2, 10)]), 4));
    // In a dimension that does not shrink nothing is removed.
    let zarr = memory();
    let mut wide = zarr.create_array("/w", NewArray::new([2, 2], "uint8").chunks([1, 1]).fill_value(9)).unwrap();
    let chunks = wide.data_store().clone();
    wide.write(.., &[1u8; 4]).unwrap();
    chunks.writer().unwrap().set(&Key::new("c/1/7").unwrap(), &[1]).unwrap();
    let report = wide.resize(&[1, 3], ResizeOptions::default()).unwrap();
    assert_eq!(report.erased, [[1, 0], [1, 1]]);
    assert!(chunks.reader().unwrap().get(&Key::new("c/1/7").unwrap()).unwrap().is_some());
}

#[test]
fn writing_an_edge_chunk_through_a_stale_handle_preserves_newer_elements() {
    for sharded in [false, true] {
        let zarr = memory();
        let new = NewArray::new([10], "uint32");
        let new = if sharded { new.chunks([2]).shards([16]) } else { new.chunks([16]) };
        let stale = zarr.create_array("/a", &new).unwrap();
        zarr.array("/a").unwrap().append(0, &[2u32; 6]).unwrap();
        stale.write(.., &[1u32; 10]).unwrap();
        assert_eq!(all(&stale), runs(&[(1, 10), (2, 6)]), "sharded: {sharded}");
        // Writing the fill value does not remove the chunk either.
        stale.write(.., &[0u32; 10]).unwrap();
        assert_eq!(all(&stale), runs(&[(0, 10), (2, 6)]), "sharded: {sharded}");
    }
}

#[test]
fn reappearing_data_is_cleared_beyond_the_stored_shape_only() {
    let (mut stale, mut other) = two_handles(20, 8);
    other.resize(&[10], ResizeOptions::default().with_keep_outside(true)).unwrap();
    let mut third = other.hierarchy().array("/a").unwrap();
    third.resize(&[12], ResizeOptions::default().with_clear_reappearing(true)).unwrap();
    third.write([10..12], &[3u32; 2]).unwrap();
    // The handle has 20, stored is 12.
    let report = stale.resize(&[18], ResizeOptions::default().with_clear_reappearing(true)).unwrap();
    assert_eq!(report.reappeared, [[1], [2]]);
    assert_eq!(all(&stale), runs(&[(1, 10), (3, 2), (0, 6)]));
}

#[test]
fn attributes_set_through_a_stale_handle_change_nothing_else() {
    let (mut stale, mut other) = two_handles(10, 5);
    let zarr = stale.hierarchy().clone();
    let mut group = zarr.group("/").unwrap();
    other.append(0, &[2u32; 20]).unwrap();
    zarr.consolidate("/").unwrap();
    let attributes: Object = [("x", Json::from(1u8))].into_iter().collect();
    stale.set_attributes(attributes.clone()).unwrap();
    group.set_attributes(attributes.clone()).unwrap();
    assert_eq!((stale.shape(), all(&stale)), (&[30][..], runs(&[(1, 10), (2, 20)])));
    let copies = zarr.with_consolidated_metadata().unwrap().array("/a").unwrap();
    assert_eq!((copies.shape(), copies.attributes()), (&[30][..], &attributes));
    assert_eq!(zarr.group("/").unwrap().attributes(), &attributes);
}

/// Another writer overwrites the array with one of the same shape, as soon as its document has changed.
#[test]
fn chunks_of_a_concurrently_overwritten_array_are_preserved() {
    for (first, second, options, other) in [
        // Erases chunks that it cuts off.
        (16, 10, ResizeOptions::default(), NewArray::new([10], "uint8").chunks([1])),
        // Clears data that becomes visible again.
        (6, 16, ResizeOptions::default().with_clear_reappearing(true), NewArray::new([16], "int8").chunks([4])),
    ] {
        let store = Arc::new(MemoryStore::default());
        let hierarchy = |store: Arc<dyn Store>| Hierarchy::new(store, Context::new());
        let theirs = hierarchy(store.clone());
        let mut array = theirs.create_array("/", NewArray::new([16], "uint8").chunks([4])).unwrap();
        array.write(.., &[1u8; 16]).unwrap();
        array.resize(&[first], ResizeOptions::default().with_keep_outside(true)).unwrap();
        let other: Box<dyn FnOnce() + Send> = Box::new(move || {
            let array = theirs.create_array("/", other.overwrite()).unwrap();
            array.write_bytes(.., &vec![2; second as usize]).unwrap();
        });
        let other = Mutex::new(Some(other));
        let shared = Told::new(store.clone(), move |event| match event {
            Event::Updated(key) if key.as_str() == "zarr.json" => {
                let now = other.lock().unwrap().take();
                now.into_iter().for_each(|f| f());
            }
            _ => {}
        });
        let resized = hierarchy(shared).array("/").unwrap().resize(&[second], options);
        assert_eq!(hierarchy(store).array("/").unwrap().read_bytes(..).unwrap(), vec![2; second as usize]);
        let e = resized.unwrap_err();
        assert!(e.to_string().contains("was overwritten") && e.hint().is_some(), "{e}");
    }
}

/// An edge chunk is stored without the elements beyond the edge, but never in place of a chunk of another grid.
#[test]
fn writing_an_edge_chunk_of_an_overwritten_array_is_refused() {
    let zarr = memory();
    let new = |chunk| NewArray::new([10], "uint8").chunks([chunk]).codecs([Json::from("bytes")]);
    let stale = zarr.create_array("/a", new(4)).unwrap();
    let now = zarr.create_array("/a", new(1).overwrite()).unwrap();
    now.write(.., &[2u8; 10]).unwrap();
    let e = stale.write([8..10], &[1u8; 2]).unwrap_err();
    assert!(e.to_string().contains("was overwritten") && e.hint().is_some(), "{e}");
    assert_eq!(now.read::<u8>(..).unwrap(), [2; 10]);
}

/// An unreadable chunk keeps no other from being cleared, and the change can be repeated from the old shape.
#[test]
fn clearing_continues_after_a_damaged_chunk() {
    let store = Arc::new(MemoryStore::default());
    let hierarchy = Hierarchy::new(store.clone(), Context::new());
    let new = NewArray::new([4, 6], "uint8").chunks([4, 2]).compressors(["crc32c"]);
    let mut array = hierarchy.create_array("/a", new).unwrap();
    array.write(.., &[1u8; 24]).unwrap();
    array.resize(&[2, 6], ResizeOptions::default()).unwrap();
    let key = Key::new("a/c/0/1").unwrap();
    let intact = store.get(&key).unwrap().unwrap();
    store.set(&key, b"damaged!").unwrap();
    let clear = ResizeOptions::default().with_clear_reappearing(true);
    let e = array.resize(&[4, 6], clear).unwrap_err();
    assert_eq!(e.key(), Some("a/c/0/1"), "{e}");
    assert_eq!(
        e.hint(),
        Some("old data of this chunk was not cleared: resolve the problem, resize to [2, 6], and resize again")
    );
    let columns = |array: &Array, c: u64| array.read::<u8>((.., 2 * c..2 * c + 2)).unwrap();
    assert_eq!((columns(&array, 0), columns(&array, 2)), (vec![1, 1, 1, 1, 0, 0, 0, 0], vec![1, 1, 1, 1, 0, 0, 0, 0]));
    store.set(&key, &intact).unwrap();
    array.resize(&[2, 6], ResizeOptions::default()).unwrap();
    assert_eq!(array.resize(&[4, 6], clear).unwrap().reappeared, [[0, 1]]);
    assert_eq!(columns(&array, 1), [1, 1, 1, 1, 0, 0, 0, 0]);
}
