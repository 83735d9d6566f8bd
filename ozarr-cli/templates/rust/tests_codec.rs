#[test]
fn round_trip() -> Result<()> {
    let codec = Bench::new().codec(r#"{"name": "{{name}}"}"#, "uint8", &[3, 4])?;
    codec.assert_round_trip(b"twelve bytes").assert_survives_damage();
    Ok(())
}
