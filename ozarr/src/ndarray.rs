//! Reads into and writes from arrays of the crate `ndarray`, with any number of dimensions and any memory order.
#![allow(unsafe_code)]

use crate::{
    array::Array,
    element::{Element, Item},
    selection::Selection,
};
use ndarray::{ArrayRef, Dimension, IxDyn};
use zarr_core::{
    Error, Result,
    view::{View, ViewMut},
};

impl Array {
    /// Reads the selected elements into a new array with the selection's shape.
    ///
    /// ```
    /// use ndarray::{Array1, Array2};
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::new([2, 3], "int32"))?;
    /// array.write_ndarray(.., &ndarray::array![[1, 2, 3], [4, 5, 6]])?;
    /// let part: Array2<i32> = array.read_ndarray((.., 1..))?;
    /// assert_eq!(part, ndarray::array![[2, 3], [5, 6]]);
    /// let row: Array1<i32> = array.read_ndarray(1)?;
    /// assert_eq!(row, ndarray::array![4, 5, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the selection has another number of dimensions than `D`.
    pub fn read_ndarray<T: Item, D: Dimension>(&self, selection: impl Into<Selection>) -> Result<ndarray::Array<T, D>> {
        let selection = selection.into();
        let shape: Vec<usize> = selection.shape(self.shape())?.into_iter().map(|n| n as usize).collect();
        if let Some(rank) = D::NDIM.filter(|rank| *rank != shape.len()) {
            let found = shape.len();
            return Err(Error::argument(format!("the selection has rank {found}, but the ndarray has rank {rank}"))
                .with_hint("select with an index to drop a dimension, or with a range to keep it"));
        }
        let wrong = |e: ndarray::ShapeError| Error::argument(e.to_string());
        let elements = ndarray::Array::from_shape_vec(IxDyn(&shape), self.read(selection)?).map_err(wrong)?;
        elements.into_dimensionality().map_err(wrong)
    }
    /// Reads the selected elements into an existing array or view with the selection's shape, without copying them.
    ///
    /// ```
    /// use ndarray::{Array2, s};
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<i32>([2, 2]))?;
    /// array.write(.., &[1, 2, 3, 4])?;
    /// let mut out = Array2::<i32>::zeros((2, 3));
    /// array.read_into_ndarray(.., &mut out.slice_mut(s![.., 1..]))?;
    /// assert_eq!(out, ndarray::array![[0, 1, 2], [0, 3, 4]]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into).
    pub fn read_into_ndarray<T: Element, D: Dimension>(
        &self,
        selection: impl Into<Selection>,
        out: &mut ArrayRef<T, D>,
    ) -> Result<()> {
        self.check_item::<T>()?;
        let (shape, strides) = shape_and_strides(out);
        // SAFETY: `&mut ArrayRef` is exclusive access to every element at its shape and strides. Elements are `Pod`, so
        // all their bytes are initialized and any bytes may be written.
        let view = unsafe { ViewMut::from_raw(out.as_mut_ptr().cast(), &shape, &strides, size_of::<T>()) }?;
        self.read_view(selection, view)
    }
    /// Writes the elements of an array or view with the selection's shape, without copying them first.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<i32>([3, 2]))?;
    /// let elements = ndarray::array![[1, 2, 3], [4, 5, 6]];
    /// array.write_ndarray(.., &elements.t())?;
    /// assert_eq!(array.read::<i32>(..)?, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_ndarray<T: Element, D: Dimension>(
        &self,
        selection: impl Into<Selection>,
        elements: &ArrayRef<T, D>,
    ) -> Result<()> {
        self.check_item::<T>()?;
        let (shape, strides) = shape_and_strides(elements);
        // SAFETY: `&ArrayRef` is shared access to every element at its shape and strides. Elements are `Pod`, so all
        // their bytes are initialized.
        let view = unsafe { View::from_raw(elements.as_ptr().cast(), &shape, &strides, size_of::<T>()) }?;
        self.write_view(selection, &view)
    }
}

/// Returns the shape, and the strides in bytes.
fn shape_and_strides<T, D: Dimension>(array: &ArrayRef<T, D>) -> (Vec<u64>, Vec<isize>) {
    let strides = array.strides().iter().map(|s| s.saturating_mul(size_of::<T>() as isize));
    (array.shape().iter().map(|n| *n as u64).collect(), strides.collect())
}
