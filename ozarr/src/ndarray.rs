//! Reading into and writing from arrays of the crate `ndarray`.

use crate::{
    array::Array,
    element::{Element, FixedElement},
    selection::Selection,
};
use ndarray::{ArrayD, ArrayViewD, IxDyn};
use zarr_core::{Error, Result, view::View};

impl Array {
    /// Reads elements with their shape.
    pub fn read_ndarray<T: Element>(&self, selection: impl Into<Selection>) -> Result<ArrayD<T>> {
        let selection = selection.into();
        let shape: Vec<usize> = selection.shape(self.shape())?.into_iter().map(|n| n as usize).collect();
        let elements = self.read(selection)?;
        ArrayD::from_shape_vec(IxDyn(&shape), elements).map_err(|e| Error::argument(e.to_string()))
    }
    /// Writes elements of any memory order.
    pub fn write_ndarray<T: FixedElement>(
        &self,
        selection: impl Into<Selection>,
        elements: &ArrayViewD<'_, T>,
    ) -> Result<()> {
        let standard = elements.as_standard_layout();
        let bytes: &[u8] = standard.as_slice().map(bytemuck::cast_slice).unwrap_or_default();
        let shape: Vec<u64> = elements.shape().iter().map(|n| *n as u64).collect();
        crate::element::check_layout::<T>(self, T::LAYOUT)?;
        self.write_view(selection, &View::new(bytes, &shape, size_of::<T>())?)
    }
}
