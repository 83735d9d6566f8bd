//! `vlen-bytes`, compressed twice: the decoded size is unknown.
#![no_main]

zarr_fuzz::chunk!("vlen_bytes");
