//! Hyperrectangles.

use super::dims::Dims;
use crate::error::{Error, Result};

/// A hyperrectangle of elements: its start and its length along each dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    /// The index of the first element.
    pub start: Dims,
    /// The number of elements along each dimension.
    pub len: Dims,
}

impl Region {
    /// Creates a region from its start and length.
    ///
    /// # Errors
    /// If the ranks differ, or an end does not fit in 64 bits.
    pub fn new(start: &[u64], len: &[u64]) -> Result<Self> {
        let fits = start.len() == len.len() && start.iter().zip(len).all(|(s, n)| s.checked_add(*n).is_some());
        if !fits {
            return Err(Error::argument(format!("invalid region: start {start:?}, length {len:?}")));
        }
        Ok(Self { start: start.into(), len: len.into() })
    }
    /// Returns the region of all elements of an array of this shape.
    pub fn whole(shape: &[u64]) -> Self {
        Self { start: Dims::from_elem(0, shape.len()), len: shape.into() }
    }
    /// True if the region has all elements of an array of this shape.
    pub fn is_whole(&self, shape: &[u64]) -> bool {
        self.start.iter().all(|&s| s == 0) && self.len[..] == *shape
    }
    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.start.len()
    }
    /// True if the region has no elements.
    pub fn is_empty(&self) -> bool {
        self.len.contains(&0)
    }
    /// Returns the end along a dimension: the index after the last.
    pub fn end(&self, axis: usize) -> u64 {
        self.start[axis].saturating_add(self.len[axis])
    }
    /// True if the region is inside an array of this shape.
    pub fn is_within(&self, shape: &[u64]) -> bool {
        self.rank() == shape.len() && (0..self.rank()).all(|d| self.end(d) <= shape[d])
    }
    /// Returns the elements that both regions have; `None` if there are none.
    pub fn intersection(&self, other: &Region) -> Option<Region> {
        let mut r = self.clone();
        for d in 0..self.rank() {
            r.start[d] = self.start[d].max(other.start[d]);
            r.len[d] = self.end(d).min(other.end(d)).checked_sub(r.start[d]).filter(|n| *n > 0)?;
        }
        Some(r)
    }
    /// Returns the region relative to `origin`, which must not be beyond its start.
    pub fn relative_to(&self, origin: &[u64]) -> Region {
        let start = self.start.iter().zip(origin).map(|(s, o)| s.saturating_sub(*o)).collect();
        Region { start, len: self.len.clone() }
    }
    /// Returns the region with its dimensions in another order: dimension `i` is `order[i]` of this region.
    pub fn permuted(&self, order: &[usize]) -> Region {
        let pick = |d: &Dims| order.iter().map(|&o| d[o]).collect();
        Region { start: pick(&self.start), len: pick(&self.len) }
    }
}
