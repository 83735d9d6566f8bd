//! Tests of every fast path of views against a slow reference that moves one element at a time.

use super::*;
use proptest::prelude::*;

/// Returns the offset of the element at `index`, computed without views.
fn offset(start: usize, strides: &[isize], index: &[usize]) -> usize {
    index.iter().zip(strides).fold(start as isize, |o, (i, s)| o + *i as isize * s) as usize
}

fn indices(shape: &[u64]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &n| {
        all.into_iter().flat_map(|i| (0..n as usize).map(move |k| [&i[..], &[k]].concat())).collect()
    })
}

/// A buffer, and strides with gaps, permuted and reversed dimensions.
#[derive(Debug, Clone)]
struct Strided {
    shape: Vec<u64>,
    strides: Vec<isize>,
    start: usize,
    bytes: usize,
}

fn strided(shape: Vec<u64>, element: usize, gap: usize, order: &[usize], flip: &[bool]) -> Strided {
    let mut strides = vec![0; shape.len()];
    let (mut extent, mut start) = (element + gap, 0);
    for &d in order {
        let reach = extent * (shape[d].max(1) as usize - 1);
        strides[d] = if flip[d] { -(extent as isize) } else { extent as isize };
        start += if flip[d] { reach } else { 0 };
        extent = extent * shape[d].max(1) as usize + gap;
    }
    Strided { shape, strides, start, bytes: extent + element }
}

fn any_strided(element: usize) -> impl Strategy<Value = (Strided, Strided)> {
    prop::collection::vec(0u64..9, 0..5).prop_flat_map(move |shape| {
        let n = shape.len();
        let order = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
        let side = (0usize..4, order, prop::collection::vec(any::<bool>(), n));
        (side.clone(), side).prop_map(move |((g, o, f), (h, p, e))| {
            (strided(shape.clone(), element, g, &o, &f), strided(shape.clone(), element, h, &p, &e))
        })
    })
}

proptest! {
    #[test]
    fn copies_match_the_slow_reference(
        ((to, from), element, swap) in prop_oneof![
            Just((1usize, 1usize)), Just((2, 1)), Just((2, 2)), Just((4, 4)), Just((8, 4)), Just((8, 8)), Just((16, 8)), Just((3, 1)), Just((16, 16)), Just((5, 5)),
        ].prop_flat_map(|(e, s)| (any_strided(e), Just(e), Just(s))),
        seed in any::<u8>(),
    ) {
        let source: Vec<u8> = (0..from.bytes).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect();
        let mut fast = vec![0xAAu8; to.bytes];
        let mut slow = fast.clone();
        let view = View::strided(&source, from.start, &from.shape, &from.strides, element).unwrap();
        ViewMut::strided(&mut fast, to.start, &to.shape, &to.strides, element).unwrap().copy_from(&view, swap).unwrap();
        for i in indices(&to.shape) {
            let (t, f) = (offset(to.start, &to.strides, &i), offset(from.start, &from.strides, &i));
            slow[t..t + element].copy_from_slice(&source[f..f + element]);
            slow[t..t + element].chunks_exact_mut(swap).for_each(<[u8]>::reverse);
        }
        prop_assert_eq!(&fast, &slow);
        let first = source[from.start..from.start + element].to_vec();
        let same = indices(&from.shape).iter().all(|i| source[offset(from.start, &from.strides, i)..][..element] == first[..]);
        prop_assert_eq!(view.all_equal(&first), same);
        let mut filled = fast.clone();
        ViewMut::strided(&mut filled, to.start, &to.shape, &to.strides, element).unwrap().fill(&first).unwrap();
        prop_assert!(View::strided(&filled, to.start, &to.shape, &to.strides, element).unwrap().all_equal(&first));
    }

    #[test]
    fn tiles_cover_a_region_once(
        dims in prop::collection::vec((1u64..7, 0u64..9, 0u64..12, 1u64..5), 0..4),
    ) {
        let steps: Vec<u64> = dims.iter().map(|d| d.3).collect();
        let axes = dims.iter().map(|&(chunk_len, start, count, step)| AxisParts::regular(chunk_len, start, count, step).unwrap());
        let grid = TileGrid::new(axes, &steps).unwrap();
        let shape: Vec<u64> = dims.iter().map(|d| d.2).collect();
        prop_assert_eq!(&grid.shape()[..], &shape[..]);
        let mut seen = vec![0u8; shape.iter().product::<u64>() as usize];
        let (a, b) = ViewMut::new(&mut seen, &shape, 1).unwrap().tiles(&grid).unwrap().split();
        for mut tile in a.chain(b) {
            let p = &tile.place;
            for (d, &(chunk_len, start, _, step)) in dims.iter().enumerate() {
                // The first and the last element of the tile are at their positions in the region.
                let first = start + p.part.start[d] * step;
                prop_assert_eq!((p.chunk_index[d], p.within.start[d]), (first / chunk_len, first % chunk_len));
                let last = start + (p.part.start[d] + p.part.len[d] - 1) * step;
                prop_assert_eq!(p.within.end(d) - 1, last - p.chunk_index[d] * chunk_len);
                prop_assert!(p.within.end(d) <= chunk_len);
            }
            let mut v = tile.out.reborrow();
            let mut old = vec![0; v.count()];
            ViewMut::new(&mut old, &v.shape(), 1).unwrap().copy_from(&v.as_view(), 1).unwrap();
            prop_assert!(old.iter().all(|&n| n == 0));
            v.fill(&[1]).unwrap();
        }
        prop_assert!(seen.iter().all(|&n| n == 1));
    }

    #[test]
    fn negative_strides_are_traversed(shape in prop::collection::vec(0u64..7, 1..4), steps in prop::collection::vec(1u64..5, 3), flips in prop::collection::vec(any::<bool>(), 3)) {
        let n: u64 = shape.iter().product();
        let data: Vec<u8> = (0..n as usize).map(|i| i as u8).collect();
        let rank = shape.len();
        let (mut strides, mut start, mut extent) = (vec![0; rank], 0, 1);
        for d in (0..rank).rev() {
            strides[d] = if flips[d] { -extent } else { extent };
            start += if flips[d] { extent as usize * (shape[d].max(1) as usize - 1) } else { 0 };
            extent *= shape[d].max(1) as isize;
        }
        let v = View::strided(&data, start, &shape, &strides, 1).unwrap().step(&steps[..rank]).unwrap();
        let mut scratch = Vec::new();
        let got = v.contiguous(&mut scratch).unwrap().to_vec();
        let mut want = Vec::new();
        for i in indices(&v.shape()) {
            let flat = (0..rank).fold(0, |f, d| {
                let k = i[d] as u64 * steps[d];
                f * shape[d] + if flips[d] { shape[d] - 1 - k } else { k }
            });
            want.push(data[flat as usize]);
        }
        prop_assert_eq!(got, want);
    }
}

#[test]
fn strides_that_break_the_invariant_are_refused() {
    let mut b = vec![0; 64];
    assert!(ViewMut::strided(&mut b, 0, &[4, 4], &[8, 2], 4).is_err(), "overlap");
    assert!(ViewMut::strided(&mut b, 0, &[4, 4], &[17, 4], 4).is_err(), "outside");
    assert!(ViewMut::strided(&mut b, 0, &[2], &[-4], 4).is_err(), "before the start");
    assert!(ViewMut::strided(&mut b, 0, &[2, 2], &[4], 4).is_err(), "rank");
    assert!(ViewMut::strided(&mut b, 0, &[2, u64::MAX], &[isize::MAX, isize::MAX], 4).is_err(), "overflow");
    assert!(ViewMut::strided(&mut b, 0, &[0, u64::MAX], &[isize::MAX, isize::MAX], 4).is_ok(), "no elements");
    assert!(ViewMut::new(&mut b, &[63], 1).is_err() && ViewMut::new(&mut b, &[u64::MAX, 2], 1).is_err());
    let mut v = ViewMut::new(&mut b, &[8, 8], 1).unwrap();
    assert!(v.reborrow().region(&Region::new(&[4, 4], &[5, 1]).unwrap()).is_err());
    assert!(v.reborrow().permute(&[0, 0]).is_err() && v.reborrow().step(&[1, 0]).is_err());
    assert!(Region::new(&[u64::MAX], &[1]).is_err());
}

#[test]
fn strings_move_between_heaps() {
    let (a, b) = (Heap::new(b"none"), Heap::new(b""));
    let buffer = a.push(b"xyz".to_vec()).unwrap();
    let handles = [Handle::of_fill(4), Handle { buffer, len: 2, offset: 1 }];
    let bytes: Vec<u8> = handles.iter().flat_map(|h| h.to_bytes()).collect();
    let from = View::new(&bytes, &[2], Handle::SIZE).unwrap().with_heap(Some(&a));
    let mut out = vec![0; 32];
    ViewMut::new(&mut out, &[2], Handle::SIZE).unwrap().with_heap(Some(&b)).copy_from(&from, 1).unwrap();
    let strings = b.strings();
    let got: Vec<&[u8]> = out.as_chunks().0.iter().map(|h| strings.get(Handle::from_bytes(h)).unwrap()).collect();
    assert_eq!(got, [&b"none"[..], b"yz"]);
    assert!(strings.get(Handle { buffer: 9, len: 0, offset: 0 }).is_err());
    assert!(strings.get(Handle { buffer: 0, len: 1, offset: u64::MAX }).is_err());
}

#[test]
fn unit_axes_change_no_element() {
    let bytes: Vec<u8> = (0..6).collect();
    let view = View::new(&bytes, &[2, 3], 1).unwrap();
    let wide = view.clone().with_unit_axes(&[true, false, true, false, true]).unwrap();
    assert_eq!((&wide.shape()[..], wide.as_slice()), (&[1, 2, 1, 3, 1][..], Some(&bytes[..])));
    let row = wide.region(&Region::new(&[0, 1, 0, 1, 0], &[1, 1, 1, 2, 1]).unwrap()).unwrap();
    assert_eq!(row.as_slice(), Some(&[4, 5][..]));
    for bad in [&[][..], &[false], &[true, false], &[false, false, false]] {
        assert!(view.clone().with_unit_axes(bad).is_err(), "{bad:?}");
    }
}
