//! What can be made right without a doubt. Found first, then done if that is asked for; data is never removed.
//!
//! Both ways the same steps are found first. Then each is done on its own: one that fails hinders no other, and the report
//! has all of them.

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

/// Finds what can be made right without a doubt at and below a node, and does it if that is
/// [asked for](RepairOptions::apply): documents that are missing and of which groups above have copies, copies that are not
/// what the documents are, temporary files of writers that were killed, and damaged indexes of shards. Data is never removed.
///
/// A document is recreated only if all copies of it agree, all stored keys lie in their grid, and a chunk decodes. What else
/// [`validate`](crate::validate()) finds cannot be repaired. Each step is done on its own: one that fails hinders no other.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, zarr_core::store::Key};
/// use ozarr_tools::{Action, RepairOptions, consolidate, repair};
///
/// let zarr = Hierarchy::in_memory();
/// zarr.create_array("/a", NewArray::of::<u8>([4]))?.write(.., &[1u8, 2, 3, 4])?;
/// consolidate(&zarr, "/")?;
/// // The document is lost. There is a copy of it in the root group.
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
/// When there is no node, nor temporary files of one; the store cannot be written although it is to be. What fails later is
/// part of the report.
pub fn repair(hierarchy: &Hierarchy, path: &str, options: &RepairOptions<'_>) -> Result<RepairReport> {
    let (hierarchy, node) = (&hierarchy.without_consolidated_metadata(), NodePath::new(path)?);
    let mut steps = Steps::new(options);
    // Temporary files of killed writers belong to no node. Apart from them, a directory without a node is not changed.
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
