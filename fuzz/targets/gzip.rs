//! `gzip`.
#![no_main]

zarr_fuzz::chunk!("gzip");
