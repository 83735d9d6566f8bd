//! Copies an array whose chunks are maps into one whose chunks are time series, in a single shard.
//!
//! `cargo run -p ozarr-examples --bin rechunk`

use ozarr::{Hierarchy, NewArray, Result, codecs::Zstd};
use ozarr_tools::{CopyOptions, copy};

fn main() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();
    let new = NewArray::of::<i16>([24, 90, 180]).chunks([1, 90, 180]).dimension_names(["hour", "y", "x"]);
    let maps = hierarchy.create_array("/maps", new)?;
    for hour in 0..24u8 {
        maps.write(u64::from(hour), &[20 + i16::from(hour); 90 * 180])?;
    }

    // Everything that is not set here stays as it is in the source. The copy appears once it is complete.
    let options = CopyOptions::default()
        .with_chunks([24, 10, 10])
        .with_shards([24, 90, 180])
        .with_codecs([Zstd::level(5)])
        .with_overwrite(true);
    let report = copy(&hierarchy, "/maps", &hierarchy, "/series", &options)?;
    assert_eq!(report.arrays, 1);

    let series = hierarchy.array("/series")?;
    assert_eq!(series.read::<i16>((.., 45, 90))?, (20..44).collect::<Vec<i16>>());
    assert_eq!(series.dimension_names(), maps.dimension_names());
    for array in [maps, series] {
        println!("{}: {array}: stored values: {}", array.path(), array.stored_chunks()?.len());
    }
    Ok(())
}
