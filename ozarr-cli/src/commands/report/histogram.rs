//! The distribution of an array's numbers, from a bounded sample of its stored chunks.

use crate::picture::{Number, Numbers};
use ozarr::{Array, Error, Result, Selection, Slice, slice};
use std::{cell::Cell, fmt::Write};

/// The most chunks that are read, and the most elements of each that are counted.
pub(super) const CHUNKS: usize = 32;
pub(super) const ELEMENTS: u64 = 1 << 15;
/// Larger chunks are not decoded for a sample.
pub(super) const CHUNK_BYTES: u64 = 256 << 20;
/// The number of bars.
pub(super) const BINS: usize = 32;

/// A histogram of a sample.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// The lowest and the highest finite number.
    pub(super) range: Option<(f64, f64)>,
    pub(super) mean: f64,
    pub(super) bins: [u64; BINS],
    /// The number of elements of each class.
    pub(super) finite: u64,
    pub(super) infinite: u64,
    pub(super) nan: u64,
    pub(super) fill: u64,
    /// The number of chunks that were read.
    pub(super) chunks: usize,
    /// The number of chunks that could not be read.
    pub(super) failed: usize,
}

impl Histogram {
    /// Counts elements of some of the `stored` chunks. Returns `None` if the elements are not numbers.
    pub(super) fn new(array: &Array, stored: &[Vec<u64>]) -> Option<Self> {
        let numbers = Numbers::of(array).ok()?;
        let (mut histogram, mut values) = (Self::default(), Vec::new());
        let count = stored.len().min(CHUNKS);
        for i in 0..count {
            let index = &stored[i * stored.len() / count];
            match sample(array, index) {
                Ok(bytes) => {
                    histogram.chunks += 1;
                    for element in bytes.chunks_exact(numbers.size()) {
                        match numbers.number(element) {
                            Number::Value(v) if v.is_finite() => values.push(v),
                            Number::Value(_) => histogram.infinite += 1,
                            Number::Nan => histogram.nan += 1,
                            Number::Fill => histogram.fill += 1,
                        }
                    }
                }
                Err(_) => histogram.failed += 1,
            }
        }
        histogram.count(&values);
        Some(histogram)
    }
    fn count(&mut self, values: &[f64]) {
        self.finite = values.len() as u64;
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        if values.is_empty() {
            return;
        }
        self.range = Some((low, high));
        self.mean = values.iter().map(|v| v / values.len() as f64).sum();
        // The difference of two numbers may be infinite; that of their halves is not.
        let width = high / 2.0 - low / 2.0;
        for v in values {
            let share = if width > 0.0 { (v / 2.0 - low / 2.0) / width } else { 0.5 };
            self.bins[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
    }
    /// Returns the histogram as SVG for HTML.
    pub(super) fn svg(&self) -> String {
        let most = self.bins.iter().copied().max().unwrap_or(0).max(1);
        let mut path = String::new();
        for (i, n) in self.bins.iter().enumerate().filter(|(_, n)| **n > 0) {
            let height = (80.0 * *n as f64 / most as f64).max(0.5);
            let _text_takes_all = write!(path, "M{} 80v-{height:.1}h9v{height:.1}z", 10 * i);
        }
        format!(
            "<svg class=\"histogram\" role=\"img\" aria-label=\"histogram\" width=\"320\" height=\"80\" viewBox=\"0 0 320 80\"><path class=\"bar\" d=\"{path}\"/></svg>"
        )
    }
}

/// Returns the bytes of some elements of a chunk, or of the inner chunk in the middle of a shard.
fn sample(array: &Array, index: &[u64]) -> Result<Vec<u8>> {
    let chunk = array.chunk(index)?;
    let region = chunk.region();
    let inner = array.inner_chunk_shape();
    let slices: Vec<[u64; 2]> = (0..region.rank())
        .map(|d| {
            let (start, len) = (region.start[d], region.len[d]);
            let Some(inner) = inner.and_then(|inner| inner.get(d)).filter(|n| **n > 0) else { return [start, len] };
            let offset = len / inner / 2 * inner;
            [start.saturating_add(offset), (len - offset).min(*inner)]
        })
        .collect();
    let bytes = slices.iter().fold(array.representation().element_size() as u64, |n, [_, len]| n.saturating_mul(*len));
    if bytes > CHUNK_BYTES {
        return Err(Error::argument(format!("{bytes} bytes of a chunk are too many for a sample")));
    }
    let lengths: Vec<u64> = slices.iter().map(|[_, len]| *len).collect();
    let strides = strides(&lengths);
    let part = |([start, len], stride): (&[u64; 2], &u64)| -> Slice { slice(*start..start + len).step_by(*stride) };
    array.read_bytes(slices.iter().zip(&strides).map(part).collect::<Selection>())
}

/// Returns strides along each dimension that leave at most [`ELEMENTS`] elements.
fn strides(lengths: &[u64]) -> Vec<u64> {
    let strides: Vec<Cell<u64>> = lengths.iter().map(|_| Cell::new(1)).collect();
    let left = |d: usize| lengths[d].div_ceil(strides[d].get());
    while (0..lengths.len()).fold(1u64, |n, d| n.saturating_mul(left(d))) > ELEMENTS {
        let Some(longest) = (0..lengths.len()).max_by_key(|d| left(*d)) else { break };
        strides[longest].set(strides[longest].get().saturating_mul(2));
    }
    strides.into_iter().map(Cell::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    #[test]
    fn finite_infinite_nan_and_fill_values_are_counted_apart() {
        let new = NewArray::new([12], "float64").chunks([6]).fill_value(-1.0);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        let values = [0.0, 1.0, 2.0, 3.0, -1.0, -1.0, f64::NAN, f64::INFINITY, 31.0, 32.0, 32.0, 32.0];
        array.write(.., &values).unwrap();
        let h = Histogram::new(&array, &array.stored_chunks().unwrap()).unwrap();
        assert_eq!((h.finite, h.infinite, h.nan, h.fill, h.chunks, h.failed), (8, 1, 1, 2, 2, 0));
        assert_eq!((h.range, h.bins[0], h.bins[3], h.bins[31]), (Some((0.0, 32.0)), 1, 1, 4));
        assert!((h.mean - 16.625).abs() < 1e-9, "{}", h.mean);
        assert_eq!(h.bins.iter().sum::<u64>(), 8);
    }

    #[test]
    fn zero_or_one_distinct_values_have_a_histogram() {
        let array = Hierarchy::in_memory().create_array("/a", NewArray::new([3], "uint8").fill_value(9)).unwrap();
        let none = Histogram::new(&array, &[]).unwrap();
        assert_eq!((none.range, none.chunks), (None, 0));
        array.write(.., &[5u8; 3]).unwrap();
        let one = Histogram::new(&array, &[vec![0]]).unwrap();
        assert_eq!((one.range, one.bins.iter().sum::<u64>()), (Some((5.0, 5.0)), 3));
    }

    #[test]
    fn samples_are_bounded() {
        assert_eq!(strides(&[10, 20]), [1, 1]);
        for lengths in [&[1 << 40][..], &[1 << 20, 1 << 20], &[3, 1 << 30, 5], &[u64::MAX, u64::MAX]] {
            let left = lengths.iter().zip(strides(lengths)).fold(1, |n, (l, s)| n * l.div_ceil(s));
            assert!(left <= ELEMENTS && left * 4 > ELEMENTS, "{lengths:?} {left}");
        }
        let new = NewArray::new([400, 400], "uint8").chunks([10, 10]).shards([200, 200]);
        let array = Hierarchy::in_memory().create_array("/a", new).unwrap();
        array.write(.., &[1u8; 160_000]).unwrap();
        let h = Histogram::new(&array, &array.stored_chunks().unwrap()).unwrap();
        assert_eq!((h.chunks, h.finite), (4, 400));
    }
}
