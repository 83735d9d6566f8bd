//! What flows between codecs: an array of some shape and data type, or bytes of some size.
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

/// An array in a codec chain: data type, shape in elements, and fill value.
///
/// The fill value goes through the chain with the array: a codec that changes values changes it too, and a shard's
/// missing inner chunks are filled with what arrives there.
#[derive(Debug, Clone)]
pub struct Representation {
    data_type: Arc<dyn DataType>,
    layout: Layout,
    shape: Arc<[u64]>,
    fill: Arc<[u8]>,
}

impl Representation {
    /// `fill` is the fill value as the data type's [`fill_from_json`](DataType::fill_from_json) gives it: one element
    /// in memory order, or for variable length its bytes.
    pub fn new(data_type: Arc<dyn DataType>, shape: &[u64], fill: &[u8]) -> Self {
        Self { layout: data_type.layout(), data_type, shape: shape.into(), fill: fill.into() }
    }
    /// The same with another shape.
    pub fn with_shape(&self, shape: &[u64]) -> Self {
        Self { shape: shape.into(), ..self.clone() }
    }
    /// The same with another fill value.
    pub fn with_fill(&self, fill: &[u8]) -> Self {
        Self { fill: fill.into(), ..self.clone() }
    }
    /// The data type.
    pub fn data_type(&self) -> &Arc<dyn DataType> {
        &self.data_type
    }
    /// How its elements lie in memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// Elements along each dimension.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }
    /// The fill value's bytes.
    pub fn fill(&self) -> &[u8] {
        &self.fill
    }
    /// Bytes of one element in memory.
    pub fn element_size(&self) -> usize {
        self.layout.size()
    }
    /// How many elements there are.
    ///
    /// # Errors
    /// When the number does not fit 64 bits.
    pub fn elements(&self) -> Result<u64> {
        product(&self.shape, 1)
    }
    /// Bytes in memory.
    ///
    /// # Errors
    /// When the number does not fit 64 bits.
    pub fn bytes(&self) -> Result<u64> {
        product(&self.shape, self.element_size() as u64)
    }
    /// Bytes in memory, if the limits allow that many.
    pub fn bytes_within(&self, limits: &Limits) -> Result<usize> {
        limits.chunk("a chunk", self.bytes()?)
    }
    /// The fill value as an element in memory: for variable length the handle of the heap's first buffer.
    pub fn fill_element(&self) -> Vec<u8> {
        match self.layout {
            Layout::Fixed { .. } | Layout::Struct(_) => self.fill.to_vec(),
            Layout::Variable { .. } => Handle::of_fill(self.fill.len()).to_bytes().to_vec(),
        }
    }
    /// A heap for elements of this representation; `None` if they have a fixed size.
    pub fn new_heap(&self) -> Option<Heap> {
        self.layout.is_variable().then(|| Heap::new(&self.fill))
    }
    /// True if every element of `view` is the fill value, bit for bit.
    pub fn is_fill(&self, view: &View<'_>) -> bool {
        match self.layout {
            Layout::Fixed { .. } | Layout::Struct(_) => view.all_equal(&self.fill),
            Layout::Variable { .. } => view.all_strings_equal(&self.fill),
        }
    }
}
