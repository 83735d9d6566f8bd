//! The input and output of codecs: an array of a shape and data type, or bytes of a size.
//!
//! Specification: core, "Determination of encoded representations".

use crate::{
    data_type::DataType,
    error::Result,
    layout::Layout,
    limits::{Limits, product},
    view::{Handle, Heap, View},
};
use std::sync::Arc;

pub use crate::size::Size;

/// The representation of an array in a codec chain: data type, shape in elements, and fill value.
///
/// The fill value passes through the chain with the array: a codec that changes values also changes the fill value, and
/// the missing inner chunks of a shard are filled with the value that reaches the shard.
#[derive(Debug, Clone)]
pub struct Representation {
    data_type: Arc<dyn DataType>,
    layout: Layout,
    shape: Arc<[u64]>,
    fill: Arc<[u8]>,
}

impl Representation {
    /// Creates a representation.
    ///
    /// `fill` is the fill value as returned by [`fill_from_json`](DataType::fill_from_json): one element in memory
    /// order, or the bytes of an element of variable length.
    pub fn new(data_type: Arc<dyn DataType>, shape: &[u64], fill: &[u8]) -> Self {
        Self { layout: data_type.layout(), data_type, shape: shape.into(), fill: fill.into() }
    }
    /// Returns the representation with another shape.
    pub fn with_shape(&self, shape: &[u64]) -> Self {
        Self { shape: shape.into(), ..self.clone() }
    }
    /// Returns the representation with another fill value.
    pub fn with_fill(&self, fill: &[u8]) -> Self {
        Self { fill: fill.into(), ..self.clone() }
    }
    /// Returns the data type.
    pub fn data_type(&self) -> &Arc<dyn DataType> {
        &self.data_type
    }
    /// Returns the layout of its elements in memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// Returns the number of elements along each dimension.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }
    /// Returns the bytes of the fill value.
    pub fn fill(&self) -> &[u8] {
        &self.fill
    }
    /// Returns the size of an element in memory, in bytes.
    pub fn element_size(&self) -> usize {
        self.layout.size()
    }
    /// Returns the number of elements.
    ///
    /// # Errors
    /// If it does not fit in 64 bits.
    pub fn elements(&self) -> Result<u64> {
        product(&self.shape, 1)
    }
    /// Returns the size in memory, in bytes.
    ///
    /// # Errors
    /// If it does not fit in 64 bits.
    pub fn bytes(&self) -> Result<u64> {
        product(&self.shape, self.element_size() as u64)
    }
    /// Returns the size in memory, in bytes.
    ///
    /// # Errors
    /// If it exceeds [`chunk_bytes`](Limits::chunk_bytes).
    pub fn bytes_within(&self, limits: &Limits) -> Result<usize> {
        limits.chunk("the chunk size in bytes", self.bytes()?)
    }
    /// Returns the fill value as an element in memory: for variable length, the handle of the heap's first buffer.
    pub fn fill_element(&self) -> Vec<u8> {
        match self.layout {
            Layout::Fixed { .. } | Layout::Struct(_) => self.fill.to_vec(),
            Layout::Variable { .. } => Handle::of_fill(self.fill.len()).to_bytes().to_vec(),
        }
    }
    /// Creates a heap for elements of this representation; `None` if they have a fixed size.
    pub fn new_heap(&self) -> Option<Heap> {
        self.layout.is_variable().then(|| Heap::new(&self.fill))
    }
    /// True if every element of `view` is bitwise equal to the fill value.
    pub fn is_fill(&self, view: &View<'_>) -> bool {
        match self.layout {
            Layout::Fixed { .. } | Layout::Struct(_) => view.all_equal(&self.fill),
            Layout::Variable { .. } => view.all_strings_equal(&self.fill),
        }
    }
}
