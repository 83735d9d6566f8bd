//! Requirements of the specification on hierarchies, names, metadata and directories, tested on this project: the
//! clauses that are `checked_by = "test"`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod extensions;
mod filesystem;
mod hierarchy;

use ozarr::{
    Context, Hierarchy,
    store::MemoryStore,
    zarr_core::store::{Key, Store},
};
use std::sync::Arc;

pub(crate) const ARRAY: &str = r#"{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}"#;

pub(crate) fn memory() -> (Arc<dyn Store>, Hierarchy) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    (store.clone(), Hierarchy::new(store, Context::new()))
}

pub(crate) fn put(store: &Arc<dyn Store>, key: &str, text: &str) {
    store.writer().unwrap().set(&Key::new(key).unwrap(), text.as_bytes()).unwrap();
}

pub(crate) fn keys(store: &Arc<dyn Store>) -> Vec<String> {
    store.lister().unwrap().list().unwrap().iter().map(ToString::to_string).collect()
}
