//! Limits on the resources that untrusted data may use.

use crate::{
    error::{Error, ErrorKind, Result},
    size::Size,
};

/// The output of a codec within a chain may always have this many bytes: headers and padding dominate a tiny chunk.
const INTERMEDIATE_FLOOR: u64 = 1 << 20;

/// A JSON document may always use this much memory: short ones are mostly names and structure.
const JSON_FLOOR: u64 = 16 << 20;

/// Defines a builder-style setter for each field of an options struct.
macro_rules! setters {
    ($type:ident { $($name:ident $field:ident: $t:ty,)* }) => { impl $type { $(
        #[doc = concat!("The same with another [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $name(mut self, $field: $t) -> Self {
            self.$field = $field;
            self
        }
    )* } };
}
pub(crate) use setters;

/// Limits on the resources that stored data and metadata may use.
///
/// Every number from untrusted input is checked against a limit, and used with checked arithmetic, before memory is
/// allocated for it.
///
/// ```
/// let limits = zarr_core::limits::Limits::default().with_chunk_bytes(1 << 20).with_rank(8);
/// assert_eq!((limits.chunk_bytes, limits.rank), (1 << 20, 8));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The largest decoded chunk, or value that must be decoded as a whole, in bytes.
    pub chunk_bytes: u64,
    /// The largest output of a codec without an exact size while a chunk is decoded, as a multiple of the largest size
    /// that an encoder produces for the chunk.
    ///
    /// 1 MiB is always allowed, and more than [`chunk_bytes`](Self::chunk_bytes) never.
    pub intermediate_factor: u32,
    /// The memory, in bytes, that all threads together may use between stored bytes and elements: for encoded chunks,
    /// the output of codecs, and shard indexes.
    ///
    /// A quarter is shared by chunks that are read or written at the same time. The rest is for one chunk at a time
    /// that needs more. The elements that callers pass in or get back are not counted.
    ///
    /// A context of `ozarr` starts with half of the machine's memory.
    pub memory: u64,
    /// The largest metadata document, in bytes.
    pub metadata_bytes: u64,
    /// The memory that a JSON document may use while it is read, as a multiple of its length.
    ///
    /// 16 MiB more are always allowed. A list of one-digit numbers needs 12 times its length.
    pub json_factor: u32,
    /// The maximum nesting depth of JSON.
    pub json_depth: u32,
    /// The maximum nesting depth of codecs (a shard within a shard).
    pub codec_depth: u32,
    /// The maximum number of codecs in a chain: of an array, of the inner chunks of a shard, or of its index.
    ///
    /// Codecs call each other, so this and [`codec_depth`](Self::codec_depth) bound the stack that a chunk needs.
    pub codec_count: u32,
    /// The maximum number of dimensions of an array.
    pub rank: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            chunk_bytes: 4 << 30,
            intermediate_factor: 8,
            memory: 8 << 30,
            metadata_bytes: 64 << 20,
            json_factor: 6,
            json_depth: 128,
            codec_depth: 8,
            codec_count: 32,
            rank: 64,
        }
    }
}

setters! { Limits {
    with_chunk_bytes chunk_bytes: u64,
    with_intermediate_factor intermediate_factor: u32,
    with_memory memory: u64,
    with_metadata_bytes metadata_bytes: u64,
    with_json_factor json_factor: u32,
    with_json_depth json_depth: u32,
    with_codec_depth codec_depth: u32,
    with_codec_count codec_count: u32,
    with_rank rank: u32,
} }

impl Limits {
    /// Converts a number of bytes to a length in memory.
    ///
    /// # Errors
    /// If it is more than [`chunk_bytes`](Self::chunk_bytes).
    pub fn chunk(&self, what: &'static str, asked: u64) -> Result<usize> {
        let within = (asked <= self.chunk_bytes).then(|| usize::try_from(asked).ok()).flatten();
        within.ok_or_else(|| ErrorKind::Limit { what, asked, limit: self.chunk_bytes }.into())
    }
    /// Returns the most memory that a JSON document of this length may use.
    pub(crate) fn json_memory(&self, length: usize) -> u64 {
        (length as u64).saturating_mul(u64::from(self.json_factor)).saturating_add(JSON_FLOOR)
    }
    /// Returns the largest size to which a codec may decode if an encoder produces `expected` bytes.
    pub fn intermediate(&self, expected: Size) -> u64 {
        let most =
            expected.max().map(|n| n.saturating_mul(u64::from(self.intermediate_factor)).max(INTERMEDIATE_FLOOR));
        most.unwrap_or(u64::MAX).min(self.chunk_bytes)
    }
}

/// Returns a vector of `len` zero bytes.
///
/// Pages of large ones are not touched, since new memory from the system is zero.
///
/// # Errors
/// If memory cannot be allocated.
pub fn zeroed(len: usize) -> Result<Vec<u8>> {
    bytemuck::try_zeroed_vec(len).map_err(|()| ErrorKind::Memory(len as u64).into())
}

/// Returns the product of a shape and a size.
///
/// # Errors
/// If it does not fit in 64 bits.
pub fn product(shape: &[u64], size: u64) -> Result<u64> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let n = shape.iter().try_fold(size, |a, &b| a.checked_mul(b));
    n.ok_or_else(|| Error::argument(format!("an array of shape {shape:?} has more than 2^64 elements or bytes")))
}
