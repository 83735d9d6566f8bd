#[test]
fn its_configuration_is_written() -> Result<()> {
    let made = Bench::new().storage_transformer(r#"{"name": "{{name}}"}"#, &[3, 4])?;
    assert_eq!(made.written.name(), "{{name}}");
    Ok(())
}
