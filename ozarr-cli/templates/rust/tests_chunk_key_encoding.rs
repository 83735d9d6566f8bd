
#[test]
fn keys_are_read_back() {
    with_site(|extension, cx| {
        let encoding = cx.registry.chunk_key_encoding(extension, cx).unwrap().object;
        for chunk_index in [&[][..], &[0], &[1, 23], &[0, 0, u64::MAX]] {
            let key = encoding.encode(chunk_index).unwrap();
            assert_eq!(encoding.decode(&key, chunk_index.len()).as_deref(), Some(chunk_index));
        }
        assert_eq!(encoding.decode("zarr.json", 2), None);
    });
}
