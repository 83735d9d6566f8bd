//! Finds the repairs that are certain, and makes them on request. Data is never removed.
//!
//! The same steps are found in both cases. Each is then applied on its own: one that fails does not stop the others,
//! and the report contains all of them.

mod documents;
mod find;
mod options;
mod report;
mod step;
#[cfg(test)]
mod tests;

pub use options::RepairOptions;
pub use report::{Action, Repair, RepairReport, Subject, Unexamined};

use self::{
    find::Steps,
    step::{Step, erase_orphans},
};
use ozarr::{
    ErrorKind, Hierarchy, Result,
    zarr_core::{name::NodePath, store::Key},
};
use std::sync::Arc;

/// Finds the repairs that are certain at and below a node, and makes them if that is [requested](RepairOptions::apply).
///
/// These are: missing documents of which groups above have copies, copies that differ from their documents, temporary
/// files of killed writers, and damaged shard indexes. Data is never removed.
///
/// A document is recreated only if all copies of it agree, all stored keys lie in their grid, and a chunk decodes.
/// Other problems that [`validate`](crate::validate()) finds cannot be repaired. Each repair is made on its own: one
/// that fails does not stop the others.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
/// use ozarr_tools::{Action, RepairOptions, consolidate, repair};
///
/// let zarr = Hierarchy::in_memory();
/// zarr.create_array("/a", NewArray::of::<u8>([4]))?.write(.., &[1u8, 2, 3, 4])?;
/// consolidate(&zarr, "/")?;
/// // The document is lost. The root group has a copy of it.
/// zarr.store().writer()?.erase(&Key::new("a/zarr.json")?)?;
/// assert!(zarr.array("/a").is_err());
///
/// let look = repair(&zarr, "/", &RepairOptions::default())?;
/// assert!(matches!(&look.repairs[0].action, Action::RecreateDocument { key, .. } if key == "a/zarr.json"));
/// let done = repair(&zarr, "/", &RepairOptions::default().with_apply(true))?;
/// assert_eq!((done.repairs.len(), done.failed()), (1, 0));
/// assert_eq!(zarr.array("/a")?.read::<u8>(..)?, [1, 2, 3, 4]);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If there is neither a node nor temporary files of one, or if the store is to be changed and cannot be written. Later
/// failures are part of the report.
pub fn repair(hierarchy: &Hierarchy, path: &str, options: &RepairOptions<'_>) -> Result<RepairReport> {
    let (hierarchy, node) = (&hierarchy.without_consolidated_metadata(), NodePath::new(path)?);
    let mut steps = Steps::new(options);
    // Temporary files of killed writers belong to no node. Apart from them, a directory without a node is left
    // unchanged.
    steps.orphans(hierarchy, &node);
    let found = hierarchy.node(path);
    let has_node = found.is_ok();
    match found {
        Ok(node) => steps.node(node),
        Err(e) if steps.is_empty() => return Err(e),
        Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => {}
        Err(e) => steps.unknown(&node, Subject::Key(Key::metadata(&node).to_string()), e),
    }
    let (mut steps, unexamined) = steps.all(hierarchy);
    if options.apply {
        hierarchy.store().writer()?;
        erase_orphans(hierarchy, &node, &mut steps);
        for step in &mut steps {
            if let Err(e) = step.apply(hierarchy) {
                step.error = Some(Arc::new(e.at_node(&step.node)));
            }
        }
    }
    Ok(RepairReport { repairs: steps.into_iter().map(Step::report).collect(), unexamined, has_node })
}
