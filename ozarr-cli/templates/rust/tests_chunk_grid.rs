#[test]
fn every_element_has_a_chunk() -> Result<()> {
    Bench::new().chunk_grid(r#"{"name": "{{name}}"}"#, &[3, 4])?.assert_chunks();
    Ok(())
}
