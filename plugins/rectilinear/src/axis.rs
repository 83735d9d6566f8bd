//! Where the chunks along one dimension lie. Runs stay runs: only [`Axis::chunks`] expands them.

use crate::edges::{Edges, Item};
use std::{num::NonZeroU64, sync::OnceLock};
use zarr_plugin_api::AxisChunks;

#[derive(Debug)]
pub(crate) struct Axis {
    edges: Edges,
    /// Of a list.
    runs: Vec<Run>,
    /// How many chunks the list has.
    listed: u64,
    /// The element after its last.
    end: u64,
    expanded: OnceLock<Option<Vec<u64>>>,
}

/// Cells of one length.
#[derive(Debug)]
struct Run {
    length: u64,
    first_cell: u64,
    start: u64,
}

impl Axis {
    /// Refuses lists whose end does not fit 64 bits.
    pub(crate) fn new(edges: Edges) -> Result<Self, String> {
        let (mut runs, mut listed, mut end) = (Vec::new(), 0u64, 0u64);
        if let Edges::List(items) = &edges {
            for (length, count) in items.iter().map(|i| i.run()) {
                runs.push(Run { length, first_cell: listed, start: end });
                let sum = length.checked_mul(count).and_then(|n| end.checked_add(n));
                // No more chunks than elements: what fits there fits here.
                (listed, end) = (listed.saturating_add(count), sum.ok_or("the lengths add up to 2^64 or more")?);
            }
        }
        Ok(Self { edges, runs, listed, end, expanded: OnceLock::new() })
    }
    pub(crate) fn edges(&self) -> &Edges {
        &self.edges
    }
    /// How many chunks are written out one after another.
    pub(crate) fn listed(&self) -> u64 {
        self.listed
    }
    /// Refuses a dimension that is longer than the list.
    pub(crate) fn check_covers(&self, n: u64) -> Result<(), String> {
        match self.edges {
            Edges::List(_) if self.end < n => Err(format!("the lengths add up to {}, less than {n}", self.end)),
            _ => Ok(()),
        }
    }
    /// The chunk of an element that the chunks cover.
    pub(crate) fn chunk_index_of(&self, element: u64) -> u64 {
        match &self.edges {
            Edges::Every(length) => element / length.get(),
            Edges::List(_) => {
                let at = self.runs.partition_point(|r| r.start <= element).saturating_sub(1);
                self.runs.get(at).map_or(0, |r| r.first_cell + (element - r.start) / r.length)
            }
        }
    }
    /// Start and length of a chunk that there is.
    pub(crate) fn chunk(&self, index: u64) -> (u64, u64) {
        match &self.edges {
            Edges::Every(length) => (index.saturating_mul(length.get()), length.get()),
            Edges::List(_) => {
                let at = self.runs.partition_point(|r| r.first_cell <= index).saturating_sub(1);
                self.runs.get(at).map_or((0, 0), |r| (r.start + (index - r.first_cell) * r.length, r.length))
            }
        }
    }
    /// The lengths once the dimension has `n` elements, if the list must become longer for that.
    pub(crate) fn grown(&self, n: u64) -> Option<Edges> {
        let Edges::List(items) = &self.edges else { return None };
        let missing = NonZeroU64::new(n.checked_sub(self.end)?)?;
        let mut items = items.clone();
        match items.last_mut() {
            // A run is made longer, so that appending again and again does not make the list longer each time.
            Some(Item::Run(length, count)) => *count = count.saturating_add(missing.get().div_ceil(length.get())),
            Some(Item::One(length)) => {
                let (length, count) = (*length, missing.get().div_ceil(length.get()));
                items.push(Item::Run(length, NonZeroU64::new(count)?));
            }
            None => items.push(Item::One(missing)),
        }
        Some(Edges::List(items))
    }
    /// How the chunks cut the dimension. `None` if there is no memory to tell.
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
