//! The extension point `storage_transformers`.
//!
//! Specification: core, "Storage transformers". A transformer wraps a store and returns a store. It sees the keys of
//! the array's data, relative to the array, but not `zarr.json`. The first of the list is nearest to the array.

mod create;

pub use create::create;

use crate::{error::Result, store::Store};
use std::{fmt::Debug, sync::Arc};

/// A storage transformer, which wraps the store of an array's data.
///
/// One that does not change the layout (a cache, a counter) can also be added when an array is opened, without entering
/// its metadata.
pub trait StorageTransformer: Debug + Send + Sync {
    /// Returns a store that adds this transformer to `below`.
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>>;
}

/// Stacks transformers on a store: the array uses the first, and the last uses the store.
pub fn stack(transformers: &[Arc<dyn StorageTransformer>], store: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
    transformers.iter().rev().try_fold(store, |below, t| t.wrap(below))
}
