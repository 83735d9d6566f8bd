//! Shards in a shard, with strings.
#![no_main]

zarr_fuzz::chunk!("sharding_nested");
