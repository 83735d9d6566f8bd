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
//! Each type is the configuration of a codec, as in `zarr.json`, and converts to an
//! [`Extension`](zarr_core::extension::Extension) for a new array. Creating the array fails if a value is out of range.
//! Omitted members are chosen when the array is created, and recorded in its metadata.
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
//! The codecs register themselves in every program that links this crate, and use the same interface as third-party
//! plugins: that of `zarr-core`. The name of a disabled codec is still known: opening an array that needs it fails with
//! an error that names the missing feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

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
zarr_core::absent!(Codec, "bytes", "enable the Cargo feature `bytes` of `ozarr`");
#[cfg(not(feature = "transpose"))]
zarr_core::absent!(Codec, "transpose", "enable the Cargo feature `transpose` of `ozarr`");
#[cfg(not(feature = "gzip"))]
zarr_core::absent!(Codec, "gzip", "enable the Cargo feature `gzip` of `ozarr`");
#[cfg(not(feature = "zstd"))]
zarr_core::absent!(Codec, "zstd", "enable the Cargo feature `zstd` of `ozarr`");
#[cfg(not(feature = "blosc"))]
zarr_core::absent!(Codec, "blosc", "enable the Cargo feature `blosc` of `ozarr`");
#[cfg(not(feature = "crc32c"))]
zarr_core::absent!(Codec, "crc32c", "enable the Cargo feature `crc32c` of `ozarr`");
#[cfg(not(feature = "vlen-utf8"))]
zarr_core::absent!(Codec, "vlen-utf8", "enable the Cargo feature `vlen-utf8` of `ozarr`");
#[cfg(not(feature = "vlen-bytes"))]
zarr_core::absent!(Codec, "vlen-bytes", "enable the Cargo feature `vlen-bytes` of `ozarr`");
#[cfg(not(feature = "sharding_indexed"))]
zarr_core::absent!(Codec, "sharding_indexed", "enable the Cargo feature `sharding_indexed` of `ozarr`");
