#[test]
fn its_configuration_is_written() -> Result<()> {
    let transformer = Bench::new().storage_transformer(r#"{"name": "{{name}}"}"#, &[3, 4])?;
    assert_eq!(transformer.written.name(), "{{name}}");
    Ok(())
}
