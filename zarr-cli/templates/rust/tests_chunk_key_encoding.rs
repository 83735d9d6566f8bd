
#[test]
fn keys_are_read_back() {
    with_site(|extension, site| {
        let encoding = site.registry.chunk_key_encoding(extension, site).unwrap().object;
        for cell in [&[][..], &[0], &[1, 23], &[0, 0, u64::MAX]] {
            let key = encoding.encode(cell).unwrap();
            assert_eq!(encoding.decode(&key, cell.len()).as_deref(), Some(cell));
        }
        assert_eq!(encoding.decode("zarr.json", 2), None);
    });
}
