//! Elements as JSON, and regions as users write them.

use crate::slabs::Slabs;
use ozarr::{
    Array, Error, Indices, Result, Selection, Slice, slice,
    zarr_core::{
        json::Json,
        layout::Layout,
        limits::{Limits, product, zeroed},
        view::{Handle, Heap, ViewMut},
    },
};
use std::path::Path;

/// Calls `each` with every selected element in C order, as its JSON.
pub(crate) fn each_as_json(
    array: &Array,
    selection: &Selection,
    each: &mut dyn FnMut(Json) -> Result<()>,
) -> Result<()> {
    let (r, shape) = (array.representation(), selection.shape(array.shape())?);
    let data_type = r.data_type();
    if !r.layout().is_variable() {
        let bytes = array.read_bytes(selection.clone())?;
        return bytes.chunks(r.element_size()).try_for_each(|e| each(data_type.fill_to_json(e)?));
    }
    let (mut handles, heap) = (string_handles(&shape)?, Heap::new(r.fill()));
    array.read_view(selection.clone(), ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let strings = heap.strings();
    let handles = handles.as_chunks().0;
    handles.iter().try_for_each(|h| each(data_type.fill_to_json(strings.get(Handle::from_bytes(h))?)?))
}

/// Writes the selected elements from a file that has the JSON of each, one a line in C order.
pub(crate) fn write_lines(array: &Array, selection: &Selection, file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at_key(file.display()))?;
    let data_type = array.representation().data_type();
    let one = |(at, line): (usize, &str)| {
        let element = Json::parse(line.as_bytes(), &Limits::default()).and_then(|e| data_type.fill_from_json(&e));
        element.map_err(|e| e.within(format!("line {}", at + 1)).at_key(file.display()))
    };
    let elements = text.lines().enumerate().map(one).collect::<Result<Vec<Vec<u8>>>>()?;
    let wanted = product(&selection.shape(array.shape())?, 1)?;
    if elements.len() as u64 != wanted {
        let e = Error::argument(format!("the file has {} elements, the region {wanted}", elements.len()));
        return Err(e.at_key(file.display()));
    }
    match array.representation().layout() {
        Layout::Variable { text: true } => {
            let text = |e| String::from_utf8(e).map_err(|_| Error::argument("not UTF-8"));
            array.write(selection.clone(), &elements.into_iter().map(text).collect::<Result<Vec<_>>>()?)
        }
        Layout::Variable { .. } => array.write(selection.clone(), &elements),
        _ => array.write_bytes(selection.clone(), &elements.concat()),
    }
}

/// Memory for the handles of strings.
pub(crate) fn string_handles(shape: &[u64]) -> Result<Vec<u8>> {
    let bytes = product(shape, Handle::SIZE as u64)?;
    zeroed(usize::try_from(bytes).map_err(|_| ozarr::ErrorKind::Memory(bytes))?)
}

/// Parts of a selection in C order, each of at most `most` elements.
pub(crate) fn parts(array: &Array, selection: &Selection, most: u64) -> Result<impl Iterator<Item = Selection>> {
    let selected = selection.indices(array.shape())?;
    let shape: Vec<u64> = selected.iter().map(|s| s.len).collect();
    let chunk = array.chunk_shape().unwrap_or_default();
    Ok(Slabs::new(&shape, chunk, most).map(move |part| {
        let own = |(r, s): (&std::ops::Range<u64>, &Indices)| -> Slice {
            slice(s.start + r.start * s.step..s.start + (r.end - 1) * s.step + 1).step_by(s.step)
        };
        part.iter().zip(&selected).map(own).collect()
    }))
}
