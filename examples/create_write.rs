//! Creates an array with chosen codecs, fill value and dimension names, and writes to it.
//!
//! `cargo run -p ozarr-examples --bin create_write -- FOLDER`

use ozarr::{Hierarchy, NewArray, Result, codecs::Zstd};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "weather.zarr".into()));
    let hierarchy = Hierarchy::create(&folder)?;

    let n: usize = 1000;
    let temperature = hierarchy.create_array(
        "/temperature",
        NewArray::of::<f32>([n, 2 * n])
            .chunks([100, 100])
            .shards([500, 500])
            .compressor(Zstd::level(3))
            .fill_value(f32::NAN)
            .dimension_names(["y", "x"])
            .attributes(&Attributes { units: "K".to_owned() })
            .overwrite(),
    )?;
    temperature.write((0..2, 0..3), &[1.5f32, 2.0, 2.5, 3.0, 3.5, 4.0])?;

    let corner: Vec<f32> = temperature.read((..2, ..3))?;
    assert_eq!(corner, [1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);
    assert_eq!(temperature.attributes_as::<Attributes>()?.units, "K");
    println!("{hierarchy}");
    Ok(())
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Attributes {
    units: String,
}
