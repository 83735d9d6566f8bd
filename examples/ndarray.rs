//! Writes and reads arrays and views of the crate `ndarray`.
//!
//! `cargo run -p ozarr-examples --bin ndarray`

use ndarray::{Array1, Array2, Array3, s};
use ozarr::{Hierarchy, NewArray, Result};

fn main() -> Result<()> {
    let new = NewArray::of::<i32>([3, 4, 5]).chunks([1, 2, 5]).dimension_names(["hour", "y", "x"]);
    let array = Hierarchy::in_memory().create_array("/temperature", new)?;

    // A whole array, and a view of a part of one in any memory order.
    let hours = Array3::from_shape_fn((3, 4, 5), |(hour, y, x)| (100 * hour + 10 * y + x) as i32);
    array.write_ndarray(.., &hours)?;
    array.write_ndarray((0, ..2, ..2), &hours.slice(s![2, 2.., ..2]).t())?;

    // A new array with the shape of the selection. A single index drops its dimension.
    let corner: Array2<i32> = array.read_ndarray((0, ..2, ..3))?;
    assert_eq!(corner, ndarray::array![[220, 230, 2], [221, 231, 12]]);
    let series: Array1<i32> = array.read_ndarray((.., 3, 4))?;
    assert_eq!(series, ndarray::array![34, 134, 234]);

    // Chunks are decoded into a part of an existing array, without a copy.
    let mut page = Array2::<i32>::zeros((4, 12));
    array.read_into_ndarray((1, .., ..), &mut page.slice_mut(s![.., ..5]))?;
    array.read_into_ndarray((2, .., ..), &mut page.slice_mut(s![.., 7..]))?;
    println!("{page}");
    Ok(())
}
