//! `bytes` with a data type that not every byte is an element of.
#![no_main]

zarr_fuzz::chunk!("bytes_bool");
