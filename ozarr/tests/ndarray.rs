//! Arrays of the crate `ndarray`, in any memory order.

use ndarray::{Array1, Array2, Array3, ArrayD, array, s};
use ozarr::{Hierarchy, NewArray, Result, slice};

#[test]
fn arrays_round_trip() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    let array = hierarchy.create_array("/a", NewArray::new([2, 3], "int32").chunks([2, 2]))?;
    let data: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
    array.write_ndarray(.., &data)?;
    assert_eq!(array.read_ndarray::<i32, _>(..)?, data);
    assert_eq!(array.read_ndarray::<i32, _>(..)?, data.clone().into_dyn());
    assert_eq!(array.read_ndarray::<i32, _>([0..2, 1..3])?, data.slice(s![.., 1..]));
    // A single index drops its dimension.
    assert_eq!(array.read_ndarray::<i32, _>((1, ..))?, array![4, 5, 6]);
    assert_eq!(array.read_ndarray::<i32, _>((.., slice(..).step_by(2)))?, array![[1, 3], [4, 6]]);
    array.write_ndarray((.., 0), &array![7, 8])?;
    assert_eq!(array.read_ndarray::<i32, _>(..)?, array![[7, 2, 3], [8, 5, 6]]);
    let wrong: Result<Array1<i32>> = array.read_ndarray(..);
    assert!(wrong.unwrap_err().to_string().contains("rank 2, but the ndarray has rank 1"));
    Ok(())
}

#[test]
fn any_strides_are_read_without_a_copy() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    let data: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
    // Transposed, and reversed with gaps; further below one row repeated.
    let views: [ArrayD<i32>; 2] = [data.t().to_owned().into_dyn(), data.slice(s![..;-1, ..;2]).to_owned().into_dyn()];
    for (i, view) in [data.t().into_dyn(), data.slice(s![..;-1, ..;2]).into_dyn()].into_iter().enumerate() {
        let shape: Vec<u64> = view.shape().iter().map(|n| *n as u64).collect();
        let array = hierarchy.create_array(&format!("/v{i}"), NewArray::new(shape, "int32"))?;
        array.write_ndarray(.., &view)?;
        assert_eq!(array.read_ndarray::<i32, _>(..)?, views[i]);
        let mut out = Array2::<i32>::zeros((6, 6));
        let mut part = out.slice_mut(s![..;2, ..;-3]);
        let mut part = part.slice_mut(s![..view.shape()[0], ..]).into_dyn();
        array.read_into_ndarray(.., &mut part)?;
        assert_eq!(part, views[i]);
    }
    let row = hierarchy.create_array("/row", NewArray::new([3, 3], "int32"))?;
    row.write_ndarray(.., &data.row(1).broadcast((3, 3)).unwrap())?;
    assert_eq!(row.read_ndarray::<i32, _>(..)?, array![[4, 5, 6], [4, 5, 6], [4, 5, 6]]);
    let mut columns = Array2::<i32>::zeros((3, 3));
    row.read_into_ndarray(.., &mut columns.view_mut().reversed_axes())?;
    assert_eq!(columns, array![[4, 4, 4], [5, 5, 5], [6, 6, 6]]);
    Ok(())
}

#[test]
fn other_shapes_and_types_are_refused() -> Result<()> {
    let array = Hierarchy::in_memory().create_array("/a", NewArray::new([2, 3], "int32"))?;
    let data: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
    assert!(array.write_ndarray(.., &data.t()).is_err());
    assert!(array.write_ndarray(.., &Array3::<i32>::zeros((2, 3, 1))).is_err());
    assert!(array.write_ndarray(.., &data.mapv(i64::from)).is_err());
    assert!(array.read_into_ndarray(.., &mut data.mapv(i64::from)).is_err());
    assert_eq!(array.read::<i32>(..)?, [0; 6], "nothing was written");
    Ok(())
}
