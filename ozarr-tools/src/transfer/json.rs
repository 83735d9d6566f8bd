//! Elements as JSON, each in the form of a fill value.

use ozarr::{
    Array, ErrorKind, Json, Result, Selection,
    zarr_core::{
        limits::{product, zeroed},
        view::{Handle, Heap, ViewMut},
    },
};
use std::io::Write;

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

/// Allocates memory for the handles of strings.
pub(crate) fn string_handles(shape: &[u64]) -> Result<Vec<u8>> {
    let bytes = product(shape, Handle::SIZE as u64)?;
    zeroed(usize::try_from(bytes).map_err(|_| ErrorKind::Memory(bytes))?)
}

/// The number of elements in a list of each depth, innermost first.
pub(super) struct ListSizes(Vec<u64>);

impl ListSizes {
    /// Returns the sizes of nested lists with this shape.
    pub(super) fn new(shape: &[u64]) -> Self {
        let products = shape.iter().rev().scan(1u64, |product, n| {
            *product = product.saturating_mul(*n);
            Some(*product)
        });
        Self(products.collect())
    }
    /// Returns the number of lists that begin, or end, at the element with this number.
    pub(super) fn edges(&self, at: u64) -> usize {
        self.0.iter().filter(|size| at.is_multiple_of(**size)).count()
    }
}

/// Prints elements with the brackets that open before and close after each.
pub(super) struct Brackets {
    sizes: ListSizes,
    at: u64,
}

impl Brackets {
    /// Returns the brackets of nested lists with this shape.
    pub(super) fn new(shape: &[u64]) -> Self {
        Self { sizes: ListSizes::new(shape), at: 0 }
    }
    pub(super) fn print(&mut self, element: &str, out: &mut dyn Write) -> Result<()> {
        let (before, after) = (self.sizes.edges(self.at), self.sizes.edges(self.at + 1));
        let comma = if self.at > 0 { "," } else { "" };
        write!(out, "{comma}{}{element}{}", "[".repeat(before), "]".repeat(after))?;
        self.at += 1;
        Ok(())
    }
}
