//! Zarr v3.1 arrays, groups and stores.
pub mod store;
