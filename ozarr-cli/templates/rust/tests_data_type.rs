#[test]
fn fill_values() -> Result<()> {
    Bench::new().data_type(r#"{"name": "{{name}}"}"#)?.assert_fill_values(&["0", "255"]);
    Ok(())
}
