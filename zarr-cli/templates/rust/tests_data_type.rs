
#[test]
fn fill_values() {
    with_site(|extension, site| {
        let made = site.registry.data_type_at(extension, site).unwrap().object;
        let fill = made.fill_from_json(&made.default_fill()).unwrap();
        assert_eq!(made.fill_from_json(&made.fill_to_json(&fill).unwrap()).unwrap(), fill);
        assert!(made.fill_from_json(&Json::Null).is_err());
    });
}
