
#[test]
fn is_made() {
    with_site(|extension, cx| {
        let made = zarr_plugin_api::core::storage_transformer::create(std::slice::from_ref(extension), cx).unwrap();
        assert_eq!(made.len(), 1);
    });
}
