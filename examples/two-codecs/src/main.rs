//! Two codecs and one thread: writes and reads an array, and shows the error that names the feature another array
//! needs.

use ozarr::{Hierarchy, NewArray, Result};

fn main() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("two-codecs-{}", std::process::id()));
    let zarr = Hierarchy::create(&dir)?;
    let small = NewArray::new([2, 3], "int16").codecs(["bytes", "crc32c"]);
    let array = zarr.create_array("/small", &small)?;
    array.write(.., &[1i16, 2, 3, 4, 5, 6])?;
    assert_eq!(array.read::<i16>([1..2, 0..3])?, [4, 5, 6]);

    let gzip = NewArray::new([2], "int16").codecs(["bytes", "gzip"]);
    let refused = zarr.create_array("/other", &gzip).expect_err("gzip is not among the two");
    assert!(refused.hint().is_some_and(|hint| hint.contains("feature `gzip`")), "{refused}");
    println!("{refused}");
    zarr.erase("/").and_then(|()| Ok(std::fs::remove_dir(&dir)?))
}
