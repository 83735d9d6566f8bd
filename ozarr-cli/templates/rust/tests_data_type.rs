
#[test]
fn fill_values() {
    with_site(|extension, cx| {
        let made = cx.registry.data_type_at(extension, cx).unwrap().object;
        let fill = made.fill_from_json(&made.default_fill()).unwrap();
        assert_eq!(made.fill_from_json(&made.fill_to_json(&fill).unwrap()).unwrap(), fill);
        assert!(made.fill_from_json(&Json::Null).is_err());
    });
}
