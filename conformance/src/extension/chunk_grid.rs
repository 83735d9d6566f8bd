//! Properties of chunk grids: chunks cover every element exactly once, and the mappings between chunks and elements
//! agree.

use super::{Sample, Subject};
use crate::check::{Check, Finding, Settings, Verdict, ensure, unsupported};
use crate::elements::indices;
use ozarr::{
    Result,
    zarr_core::{
        chunk_grid::{AxisChunks, ChunkGrid},
        extension::Extension,
        registry::{Intent, Notes},
        view::Dims,
    },
};
use proptest::prelude::*;
use std::sync::Arc;

pub(super) const CHECKS: &[Check<Subject>] = &[
    Check { id: "tessellation", clause: "grid/tessellation", run: tessellation },
    Check { id: "chunk-index-of", clause: "grid/chunk-index-of", run: chunk_index_of },
    Check { id: "axis", clause: "contract/axis", run: axis },
    Check { id: "rank", clause: "grid/rank", run: |s, _| rank(s) },
    Check { id: "beyond", clause: "contract/no-panic", run: beyond },
    Check { id: "empty", clause: "grid/empty", run: |s, _| empty(s) },
    Check { id: "resize", clause: "contract/resize", run: resize },
];

type Made<'s> = (&'s Sample, Extension, Arc<dyn ChunkGrid>, Vec<u64>);

fn make(subject: &Subject, extension: &Extension, shape: &[u64]) -> Result<Arc<dyn ChunkGrid>> {
    let notes = Notes::default();
    let of = subject.array(shape)?;
    let cx = subject.create_context(&notes, Intent::Open).with(&of);
    Ok(subject.registry.chunk_grid(extension, &cx)?.object)
}

fn made(subject: &Subject) -> std::result::Result<Vec<Made<'_>>, Finding> {
    let mut found = Vec::new();
    for (sample, extension) in subject.extensions()? {
        let shapes = match &sample.shape {
            Some(shape) => vec![shape.clone()],
            None => vec![vec![10, 8], vec![5], vec![], vec![3, 6, 5]],
        };
        for shape in shapes {
            if let Ok(grid) = make(subject, &extension, &shape) {
                found.push((sample, extension.clone(), grid, shape));
            }
        }
    }
    if found.is_empty() { unsupported("it could not be created") } else { Ok(found) }
}

/// Returns shapes of arrays that a grid created for `shape` can divide. Some grids only accept the shape for which they
/// were created.
fn shapes(grid: &dyn ChunkGrid, shape: &[u64]) -> Vec<Vec<u64>> {
    let changed = |f: &dyn Fn(u64) -> u64| shape.iter().map(|n| f(*n)).collect::<Vec<u64>>();
    let all = [
        shape.to_vec(),
        changed(&|n| n.saturating_sub(1).max(1)),
        changed(&|n| n + 1),
        changed(&|_| 1),
        changed(&|n| n * 2),
    ];
    all.into_iter().filter(|s| *s == shape || grid.grid_shape(s).is_ok()).collect()
}

/// Every element is in exactly one chunk, and every chunk begins within the array.
fn tessellation(subject: &Subject, _: &Settings) -> Verdict {
    for (_, extension, grid, made_for) in made(subject)? {
        for shape in shapes(&*grid, &made_for) {
            let counts = grid.grid_shape(&shape)?;
            ensure(counts.len() == shape.len(), || {
                format!("a grid of shape {counts:?} for an array of shape {shape:?}")
            })?;
            let mut seen = vec![0u32; shape.iter().product::<u64>() as usize];
            for chunk_index in indices(&counts) {
                let region = grid.chunk_region(&shape, &chunk_index)?;
                let begins = region.start.iter().zip(&shape).all(|(s, n)| s < n);
                ensure(begins && !region.len.contains(&0), || {
                    format!(
                        "chunk {chunk_index:?} of an array of shape {shape:?} is {region:?} ({})",
                        extension.to_json()
                    )
                })?;
                let visible: Vec<u64> =
                    (0..shape.len()).map(|d| region.len[d].min(shape[d] - region.start[d])).collect();
                for within in indices(&visible) {
                    let at = (0..shape.len()).fold(0, |i, d| i * shape[d] + region.start[d] + within[d]);
                    seen[at as usize] += 1;
                }
            }
            let wrong = seen.iter().position(|n| *n != 1);
            ensure(wrong.is_none(), || {
                let at = wrong.unwrap_or(0);
                format!(
                    "element {at} of an array of shape {shape:?} is in {} chunks ({})",
                    seen[at],
                    extension.to_json()
                )
            })?;
        }
    }
    Ok(())
}

/// The chunk that is returned for an element contains it.
fn chunk_index_of(subject: &Subject, _: &Settings) -> Verdict {
    for (_, extension, grid, made_for) in made(subject)? {
        for shape in shapes(&*grid, &made_for) {
            let counts = grid.grid_shape(&shape)?;
            for element in indices(&shape) {
                let chunk_index = grid.chunk_index_of(&shape, &element)?;
                let region = grid.chunk_region(&shape, &chunk_index)?;
                let has = (0..shape.len())
                    .all(|d| chunk_index[d] < counts[d] && region.start[d] <= element[d] && element[d] < region.end(d));
                ensure(has, || {
                    format!(
                        "element {element:?} is reported in chunk {chunk_index:?}, which is {region:?} ({})",
                        extension.to_json()
                    )
                })?;
            }
        }
    }
    Ok(())
}

/// The stated division of a dimension agrees with the chunks.
fn axis(subject: &Subject, _: &Settings) -> Verdict {
    let mut found = false;
    for (_, extension, grid, shape) in made(subject)? {
        let counts = grid.grid_shape(&shape)?;
        for d in 0..shape.len() {
            let Some(axis) = grid.axis(d) else { continue };
            found = true;
            for i in 0..counts[d] {
                let mut chunk_index = Dims::from_elem(0, shape.len());
                chunk_index[d] = i;
                let region = grid.chunk_region(&shape, &chunk_index)?;
                let wanted = match &axis {
                    AxisChunks::Regular(n) => Some((i * n, *n)),
                    AxisChunks::Lengths(lengths) => {
                        let i = i as usize;
                        lengths.get(i).map(|n| (lengths[..i].iter().sum(), *n))
                    }
                    _ => return unsupported("it returns a division that this suite does not know"),
                };
                ensure(wanted == Some((region.start[d], region.len[d])), || {
                    format!(
                        "dimension {d} is reported as {axis:?}, but its chunk {i} is {region:?} ({})",
                        extension.to_json()
                    )
                })?;
            }
        }
        ensure(grid.axis(shape.len()).is_none(), || {
            format!("it knows dimension {} of an array of rank {}", shape.len(), shape.len())
        })?;
    }
    if found { Ok(()) } else { unsupported("it does not describe its dimensions") }
}

/// An array of another rank is refused.
fn rank(subject: &Subject) -> Verdict {
    for (_, _, grid, shape) in made(subject)? {
        let more: Vec<u64> = shape.iter().copied().chain([2]).collect();
        ensure(grid.grid_shape(&more).is_err(), || {
            format!("an array of shape {more:?} is accepted by a grid for {shape:?}")
        })?;
        ensure(grid.chunk_region(&more, &vec![0; more.len()]).is_err(), || {
            "it returns a chunk of an array of another rank".to_owned()
        })?;
        ensure(grid.chunk_index_of(&more, &vec![0; more.len()]).is_err(), || {
            "it finds an element of an array of another rank".to_owned()
        })?;
        let chunk_index = vec![0; shape.len() + 1];
        ensure(grid.chunk_region(&shape, &chunk_index).is_err(), || "it returns a chunk of another rank".to_owned())?;
        ensure(grid.chunk_index_of(&shape, &chunk_index).is_err(), || {
            "it finds an element of another rank".to_owned()
        })?;
    }
    Ok(())
}

/// Very large numbers cause an error or return a result, but do not panic.
fn beyond(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, extension, grid, shape) in made(subject)? {
        let property = format!("{} beyond {:?}", subject.id(), sample.configuration);
        let number =
            || prop_oneof![Just(u64::MAX), Just(1 << 63), Just((1 << 63) - 1), Just(1 << 40), any::<u64>(), 0u64..20];
        let numbers = proptest::collection::vec(number(), shape.len());
        settings.each(&property, (numbers.clone(), numbers), |(huge, at)| {
            let _any = grid.grid_shape(&huge);
            for array in [&huge, &shape] {
                if let Ok(region) = grid.chunk_region(array, &at) {
                    let sane = (0..array.len()).all(|d| region.start[d].checked_add(region.len[d]).is_some());
                    ensure(sane, || format!("a chunk of it is {region:?} ({})", extension.to_json()))?;
                }
                let _any = grid.chunk_index_of(array, &at);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A dimension of length zero has no chunks: their number is zero, and none is returned.
fn empty(subject: &Subject) -> Verdict {
    let mut found = false;
    for (_, extension, grid, shape) in made(subject)? {
        for d in 0..shape.len() {
            let mut none = shape.clone();
            none[d] = 0;
            ensure(grid.chunk_region(&none, &vec![0; none.len()]).is_err(), || {
                format!("it returns a chunk of an array of shape {none:?} ({})", extension.to_json())
            })?;
            let Ok(counts) = grid.grid_shape(&none) else { continue };
            found = true;
            ensure(counts[d] == 0, || {
                format!("a dimension without length has {} chunks ({})", counts[d], extension.to_json())
            })?;
        }
    }
    if found { Ok(()) } else { unsupported("it accepts no array without elements") }
}

/// After a resize, elements that remain are in the same chunks as before.
fn resize(subject: &Subject, settings: &Settings) -> Verdict {
    for (sample, extension, grid, shape) in made(subject)? {
        let property = format!("{} resize {:?}", subject.id(), sample.configuration);
        let to: Vec<_> = shape.iter().map(|n| 1..=n * 2).collect();
        settings.each(&property, to, |new| {
            let Ok(configuration) = grid.resized(&shape, &new) else { return Ok(()) };
            let resized = match configuration {
                Some(members) => make(subject, &extension.with_configuration(members)?, &new)?,
                None => grid.clone(),
            };
            // A shape to which the grid cannot be resized is refused.
            if resized.grid_shape(&new).is_err() {
                return Ok(());
            }
            let common: Vec<u64> = shape.iter().zip(&new).map(|(a, b)| *a.min(b)).collect();
            for element in indices(&common) {
                let (before, after) = (grid.chunk_index_of(&shape, &element)?, resized.chunk_index_of(&new, &element)?);
                ensure(before == after, || {
                    format!("resized from {shape:?} to {new:?}, element {element:?} moves from {before:?} to {after:?}")
                })?;
                let (a, b) = (grid.chunk_region(&shape, &before)?, resized.chunk_region(&new, &after)?);
                ensure(a == b, || {
                    format!("resized from {shape:?} to {new:?}, the chunk {before:?} changes from {a:?} to {b:?}")
                })?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
