//! The shapes of chunks that are not given.

use zarr_core::layout::Layout;

/// The size limit of chunks whose shape is chosen automatically.
const CHUNK_BYTES: u64 = 4 << 20;

/// Halves the longest dimension until a chunk is small enough.
pub(super) fn chosen_chunk(shape: &[u64], layout: &Layout) -> Vec<u64> {
    let mut chunk: Vec<u64> = shape.iter().map(|n| (*n).max(1)).collect();
    let bytes = |c: &[u64]| c.iter().fold(layout.size() as u64, |b, n| b.saturating_mul(*n));
    while bytes(&chunk) > CHUNK_BYTES {
        match chunk.iter_mut().filter(|n| **n > 1).max() {
            Some(longest) => *longest = longest.div_ceil(2),
            None => break,
        }
    }
    chunk
}

/// Halves the longest even dimension until a shard has 64 inner chunks of at most 4 MiB. Stops earlier if no dimension
/// can be halved, or once there are 8 inner chunks of at most 64 KiB.
pub(super) fn inner_of(shard: &[u64], layout: &Layout) -> Vec<u64> {
    let (mut chunk, mut count) = (shard.to_vec(), 1);
    let smallest = 64 << 10;
    let bytes = |c: &[u64]| c.iter().fold(layout.size() as u64, |b, n| b.saturating_mul(*n));
    while count < 64 || bytes(&chunk) > CHUNK_BYTES {
        match chunk.iter_mut().filter(|n| **n > 1 && n.is_multiple_of(2)).max() {
            Some(longest) if count < 8 || bytes(shard) / count > smallest => *longest /= 2,
            _ => break,
        }
        count *= 2;
    }
    chunk
}
