//! Elements as JSON: each as a fill value is written.

use ozarr::{
    Array, Error, ErrorKind, Json, Result, Selection,
    zarr_core::{
        limits::{Limits, product, zeroed},
        view::{Handle, Heap, ViewMut},
    },
};
use std::io::{self, Write};

/// Calls `each` with every selected element in C order.
pub(super) fn each(array: &Array, selection: &Selection, each: &mut dyn FnMut(Json) -> Result<()>) -> Result<()> {
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

/// Memory for the handles of strings.
pub(crate) fn string_handles(shape: &[u64]) -> Result<Vec<u8>> {
    let bytes = product(shape, Handle::SIZE as u64)?;
    zeroed(usize::try_from(bytes).map_err(|_| ErrorKind::Memory(bytes))?)
}

/// The elements of a text that has one a line.
pub(super) fn lines(array: &Array, shape: &[u64], text: &[u8]) -> Result<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(text);
    let text = text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))?;
    let data_type = array.representation().data_type();
    let one = |(at, line): (usize, &str)| {
        let element = Json::parse(line.as_bytes(), &Limits::default()).and_then(|e| data_type.fill_from_json(&e));
        element.map_err(|e| e.within(format!("line {}", at + 1)))
    };
    let elements = text.lines().enumerate().map(one).collect::<Result<Vec<_>>>()?;
    let wanted = product(shape, 1)?;
    if elements.len() as u64 != wanted {
        return Err(Error::argument(format!("the file has {} elements, the region {wanted}", elements.len())));
    }
    Ok(elements)
}

/// The elements of lists in lists.
pub(super) fn nested(array: &Array, shape: &[u64], text: &[u8]) -> Result<Vec<Vec<u8>>> {
    let (json, mut elements) = (Json::parse(text, &array.hierarchy().context().limits)?, Vec::new());
    let data_type = array.representation().data_type();
    // Each with the lengths of its own dimensions.
    let mut left = vec![(&json, shape)];
    while let Some((json, shape)) = left.pop() {
        let Some((len, below)) = shape.split_first() else {
            elements.push(data_type.fill_from_json(json)?);
            continue;
        };
        let list = json.as_array().filter(|list| list.len() as u64 == *len);
        let list = list.ok_or_else(|| Error::argument(format!("a list of {len} is expected, not {}", json.kind())))?;
        left.extend(list.iter().rev().map(|json| (json, below)));
    }
    Ok(elements)
}

/// Prints elements with the brackets that open before and close after each.
pub(super) struct Brackets {
    /// How many elements a list of each depth holds, the innermost first.
    sizes: Vec<u64>,
    at: u64,
}

impl Brackets {
    /// Of lists in lists of these lengths.
    pub(super) fn new(shape: &[u64]) -> Self {
        let products = shape.iter().rev().scan(1u64, |product, n| {
            *product = product.saturating_mul(*n);
            Some(*product)
        });
        Self { sizes: products.collect(), at: 0 }
    }
    pub(super) fn print(&mut self, element: &str, out: &mut dyn Write) -> Result<()> {
        let edges = |at: u64| self.sizes.iter().filter(|s| at.is_multiple_of(**s)).count();
        let (before, after) = (edges(self.at), edges(self.at + 1));
        let comma = if self.at > 0 { "," } else { "" };
        write!(out, "{comma}{}{element}{}", "[".repeat(before), "]".repeat(after))?;
        self.at += 1;
        Ok(())
    }
}
