//! Arrays of the crate `ndarray`, of any memory order.

use ndarray::{Array2, Array3, array, s};
use ozarr::{Hierarchy, NewArray, Result};

#[test]
fn there_and_back() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let zarr = Hierarchy::create(&dir.path().to_string_lossy())?;
    let array = zarr.create_array("/a", &NewArray::new([2, 3], "int32").chunks([2, 2]))?;
    let data: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
    array.write_ndarray(.., &data.view().into_dyn())?;
    assert_eq!(array.read_ndarray::<i32>(..)?, data.clone().into_dyn());
    assert_eq!(array.read_ndarray::<i32>([0..2, 1..3])?, data.slice(s![.., 1..]).into_dyn());
    // A view with its dimensions the other way round, and one with gaps.
    let turned = zarr.create_array("/t", &NewArray::new([3, 2], "int32"))?;
    turned.write_ndarray(.., &data.t().into_dyn())?;
    assert_eq!(turned.read_ndarray::<i32>(..)?, data.t().into_dyn());
    turned.write_ndarray([0..1, 0..2], &data.slice(s![..1, ..;2]).into_dyn())?;
    assert_eq!(turned.read::<i32>([0..1, 0..2])?, [1, 3]);
    assert!(array.write_ndarray(.., &data.t().into_dyn()).is_err());
    assert!(array.write_ndarray(.., &Array3::<i32>::zeros((2, 3, 1)).view().into_dyn()).is_err());
    assert!(array.write_ndarray(.., &data.mapv(i64::from).view().into_dyn()).is_err());
    Ok(())
}
