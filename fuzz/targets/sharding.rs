//! `sharding_indexed` with an index in front that nothing protects.
#![no_main]

zarr_fuzz::chunk!("sharding");
