//! The orders in which a writer places inner chunks in a shard.

use super::index::with_room;
use zarr_core::{Result, call::InnerChunkOrder, view::Dims};

/// Returns all chunks of a grid, as numbers in C order, in the order in which they are written.
pub(super) fn ordered(counts: &[u64], order: InnerChunkOrder) -> Result<Vec<u64>> {
    let total: u64 = counts.iter().product();
    let mut chunk_indices = with_room(total as usize)?;
    chunk_indices.extend(0..total);
    match order {
        InnerChunkOrder::ColumnMajor => chunk_indices.sort_by(|a, b| {
            let [a, b] = [*a, *b].map(|i| chunk_index_at(counts, i));
            a.iter().rev().cmp(b.iter().rev())
        }),
        InnerChunkOrder::Morton => {
            chunk_indices.sort_by(|a, b| morton(&chunk_index_at(counts, *a), &chunk_index_at(counts, *b)));
        }
        // Numbers are in row-major order already.
        _ => {}
    }
    Ok(chunk_indices)
}

/// Returns the index of a chunk from its number in C order.
pub(super) fn chunk_index_at(counts: &[u64], mut i: u64) -> Dims {
    let mut chunk_index = Dims::from_elem(0, counts.len());
    for d in (0..counts.len()).rev() {
        chunk_index[d] = i % counts[d];
        i /= counts[d];
    }
    chunk_index
}

/// Compares two chunk indices by their interleaved bits, the first dimension most significant within each bit.
fn morton(a: &[u64], b: &[u64]) -> std::cmp::Ordering {
    let differing = a.iter().zip(b).map(|(x, y)| x ^ y);
    let mut highest = (0, 0);
    for (d, bits) in differing.enumerate() {
        // Only a strictly higher bit takes precedence: for the same bit the earlier dimension decides.
        if bits > highest.1 && (bits ^ highest.1) > highest.1 {
            highest = (d, bits);
        }
    }
    a.get(highest.0).cmp(&b.get(highest.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_inner_chunks() {
        let flat = |o| ordered(&[2, 4], o).unwrap().iter().map(|i| (i / 4, i % 4)).collect::<Vec<_>>();
        let row = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)];
        let column = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)];
        let morton = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)];
        assert_eq!(flat(InnerChunkOrder::RowMajor), row);
        assert_eq!(flat(InnerChunkOrder::ColumnMajor), column);
        assert_eq!(flat(InnerChunkOrder::Morton), morton);
        assert_eq!(ordered(&[], InnerChunkOrder::Morton).unwrap(), [0]);
        assert_eq!(chunk_index_at(&[], 0), Dims::new());
    }
}
