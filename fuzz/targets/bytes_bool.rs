//! `bytes` with a data type that has invalid bit patterns.
#![no_main]

zarr_fuzz::chunk!("bytes_bool");
