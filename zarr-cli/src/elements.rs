//! Elements as JSON, and regions as users write them.

use zarr_array::{
    Array, Error, Result, Selection, Slice,
    core::{
        json::Json,
        view::{Handle, Heap, ViewMut},
    },
};

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
            let number = |text: &str, default| if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| wrong(part)) };
            let fields: Vec<&str> = part.split(':').collect();
            match fields[..] {
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
    let count = shape.iter().product::<u64>() as usize;
    let (mut handles, heap) = (vec![0; count * Handle::SIZE], Heap::new(r.fill()));
    array.read_view(selection.clone(), ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let strings = heap.strings();
    let handles = handles.as_chunks().0;
    handles.iter().try_for_each(|h| each(data_type.fill_to_json(strings.get(Handle::from_bytes(h))?)?))
}

/// Slabs along the first dimension of a selection, each of about `most` elements at most, in order.
pub(crate) fn slabs(array: &Array, selection: &Selection, most: u64) -> Result<Vec<Selection>> {
    let shape = selection.shape(array.shape())?;
    let Some(first) = shape.first().copied() else { return Ok(vec![selection.clone()]) };
    let row: u64 = shape[1..].iter().product();
    // A slab of whole chunks decodes each chunk once.
    let chunk = array.chunk_shape().and_then(|c| c.first().copied()).unwrap_or(1);
    let rows = (most / row.max(1)).max(1).div_ceil(chunk) * chunk;
    let slices = selection.slices(array.shape())?;
    Ok((0..first)
        .step_by(rows as usize)
        .map(|start| {
            let stop = (start + rows).min(first);
            let s = slices[0];
            let last = s.start + (stop - 1) * s.step + 1;
            let own = Slice { start: s.start + start * s.step, stop: last, step: s.step };
            std::iter::once(own).chain(slices[1..].iter().copied()).collect()
        })
        .collect())
}
