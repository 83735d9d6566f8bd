//! `vlen-bytes`, compressed twice: nobody knows how much that will be.
#![no_main]

zarr_fuzz::chunk!("vlen_bytes");
