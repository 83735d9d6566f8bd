
/// Every element lies in the cell that is said to hold it.
#[test]
fn cells() {
    with_site(|extension, site| {
        let grid = site.registry.chunk_grid(extension, site).unwrap().object;
        let cells = grid.grid_shape(&[3, 4]).unwrap();
        for element in (0..3).flat_map(|i| (0..4).map(move |k| [i, k])) {
            let cell = grid.cell_of(&[3, 4], &element).unwrap();
            assert!(cell.iter().zip(&cells).all(|(c, n)| c < n));
            let region = grid.cell(&[3, 4], &cell).unwrap();
            assert!((0..2).all(|d| region.start[d] <= element[d] && element[d] < region.end(d)));
        }
    });
}
