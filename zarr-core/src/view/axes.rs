//! Lengths and strides of the dimensions of a view.

use super::region::Region;
use crate::{
    error::{Error, Result},
    limits::product,
};
use smallvec::SmallVec;

#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) len: usize,
    /// The distance in bytes from one index to the next.
    pub(super) stride: isize,
}

pub(super) type Axes = SmallVec<[Axis; 4]>;

/// Returns the axes of a shape in C order, over exactly `bytes` bytes.
pub(super) fn c_order(shape: &[u64], element: usize, bytes: usize) -> Result<Axes> {
    let total = product(shape, element as u64)?;
    if total != bytes as u64 {
        return Err(Error::data(format!("expected {total} bytes for shape {shape:?}, found {bytes}")));
    }
    // Without elements the strides are unused, and lengths may exceed memory.
    let mut stride = element as isize;
    let mut axes: Axes = SmallVec::with_capacity(shape.len());
    for &n in shape.iter().rev() {
        let len = usize::try_from(n).unwrap_or(usize::MAX);
        axes.push(Axis { len, stride });
        stride = stride.saturating_mul(isize::try_from(len.max(1)).unwrap_or(isize::MAX));
    }
    axes.reverse();
    Ok(axes)
}

pub(super) fn with_strides(shape: &[u64], strides: &[isize]) -> Result<Axes> {
    if shape.len() != strides.len() {
        return Err(Error::argument("expected one stride per dimension"));
    }
    let len = |n: u64| usize::try_from(n).map_err(|_| Error::argument("a dimension is larger than the address space"));
    shape.iter().zip(strides).map(|(&n, &stride)| Ok(Axis { len: len(n)?, stride })).collect()
}

/// Checks that every index reaches `element` bytes within `0..bytes`, counted from `offset`.
pub(super) fn check_bounds(axes: &Axes, offset: usize, element: usize, bytes: usize) -> Result<()> {
    if axes.iter().any(|a| a.len == 0) {
        return Ok(());
    }
    let (mut low, mut high) = (offset as i128, offset as i128 + element as i128);
    for a in axes {
        let reach = a.stride as i128 * (a.len as i128 - 1);
        if reach < 0 { low += reach } else { high += reach }
    }
    if low < 0 || high > bytes as i128 {
        return Err(Error::argument("the strides are out of bounds of the buffer"));
    }
    Ok(())
}

/// Checks that no two indices share a byte: sorted by stride, each stride spans at least all smaller ones.
pub(super) fn check_disjoint(axes: &Axes, element: usize) -> Result<()> {
    if axes.iter().any(|a| a.len == 0) {
        return Ok(());
    }
    let mut by: Axes = axes.iter().filter(|a| a.len > 1).copied().collect();
    by.sort_by_key(|a| a.stride.unsigned_abs());
    let mut extent = element as i128;
    for a in by {
        let stride = (a.stride as i128).abs();
        if stride < extent {
            return Err(Error::argument("the destination elements overlap"));
        }
        extent += stride * (a.len as i128 - 1);
    }
    Ok(())
}

/// Narrows the axes to a region, and returns the offset of its first element.
pub(super) fn narrow(axes: &mut Axes, region: &Region) -> Result<isize> {
    let inside = region.rank() == axes.len()
        && axes
            .iter()
            .enumerate()
            .all(|(d, a)| region.start[d].checked_add(region.len[d]).is_some_and(|end| end <= a.len as u64));
    if !inside {
        return Err(Error::argument("the region is out of bounds of the view"));
    }
    let empty = region.is_empty();
    let mut offset = 0isize;
    for (d, a) in axes.iter_mut().enumerate() {
        if !empty {
            offset += region.start[d] as isize * a.stride;
        }
        a.len = region.len[d] as usize;
    }
    Ok(offset)
}

/// Keeps every `steps[d]`-th index.
pub(super) fn step(axes: &mut Axes, steps: &[u64]) -> Result<()> {
    if steps.len() != axes.len() || steps.contains(&0) {
        return Err(Error::argument("expected one positive step per dimension"));
    }
    for (a, &s) in axes.iter_mut().zip(steps) {
        let s = usize::try_from(s).unwrap_or(usize::MAX);
        a.len = a.len.div_ceil(s);
        // With at most one index left the stride is never used.
        a.stride = if a.len > 1 { a.stride * s as isize } else { a.stride };
    }
    Ok(())
}

pub(super) fn permuted(axes: &Axes, order: &[usize]) -> Result<Axes> {
    let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, axes.len());
    let valid =
        order.len() == axes.len() && order.iter().all(|&o| o < axes.len() && !std::mem::replace(&mut seen[o], true));
    if !valid {
        return Err(Error::argument(format!("{order:?} is not a permutation of the dimensions")));
    }
    Ok(order.iter().map(|&o| axes[o]).collect())
}

/// Returns the axes with an axis of length 1 inserted for each flag that is true.
pub(super) fn with_units(axes: &Axes, is_new: &[bool], element: usize) -> Result<Axes> {
    if is_new.iter().filter(|new| !**new).count() != axes.len() {
        return Err(Error::argument("expected one flag per dimension, existing or new"));
    }
    let (unit, mut old) = (Axis { len: 1, stride: element as isize }, axes.iter());
    Ok(is_new.iter().filter_map(|new| if *new { Some(unit) } else { old.next().copied() }).collect())
}

pub(super) fn is_contiguous(axes: &Axes, element: usize) -> bool {
    if axes.iter().any(|a| a.len == 0) {
        return true;
    }
    let mut stride = element as isize;
    axes.iter().rev().all(|a| {
        let fits = a.len == 1 || a.stride == stride;
        stride = stride.saturating_mul(a.len as isize);
        fits
    })
}

pub(super) fn count(axes: &Axes) -> usize {
    if axes.iter().any(|a| a.len == 0) { 0 } else { axes.iter().map(|a| a.len).product() }
}
