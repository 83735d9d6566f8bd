//! Computes the mean of an array larger than memory, chunk by chunk on all threads.
//!
//! `cargo run -p ozarr-examples --bin parallel_mean`

use ozarr::{Hierarchy, NewArray, Result};
use rayon::prelude::*;

fn main() -> Result<()> {
    let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([1000, 1000]).chunks([100, 300]))?;
    array.chunks().into_par_iter().try_for_each(|chunk| {
        let n = chunk.shape().iter().product::<u64>() as usize;
        chunk.write(&vec![chunk.index()[0] as f32; n])
    })?;

    let (sum, count) = array
        .chunks()
        .into_par_iter()
        .map(|chunk| chunk.read::<f32>().map(|elements| (elements.iter().map(|x| f64::from(*x)).sum(), elements.len())))
        .try_reduce(|| (0.0, 0), |a, b| Ok((a.0 + b.0, a.1 + b.1)))?;
    assert_eq!((sum / count as f64, count), (4.5, 1_000_000));

    // Only the chunks that overlap a region.
    assert_eq!(array.chunks().within((..150, 299..301))?.len(), 4);
    println!("the mean is {}", sum / count as f64);
    Ok(())
}
