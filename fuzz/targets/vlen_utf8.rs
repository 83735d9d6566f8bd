//! `vlen-utf8`.
#![no_main]

zarr_fuzz::chunk!("vlen_utf8");
