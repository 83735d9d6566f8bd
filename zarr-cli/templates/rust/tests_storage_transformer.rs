
#[test]
fn is_made() {
    with_site(|extension, site| {
        let made = zarr_plugin_api::core::storage_transformer::create(std::slice::from_ref(extension), site).unwrap();
        assert_eq!(made.len(), 1);
    });
}
