//! A small picture of an array, from a bounded part of it.

use super::histogram::CHUNK_BYTES;
use crate::picture::{Chart, Colormap, NAN, Palette, Pixels, Plane, encode};
use base64::{Engine, engine::general_purpose::STANDARD};
use ozarr::{Array, Error, Result, Selection, Slice};

/// The most elements in the decoded chunks, unless one chunk has more.
pub(super) const ELEMENTS: u64 = 1 << 24;
/// The most chunks.
const CHUNKS: u64 = 1 << 12;
/// The most pixels along each axis, and those of a chart.
const SIDE: u64 = 96;
const CHART: (usize, usize) = (192, 64);

/// A picture of the first part of an array.
#[derive(Debug)]
pub(super) struct Thumbnail {
    pub(super) width: usize,
    pub(super) height: usize,
    /// A PNG file as a data URI.
    pub(super) uri: String,
    /// The region of the array in the picture.
    pub(super) region: String,
    /// The numbers of the first and the last color.
    pub(super) range: (f64, f64),
}

impl Thumbnail {
    /// Draws an array.
    ///
    /// # Errors
    /// If the elements are not numbers, there are none, chunks are too large, or one cannot be read.
    pub(super) fn new(array: &Array) -> Result<Self> {
        if array.is_empty() {
            return Err(Error::argument("the array has no elements"));
        }
        let lengths = window(array)?;
        let (leading, drawn) = lengths.split_at(lengths.len().saturating_sub(2));
        let slices = leading.iter().map(|_| Slice::from(0u64)).chain(drawn.iter().map(|n| Slice::from(0..*n)));
        let shown = leading.iter().map(|_| "0".to_owned()).chain(drawn.iter().map(|n| format!("0:{n}")));
        let region = shown.collect::<Vec<_>>().join(", ");
        let mut plane = Plane::new(array, &slices.collect::<Selection>())?;
        plane.numbers = plane.numbers.without_zero_fill();
        let (pixels, range) = if plane.is_line() {
            let grid = plane.sample([1, CHART.0 as u64])?;
            let palette = palette(grid.full_range().unwrap_or_default());
            (Chart::new(&grid, &palette, CHART.0, CHART.1).pixels(&palette), palette.range)
        } else {
            let grid = plane.sample([SIDE; 2])?;
            let palette = palette(grid.range().unwrap_or_default());
            (Pixels::of(&grid, &palette, 1), palette.range)
        };
        let uri = format!("data:image/png;base64,{}", STANDARD.encode(encode(&pixels)?));
        Ok(Self { width: pixels.width, height: pixels.height, uri, region, range })
    }
}

fn palette(range: (f64, f64)) -> Palette {
    let map = Colormap::Viridis;
    Palette { map, range, nan: NAN, fill: map.fill_color() }
}

/// Returns the shape of the part to draw: whole chunks from the first one in each dimension, and length 1 in all
/// dimensions but the last two.
fn window(array: &Array) -> Result<Vec<u64>> {
    let shape = array.shape();
    let chunk = match array.inner_chunk_shape().or(array.chunk_shape()) {
        Some(chunk) => chunk.to_vec(),
        None => array.chunk(&vec![0; shape.len()])?.shape().to_vec(),
    };
    let elements = chunk.iter().fold(1u64, |n, len| n.saturating_mul((*len).max(1)));
    let bytes = elements.saturating_mul(array.representation().element_size() as u64);
    if bytes > CHUNK_BYTES {
        return Err(Error::argument(format!("chunks of {bytes} bytes are too large for a picture")));
    }
    Ok(window_of(shape, &chunk, (ELEMENTS / elements).clamp(1, CHUNKS)))
}

/// Returns a part of at most this many chunks, about the same number along both axes.
fn window_of(shape: &[u64], chunk: &[u64], most: u64) -> Vec<u64> {
    let mut lengths = vec![1; shape.len()];
    let Some(columns) = shape.len().checked_sub(1) else { return lengths };
    let chunks = |d: usize| shape[d].div_ceil(chunk[d].max(1)).max(1);
    let length = |d: usize, chunks: u64| shape[d].min(chunk[d].max(1).saturating_mul(chunks));
    let root = most.isqrt().max(1);
    let Some(rows) = columns.checked_sub(1) else {
        lengths[columns] = length(columns, most);
        return lengths;
    };
    let across = chunks(columns).min(root.max(most / chunks(rows)));
    lengths[columns] = length(columns, across);
    lengths[rows] = length(rows, most / across);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    #[test]
    fn windows_have_a_bounded_number_of_chunks() {
        assert_eq!(window_of(&[], &[], 4), [0u64; 0]);
        assert_eq!(window_of(&[100], &[10], 4), [40]);
        assert_eq!(window_of(&[100], &[10], 400), [100]);
        assert_eq!(window_of(&[5, 100, 100], &[1, 10, 10], 16), [1, 40, 40]);
        assert_eq!(window_of(&[100, 20], &[10, 10], 16), [80, 20]);
        assert_eq!(window_of(&[20, 100], &[10, 10], 16), [20, 80]);
        assert_eq!(window_of(&[1 << 40, 1 << 40], &[1 << 20, 1 << 20], 1), [1 << 20, 1 << 20]);
    }

    #[test]
    fn few_of_many_tiny_chunks_are_shown() {
        let array = Hierarchy::in_memory().create_array("/a", NewArray::new([8192, 8192], "int16").chunks([1, 1]));
        assert_eq!(window(&array.unwrap()).unwrap(), [64, 64]);
    }

    #[test]
    fn the_first_index_of_leading_dimensions_is_shown() {
        let array =
            Hierarchy::in_memory().create_array("/a", NewArray::new([3, 4, 5], "int16").chunks([1, 4, 5])).unwrap();
        array.write(1.., &[7i16; 40]).unwrap();
        let picture = Thumbnail::new(&array).unwrap();
        assert_eq!((picture.width, picture.height, &*picture.region), (5, 4, "0, 0:4, 0:5"));
        assert!(picture.uri.starts_with("data:image/png;base64,iVBOR"), "{}", picture.uri);
        let line = Hierarchy::in_memory().create_array("/a", NewArray::new([300], "float32")).unwrap();
        assert_eq!(Thumbnail::new(&line).unwrap().width, 192);
        let empty = Hierarchy::in_memory().create_array("/a", NewArray::new([0], "float32")).unwrap();
        assert!(Thumbnail::new(&empty).is_err());
    }
}
