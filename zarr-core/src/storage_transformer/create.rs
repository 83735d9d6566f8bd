//! Creation of storage transformers from metadata.

use super::StorageTransformer;
use crate::{
    error::Result,
    extension::{Extension, ExtensionPoint},
    registry::CreateContext,
};
use std::sync::Arc;

/// Creates the storage transformers of a metadata document, in its order.
///
/// Skips unknown ones that need not be understood.
///
/// # Errors
/// If one is unknown and must be understood, or rejects its configuration.
pub fn create(extensions: &[Extension], cx: &CreateContext<'_>) -> Result<Vec<Arc<dyn StorageTransformer>>> {
    let mut made = Vec::new();
    for (i, e) in extensions.iter().enumerate() {
        let one = || match cx.registry.storage_transformer(e)? {
            Some(found) => found.make_storage_transformer(e, cx).map(Some),
            None => Ok(None),
        };
        match one().map_err(|e| e.within(format!("[{i}]")))? {
            Some(instance) => made.push(instance.object),
            None => cx.notes.skip(ExtensionPoint::StorageTransformer, e.name()),
        }
    }
    Ok(made)
}
