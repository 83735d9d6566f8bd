//! `crc32c` behind a transpose.
#![no_main]

zarr_fuzz::chunk!("crc32c");
