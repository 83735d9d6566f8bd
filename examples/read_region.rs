//! Shows the ways to select elements of an array.
//!
//! `cargo run -p ozarr-examples --bin read_region`

use ndarray::{Array1, Array2};
use ozarr::{Hierarchy, NewArray, Result, Selection, slice};

fn main() -> Result<()> {
    let array = Hierarchy::in_memory().create_array("/numbers", NewArray::of::<u16>([4, 6]).chunks([2, 3]))?;
    array.write(.., &(0..24).collect::<Vec<u16>>())?;

    // A range for each dimension. Missing dimensions are read entirely.
    assert_eq!(array.read::<u16>([0..2, 0..3])?, [0, 1, 2, 6, 7, 8]);
    assert_eq!(array.read::<u16>(&[0..2, 0..3])?, [0, 1, 2, 6, 7, 8]);
    assert_eq!(array.read::<u16>(3..)?, [18, 19, 20, 21, 22, 23]);
    assert_eq!(array.read::<u16>([2.., 4..])?, [16, 17, 22, 23]);
    assert_eq!(array.read::<u16>((..=1, ..2))?, [0, 1, 6, 7]);

    // A single index drops its dimension, as in NumPy.
    assert_eq!(array.read::<u16>((3, 4))?, [22]);
    let column: Array1<u16> = array.read_ndarray((.., 5))?;
    assert_eq!(column.to_vec(), [5, 11, 17, 23]);

    // Every second row, every third column.
    let sparse: Array2<u16> = array.read_ndarray((slice(..).step_by(2), slice(..).step_by(3)))?;
    assert_eq!(sparse, ndarray::array![[0, 3], [12, 15]]);

    // As a user would type it.
    let typed: Selection = "1:3,::5".parse()?;
    assert_eq!(array.read::<u16>(typed)?, [6, 11, 12, 17]);

    let line = Hierarchy::in_memory().create_array("/line", NewArray::of::<u8>([100]))?;
    assert_eq!(line.read::<u8>(0..3)?, [0, 0, 0]);
    println!("{array}");
    Ok(())
}
