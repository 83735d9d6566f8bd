//! `crc32c` after a transpose.
#![no_main]

zarr_fuzz::chunk!("crc32c");
