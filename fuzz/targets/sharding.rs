//! `sharding_indexed` with an unprotected index at the start.
#![no_main]

zarr_fuzz::chunk!("sharding");
