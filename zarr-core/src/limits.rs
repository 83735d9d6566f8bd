//! What data from outside may ask for at most.

use crate::{
    error::{Error, ErrorKind, Result},
    size::Size,
};

/// What lies between two codecs may always have this many bytes: headers and padding dwarf a tiny chunk.
const INTERMEDIATE_FLOOR: u64 = 1 << 20;

/// A JSON document may always take this much memory: short ones are mostly names and structure.
const JSON_FLOOR: u64 = 16 << 20;

/// A setter for each field of a struct of options, in the style of a builder.
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

/// Limits on what stored data and metadata may ask for. Every number from outside meets one of them, and checked
/// arithmetic, before it meets an allocation.
///
/// ```
/// let limits = zarr_core::limits::Limits::default().with_chunk_bytes(1 << 20).with_rank(8);
/// assert_eq!((limits.chunk_bytes, limits.rank), (1 << 20, 8));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The largest decoded chunk, or value that must be decoded whole, in bytes.
    pub chunk_bytes: u64,
    /// How large the output of a codec that has no exact size may get while a chunk is decoded, as a multiple of what an
    /// encoder makes of the chunk at most. 1 MiB is always allowed, more than [`chunk_bytes`](Self::chunk_bytes) never.
    pub intermediate_factor: u32,
    /// The memory that all threads may take together for what lies between stored bytes and elements: for encoded chunks,
    /// what codecs make of them, indexes of shards. A quarter is shared by chunks that are read or written at the same
    /// time; the rest belongs to one chunk at a time that needs more. What a caller asks for with its own calls, elements
    /// in memory, does not count.
    ///
    /// A context of `ozarr` begins with half of the machine's memory.
    pub memory: u64,
    /// The largest metadata document, in bytes.
    pub metadata_bytes: u64,
    /// How much memory a JSON document may take while it is read, as a multiple of its length. 16 MiB more are always
    /// allowed. A list of numbers with one digit takes 12 times its length.
    pub json_factor: u32,
    /// How deep JSON may nest.
    pub json_depth: u32,
    /// How deep codecs may nest (a shard in a shard).
    pub codec_depth: u32,
    /// The most codecs a chain may have: of an array, of the inner chunks of a shard, of its index. Codecs run within one
    /// another, so that this and [`codec_depth`](Self::codec_depth) bound the stack that a chunk takes.
    pub codec_count: u32,
    /// The most dimensions an array may have.
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
    /// Refuses more than [`chunk_bytes`](Self::chunk_bytes), and gives the number as a length in memory.
    pub fn chunk(&self, what: &'static str, asked: u64) -> Result<usize> {
        let within = (asked <= self.chunk_bytes).then(|| usize::try_from(asked).ok()).flatten();
        within.ok_or_else(|| ErrorKind::Limit { what, asked, limit: self.chunk_bytes }.into())
    }
    /// The most memory that a JSON document of this length may take.
    pub(crate) fn json_memory(&self, length: usize) -> u64 {
        (length as u64).saturating_mul(u64::from(self.json_factor)).saturating_add(JSON_FLOOR)
    }
    /// The most bytes that a codec may decode to where an encoder makes `expected`.
    pub fn intermediate(&self, expected: Size) -> u64 {
        let most =
            expected.max().map(|n| n.saturating_mul(u64::from(self.intermediate_factor)).max(INTERMEDIATE_FLOOR));
        most.unwrap_or(u64::MAX).min(self.chunk_bytes)
    }
}

/// A vector of `len` zero bytes, or an error when memory is short. Large ones are not touched: the system's memory is
/// zero as it comes.
pub fn zeroed(len: usize) -> Result<Vec<u8>> {
    bytemuck::try_zeroed_vec(len).map_err(|()| ErrorKind::Memory(len as u64).into())
}

/// The product of a shape and a size.
///
/// # Errors
/// When it does not fit 64 bits.
pub fn product(shape: &[u64], size: u64) -> Result<u64> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let n = shape.iter().try_fold(size, |a, &b| a.checked_mul(b));
    n.ok_or_else(|| Error::argument(format!("an array of shape {shape:?} has more than 2^64 elements or bytes")))
}
