//! Nested shards of strings.
#![no_main]

zarr_fuzz::chunk!("sharding_nested");
