//! The first and last elements along each dimension, as NumPy shows a large array.

use crate::output::{escaped, name};
use ozarr::{Array, Result, Selection, Slice, slice};
use ozarr_tools::{Format, TransferOptions, export};
use std::ops::Range;

/// The most elements that a terminal shows without `--all`.
pub(super) const MOST: u64 = 5000;

/// The most elements of a summary.
const MOST_OF_SUMMARY: u64 = 10_000;

/// Returns a summary of the selected elements, or `None` if there are too many dimensions for it to be shorter.
pub(super) fn summary(array: &Array, selection: &Selection) -> Result<Option<String>> {
    let (all, kept) = (selection.indices(array.shape())?, selection.shape(array.shape())?);
    let Some(edge) = edge(kept.iter().filter(|n| **n > 1).count()) else { return Ok(None) };
    let lengths: Vec<u64> = all.iter().map(|indices| indices.len).collect();
    let pieces: Vec<Vec<Range<u64>>> = lengths.iter().map(|len| pieces(*len, edge)).collect();
    let mut cells = vec![String::new(); lengths.iter().map(|len| (*len).min(2 * edge)).product::<u64>() as usize];
    for number in 0..pieces.iter().map(Vec::len).product() {
        let block = block(&pieces, number);
        let slices = block.iter().zip(&all).map(|(range, indices)| {
            let at = |i: u64| indices.start + i * indices.step;
            slice(at(range.start)..at(range.end - 1) + 1).step_by(indices.step)
        });
        let mut lines = Vec::new();
        let slices = slices.collect::<Vec<Slice>>();
        export(array, slices, Format::JsonLines, &mut lines, &TransferOptions::default())?;
        for (k, line) in String::from_utf8_lossy(&lines).lines().enumerate() {
            if let Some(cell) = cells.get_mut(place(k as u64, &block, &lengths, edge)) {
                *cell = escaped(&name(line)).into_owned();
            }
        }
    }
    let mut out = String::new();
    nest(&kept, 0, edge, &mut cells.into_iter(), &mut out);
    Ok(Some(out))
}

/// Returns the number of elements that are shown at each end of a dimension.
fn edge(dimensions: usize) -> Option<u64> {
    let dimensions = u32::try_from(dimensions).ok()?;
    (1..=3u64).rev().find(|edge| (2 * edge).checked_pow(dimensions).is_some_and(|n| n <= MOST_OF_SUMMARY))
}

/// Returns the parts of a dimension that are shown.
fn pieces(len: u64, edge: u64) -> Vec<Range<u64>> {
    if len > 2 * edge { vec![0..edge, len - edge..len] } else { vec![0..len] }
}

/// Returns the combination of pieces with this number, one for each dimension.
fn block(pieces: &[Vec<Range<u64>>], mut number: usize) -> Vec<Range<u64>> {
    let mut block = Vec::with_capacity(pieces.len());
    for of_dimension in pieces {
        block.push(of_dimension[number % of_dimension.len()].clone());
        number /= of_dimension.len();
    }
    block
}

/// Returns the position of element `k` of a block among all shown elements, both in C order.
fn place(mut k: u64, block: &[Range<u64>], lengths: &[u64], edge: u64) -> usize {
    let (mut at, mut stride) = (0, 1);
    for (range, len) in block.iter().zip(lengths).rev() {
        let n = range.end - range.start;
        let index = range.start + k % n;
        // Elements after the gap follow those before it.
        at += stride * if *len > 2 * edge && index >= edge { index + 2 * edge - len } else { index };
        stride *= (*len).min(2 * edge);
        k /= n;
    }
    at as usize
}

fn nest(shape: &[u64], depth: usize, edge: u64, cells: &mut dyn Iterator<Item = String>, out: &mut String) {
    let Some((n, below)) = shape.split_first() else {
        *out += &cells.next().unwrap_or_default();
        return;
    };
    let separator = match below.len() {
        0 => ", ".to_owned(),
        lines => format!(",{}{}", "\n".repeat(lines), " ".repeat(depth + 1)),
    };
    out.push('[');
    for i in 0..(*n).min(2 * edge) {
        if i > 0 {
            *out += &separator;
        }
        if *n > 2 * edge && i == edge {
            *out += "...";
            *out += &separator;
        }
        nest(below, depth + 1, edge, cells, out);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    fn array(shape: &[u64]) -> Array {
        let array = Hierarchy::in_memory().create_array("/a", NewArray::new(shape, "uint32")).unwrap();
        let n = u32::try_from(shape.iter().product::<u64>()).unwrap();
        array.write(.., &(0..n).collect::<Vec<_>>()).unwrap();
        array
    }
    fn shown(array: &Array, selection: &str) -> String {
        summary(array, &selection.parse().unwrap()).unwrap().unwrap()
    }

    #[test]
    fn both_ends_of_each_dimension_are_shown() {
        assert_eq!(shown(&array(&[6000]), ""), "[0, 1, 2, ..., 5997, 5998, 5999]");
        assert_eq!(shown(&array(&[6000]), "::1000"), "[0, 1000, 2000, 3000, 4000, 5000]");
        let plane = "[[0, 1, 2, ..., 97, 98, 99],\n [100, 101, 102, ..., 197, 198, 199],\n [200, 201, 202, ..., 297, 298, 299],\n ...,\n \
                     [9700, 9701, 9702, ..., 9797, 9798, 9799],\n [9800, 9801, 9802, ..., 9897, 9898, 9899],\n \
                     [9900, 9901, 9902, ..., 9997, 9998, 9999]]";
        assert_eq!(shown(&array(&[100, 100]), ""), plane);
        assert_eq!(shown(&array(&[1, 100, 100]), "0"), plane);
        let cube = shown(&array(&[2, 10, 2]), "");
        let first = "[[[0, 1],\n  [2, 3],\n  [4, 5],\n  ...,\n  [14, 15],\n  [16, 17],\n  [18, 19]],\n\n [[20, 21],\n";
        assert!(cube.starts_with(first), "{cube}");
        assert_eq!(shown(&array(&[2, 10, 2]), "1,9,:"), "[38, 39]");
    }

    #[test]
    fn many_dimensions_have_shorter_ends_or_no_summary() {
        assert_eq!([0, 1, 5, 6, 13, 14].map(edge), [Some(3), Some(3), Some(3), Some(2), Some(1), None]);
        assert!(shown(&array(&[4; 6]), "").starts_with("[[[[[[0, 1, 2, 3],"));
    }
}
