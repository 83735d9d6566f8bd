//! The chunks of an array, one by one, compared with trying all indices.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

use ozarr::{Array, Hierarchy, NewArray, Result, Selection, slice};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns the indices of the chunks of a shape that contain the selected elements, in C order.
fn touched(array: &Array, selection: &Selection, chunk: &[u64]) -> Vec<Vec<u64>> {
    let indices = selection.indices(array.shape()).unwrap();
    let axes = indices.iter().zip(chunk).map(|(s, n)| (0..s.len).map(|i| (s.start + i * s.step) / n).collect());
    let axes: Vec<BTreeSet<u64>> = axes.collect();
    axes.iter().fold(vec![Vec::new()], |all, axis| {
        all.iter().flat_map(|index| axis.iter().map(move |i| [index.as_slice(), &[*i]].concat())).collect()
    })
}

fn selection() -> impl Strategy<Value = (u64, u64, u64, u64)> {
    (1u64..12, 1u64..5, any::<u64>(), any::<u64>())
}

proptest! {
    #[test]
    fn a_selection_lists_the_chunks_it_touches(dims in prop::collection::vec((selection(), 1u64..4), 0..4)) {
        let shape: Vec<u64> = dims.iter().map(|((n, ..), _)| *n).collect();
        let inner: Vec<u64> = dims.iter().map(|((_, chunk, ..), _)| *chunk).collect();
        let shard: Vec<u64> = dims.iter().zip(&inner).map(|((_, factor), n)| factor * n).collect();
        let new = NewArray::new(shape.clone(), "uint8").chunks(inner.clone());
        let plain = Hierarchy::in_memory().create_array("/a", new.clone()).unwrap();
        let sharded = Hierarchy::in_memory().create_array("/a", new.shards(shard.clone())).unwrap();
        let selection: Selection = dims.iter().map(|((n, _, a, b), _)| match a % 4 {
            0 => slice(..),
            1 => slice(b % n),
            _ => slice(a % (n + 1)..a % (n + 1) + b % (n + 1 - a % (n + 1))).step_by(1 + b % 5),
        }).collect();
        for (array, outer) in [(&plain, &inner), (&sharded, &shard)] {
            let all: Selection = (..).into();
            for (chunks, chunk, wanted) in [
                (array.chunks(), outer, &all),
                (array.chunks().inner(), &inner, &all),
                (array.chunks().within(&selection).unwrap(), outer, &selection),
                (array.chunks().within(&selection).unwrap().inner(), &inner, &selection),
                (array.chunks().inner().within(&selection).unwrap(), &inner, &selection),
            ] {
                let expected = touched(array, wanted, chunk);
                let found: Vec<Vec<u64>> = chunks.clone().map(|c| c.index().to_vec()).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(chunks.len(), expected.len());
                let mut back: Vec<Vec<u64>> = chunks.clone().rev().map(|c| c.index().to_vec()).collect();
                back.reverse();
                prop_assert_eq!(&back, &expected);
                for c in chunks.clone() {
                    for d in 0..shape.len() {
                        let start = c.index()[d] * chunk[d];
                        prop_assert_eq!((c.region().start[d], c.region().end(d)), (start, (start + chunk[d]).min(shape[d])));
                    }
                }
                #[cfg(feature = "parallel")]
                {
                    use rayon::prelude::*;
                    let parallel: Vec<Vec<u64>> = chunks.into_par_iter().map(|c| c.index().to_vec()).collect();
                    prop_assert_eq!(&parallel, &expected);
                }
            }
        }
    }
}

#[test]
fn a_chunk_is_read_and_written_through_its_handle() -> Result<()> {
    let new = NewArray::new([5, 7], "uint16").chunks([2, 2]).shards([4, 4]);
    let array = Hierarchy::in_memory().create_array("/a", new)?;
    for (i, chunk) in array.chunks().inner().enumerate() {
        let n = chunk.shape().iter().product::<u64>() as usize;
        chunk.write(&vec![i as u16; n])?;
        assert_eq!(chunk.read::<u16>()?, vec![i as u16; n]);
        let mut out = vec![0u16; n];
        chunk.read_into(&mut out)?;
        assert_eq!(out, vec![i as u16; n]);
        assert!(chunk.is_inner() && chunk.encoded().is_err() && chunk.erase().is_err() && chunk.is_stored().is_err());
    }
    assert_eq!(array.read::<u16>((4, ..))?, [8, 8, 9, 9, 10, 10, 11]);
    let last = array.chunk(&[1, 1])?;
    assert_eq!((last.shape(), last.read::<u16>()?, last.is_stored()?), (&[1, 3][..], vec![10, 10, 11], true));
    let bytes = last.encoded()?.unwrap();
    last.check()?;
    last.erase()?;
    assert_eq!((last.read::<u16>()?, last.is_stored()?, last.encoded()?), (vec![0; 3], false, None));
    assert!(last.write_encoded(b"no shard").is_err() && !last.is_stored()?);
    last.write_encoded(&bytes)?;
    assert_eq!(last.read::<u16>()?, [10, 10, 11]);
    assert!(array.chunk(&[2, 0]).is_err() && array.chunk(&[0]).is_err());
    Ok(())
}

#[test]
fn too_many_chunks_are_an_error() -> Result<()> {
    let new = NewArray::new([1u64 << 31, 1 << 32], "uint8").chunks([1, 1]);
    let array = Hierarchy::in_memory().create_array("/a", new)?;
    let mut chunks = array.chunks();
    assert_eq!(chunks.len(), 1 << 63);
    assert_eq!((chunks.next().unwrap().index(), chunks.nth(5).unwrap().index()), (&[0, 0][..], &[0, 6][..]));
    let far = array.chunks().within(((1 << 31) - 1, slice(..).step_by(1 << 31)))?;
    assert_eq!(far.map(|c| c.index()[1]).collect::<Vec<_>>(), [0, 1 << 31]);
    assert_eq!(Hierarchy::in_memory().create_array("/none", NewArray::new([0, 5], "uint8"))?.chunks().len(), 0);
    Ok(())
}
