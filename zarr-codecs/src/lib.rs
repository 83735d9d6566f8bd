//! The built-in codecs of Zarr v3.1: one file and one cargo feature each.
//!
//! | | | |
//! |---|---|---|
//! | [`Transpose`] | array -> array | another order of dimensions |
//! | [`Bytes`] | array -> bytes | elements of a fixed size, in C order |
//! | [`VlenUtf8`], [`VlenBytes`] | array -> bytes | strings |
//! | [`Sharding`] | array -> bytes | many inner chunks in one value |
//! | [`Blosc`], [`Zstd`], [`Gzip`] | bytes -> bytes | compressors |
//! | [`Crc32c`] | bytes -> bytes | a checksum |
//!
//! Each type is the configuration of a codec: what `zarr.json` says of it. It becomes an
//! [`Extension`](zarr_core::extension::Extension) of a new array by `Into`. What is out of range is refused when the array
//! is created; what is left out is chosen then, and recorded.
//!
//! ```
//! use zarr_codecs::{Crc32c, Zstd};
//! use zarr_core::extension::Extension;
//!
//! let compressors: [Extension; 2] = [Zstd::level(3).into(), Crc32c.into()];
//! assert_eq!(
//!     compressors[0].to_json().to_string(),
//!     r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#
//! );
//! ```
//!
//! They register themselves in every program that links this crate, and see only what a third-party plugin sees: the
//! contract of `zarr-core`. A codec that was switched off is known by name, so that an array that needs it is refused
//! with the feature that is missing.

#[cfg(feature = "bytes")]
mod bytes;
#[cfg(feature = "sharding_indexed")]
pub mod sharding_indexed;
#[cfg(feature = "transpose")]
mod transpose;

#[cfg(feature = "blosc")]
mod blosc;
#[cfg(feature = "crc32c")]
mod crc32c;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(any(feature = "vlen-utf8", feature = "vlen-bytes"))]
mod vlen;
#[cfg(feature = "zstd")]
mod zstd;

#[allow(dead_code, reason = "not every feature uses all of it")]
mod member;

#[cfg(feature = "blosc")]
pub use blosc::{Blosc, Shuffle};
#[cfg(feature = "bytes")]
pub use bytes::Bytes;
#[cfg(feature = "crc32c")]
pub use crc32c::Crc32c;
#[cfg(feature = "gzip")]
pub use gzip::Gzip;
#[cfg(feature = "sharding_indexed")]
pub use sharding_indexed::{IndexLocation, Sharding};
#[cfg(feature = "transpose")]
pub use transpose::Transpose;
#[cfg(feature = "vlen-bytes")]
pub use vlen::VlenBytes;
#[cfg(feature = "vlen-utf8")]
pub use vlen::VlenUtf8;
#[cfg(feature = "zstd")]
pub use zstd::Zstd;

#[cfg(not(feature = "bytes"))]
zarr_core::absent!(Codec, "bytes", "this program was built without the feature `bytes` of zarr-codecs");
#[cfg(not(feature = "transpose"))]
zarr_core::absent!(Codec, "transpose", "this program was built without the feature `transpose` of zarr-codecs");
#[cfg(not(feature = "gzip"))]
zarr_core::absent!(Codec, "gzip", "this program was built without the feature `gzip` of zarr-codecs");
#[cfg(not(feature = "zstd"))]
zarr_core::absent!(Codec, "zstd", "this program was built without the feature `zstd` of zarr-codecs");
#[cfg(not(feature = "blosc"))]
zarr_core::absent!(Codec, "blosc", "this program was built without the feature `blosc` of zarr-codecs");
#[cfg(not(feature = "crc32c"))]
zarr_core::absent!(Codec, "crc32c", "this program was built without the feature `crc32c` of zarr-codecs");
#[cfg(not(feature = "vlen-utf8"))]
zarr_core::absent!(Codec, "vlen-utf8", "this program was built without the feature `vlen-utf8` of zarr-codecs");
#[cfg(not(feature = "vlen-bytes"))]
zarr_core::absent!(Codec, "vlen-bytes", "this program was built without the feature `vlen-bytes` of zarr-codecs");
#[cfg(not(feature = "sharding_indexed"))]
zarr_core::absent!(
    Codec,
    "sharding_indexed",
    "this program was built without the feature `sharding_indexed` of zarr-codecs"
);
