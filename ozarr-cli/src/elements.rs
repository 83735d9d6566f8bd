//! Elements as JSON, and regions as users write them.

use crate::slabs::Slabs;
use ozarr::{
    Array, Error, Result, Selection, Slice,
    core::{
        json::Json,
        layout::Layout,
        limits::{Limits, product, zeroed},
        view::{Handle, Heap, ViewMut},
    },
};
use std::path::Path;

/// `0:10,5:8:2` for an array: each of START, STOP and STEP may be left out.
pub(crate) fn selection(text: Option<&str>, shape: &[u64]) -> Result<Selection> {
    let Some(text) = text else { return Ok((..).into()) };
    let wrong = |part: &str| {
        let e = Error::argument(format!("`{part}` is no range"));
        e.with_hint("write START:STOP[:STEP] for each dimension, separated by commas")
    };
    let parts: Vec<&str> = if text.is_empty() { Vec::new() } else { text.split(',').collect() };
    if parts.len() != shape.len() {
        let (found, rank) = (parts.len(), shape.len());
        return Err(Error::argument(format!("{found} ranges for an array of {rank} dimensions")));
    }
    parts
        .into_iter()
        .zip(shape)
        .map(|(part, n)| {
            let number =
                |text: &str, default| if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| wrong(part)) };
            let fields: Vec<&str> = part.split(':').collect();
            match fields[..] {
                [one] => number(one, 0).map(|i| Slice { start: i, stop: i.saturating_add(1), step: 1 }),
                [start, stop] => Ok(Slice { start: number(start, 0)?, stop: number(stop, *n)?, step: 1 }),
                [start, stop, step] => {
                    Ok(Slice { start: number(start, 0)?, stop: number(stop, *n)?, step: number(step, 1)? })
                }
                _ => Err(wrong(part)),
            }
        })
        .collect::<Result<Selection>>()
}

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
    let (slices, shape) = (selection.slices(array.shape())?, selection.shape(array.shape())?);
    let chunk = array.chunk_shape().unwrap_or_default();
    Ok(Slabs::new(&shape, chunk, most).map(move |part| {
        let own = |(r, s): (&std::ops::Range<u64>, &Slice)| Slice {
            start: s.start + r.start * s.step,
            stop: s.start + (r.end - 1) * s.step + 1,
            step: s.step,
        };
        part.iter().zip(&slices).map(own).collect()
    }))
}
