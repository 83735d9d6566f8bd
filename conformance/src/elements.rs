//! Elements as bytes, for any data type, and functions that read and write arrays in this form.

use ozarr::{
    Array, Error, Result,
    zarr_core::{
        json::Json,
        layout::Layout,
        view::{Handle, Heap, Region, ViewMut},
    },
};

/// Returns the bytes of each element of an array, in C order.
pub fn read_elements(array: &Array) -> Result<Vec<Vec<u8>>> {
    read_region(array, &Region::whole(array.shape()))
}

/// Returns the bytes of each element of a region, in C order.
pub fn read_region(array: &Array, region: &Region) -> Result<Vec<Vec<u8>>> {
    match array.representation().layout() {
        Layout::Variable { .. } => {
            let count = region.len.iter().product::<u64>() as usize;
            let (mut handles, heap) = (vec![0; count * Handle::SIZE], Heap::new(array.representation().fill()));
            let out = ViewMut::new(&mut handles, &region.len, Handle::SIZE)?.with_heap(Some(&heap));
            array.read_view(region, out)?;
            let strings = heap.strings();
            handles.as_chunks().0.iter().map(|h| Ok(strings.get(Handle::from_bytes(h))?.to_vec())).collect()
        }
        layout => Ok(array.read_bytes(region)?.chunks(layout.size()).map(<[u8]>::to_vec).collect()),
    }
}

/// Writes all elements of an array. `elements` contains the bytes of each, in C order.
pub fn write_elements(array: &Array, elements: &[Vec<u8>]) -> Result<()> {
    write_region(array, &Region::whole(array.shape()), elements)
}

/// Writes the elements of a region. `elements` contains the bytes of each, in C order.
pub fn write_region(array: &Array, region: &Region, elements: &[Vec<u8>]) -> Result<()> {
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            let text = |e: &Vec<u8>| String::from_utf8(e.clone()).map_err(|_| Error::argument("not UTF-8"));
            array.write(region, &elements.iter().map(text).collect::<Result<Vec<_>>>()?)
        }
        Layout::Variable { .. } => array.write(region, elements),
        _ => array.write_bytes(region, &elements.concat()),
    }
}

/// Returns the elements that lie in a region. `elements` contains all elements of an array, in C order.
pub fn part_of<'e>(elements: &'e [Vec<u8>], shape: &[u64], region: &Region) -> Vec<&'e Vec<u8>> {
    elements.iter().enumerate().filter(|(i, _)| is_inside(*i, shape, region)).map(|(_, e)| e).collect()
}

/// Returns whether the `i`-th element of an array in C order lies in a region.
pub(crate) fn is_inside(mut i: usize, shape: &[u64], region: &Region) -> bool {
    (0..shape.len()).rev().all(|d| {
        let at = i as u64 % shape[d];
        i /= shape[d] as usize;
        region.start[d] <= at && at < region.end(d)
    })
}

/// Returns all indices of a shape, in C order.
pub(crate) fn indices(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + '_ {
    (0..shape.iter().product()).map(move |mut i| {
        let mut at = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            at[d] = i % shape[d];
            i /= shape[d];
        }
        at
    })
}

/// Returns the middle of an array: a region that begins and ends inside chunks where possible.
pub fn middle(shape: &[u64]) -> Region {
    let start = shape.iter().map(|n| n / 3).collect();
    Region { start, len: shape.iter().map(|n| n - n / 3 - n / 5).collect() }
}

/// Returns whether `after` contains all of `before`, in the same order. A writer may add the values that it chose for
/// missing members.
pub fn is_preserved(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Object(a), Json::Object(b)) => {
            let mut rest = b.iter();
            a.iter().all(|(name, v)| rest.any(|(n, w)| n == name && is_preserved(v, w)))
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_preserved(a, b)),
        _ => before == after,
    }
}
