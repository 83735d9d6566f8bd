//! Copies arrays and hierarchies, optionally with other codecs, chunks or data type.

mod apart;
mod convert;
mod elements;
mod options;
mod plan;

pub use options::{CopyOptions, CopyReport, KeptLengths, Lengths};

use self::{apart::Apart, elements::copy_elements, plan::Plan};
use crate::progress::Stage;
use ozarr::{
    Hierarchy, Node, Result,
    zarr_core::{metadata::NodeMetadata, name::NodePath},
};

/// Copies a node and everything below it to a free place, or over an existing node if that is
/// [requested](CopyOptions::overwrite).
///
/// All nodes are opened, and the copies planned, before anything is written. Where the store supports it, the copy
/// appears at once. Chunks that are not stored in the source are not stored in the copy. A copied group with
/// consolidated metadata has copies of its own nodes. Uses memory for a few chunks, the names of all nodes, and the
/// indices of the stored chunks of one array at a time; with [`overwrite`](CopyOptions::overwrite) also for all keys of
/// one array of the source.
///
/// ```
/// use ozarr::{Hierarchy, NewArray, codecs::Crc32c};
/// use ozarr_tools::{CopyOptions, copy};
///
/// let (source, destination) = (Hierarchy::in_memory(), Hierarchy::in_memory());
/// let new = NewArray::of::<i32>([100, 100]).chunks([10, 100]);
/// source.create_array("/weather/rain", new)?.write(.., &[3i32; 10_000])?;
///
/// let sharded = CopyOptions::default().with_chunks([20, 20]).with_shards([100, 100]);
/// let report = copy(&source, "/weather", &destination, "/", &sharded.with_data_type("uint8").with_codecs([Crc32c]))?;
/// assert_eq!((report.groups, report.arrays), (1, 1));
/// let rain = destination.array("/rain")?;
/// assert_eq!(rain.inner_chunk_shape(), Some(&[20, 20][..]));
/// assert_eq!(rain.read::<u8>([0..1, 0..3])?, [3, 3, 3]);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// - If a node of the source cannot be opened or read.
/// - If source and destination overlap, or something is at the destination.
/// - If the codecs do not fit, or shapes for a single array have another number of dimensions.
/// - If a value does not convert exactly ([`Conversion`](ozarr::ErrorKind::Conversion)).
/// - If the store of the destination fails.
/// - If the work is [cancelled](crate::Progress::is_cancelled).
///
/// The destination is then unchanged, as far as [`Hierarchy::build`] promises that.
///
/// [`StaleCopies`](ozarr::ErrorKind::StaleCopies) is returned after the copy is complete and in its place: consolidated
/// metadata of a group above it could not be updated.
pub fn copy(
    source: &Hierarchy,
    from: &str,
    destination: &Hierarchy,
    to: &str,
    options: &CopyOptions<'_>,
) -> Result<CopyReport> {
    let root = source.node(from)?;
    let work = Copy {
        source,
        from: NodePath::new(from)?,
        to: NodePath::new(to)?,
        plan: Plan { options, is_single: matches!(root, Node::Array(_)) },
    };
    let apart = Apart::new(source, destination, &work.to, options.overwrite);
    // Nodes are planned again when they are written, so that only the names of many nodes are in memory.
    let (mut names, mut total, mut done) = (Vec::new(), 0u64, Done::default());
    each_node(root, &mut |node| {
        options.progress.check()?;
        work.plan.metadata(&node, &mut |kept| {
            options.notes.iter().for_each(|note| note(&kept));
            done.report.kept.push(kept);
        })?;
        apart.check(&node)?;
        names.push(node.path().relative_to(&work.from).unwrap_or_default().to_owned());
        total = total.saturating_add(elements(&node));
        Ok(())
    })?;
    options.progress.begin(Stage::Copying, total);
    destination.build(to, options.overwrite, |staged| {
        staged.batch(|batch| names.iter().try_for_each(|name| work.node(name, batch, &mut done)))?;
        // From the innermost group outwards, because each copies the documents below it.
        done.consolidated.iter().rev().try_for_each(|path| staged.consolidate(path))
    })?;
    Ok(done.report)
}

/// A copy in progress.
struct Copy<'a> {
    source: &'a Hierarchy,
    from: NodePath,
    to: NodePath,
    plan: Plan<'a>,
}

#[derive(Default)]
struct Done {
    report: CopyReport,
    /// Groups whose consolidated metadata is still to be written.
    consolidated: Vec<String>,
}

impl Copy<'_> {
    /// Copies one node without its children.
    fn node(&self, relative: &str, to: &Hierarchy, done: &mut Done) -> Result<()> {
        self.plan.options.progress.check()?;
        let (path, options) = (self.to.join(relative)?.to_string(), self.plan.options);
        let source = self.source.node(&self.from.join(relative)?.to_string())?;
        match (&source, self.plan.metadata(&source, &mut |_| {})?) {
            (Node::Group(source), NodeMetadata::Group(m)) => {
                to.create_group_from(&path, m)?;
                if source.metadata().consolidated().is_some() {
                    done.consolidated.push(path);
                }
                done.report.groups += 1;
            }
            (Node::Array(source), NodeMetadata::Array(m)) => {
                let copy = to.create_array_from(&path, m, false)?;
                let copied = copy_elements(source, &copy, options.lossy, options.progress);
                copied.map_err(|e| e.at_node(source.path()))?;
                done.report.arrays += 1;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Calls `each` with the node and everything below it, parents first.
fn each_node(node: Node, each: &mut dyn FnMut(Node) -> Result<()>) -> Result<()> {
    let below = match &node {
        Node::Group(group) => Some(group.walk()),
        Node::Array(_) => None,
    };
    each(node)?;
    below.into_iter().flatten().try_for_each(|child| each(child?.node?))
}

fn elements(node: &Node) -> u64 {
    match node {
        Node::Array(a) => a.representation().elements().unwrap_or(0),
        Node::Group(_) => 0,
    }
}

#[cfg(test)]
mod tests;
