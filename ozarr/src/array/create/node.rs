//! Creates the node of a new array from its metadata document.

use super::super::Array;
use crate::hierarchy::Hierarchy;
use std::sync::Arc;
use zarr_core::{
    Result,
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    name::NodePath,
};

impl Array {
    /// Creates an array from a metadata document, and fills in the defaults of optional members.
    pub(crate) fn create(
        hierarchy: &Hierarchy,
        path: NodePath,
        mut metadata: ArrayMetadata,
        overwrite: bool,
    ) -> Result<Self> {
        let context = hierarchy.context();
        let resolved = ResolvedArray::create(&mut metadata, &context.registry, &context.limits, &context.options)
            .map_err(|e| e.at_node(&path))?;
        resolved.check_writable().map_err(|e| e.at_node(&path))?;
        let (shape, keys) = (metadata.shape(), &resolved.chunk_key_encoding);
        let is_chunk = |key: &str| {
            let chunk_index = keys.decode(key, shape.len());
            chunk_index.is_some_and(|i| resolved.chunk_grid.chunk_region(shape, &i).is_ok())
        };
        hierarchy.nodes().create(&path, &NodeMetadata::Array(metadata.clone()), overwrite, Some(&is_chunk))?;
        Self::with_resolved(hierarchy.clone(), path, Arc::new(metadata), Arc::new(resolved), Vec::new())
    }
}
