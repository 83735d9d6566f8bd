#[test]
fn keys_are_read_back() -> Result<()> {
    Bench::new().chunk_key_encoding(r#"{"name": "{{name}}"}"#, &[3, 4])?.assert_keys();
    Ok(())
}
