//! Strided views of memory, through which all array data flows.
//!
//! The caller owns the memory. A chain decodes into a [`ViewMut`] of the final array: a transpose is a change of
//! strides, and an inner chunk is a part of the view. Views, [tiles](Tiles) and the strided copy have the only unsafe
//! code of this crate.
//!
//! **The invariant of `ViewMut<'a>`:** every index reaches `element` bytes inside one `&'a mut [u8]`, two indices never
//! share a byte, and nothing else accesses those bytes during `'a`. The constructors check it. A part is created only
//! by consuming the view, or by [`Tiles`], which hand out each index once.
#![allow(unsafe_code)]

mod axes;
mod copy;
mod dims;
mod heap;
mod region;
#[cfg(test)]
mod tests;
mod tiles;

pub use copy::swap_in_place;
pub use dims::{Dims, DimsIntoIter};
pub use heap::{Handle, Heap, Strings};
pub use region::Region;
pub use tiles::{AxisParts, Tile, TileGrid, TilePlace, Tiles};

use crate::error::{Error, ErrorKind, Result};
use axes::{Axes, Axis};
use std::marker::PhantomData;

/// A shared view of array elements, with any strides.
#[derive(Clone)]
pub struct View<'a> {
    ptr: *const u8,
    element: usize,
    axes: Axes,
    heap: Option<&'a Heap>,
    of: PhantomData<&'a [u8]>,
}

/// An exclusive view of array elements, with any strides that give each element its own bytes.
pub struct ViewMut<'a> {
    ptr: *mut u8,
    element: usize,
    axes: Axes,
    heap: Option<&'a Heap>,
    of: PhantomData<&'a mut [u8]>,
}

// SAFETY: a View is a `&[u8]` and a `&Heap`, both of which may be sent to and shared with other threads.
unsafe impl Send for View<'_> {}
// SAFETY: as above.
unsafe impl Sync for View<'_> {}
// SAFETY: a ViewMut is a `&mut [u8]` to bytes that no other view reaches, and a `&Heap`.
unsafe impl Send for ViewMut<'_> {}
// SAFETY: nothing is written through a shared ViewMut.
unsafe impl Sync for ViewMut<'_> {}

macro_rules! common {
    ($name:ident) => {
        impl<'a> $name<'a> {
            /// Sets the heap that contains the elements of variable length.
            pub fn with_heap(mut self, heap: Option<&'a Heap>) -> Self {
                self.heap = heap;
                self
            }
            /// Returns the heap that contains the elements of variable length, if set.
            pub fn heap(&self) -> Option<&'a Heap> {
                self.heap
            }
            /// Returns the heap, which codecs for elements of variable length need.
            ///
            /// # Errors
            /// If no heap is set.
            pub fn require_heap(&self) -> Result<&'a Heap> {
                self.heap.ok_or_else(|| ErrorKind::Contract("a view of variable-length elements has no heap").into())
            }
            /// Returns the number of elements along each dimension.
            pub fn shape(&self) -> Dims {
                self.axes.iter().map(|a| a.len as u64).collect()
            }
            /// Returns the size of an element in bytes.
            pub fn element_size(&self) -> usize {
                self.element
            }
            /// Returns the distance in bytes from one index to the next, along each dimension.
            pub fn strides(&self) -> impl ExactSizeIterator<Item = isize> {
                self.axes.iter().map(|a| a.stride)
            }
            /// Returns a pointer to the first element. Only for passing memory to another language.
            pub fn as_ptr(&self) -> *const u8 {
                self.ptr
            }
            /// Returns the number of elements.
            pub fn count(&self) -> usize {
                axes::count(&self.axes)
            }
            /// Returns a part of the view.
            ///
            /// # Errors
            /// If the region is outside the view.
            pub fn region(mut self, region: &Region) -> Result<Self> {
                let offset = axes::narrow(&mut self.axes, region)?;
                self.ptr = self.ptr.wrapping_offset(offset);
                Ok(self)
            }
            /// Returns the view of every `steps[d]`-th index along each dimension, starting with the first.
            ///
            /// # Errors
            /// If a step is zero, or their number differs from the number of dimensions.
            pub fn step(mut self, steps: &[u64]) -> Result<Self> {
                axes::step(&mut self.axes, steps)?;
                Ok(self)
            }
            /// Returns the view with its dimensions in another order: dimension `i` is `order[i]` of this view.
            ///
            /// # Errors
            /// If `order` is not a permutation of the dimensions.
            pub fn permute(mut self, order: &[usize]) -> Result<Self> {
                self.axes = axes::permuted(&self.axes, order)?;
                Ok(self)
            }
            /// Inserts a dimension of length 1 wherever `is_new` is true; the other dimensions keep their order.
            ///
            /// # Errors
            /// If the number of false flags differs from the number of dimensions.
            pub fn with_unit_axes(mut self, is_new: &[bool]) -> Result<Self> {
                self.axes = axes::with_units(&self.axes, is_new, self.element)?;
                Ok(self)
            }
        }
    };
}
common!(View);
common!(ViewMut);

impl<'a> View<'a> {
    /// Creates a view of all of `bytes`, in C order.
    ///
    /// # Errors
    /// If the number of bytes differs from what the shape needs.
    pub fn new(bytes: &'a [u8], shape: &[u64], element: usize) -> Result<Self> {
        let axes = axes::c_order(shape, element, bytes.len())?;
        Ok(Self { ptr: bytes.as_ptr(), element, axes, heap: None, of: PhantomData })
    }
    /// Creates a view with any strides, in bytes, that stay inside `bytes`.
    ///
    /// The first element is at `offset`. Elements may share bytes.
    ///
    /// # Errors
    /// If an element is not inside `bytes`, or the ranks of the shape and the strides differ.
    pub fn strided(bytes: &'a [u8], offset: usize, shape: &[u64], strides: &[isize], element: usize) -> Result<Self> {
        let axes = axes::with_strides(shape, strides)?;
        axes::check_bounds(&axes, offset, element, bytes.len())?;
        Ok(Self { ptr: bytes.as_ptr().wrapping_add(offset), element, axes, heap: None, of: PhantomData })
    }
    /// Creates a view of memory from another language: a pointer to the first element, and strides in bytes.
    ///
    /// # Errors
    /// If the ranks of the shape and the strides differ.
    ///
    /// # Safety
    /// During `'a`, every index of the shape must reach `element` initialized bytes, which nothing may write.
    pub unsafe fn from_raw(ptr: *const u8, shape: &[u64], strides: &[isize], element: usize) -> Result<Self> {
        Ok(Self { ptr, element, axes: axes::with_strides(shape, strides)?, heap: None, of: PhantomData })
    }
    /// Returns the bytes, if they are contiguous in C order.
    pub fn as_slice(&self) -> Option<&'a [u8]> {
        if self.count() == 0 {
            return Some(&[]);
        }
        let contiguous = axes::is_contiguous(&self.axes, self.element);
        // SAFETY: contiguous in C order, so the view is exactly these bytes of its `&'a [u8]`.
        contiguous.then(|| unsafe { std::slice::from_raw_parts(self.ptr, self.count() * self.element) })
    }
    /// Returns the rows along the last dimension, in C order; `None` if the last dimension has gaps.
    fn rows(&self) -> Option<impl Iterator<Item = &'a [u8]>> {
        let mut outer = self.axes.clone();
        let last = outer.pop().unwrap_or(Axis { len: 1, stride: self.element as isize });
        if last.len > 1 && last.stride != self.element as isize {
            return None;
        }
        let (ptr, bytes, total) = (self.ptr, last.len * self.element, axes::count(&outer));
        Some((0..if bytes == 0 { 0 } else { total }).map(move |mut i| {
            let mut at = ptr;
            for a in outer.iter().rev() {
                at = at.wrapping_offset(a.stride * (i % a.len) as isize);
                i /= a.len;
            }
            // SAFETY: `at` is the first element of a row of `last.len` elements without gaps, all inside the view.
            unsafe { std::slice::from_raw_parts(at, bytes) }
        }))
    }
    /// Returns the bytes in C order: borrowed if they are contiguous, otherwise copied into `scratch`.
    ///
    /// # Errors
    /// If memory for the copy cannot be allocated.
    pub fn contiguous<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        if let Some(bytes) = self.as_slice() {
            return Ok(bytes);
        }
        *scratch = crate::limits::zeroed(self.count() * self.element)?;
        ViewMut::new(scratch, &self.shape(), self.element)?.with_heap(self.heap).copy_from(self, 1)?;
        Ok(scratch)
    }
    /// Passes all elements to `f`, in pieces that are contiguous in C order.
    pub(crate) fn each_row(&self, mut f: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut copy = Vec::new();
        match (self.as_slice(), self.rows()) {
            (Some(all), _) => f(all),
            (None, Some(mut rows)) => rows.try_for_each(f),
            (None, None) => f(self.contiguous(&mut copy)?),
        }
    }
    /// True if every element has exactly these bytes.
    pub fn all_equal(&self, element: &[u8]) -> bool {
        if element.len() != self.element {
            return false;
        }
        match self.rows() {
            Some(mut rows) => rows.all(|row| all_equal(row, element)),
            None => {
                let mut copy = Vec::new();
                self.contiguous(&mut copy).is_ok_and(|bytes| all_equal(bytes, element))
            }
        }
    }
    /// True if every element of variable length has exactly these bytes.
    pub fn all_strings_equal(&self, bytes: &[u8]) -> bool {
        let same = || -> Result<bool> {
            let strings = self.require_heap()?.strings();
            let mut scratch = Vec::new();
            let (handles, _) = self.contiguous(&mut scratch)?.as_chunks::<{ Handle::SIZE }>();
            Ok(handles.iter().all(|h| strings.get(Handle::from_bytes(h)).is_ok_and(|s| s == bytes)))
        };
        same().unwrap_or(false)
    }
}

fn all_equal(bytes: &[u8], element: &[u8]) -> bool {
    let Some(first) = bytes.get(..element.len()) else { return bytes.is_empty() };
    // Compares the bytes with themselves shifted by one element: one comparison at the speed of memory.
    first == element && bytes[..bytes.len() - element.len()] == bytes[element.len()..]
}

impl<'a> ViewMut<'a> {
    /// Creates a view of all of `bytes`, in C order.
    ///
    /// # Errors
    /// If the number of bytes differs from what the shape needs.
    pub fn new(bytes: &'a mut [u8], shape: &[u64], element: usize) -> Result<Self> {
        let axes = axes::c_order(shape, element, bytes.len())?;
        Ok(Self { ptr: bytes.as_mut_ptr(), element, axes, heap: None, of: PhantomData })
    }
    /// Creates a view with any strides, in bytes, that stay inside `bytes` and give every element its own bytes.
    ///
    /// The first element is at `offset`.
    ///
    /// # Errors
    /// If an element is not inside `bytes`, elements overlap, or the ranks of the shape and the strides differ.
    pub fn strided(
        bytes: &'a mut [u8],
        offset: usize,
        shape: &[u64],
        strides: &[isize],
        element: usize,
    ) -> Result<Self> {
        let axes = axes::with_strides(shape, strides)?;
        axes::check_bounds(&axes, offset, element, bytes.len())?;
        axes::check_disjoint(&axes, element)?;
        Ok(Self { ptr: bytes.as_mut_ptr().wrapping_add(offset), element, axes, heap: None, of: PhantomData })
    }
    /// Creates a view of memory from another language: a pointer to the first element, and strides in bytes.
    ///
    /// # Errors
    /// If elements overlap.
    ///
    /// # Safety
    /// During `'a`, every index of the shape must reach `element` initialized bytes, which nothing else may read or
    /// write.
    pub unsafe fn from_raw(ptr: *mut u8, shape: &[u64], strides: &[isize], element: usize) -> Result<Self> {
        let axes = axes::with_strides(shape, strides)?;
        axes::check_disjoint(&axes, element)?;
        Ok(Self { ptr, element, axes, heap: None, of: PhantomData })
    }
    /// Returns a pointer to the first element, for writing by another language.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr
    }
    fn duplicate(&self) -> ViewMut<'a> {
        ViewMut { ptr: self.ptr, element: self.element, axes: self.axes.clone(), heap: self.heap, of: PhantomData }
    }
    /// Returns the same view for a shorter lifetime.
    pub fn reborrow(&mut self) -> ViewMut<'_> {
        self.duplicate()
    }
    /// Returns the same elements as a shared view.
    pub fn as_view(&self) -> View<'_> {
        View { ptr: self.ptr, element: self.element, axes: self.axes.clone(), heap: self.heap, of: PhantomData }
    }
    /// Returns the bytes, if they are contiguous in C order.
    pub fn as_slice(&mut self) -> Option<&mut [u8]> {
        if self.count() == 0 {
            return Some(&mut []);
        }
        let contiguous = axes::is_contiguous(&self.axes, self.element);
        // SAFETY: contiguous in C order, so the view is exactly these bytes, and it has exclusive access while it is
        // borrowed.
        contiguous.then(|| unsafe { std::slice::from_raw_parts_mut(self.ptr, self.count() * self.element) })
    }
    /// True if the strides do not increase from one dimension to the next: then pieces in C order fill whole lines of
    /// memory.
    pub fn is_row_major(&self) -> bool {
        self.axes.iter().filter(|a| a.len > 1).map(|a| a.stride.unsigned_abs()).is_sorted_by(|a, b| a >= b)
    }
    /// Copies elements of the same shape and size, and reverses the bytes of each unit of `swap` bytes (1: none).
    ///
    /// Elements of variable length are copied to this view's heap if they are in another one.
    ///
    /// # Errors
    /// If the shapes or element sizes differ.
    pub fn copy_from(&mut self, source: &View<'_>, swap: usize) -> Result<()> {
        let same_shape =
            self.axes.len() == source.axes.len() && self.axes.iter().zip(&source.axes).all(|(a, b)| a.len == b.len);
        if self.element != source.element || !same_shape || swap == 0 || !self.element.is_multiple_of(swap) {
            let (to, from) = (self.shape(), source.shape());
            return Err(Error::argument(format!("cannot copy shape {from:?} to shape {to:?}")));
        }
        match (self.heap, source.heap) {
            (Some(to), Some(from)) if !std::ptr::eq(to, from) => return self.copy_strings(source, to, from),
            _ => {}
        }
        // SAFETY: for every index below their equal lengths, both sides reach only their own bytes, and they cannot
        // overlap because this view is exclusive.
        unsafe { copy::strided(self.ptr, source.ptr, &self.axes, &source.axes, self.element, swap) }
        Ok(())
    }
    fn copy_strings(&mut self, source: &View<'_>, to: &Heap, from: &Heap) -> Result<()> {
        let (strings, mut scratch, mut moved) = (from.strings(), Vec::new(), Vec::new());
        let mut handles = source.contiguous(&mut scratch)?.to_vec();
        let mut offsets = Vec::new();
        for h in handles.as_chunks::<{ Handle::SIZE }>().0 {
            offsets.push(moved.len() as u64);
            moved.extend_from_slice(strings.get(Handle::from_bytes(h))?);
        }
        let buffer = to.push(moved)?;
        for (h, offset) in handles.as_chunks_mut::<{ Handle::SIZE }>().0.iter_mut().zip(offsets) {
            *h = Handle { buffer, offset, len: Handle::from_bytes(h).len }.to_bytes();
        }
        self.copy_from(&View::new(&handles, &self.shape(), self.element)?, 1)
    }
    /// Sets every element.
    ///
    /// # Errors
    /// If `element` does not have the size of an element.
    pub fn fill(&mut self, element: &[u8]) -> Result<()> {
        if element.len() != self.element {
            return Err(Error::argument("the fill value is not one element"));
        }
        let axes: Axes = self.axes.iter().map(|a| Axis { len: a.len, stride: 0 }).collect();
        let one = View { ptr: element.as_ptr(), element: self.element, axes, heap: None, of: PhantomData };
        self.copy_from(&one, 1)
    }
    /// Splits the view into disjoint parts, one for each chunk of a grid.
    ///
    /// # Errors
    /// If the grid does not have the shape of this view.
    pub fn tiles<'g>(self, grid: &'g TileGrid) -> Result<Tiles<'a, 'g>> {
        Tiles::new(self, grid)
    }
}
