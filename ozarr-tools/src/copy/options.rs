//! How a copy is to differ, and what became of it.

use crate::progress::{Listener, Progress};
use ozarr::{extension::Extension, zarr_core::name::NodePath};
use std::fmt;

/// How a [copy](crate::copy()) is to differ from its source. By default it does not.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CopyOptions<'a> {
    /// The codecs of a chunk (of an inner chunk, where there are shards). Compressors alone replace those that were there,
    /// and keep the array codecs.
    pub codecs: Option<Vec<Extension>>,
    /// Lengths of chunks (of inner chunks, where there are shards). In a hierarchy, arrays with another number of dimensions
    /// keep their own.
    pub chunks: Option<Vec<u64>>,
    /// Lengths of shards, likewise.
    pub shards: Option<Vec<u64>>,
    /// The data type of the copies.
    pub data_type: Option<Extension>,
    /// Take the nearest value where one does not convert exactly. By default that is an error.
    pub lossy: bool,
    /// Replace a node that is at the destination, with everything below it. By default that is an error.
    pub overwrite: bool,
    pub(super) progress: Listener<'a>,
    pub(super) notes: Option<&'a (dyn Fn(&KeptLengths) + Sync)>,
}

impl<'a> CopyOptions<'a> {
    /// The same with other [`codecs`](Self::codecs).
    #[must_use]
    pub fn with_codecs(mut self, codecs: impl IntoIterator<Item = impl Into<Extension>>) -> Self {
        self.codecs = Some(codecs.into_iter().map(Into::into).collect());
        self
    }
    /// The same with other [`chunks`](Self::chunks).
    #[must_use]
    pub fn with_chunks(mut self, lengths: impl Into<Vec<u64>>) -> Self {
        self.chunks = Some(lengths.into());
        self
    }
    /// The same with other [`shards`](Self::shards).
    #[must_use]
    pub fn with_shards(mut self, lengths: impl Into<Vec<u64>>) -> Self {
        self.shards = Some(lengths.into());
        self
    }
    /// The same with another [`data_type`](Self::data_type).
    #[must_use]
    pub fn with_data_type(mut self, data_type: impl Into<Extension>) -> Self {
        self.data_type = Some(data_type.into());
        self
    }
    /// The same with another [`lossy`](Self::lossy).
    #[must_use]
    pub fn with_lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }
    /// The same with another [`overwrite`](Self::overwrite).
    #[must_use]
    pub fn with_overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }
    /// Tells how far the copy is, in elements.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Listener(Some(progress));
        self
    }
    /// Tells of each array of a hierarchy that lengths do not fit, before anything is written; afterwards the
    /// [report](CopyReport::kept) has them all.
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

/// One of the options that are lengths.
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

/// An array of a copied hierarchy that keeps its own lengths, because it has another number of dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptLengths {
    /// The array in the source.
    pub node: NodePath,
    /// Which lengths.
    pub option: Lengths,
    /// How many lengths were given.
    pub given: usize,
    /// How many dimensions the array has.
    pub dimensions: usize,
}

/// What a copy did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// Arrays that were copied.
    pub arrays: u64,
    /// Groups that were copied.
    pub groups: u64,
    /// Lengths that did not fit an array, which kept its own.
    pub kept: Vec<KeptLengths>,
}
