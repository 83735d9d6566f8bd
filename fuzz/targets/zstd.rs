//! `zstd`.
#![no_main]

zarr_fuzz::chunk!("zstd");
