//! `blosc`.
#![no_main]

zarr_fuzz::chunk!("blosc");
