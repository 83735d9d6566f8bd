//! Options and reports of copies.

use crate::progress::{Listener, Progress};
use ozarr::{extension::Extension, zarr_core::name::NodePath};
use std::fmt;

/// How a [copy](crate::copy()) differs from its source. By default it does not.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CopyOptions<'a> {
    /// The codecs of a chunk, or of an inner chunk where there are shards. A list of compressors alone replaces the
    /// existing compressors and preserves the array codecs.
    pub codecs: Option<Vec<Extension>>,
    /// The chunk shape, or the inner chunk shape where there are shards. In a hierarchy, arrays with another number of
    /// dimensions keep their own.
    pub chunks: Option<Vec<u64>>,
    /// The shard shape, with the same rule.
    pub shards: Option<Vec<u64>>,
    /// The data type of the copied arrays.
    pub data_type: Option<Extension>,
    /// Round to the nearest value where one does not convert exactly. By default that is an error.
    pub lossy: bool,
    /// Replace a node at the destination with everything below it. By default that is an error.
    pub overwrite: bool,
    pub(super) progress: Listener<'a>,
    pub(super) notes: Option<&'a (dyn Fn(&KeptLengths) + Sync)>,
}

impl<'a> CopyOptions<'a> {
    /// Sets [`codecs`](Self::codecs).
    #[must_use]
    pub fn with_codecs(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.codecs = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// Sets [`chunks`](Self::chunks).
    #[must_use]
    pub fn with_chunks(mut self, lengths: impl Into<Vec<u64>>) -> Self {
        self.chunks = Some(lengths.into());
        self
    }
    /// Sets [`shards`](Self::shards).
    #[must_use]
    pub fn with_shards(mut self, lengths: impl Into<Vec<u64>>) -> Self {
        self.shards = Some(lengths.into());
        self
    }
    /// Sets [`data_type`](Self::data_type).
    #[must_use]
    pub fn with_data_type(mut self, data_type: impl Into<Extension>) -> Self {
        self.data_type = Some(data_type.into());
        self
    }
    /// Sets [`lossy`](Self::lossy).
    #[must_use]
    pub fn with_lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }
    /// Sets [`overwrite`](Self::overwrite).
    #[must_use]
    pub fn with_overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }
    /// Reports progress in elements.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
    /// Calls `notes` for each array of a hierarchy that the lengths do not fit, before anything is written. The
    /// [report](CopyReport::kept) lists them all.
    #[must_use]
    pub fn with_notes(mut self, notes: &'a (dyn Fn(&KeptLengths) + Sync)) -> Self {
        self.notes = Some(notes);
        self
    }
}

impl fmt::Debug for CopyOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyOptions")
            .field("codecs", &self.codecs)
            .field("chunks", &self.chunks)
            .field("shards", &self.shards)
            .field("data_type", &self.data_type)
            .field("lossy", &self.lossy)
            .field("overwrite", &self.overwrite)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// One of the options that are shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lengths {
    /// [`CopyOptions::chunks`].
    Chunks,
    /// [`CopyOptions::shards`].
    Shards,
}

/// The name of the option.
impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lengths::Chunks => "`chunks`",
            Lengths::Shards => "`shards`",
        })
    }
}

/// An array of a copied hierarchy that keeps its own chunk or shard shape, because it has another number of dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptLengths {
    /// The array in the source.
    pub node: NodePath,
    /// The option that does not fit.
    pub option: Lengths,
    /// The number of lengths in the option.
    pub given: usize,
    /// The number of dimensions of the array.
    pub dimensions: usize,
}

/// The result of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// The number of copied arrays.
    pub arrays: u64,
    /// The number of copied groups.
    pub groups: u64,
    /// Arrays that kept their own shapes because the options did not fit.
    pub kept: Vec<KeptLengths>,
}
