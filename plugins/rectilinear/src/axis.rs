//! The positions of the chunks along one dimension. Runs are stored as runs: only [`Axis::chunks`] expands them.

use crate::edges::{Edges, Item};
use std::{num::NonZeroU64, sync::OnceLock};
use zarr_plugin_api::AxisChunks;

#[derive(Debug)]
pub(crate) struct Axis {
    edges: Edges,
    /// The runs of a list.
    runs: Vec<Run>,
    /// The number of chunks in the list.
    listed: u64,
    /// The index after the last element that the list covers.
    end: u64,
    expanded: OnceLock<Option<Vec<u64>>>,
}

/// Chunks of one length.
#[derive(Debug)]
struct Run {
    length: u64,
    first_cell: u64,
    start: u64,
}

impl Axis {
    /// Creates the axis. Fails for a list whose end does not fit 64 bits.
    pub(crate) fn new(edges: Edges) -> Result<Self, String> {
        let (mut runs, mut listed, mut end) = (Vec::new(), 0u64, 0u64);
        if let Edges::List(items) = &edges {
            for (length, count) in items.iter().map(|i| i.run()) {
                runs.push(Run { length, first_cell: listed, start: end });
                let sum = length.checked_mul(count).and_then(|n| end.checked_add(n));
                // There are no more chunks than elements, so if the sum of lengths fits, the count fits.
                (listed, end) = (listed.saturating_add(count), sum.ok_or("the sum of the lengths is 2^64 or more")?);
            }
        }
        Ok(Self { edges, runs, listed, end, expanded: OnceLock::new() })
    }
    pub(crate) fn edges(&self) -> &Edges {
        &self.edges
    }
    /// Returns the number of chunks in the list.
    pub(crate) fn listed(&self) -> u64 {
        self.listed
    }
    /// Fails for a dimension that is longer than the list.
    pub(crate) fn check_covers(&self, n: u64) -> Result<(), String> {
        match self.edges {
            Edges::List(_) if self.end < n => {
                Err(format!("the sum of the lengths is {}, less than the array length {n}", self.end))
            }
            _ => Ok(()),
        }
    }
    /// Returns the index of the chunk that contains an element. The chunks must cover it.
    pub(crate) fn chunk_index_of(&self, element: u64) -> u64 {
        match &self.edges {
            Edges::Every(length) => element / length.get(),
            Edges::List(_) => {
                let at = self.runs.partition_point(|r| r.start <= element).saturating_sub(1);
                self.runs.get(at).map_or(0, |r| r.first_cell + (element - r.start) / r.length)
            }
        }
    }
    /// Returns the start and length of a chunk that exists.
    pub(crate) fn chunk(&self, index: u64) -> (u64, u64) {
        match &self.edges {
            Edges::Every(length) => (index.saturating_mul(length.get()), length.get()),
            Edges::List(_) => {
                let at = self.runs.partition_point(|r| r.first_cell <= index).saturating_sub(1);
                self.runs.get(at).map_or((0, 0), |r| (r.start + (index - r.first_cell) * r.length, r.length))
            }
        }
    }
    /// Returns the lengths for a dimension of `n` elements, if the list must be extended for that.
    pub(crate) fn grown(&self, n: u64) -> Option<Edges> {
        let Edges::List(items) = &self.edges else { return None };
        let missing = NonZeroU64::new(n.checked_sub(self.end)?)?;
        let mut items = items.clone();
        match items.last_mut() {
            // A run is extended, so that repeated appending does not add an item each time.
            Some(Item::Run(length, count)) => *count = count.saturating_add(missing.get().div_ceil(length.get())),
            Some(Item::One(length)) => {
                let (length, count) = (*length, missing.get().div_ceil(length.get()));
                items.push(Item::Run(length, NonZeroU64::new(count)?));
            }
            None => items.push(Item::One(missing)),
        }
        Some(Edges::List(items))
    }
    /// Returns the division of the dimension into chunks; `None` if there is not enough memory to expand it.
    pub(crate) fn chunks(&self) -> Option<AxisChunks<'_>> {
        let items = match &self.edges {
            Edges::Every(length) => return Some(AxisChunks::Regular(length.get())),
            Edges::List(items) => items,
        };
        let expand = || {
            let mut lengths = Vec::new();
            lengths.try_reserve_exact(usize::try_from(self.listed).ok()?).ok()?;
            for (length, count) in items.iter().map(|i| i.run()) {
                lengths.extend(std::iter::repeat_n(length, usize::try_from(count).ok()?));
            }
            Some(lengths)
        };
        self.expanded.get_or_init(expand).as_deref().map(AxisChunks::Lengths)
    }
}
