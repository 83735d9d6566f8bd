
/// Every element lies in the cell that is said to hold it.
#[test]
fn cells() {
    with_site(|extension, cx| {
        let grid = cx.registry.chunk_grid(extension, cx).unwrap().object;
        let cells = grid.grid_shape(&[3, 4]).unwrap();
        for element in (0..3).flat_map(|i| (0..4).map(move |k| [i, k])) {
            let chunk_index = grid.chunk_index_of(&[3, 4], &element).unwrap();
            assert!(chunk_index.iter().zip(&cells).all(|(c, n)| c < n));
            let region = grid.chunk_region(&[3, 4], &chunk_index).unwrap();
            assert!((0..2).all(|d| region.start[d] <= element[d] && element[d] < region.end(d)));
        }
    });
}
